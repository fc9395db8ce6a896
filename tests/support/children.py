"""Ends the programs that a test process has started when the test process ends, even by a crash.

Brokers and Spark's JVM run in sessions of their own. Scripts or other programs start some of them.
Without this module, they would run for hours after a test process has crashed or was killed. So
each test process sets a mark in its environment, which all of its descendants inherit, and starts
one watcher. When the test process has ended, the watcher kills every process that has the mark.

The watcher needs ``/proc`` and pidfds, which only Linux has. Other systems have no watcher.
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
    """The processes that have a mark in their initial environment."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:  # the process has ended, or belongs to another user
                continue
    return found


def watch_over_children() -> None:
    """Mark this process's environment, and start the watcher, whose own environment has no mark."""
    if not hasattr(os, "pidfd_open"):
        return
    environment = {name: value for name, value in os.environ.items() if name != MARK}
    os.environ[MARK] = uuid.uuid4().hex
    program = [sys.executable, "-S", __file__, str(os.getpid()), os.environ[MARK]]
    # A Popen would warn at the end of this process that the watcher still runs.
    os.posix_spawn(program[0], program, environment, setsid=True)


def _watch(process: int, mark: str) -> None:
    with contextlib.suppress(ProcessLookupError):
        select.select([os.pidfd_open(process)], [], [])
    # Look again until no process is left, because a starting program can create new children.
    while left := marked(mark):
        for one in left:
            with contextlib.suppress(OSError):
                os.kill(one, signal.SIGKILL)
        time.sleep(0.1)


if __name__ == "__main__":
    _watch(int(sys.argv[1]), sys.argv[2])
