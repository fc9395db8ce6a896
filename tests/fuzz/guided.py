"""Runs targets under sanitizers, with inputs that a fuzzer chooses by code coverage.

libFuzzer (from atheris) watches which branches of the extension an input takes. It keeps inputs
that take a new branch, and changes them. The targets are the same as in tests.fuzz.campaign, but
draw from the fuzzer's bytes instead of a seed. `make fuzz` compiles the instrumented extension into
build/guided.
"""

from __future__ import annotations

import argparse
import collections
import ctypes
import faulthandler
import gc
import importlib.util
import logging
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from confluent_kafka import cimpl
from tests.fuzz.campaign import TARGETS

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "guided"
# The program looks for leaked memory after this number of inputs, and at the end.
ROUND = 10_000
FEW = 20  # number of allocations that only local variables may refer to


class Drawn(Random):
    """Draws from bytes, and returns zeros after the last byte."""

    def feed(self, data: bytes) -> None:
        self._rest = data

    def getrandbits(self, k: int) -> int:
        size = -(-k // 8)
        drawn, self._rest = self._rest[:size], self._rest[size:]
        return int.from_bytes(drawn, "little") & ((1 << k) - 1)

    def random(self) -> float:
        return self.getrandbits(53) / 2**53


def missing() -> str | None:
    """Return which part is missing, or None.

    The parts are the fuzzer and the extension from clang.
    """
    if importlib.util.find_spec("atheris") is None:
        return "atheris is not installed"
    if not any(BUILD.glob("lib/confluent_kafka/cimpl.*")):
        return "there is no extension that clang has compiled for it"
    return None


def environment() -> dict[str, str]:
    """The environment of a process with the instrumented extension and the matching runtime."""
    spec = importlib.util.find_spec("atheris")
    assert spec is not None
    assert spec.origin is not None
    return os.environ | {
        "LD_PRELOAD": str(Path(spec.origin).parents[1] / "asan_with_fuzzer.so"),
        "PYTHONPATH": str(BUILD / "lib"),
        # Each object gets an allocation of its own.
        "PYTHONMALLOC": "malloc",
        # This program itself looks for leaks, because the interpreter always leaks some memory at
        # its exit.
        "ASAN_OPTIONS": "detect_leaks=1:leak_check_at_exit=0:quarantine_size_mb=16",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }


class Fuzzer:
    """Passes libFuzzer's inputs to a target, and counts the outcomes."""

    def __init__(self, name: str, inputs: int, options: list[str]) -> None:
        self._name = name
        self._inputs = inputs
        self._drawn = Drawn()
        self._target = TARGETS[name](self._drawn).__enter__()
        self._outcomes: collections.Counter[str] = collections.Counter()
        self._before = self._lost = 0  # numbers of allocations
        self._start = time.monotonic()
        self._options = [
            sys.argv[0],
            f"-artifact_prefix={BUILD}/",  # the folder for failing inputs
            "-detect_leaks=0",  # a check after each input would take too long
            "-max_len=1024",
            "-timeout=60",
            *options,
        ]

    def run(self) -> None:
        """Run the fuzzer. At its end, the fuzzer ends the process."""
        import atheris

        atheris.Setup(self._options, self._one_input)
        atheris.Fuzz()

    def _one_input(self, data: bytes) -> None:
        self._drawn.feed(data)
        self._count(self._target.step())
        done = self._outcomes.total()
        if done == 1:
            self._before, _ = lost()
        if done % ROUND == 0 or done == self._inputs:
            self._check_memory()
        if done == self._inputs:
            self._report()

    def _count(self, error: Exception | None) -> None:
        self._outcomes["returned" if error is None else type(error).__name__] += 1

    def _check_memory(self) -> None:
        count, report = lost()
        self._lost = max(0, count - self._before)
        if self._lost > FEW:
            raise MemoryError(f"{self._lost} pieces of memory are lost\n{report}")

    def _report(self) -> None:
        print(
            f"guided {self._name}: {self._outcomes.total()} inputs in "
            f"{time.monotonic() - self._start:.0f} s, "
            + ", ".join(f"{count} {kind}" for kind, count in sorted(self._outcomes.items()))
            + f"; pieces of memory lost: {self._lost}",
            flush=True,
        )


def lost() -> tuple[int, str]:
    """Return the number of unreachable allocations, and a report with their stacks.

    Some of them are not leaked: the sanitizer does not see allocations that only local variables of
    Python refer to.
    """
    gc.collect()
    runtime = ctypes.CDLL(None)
    with tempfile.TemporaryFile("w+") as file:
        runtime.__sanitizer_set_report_fd(ctypes.c_void_p(file.fileno()))
        runtime.__lsan_do_recoverable_leak_check()
        runtime.__sanitizer_set_report_fd(ctypes.c_void_p(sys.stderr.fileno()))
        file.seek(0)
        report = file.read()
    found = re.search(r"leaked in (\d+) allocation", report)
    return (int(found[1]) if found else 0), report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--inputs", type=int, default=ROUND)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--file", help="run only the input in this file")
    arguments = parser.parse_args()
    if (lacks := missing()) is not None:
        parser.error(lacks)
    if "LD_PRELOAD" not in os.environ:
        command = [sys.executable, "-m", "tests.fuzz.guided", *sys.argv[1:]]
        os.execve(sys.executable, command, environment())
    assert Path(cimpl.__file__).is_relative_to(BUILD)
    logging.getLogger().addHandler(logging.NullHandler())
    faulthandler.enable()
    if arguments.file is not None:
        Fuzzer(arguments.target, 1, [arguments.file]).run()
    seed = Random(arguments.seed).randrange(1, 2**31)
    options = [f"-runs={arguments.inputs}", f"-seed={seed}"]
    Fuzzer(arguments.target, arguments.inputs, options).run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
