"""Reserves ports for servers that need a fixed port, also when they start again.

If a connection or a server asks for any port, the kernel chooses a port from 32768 on. So a free
port in that range can be taken before a JVM has started, or while a test has stopped its broker.
The ports here are below 32768, and each process of the tests has ports of its own.
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
# A block has more ports than three brokers have listeners.
BLOCK = 50


# The locks of these files reserve blocks for this process. The system releases a lock when the
# process ends, even in a crash.
_held: list[IO[str]] = []


def next_port() -> int:
    """A free port that no other caller and no other test process gets."""
    return next(_ports())


@functools.cache
def _ports() -> Iterator[int]:
    return (port for first in _blocks() for port in range(first, first + BLOCK) if is_free(port))


def _blocks() -> Iterator[int]:
    """Reserve blocks that no other process has, and yield the first port of each block."""
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
        # Servers set this option, too. With it, a port whose last connection has just ended is
        # free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
