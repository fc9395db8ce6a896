"""Tells an event loop when a client has something to serve."""

from __future__ import annotations

import asyncio
import contextlib
import math
import socket
import threading
import weakref
from collections.abc import Callable
from functools import partial

from confluent_kafka.cimpl import _Client

# Log records come without an event, and a consumer that waits has to poll all the same.
_LONGEST_WAIT = 0.5
_FOREVER = 1e10
_PLENTY = 4096  # bytes: more than are ever there


class Readiness:
    """Wakes tasks when librdkafka has put something into a client's queue.

    Args:
        client: the client to wait for.
        loop: the event loop of the tasks. For one that cannot watch sockets a thread does.
        ready: a method that is also called in the loop each time, while its object is there: the
            loop keeps this, which must not keep a client that nobody else has.
    """

    def __init__(
        self,
        client: _Client,
        loop: asyncio.AbstractEventLoop,
        ready: Callable[[], object] | None = None,
    ) -> None:
        self._loop = loop
        self._ready = None if ready is None else weakref.WeakMethod(ready)
        # In the order of their waits, in which they are woken.
        self._waiters: dict[asyncio.Future[None], None] = {}
        reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self.stop = partial(_stop, self._writer, reader.close)
        """Closes the sockets. It does not refer to tasks that wait, and so to the client."""
        try:
            self.stop = partial(_stop, self._writer, _watch(loop, reader, self._woken))
            client.io_event_enable(self._writer.fileno())
        except BaseException:
            self.close()
            raise

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
        """Wake all waiting tasks, so that they look again; those of a closed loop never will."""
        if not self._loop.is_closed():
            for waiter in self._waiters:
                _wake(waiter)

    def close(self) -> None:
        """Close the sockets, and wake all waiting tasks."""
        self.stop()
        self.wake()

    def _woken(self) -> None:
        self.wake()
        ready = None if self._ready is None else self._ready()
        if ready is not None:
            ready()


def _watch(
    loop: asyncio.AbstractEventLoop, reader: socket.socket, woken: Callable[[], object]
) -> Callable[[], object]:
    """Call back in a loop when there is something to read, and read it.

    Args:
        loop: the loop.
        reader: the socket, which is taken over.
        woken: what to call.

    Returns:
        What ends this, and closes the socket.
    """

    def readable() -> None:
        with contextlib.suppress(BlockingIOError):
            reader.recv(_PLENTY)
        woken()

    def stop() -> None:
        loop.remove_reader(reader)
        reader.close()

    reader.setblocking(False)
    try:
        loop.add_reader(reader, readable)
    except NotImplementedError:  # Windows' default loop
        return _watch_on_thread(loop, reader, woken)
    return stop


def _watch_on_thread(
    loop: asyncio.AbstractEventLoop, reader: socket.socket, woken: Callable[[], object]
) -> Callable[[], object]:
    """The same as _watch() for loops that cannot watch sockets."""

    def run() -> None:
        # RuntimeError: the loop has ended.
        with reader, contextlib.suppress(RuntimeError, OSError):
            while reader.recv(_PLENTY):
                loop.call_soon_threadsafe(woken)

    def stop() -> None:
        # The thread closes the socket: its number may be another one's while it is read.
        with contextlib.suppress(OSError):  # the thread has ended
            reader.shutdown(socket.SHUT_RDWR)

    reader.setblocking(True)
    threading.Thread(target=run, name="confluent_kafka.aio.wake", daemon=True).start()
    return stop


def _stop(writer: socket.socket, stop_watching: Callable[[], object]) -> None:
    if writer.fileno() != -1:
        writer.close()
        stop_watching()


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
