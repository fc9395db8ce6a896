"""Runs a side's session as a process, sends it workloads, and measures its Python workers."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.native_program import ROOT
from benchmarks.spark.rows import Side

ANSWER_SECONDS = 600
_LOG_TAIL = 3_000
# Written to /proc/PID/clear_refs, this resets the peak of resident memory.
_RESET_PEAK = "5"


class SessionError(Exception):
    """A session failed or did not answer; the message contains the end of the session's log."""


class Session:
    """A Spark session, which is idle until it gets a command."""

    def __init__(self, side: Side, process: subprocess.Popen[str], log: Path) -> None:
        self.side = side
        self._process = process
        self._log = log

    def ask(self, command: dict[str, Any]) -> dict[str, Any]:
        """Run one workload; return its measurements."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        return self.answer()

    def answer(self) -> dict[str, Any]:
        """Return the next answer."""
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], ANSWER_SECONDS)
        line = self._process.stdout.readline() if ready else ""
        if not line:
            what = "ended" if ready else f"did not answer within {ANSWER_SECONDS} s"
            tail = self._log.read_text(errors="replace")[-_LOG_TAIL:]
            raise SessionError(f"the session of {self.side} {what} ({self._log}):\n{tail}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def reset_worker_peaks(self) -> None:
        """Reset the peak of the Python workers' memory."""
        for process in self._workers():
            try:
                (process / "clear_refs").write_text(_RESET_PEAK)
            except (FileNotFoundError, ProcessLookupError):
                continue  # The worker has just ended.

    def worker_peak_mb(self) -> float:
        """Return the largest peak of a Python worker's resident memory since the reset."""
        peaks = [_peak_kb(process) for process in self._workers()]
        return max(peaks, default=0) * 1024 / 1e6

    def cpu_seconds(self) -> float:
        """Return the CPU time of the driver, its JVM and the Python workers until now."""
        return sum(_cpu_ticks(process) for process in self._family()) / os.sysconf("SC_CLK_TCK")

    def _workers(self) -> list[Path]:
        return [one for one in self._family() if b"pyspark.daemon" in _read(one / "cmdline")]

    def _family(self) -> list[Path]:
        """Return the /proc directories of the session and of its descendants."""
        parents = {int(one.name): _parent(one) for one in Path("/proc").glob("[0-9]*")}
        family = {self._process.pid}
        while more := {pid for pid, parent in parents.items() if parent in family} - family:
            family |= more
        return [Path("/proc", str(pid)) for pid in family]


@contextmanager
def running_session(
    side: Side,
    bootstrap: str,
    cores: int,
    jars: tuple[Path, ...],
    folder: Path,
    registry: str = "",
) -> Iterator[Session]:
    """Start a session and wait until it is ready; the end of the block ends it."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / f"{side}-{cores}.log"
    command = [sys.executable, "-m", "benchmarks.spark.session", "--side", side]
    command += ["--bootstrap", bootstrap, "--cores", str(cores)]
    command += ["--jars", ",".join(map(str, jars)), "--registry", registry]
    environment = {
        **os.environ,
        # These paths are absolute, because the session and its workers run in another folder.
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    with log.open("w") as errors:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        # The end of the block closes the session's standard input, so that the session ends.
        with process:
            session = Session(side, process, log)
            session.answer()
            yield session


def _parent(process: Path) -> int:
    fields = _stat(process)
    return int(fields[1]) if fields else 0


def _cpu_ticks(process: Path) -> int:
    """Return the CPU time of a process and of its ended children, in ticks."""
    return sum(map(int, _stat(process)[11:15]))


def _stat(process: Path) -> list[bytes]:
    """Return the fields after the command, which may contain any characters."""
    return _read(process / "stat").rpartition(b")")[2].split()


def _peak_kb(process: Path) -> int:
    for line in _read(process / "status").splitlines():
        if line.startswith(b"VmHWM:"):
            return int(line.split()[1])
    return 0


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""  # The process has just ended.
