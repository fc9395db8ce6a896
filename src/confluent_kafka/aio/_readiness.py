"""Tells an event loop when a client has something to serve."""

from __future__ import annotations

import asyncio
import contextlib
import math
import socket
from collections.abc import Callable

from confluent_kafka.cimpl import _Client

# Log records come without an event, and a consumer that waits has to poll all the same.
_LONGEST_WAIT = 0.5
_FOREVER = 1e10


class Readiness:
    """Wakes tasks when librdkafka has put something into a client's queue.

    Args:
        client: the client to wait for.
        loop: the event loop of the tasks; must watch file descriptors.
        ready: also called in the loop each time.

    Raises:
        RuntimeError: the loop cannot watch file descriptors.
    """

    def __init__(
        self,
        client: _Client,
        loop: asyncio.AbstractEventLoop,
        ready: Callable[[], object] | None = None,
    ) -> None:
        self._loop = loop
        self._ready = ready
        # In the order of their waits, in which they are woken.
        self._waiters: dict[asyncio.Future[None], None] = {}
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        try:
            loop.add_reader(self._reader, self._readable)
        except NotImplementedError:
            self._reader.close()
            self._writer.close()
            kind = type(loop).__name__
            raise RuntimeError(
                f"{kind} cannot watch sockets: use asyncio.SelectorEventLoop"
            ) from None
        client.io_event_enable(self._writer.fileno())

    async def wait(self, until: float) -> bool:
        """Wait until there may be something.

        Args:
            until: the loop's time at which to stop.

        Returns:
            False if the time had come already; True if there may be something.
        """
        now = self._loop.time()
        if now >= until:
            return False
        waiter = self._loop.create_future()
        self._waiters[waiter] = None
        expiry = self._loop.call_at(min(until, now + _LONGEST_WAIT), _wake, waiter)
        try:
            await waiter
        finally:
            expiry.cancel()
            del self._waiters[waiter]
        return True

    def wake(self) -> None:
        """Wake all waiting tasks, so that they look again."""
        for waiter in self._waiters:
            _wake(waiter)

    def close(self) -> None:
        """Close the sockets."""
        if self._reader.fileno() != -1:
            self._loop.remove_reader(self._reader)
            self._reader.close()
            self._writer.close()
        self.wake()

    def _readable(self) -> None:
        with contextlib.suppress(BlockingIOError):
            self._reader.recv(4096)
        self.wake()
        if self._ready is not None:
            self._ready()


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


def deadline(loop: asyncio.AbstractEventLoop, timeout: float) -> float:
    """Return the loop's time at which a timeout ends.

    Args:
        loop: the loop.
        timeout: seconds; negative is without limit.

    Raises:
        TypeError: the timeout is not a number.
        ValueError: the timeout is NaN.
    """
    if not isinstance(timeout, int | float):
        raise TypeError(f"timeout must be a number of seconds, not {type(timeout).__name__}")
    if math.isnan(timeout):
        raise ValueError("timeout must be a number of seconds, not NaN")
    return loop.time() + min(timeout, _FOREVER) if timeout >= 0 else math.inf
