"""Bytes of the old protocol, and a timer."""

from __future__ import annotations

import logging
import struct
import threading
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from .common import BufferUnderflowError

__all__ = [
    "ReentrantTimer",
    "crc32",
    "group_by_topic_and_partition",
    "kafka_bytestring",
    "read_int_string",
    "read_short_string",
    "relative_unpack",
    "write_int_string",
    "write_short_string",
]

log = logging.getLogger("kafka.util")


def crc32(data: bytes) -> int:
    """Return the CRC-32 of bytes, unsigned."""
    return zlib.crc32(data)


def write_int_string(s: bytes | None) -> bytes:
    """Return bytes with their length in four bytes before them; -1 for None."""
    return _with_length(">i", s)


def write_short_string(s: bytes | None) -> bytes:
    """Return bytes with their length in two bytes before them; -1 for None."""
    return _with_length(">h", s)


def _with_length(form: str, s: bytes | None) -> bytes:
    if s is None:
        return struct.pack(form, -1)
    if not isinstance(s, bytes):
        raise TypeError(f'Expected "{type(s)}" to be bytes\ndata={s!r:.100}')
    return struct.pack(form, len(s)) + s


def read_int_string(data: bytes, cur: int) -> tuple[bytes | None, int]:
    """Read bytes that write_int_string() wrote.

    Args:
        data: the bytes.
        cur: the place where to begin.

    Returns:
        The bytes, and the place where they end.

    Raises:
        BufferUnderflowError: there are too few bytes.
    """
    return _behind_length(">i", data, cur)


def read_short_string(data: bytes, cur: int) -> tuple[bytes | None, int]:
    """Read bytes that write_short_string() wrote.

    Args:
        data: the bytes.
        cur: the place where to begin.

    Returns:
        The bytes, and the place where they end.

    Raises:
        BufferUnderflowError: there are too few bytes.
    """
    return _behind_length(">h", data, cur)


def _behind_length(form: str, data: bytes, cur: int) -> tuple[bytes | None, int]:
    (length,), cur = relative_unpack(form, data, cur)
    if length == -1:
        return None, cur
    if length < 0 or length > len(data) - cur:
        raise BufferUnderflowError(f"Not enough data left ({len(data) - cur} < {length})")
    return data[cur : cur + length], cur + length


def relative_unpack(fmt: str, data: bytes, cur: int) -> tuple[tuple[Any, ...], int]:
    """Unpack a struct.

    Args:
        fmt: the format for the module struct.
        data: the bytes.
        cur: the place where to begin.

    Returns:
        The values, and the place where they end.

    Raises:
        BufferUnderflowError: there are too few bytes.
    """
    end = cur + struct.calcsize(fmt)
    if end > len(data):
        raise BufferUnderflowError(f"Not enough data left ({len(data) - cur} < {end - cur})")
    return struct.unpack_from(fmt, data, cur), end


def group_by_topic_and_partition(tuples: Iterable[Any]) -> dict[Any, dict[int, Any]]:
    """Return payloads by topic, then by partition.

    Raises:
        AssertionError: two payloads are for the same partition.
    """
    grouped: dict[Any, dict[int, Any]] = defaultdict(dict)
    for one in tuples:
        if one.partition in grouped[one.topic]:
            raise AssertionError(
                f"Duplicate {type(one).__name__}s for {one.topic!r} {one.partition}"
            )
        grouped[one.topic][one.partition] = one
    return grouped


def kafka_bytestring(s: str | bytes) -> bytes:
    """Return the name of a topic or group as bytes.

    Raises:
        TypeError: it is neither str nor bytes.
    """
    if isinstance(s, bytes):
        return s
    if isinstance(s, str):
        return s.encode("utf-8")
    raise TypeError(f"must be str or bytes, not {type(s).__name__}: {s!r:.100}")


class ReentrantTimer:
    """Calls a function repeatedly in a thread until it is stopped. It can be started again.

    Args:
        t: milliseconds between two calls.
        fn: the function.
        args: the arguments of the function.
        kwargs: the keywords of the function.

    Raises:
        ValueError: t is not positive, or fn cannot be called.
    """

    thread: threading.Thread | None = None

    def __init__(self, t: float, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        if t <= 0:
            raise ValueError(f"t must be a positive number of milliseconds, not {t!r}")
        if not callable(fn):
            raise ValueError(f"fn must be callable, not {type(fn).__name__}")
        self.t = t / 1000
        self.fn = fn
        self.args = args
        self.kwargs = kwargs
        self.active: threading.Event | None = None

    def start(self) -> None:
        """Start the timer; if it runs already, start its wait again."""
        self.stop()
        self.active = threading.Event()
        self.thread = threading.Thread(target=self._run, args=(self.active,), daemon=True)
        self.thread.start()

    def stop(self) -> None:
        """Stop the timer, and wait for a running call. Do nothing if the timer does not run."""
        if self.thread is None or self.active is None:
            return
        self.active.set()
        if self.thread is not threading.current_thread():  # the function itself may stop it
            self.thread.join()
        self.thread = None

    @property
    def is_current(self) -> bool:
        """Return whether the calling thread is the timer's, inside the function."""
        return self.thread is threading.current_thread()

    def _run(self, stopped: threading.Event) -> None:
        while not stopped.wait(self.t):
            try:
                self.fn(*self.args, **self.kwargs)
            except BaseException:  # nobody would notice that the timer has ended
                log.exception("a timer's function failed; it is called again in %g s", self.t)

    def __del__(self) -> None:
        self.stop()
