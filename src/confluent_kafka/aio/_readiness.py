"""Wakes an event loop when a client has something to serve."""

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

# Log records cause no event, so that a waiting consumer also has to poll from time to time.
_LONGEST_WAIT = 0.5
_FOREVER = 1e10
_PLENTY = 4096  # bytes to read at once: more than the socket ever holds


class Readiness:
    """Wakes tasks when librdkafka has put something into a client's queue.

    Args:
        client: the client to wait for.
        loop: the event loop of the tasks. If it cannot watch sockets, a thread watches instead.
        ready: a method that the loop also calls at each event, as long as its object exists. It is
            kept by a weak reference, because the loop must not keep a client alive.
    """

    def __init__(
        self,
        client: _Client,
        loop: asyncio.AbstractEventLoop,
        ready: Callable[[], object] | None = None,
    ) -> None:
        self._loop = loop
        self._ready = None if ready is None else weakref.WeakMethod(ready)
        # The waiting tasks, in the order in which they began to wait; they are woken in that order.
        self._waiters: dict[asyncio.Future[None], None] = {}
        reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self.stop = partial(_stop, self._writer, reader.close)
        """Closes the sockets. It holds no reference to waiting tasks, and so none to the client."""
        try:
            self.stop = partial(_stop, self._writer, _watch(loop, reader, self._woken))
            client.io_event_enable(self._writer.fileno())
        except BaseException:
            self.close()
            raise

    async def wait(self, until: float) -> bool:
        """Wait until there may be something to serve.

        Args:
            until: the loop's time at which to stop.

        Returns:
            False if that time has already passed; True if there may be something to serve.
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
        """Wake all waiting tasks, so that they check again. A closed loop wakes no task."""
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
    """Call a function in an event loop when a socket has data, and read the data.

    Args:
        loop: the event loop.
        reader: the socket. This function takes ownership of it.
        woken: the function to call.

    Returns:
        A function that ends the watching and closes the socket.
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
    except NotImplementedError:  # the default event loop on Windows
        return _watch_on_thread(loop, reader, woken)
    return stop


def _watch_on_thread(
    loop: asyncio.AbstractEventLoop, reader: socket.socket, woken: Callable[[], object]
) -> Callable[[], object]:
    """Do the same as _watch(), for loops that cannot watch sockets."""

    def run() -> None:
        # RuntimeError: the event loop is closed.
        with reader, contextlib.suppress(RuntimeError, OSError):
            while reader.recv(_PLENTY):
                loop.call_soon_threadsafe(woken)

    def stop() -> None:
        # The thread closes the socket. Closing it here could free its number for another socket
        # while the thread still reads it.
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
        timeout: seconds; a negative number means no limit.

    Raises:
        TypeError: the timeout is not a number.
        ValueError: the timeout is NaN.
    """
    if not isinstance(timeout, int | float):
        raise TypeError(f"timeout must be a number of seconds, not {type(timeout).__name__}")
    if math.isnan(timeout):
        raise ValueError("timeout must be a number of seconds, not NaN")
    return loop.time() + min(timeout, _FOREVER) if timeout >= 0 else math.inf
