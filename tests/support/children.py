"""The programs that tests start end with their test process, however that ends.

Brokers and Spark's JVM live in sessions of their own, and some are started by scripts or by other
programs. When a test process crashed or was killed, they went on for hours. So each test process
marks its environment, which all of its descendants inherit, and starts one watcher. When the
process is gone, the watcher kills whatever has the mark.

This needs Linux's ``/proc`` and pidfds; elsewhere nothing is watched.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
import uuid
from pathlib import Path

MARK = "CONFLUENT_KAFKA_TESTS"


def marked(mark: str) -> list[int]:
    """The processes that have a mark in the environment they were started with."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:  # it has ended, or it is another user's
                continue
    return found


def watch_over_children() -> None:
    """Mark this process's environment, and start the watcher, whose own environment has no mark."""
    if not hasattr(os, "pidfd_open"):
        return
    environment = {name: value for name, value in os.environ.items() if name != MARK}
    os.environ[MARK] = uuid.uuid4().hex
    program = [sys.executable, "-S", __file__, str(os.getpid()), os.environ[MARK]]
    # Not a Popen, which would warn that the watcher still runs when this process ends.
    os.posix_spawn(program[0], program, environment, setsid=True)


def _watch(process: int, mark: str) -> None:
    with contextlib.suppress(ProcessLookupError):
        select.select([os.pidfd_open(process)], [], [])
    # A program that is being started can have children that were not there a moment ago.
    while left := marked(mark):
        for one in left:
            with contextlib.suppress(OSError):
                os.kill(one, signal.SIGKILL)
        time.sleep(0.1)


if __name__ == "__main__":
    _watch(int(sys.argv[1]), sys.argv[2])
