"""The base class of the asyncio clients."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import os
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from contextvars import ContextVar, copy_context
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar

from confluent_kafka import Consumer, KafkaError, Producer
from confluent_kafka._daemon_threads import DaemonThreads
from confluent_kafka._way_out import SECONDS_ON_THE_WAY_OUT
from confluent_kafka.admin import AdminClient, ClusterMetadata
from confluent_kafka.statistics import Statistics

from ._callbacks import Callbacks, is_running
from ._readiness import Readiness, deadline
from ._threads import on_daemon_thread

if TYPE_CHECKING:
    from typing_extensions import Buffer

P = ParamSpec("P")
T = TypeVar("T")

# Threads for requests. They only wait for brokers, so that a few are enough.
MAX_WORKERS = 4

_LOGGER = logging.getLogger("confluent_kafka")

# While create() makes a client on another thread: the event loop of that client.
_LOOP: ContextVar[asyncio.AbstractEventLoop | None] = ContextVar("_LOOP", default=None)

# Seconds that a task may take messages in a row before other tasks get a turn.
_LONGEST_TURN = 0.005


class AIOClient(ABC):
    """The base class of clients that belong to one event loop.

    Args:
        conf: the configuration; callbacks may be coroutines.
        max_workers: the number of threads for requests, if no executor is given.
        executor: runs the requests; the client does not shut it down.
    """

    _client: Producer | Consumer | AdminClient

    # The name of this class in error texts, if the application uses another class for it.
    _alias: str | None = None

    # The text of the ResourceWarning for a client that nobody closed.
    _unclosed = "{} was not closed: await close() or use 'async with'"

    def __init__(
        self, conf: Mapping[str, Any], max_workers: int, executor: Executor | None
    ) -> None:
        self._loop = _LOOP.get() or self._running_loop()
        if executor is not None and not isinstance(executor, Executor):
            kind = type(executor).__name__
            raise TypeError(f"executor must be a concurrent.futures.Executor, not {kind}")
        if isinstance(max_workers, bool) or not isinstance(max_workers, int):
            raise TypeError(f"max_workers must be int, not {type(max_workers).__name__}")
        self._owns_executor = executor is None
        self.executor: Executor = (
            DaemonThreads(max_workers, "confluent_kafka.aio") if executor is None else executor
        )
        self._callbacks = Callbacks(self._loop, self._callback_failed)
        self._closing: asyncio.Task[None] | None = None
        self._end_is_told = False  # True after close() has returned or raised a callback's error
        self._left = False
        self._client = self._make_client(self._callbacks.of_configuration(own_configuration(conf)))
        self._client._be_called(self._called())
        if is_running(self._loop):
            self._attach()

    @classmethod
    async def create(cls, *arguments: Any, **keywords: Any) -> Self:
        """Make a client without blocking the event loop.

        Slow work runs on a thread: reading certificates, and waiting up to 10 s for the first token
        if ``oauth_cb`` is a plain function. If you call the class itself, the event loop does this
        work and is blocked meanwhile.

        Args:
            *arguments: the arguments of the class.
            **keywords: the keyword arguments of the class.

        Raises:
            Exception: every exception that the class raises.
        """
        loop = asyncio.get_running_loop()
        context = copy_context()
        context.run(_LOOP.set, loop)
        make = partial(context.run, partial(cls, *arguments, **keywords))
        making = on_daemon_thread(loop, make, "create")
        try:
            client = await asyncio.shield(making)
        except asyncio.CancelledError:
            making.add_done_callback(_close_unwanted)
            raise
        client._attach()
        return client

    async def list_topics(self, topic: str | None = None, timeout: float = -1) -> ClusterMetadata:
        """Request metadata of brokers, topics and partitions; see Producer.list_topics()."""
        return await self._request(self._client.list_topics, topic, timeout)

    async def cluster_id(self, timeout: float = -1) -> str | None:
        """Return the cluster's id; see Producer.cluster_id()."""
        return await self._request(self._client.cluster_id, timeout)

    async def request(
        self,
        api_key: int,
        version: int,
        body: Buffer = b"",
        *,
        broker: int | None = None,
        controller: bool = False,
        coordinator: tuple[str, str] | None = None,
        timeout: float = -1,
    ) -> bytes:
        """Send any request of Kafka's protocol and return its answer; see Producer.request()."""
        return await self._request(
            self._client.request,
            api_key,
            version,
            body,
            broker=broker,
            controller=controller,
            coordinator=coordinator,
            timeout=timeout,
        )

    async def api_versions(
        self, broker: int | None = None, timeout: float = -1
    ) -> dict[int, tuple[int, int]]:
        """Return the requests that a broker supports; see Producer.api_versions()."""
        return await self._request(self._client.api_versions, broker, timeout)

    async def set_sasl_credentials(self, username: str, password: str) -> None:
        """Replace the SASL credentials; see Producer.set_sasl_credentials()."""
        self._here().set_sasl_credentials(username, password)

    async def connect(self, timeout: float = 30, topic: str | None = None) -> None:
        """Wait until a broker is connected, or raise an error; see Producer.connect()."""
        await self._request(self._client.connect, timeout, topic)

    async def stats(self) -> Statistics | None:
        """Return the latest statistics; see Producer.stats()."""
        return self._here().stats()

    @property
    def last_error(self) -> KafkaError | None:
        """The latest error of the client; see Producer.last_error."""
        return self._client.last_error

    async def close(self, timeout: float = -1) -> bool:
        """Close the client. Cancelling the task that waits does not stop the closing.

        Messages that the application has not taken are dropped, so that they do not delay the end
        of the process. If an exception or a cancellation ends an ``async with`` block, the block
        waits at most 5 s. Work that is left after that is logged and continues in the background.

        Closing a closed client does nothing.

        Args:
            timeout: seconds to wait; -1 waits without limit. After the timeout, the client
                continues to close in the background.

        Returns:
            True if the client is closed, False if the timeout ended before that.

        Raises:
            RuntimeError: called from one of the client's callbacks, or from another event loop.
            Exception: a callback raised it. The client is closed all the same.
        """
        self._check_loop()
        until = deadline(self._loop, timeout)
        if self._callbacks.is_inside():
            raise RuntimeError(
                f"close() of {self._called()} must not be called in one of its callbacks"
            )
        if self._closing is None:
            self._closing = self._loop.create_task(self._close())
            self._end_turn()
        elif self._end_is_told:
            return True
        left = None if until == math.inf else max(0, until - self._loop.time())
        await asyncio.wait([self._closing], timeout=left)
        if not self._closing.done():
            return False
        self._end_is_told = True
        self._closing.result()
        return True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        closed = False
        if error is not None:
            with contextlib.suppress(RuntimeError):  # the client is already closed
                self._client._close_soon()
        try:
            closed = await self.close(-1 if error is None else SECONDS_ON_THE_WAY_OUT)
        finally:
            if not closed and self._closing is not None and not self._closing.done():
                _LOGGER.warning(
                    "%s goes on closing in the background%s", self._called(), self._what_is_left()
                )

    def _what_is_left(self) -> str:
        """Describe for the log what close() still waits for."""
        return ""

    @abstractmethod
    def _make_client(self, conf: dict[str, Any]) -> Producer | Consumer | AdminClient:
        """Create the client of the extension. This never waits."""

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        try:
            return asyncio.get_running_loop()
        except RuntimeError:
            kind = type(self).__name__
            raise RuntimeError(
                f"create the {kind} inside a coroutine: it needs a running event loop"
            ) from None

    def _attach(self) -> None:
        """Make the running event loop wait for the client's events."""
        try:
            self._readiness = self._make_readiness()
        except BaseException:
            self._client.close()
            raise
        self._create_future = _future_maker(self._loop)
        unclosed = self._unclosed.format(self._called())
        self._client._join_loop(self._loop.is_running, self._create_future, unclosed)
        self._client._begin_turn(_LONGEST_TURN)
        self._process = os.getpid()
        self._dropped = weakref.finalize(
            self, _drop, self._loop, self._readiness.stop, self._process
        )

    def _make_readiness(self) -> Readiness:
        return Readiness(self._client, self._loop)

    @abstractmethod
    def _callback_failed(self, error: BaseException) -> None:
        """Report an exception that a callback of the application raised."""

    def _close_client(self) -> None:
        self._client.close()

    async def _close(self) -> None:
        self._left = True
        try:
            # Not a thread of the executor: requests that no broker answers may occupy all of them.
            await on_daemon_thread(self._loop, self._close_client, "close")
            await self._callbacks.finish()
        finally:
            self._dropped.detach()
            self._readiness.close()
            if self._owns_executor:
                self.executor.shutdown(wait=False)

    async def _request(
        self, function: Callable[P, T], *arguments: P.args, **keywords: P.kwargs
    ) -> T:
        """Run a call that waits for a broker on another thread.

        If the waiting task is cancelled, a call that has already begun continues on its thread.
        """
        self._check_open()
        try:
            with self._ended_by_closing():
                running = self.executor.submit(function, *arguments, **keywords)
                try:
                    return await asyncio.wrap_future(running, loop=self._loop)
                except asyncio.CancelledError:
                    if not running.cancel() and isinstance(self.executor, DaemonThreads):
                        self.executor.give_up(running)
                    raise
        finally:
            if not self._loop.is_closed():  # the loop was closed while this call was pending
                self._served_elsewhere()

    def _served_elsewhere(self) -> None:
        """Wake the tasks: a request on a thread may leave events that do not wake the loop."""
        self._readiness.wake()

    def _closed_error(self) -> Exception:
        """Return the exception for calls of a closed client, and for calls that closing ends."""
        return RuntimeError(f"{self._called()} is closed")

    @contextlib.contextmanager
    def _ended_by_closing(self) -> Iterator[None]:
        """Raise _closed_error() instead of the block's RuntimeError if the client is closing."""
        try:
            yield
        except RuntimeError as failure:
            if self._closing is None:
                raise
            raise self._closed_error() from failure

    def _check_loop(self) -> None:
        try:
            running = asyncio.get_running_loop()
        except RuntimeError:
            self._client._check_open()  # a coroutine in a forked child has no running loop
            raise
        if running is not self._loop:
            if os.getpid() != self._process:
                self._client._check_open()  # raises an error that names os.fork()
            raise RuntimeError(
                f"this {self._called()} belongs to another event loop: make one per loop"
            )

    def _check_open(self) -> None:
        self._check_loop()
        if self._left:
            raise self._closed_error()

    def _deadline(self, timeout: float) -> float:
        """Return the loop's time at which a timeout ends. Raises first if the client is closed."""
        try:
            return deadline(self._loop, timeout)
        except (TypeError, ValueError):
            self._client._check_open()
            raise

    def _here(self) -> Producer | Consumer | AdminClient:
        """Return the client for a call that does not wait. Only the client's loop may call this."""
        self._check_loop()
        return self._client

    def _called(self) -> str:
        return self._alias or type(self).__name__

    async def _let_others(self) -> None:
        """Let other tasks run: a task whose calls never have to wait would not yield to them."""
        await asyncio.sleep(0)
        self._begin_turn()

    def _begin_turn(self) -> None:
        """Let the tasks of this loop use the client without a pause, until the turn ends."""
        if self._closing is None:
            self._client._begin_turn(_LONGEST_TURN)

    def _end_turn(self) -> None:
        """End the turn: the next calls check for errors to raise and for reasons to wait."""
        if not self._left:
            self._client._begin_turn(0)


def _future_maker(loop: asyncio.AbstractEventLoop) -> Callable[[], asyncio.Future[Any]]:
    """Return loop.create_future, or for asyncio's own loops a faster equivalent in C."""
    if type(loop).create_future is asyncio.BaseEventLoop.create_future:
        return partial(asyncio.Future, loop=loop)
    return loop.create_future


def _close_unwanted(making: asyncio.Future[Any]) -> None:
    """Close the client that a cancelled create() has made."""
    if not making.cancelled() and making.exception() is None:
        client = making.result()
        client._attach()
        client._closing = client._loop.create_task(client._close())


def own_configuration(conf: Any) -> dict[str, Any]:
    """Return a copy of a configuration.

    Raises:
        TypeError: it is not a mapping.
    """
    if not isinstance(conf, Mapping):
        raise TypeError(f"the configuration must be a dict, not {type(conf).__name__}")
    return dict(conf)


def _drop(loop: asyncio.AbstractEventLoop, stop: Callable[[], object], owner: int) -> None:
    """Remove an asyncio client that nobody closed from its event loop."""
    if os.getpid() != owner:
        return  # a forked child shares the selector with its parent and must not change it
    if loop.is_running():
        loop.call_soon_threadsafe(stop)
    else:
        stop()
