"""Ports for servers that are told where to listen before they start, or that start again there.

If a connection or a server asks for any port, the kernel gives it one from 32768 on. So a port that
was free there may be taken before a JVM has started, or while a test has killed its broker. The
ports here are below 32768, and each process of the tests has its own.
"""

from __future__ import annotations

import fcntl
import functools
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

FIRST, END = 20_000, 32_000
# More than the listeners of three brokers.
BLOCK = 50


# Files whose locks reserve blocks for this process. A lock ends with the process, even in a crash.
_held: list[IO[str]] = []


def next_port() -> int:
    """A port that nobody listens on, and that is given to nobody else as long as this runs."""
    return next(_ports())


@functools.cache
def _ports() -> Iterator[int]:
    return (port for first in _blocks() for port in range(first, first + BLOCK) if is_free(port))


def _blocks() -> Iterator[int]:
    """The first ports of blocks that no other process has."""
    folder = Path(tempfile.gettempdir()) / "confluent-kafka-test-ports"
    folder.mkdir(exist_ok=True)
    for first in range(FIRST, END, BLOCK):
        lock = (folder / str(first)).open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            continue
        _held.append(lock)
        yield first
    raise RuntimeError(f"every port from {FIRST} to {END} is in use: see {folder}")


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As servers do it: a port whose last connection has just ended counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
