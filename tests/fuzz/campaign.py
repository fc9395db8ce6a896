"""Run a great number of inputs in one process, count them, and measure leaks.

All inputs are drawn from a seed. They come in rounds. Each round has its own clients, and closes
them at its end. So these measures should stay the same from round to round:

- RSS, which includes the memory of C;
- the interpreter's allocated blocks, which include every leaked object.

The first rounds fill caches and are not measured.
"""

from __future__ import annotations

import argparse
import collections
import faulthandler
import gc
import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tests.fuzz.arrow import ArrowImport
from tests.fuzz.boundary import Boundary
from tests.fuzz.columns import Columns
from tests.fuzz.conversions import Configurations, Headers
from tests.fuzz.json_rows import JSONRows


def protobuf_columns(random: Random) -> Any:
    """The import is here, so that the other targets do not load google.protobuf."""
    from tests.fuzz.columns_protobuf import ProtobufColumns

    return ProtobufColumns(random)


def encoders(random: Random) -> Any:
    """The import is here, so that the other targets do not load google.protobuf."""
    from tests.fuzz.columns_encoders import Encoders

    return Encoders(random)


TARGETS: dict[str, Callable[[Random], Any]] = {
    "boundary": lambda random: Boundary(random, slow=100),
    "arrow": ArrowImport,
    "headers": Headers,
    "configuration": Configurations,
    "columns": Columns,
    "json": JSONRows,
    "protobuf": protobuf_columns,
    "encoders": encoders,
}
ROUND = 10_000
SLOW = 2  # in seconds; a call that takes longer is printed
# In seconds; after this time, the stacks of all threads are printed and the process ends.
HANG = 120


class Held(NamedTuple):
    rss: int
    blocks: int


def held() -> Held:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Held(pages * os.sysconf("SC_PAGE_SIZE"), sys.getallocatedblocks())


def run_round(name: str, seed: str, inputs: int, trace: bool) -> collections.Counter[str]:
    """Run `inputs` inputs of one target; count the outcomes by the type of their exception."""
    outcomes: collections.Counter[str] = collections.Counter()
    with TARGETS[name](Random(seed)) as target:
        for number in range(inputs):
            if number % 100 == 0:
                faulthandler.dump_traceback_later(HANG, exit=True)
            start = time.monotonic()
            try:
                error = target.step()
            except BaseException:
                print(f"{name}, seed {seed!r}, input {number}: {target.last}", flush=True)
                raise
            if trace or time.monotonic() - start > SLOW:
                took = time.monotonic() - start
                print(number, f"{took:.3f} s:", target.last, repr(error)[:200], flush=True)
            outcomes["returned" if error is None else type(error).__name__] += 1
    return outcomes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--inputs", type=int, default=ROUND)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--round", type=int, help="run only this round, and print every call")
    arguments = parser.parse_args()
    logging.getLogger().addHandler(logging.NullHandler())
    faulthandler.enable()
    if arguments.round is not None:
        seed = f"{arguments.seed}-{arguments.round}"
        print(run_round(arguments.target, seed, min(ROUND, arguments.inputs), trace=True))
        return 0
    return report(arguments.target, arguments.seed, arguments.inputs)


def report(name: str, seed: str, inputs: int) -> int:
    """Runs all rounds and prints one row."""
    outcomes: collections.Counter[str] = collections.Counter()
    rounds = -(-inputs // ROUND)
    warm = max(1, rounds // 5)
    start = time.monotonic()
    before = held()
    for number in range(rounds):
        if number == warm:
            before = held()
        print(f"round {number}", file=sys.stderr, flush=True)  # shows the last round before a crash
        size = min(ROUND, inputs - number * ROUND)
        outcomes += run_round(name, f"{seed}-{number}", size, trace=False)
    after = held()
    seconds = time.monotonic() - start
    measured = max(1, inputs - warm * ROUND)
    print(
        f"{name}: {outcomes.total()} inputs in {seconds:.0f} s, "
        + ", ".join(f"{count} {kind}" for kind, count in sorted(outcomes.items()))
        + f"; over the last {measured}: RSS {(after.rss - before.rss) / 2**20:+.1f} MiB, "
        f"blocks {after.blocks - before.blocks:+d}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
