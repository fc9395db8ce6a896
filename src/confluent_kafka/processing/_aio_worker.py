"""A consumer whose messages are handled by coroutines."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
import time
from collections import deque
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, Self

from confluent_kafka import KafkaException, Message, TopicPartition
from confluent_kafka.aio import AIOConsumer, AIOProducer
from confluent_kafka.aio._serdes import resolve_cluster_id

from ._base import LOGGER, SECONDS_BEFORE_PAUSE, BaseWorker, places_of, records_of
from ._dispatch import Unit, Window
from ._handling import Handling
from ._settings import Settings

_SECONDS_BETWEEN_CHECKS = 0.05


class AIOWorker(BaseWorker):
    """Handles the messages of topics with coroutines, and commits what is done.

    It works as a Worker does. An AIOWorker belongs to the event loop that it was created in.

    Args:
        config: the configuration of an AIOConsumer, with ``group.id``; deserializers may be
            coroutine functions.
        topics: see Worker.
        handler: a coroutine function; it gets a Message, or a list of Message if `batch` is given.
        concurrency: see Worker.
        workers: how many calls of the handler run at the same time.
        batch: see Worker.
        retry: see Worker.
        max_messages: see Worker.
        max_bytes: see Worker.
        commit_interval: see Worker.
        drain_timeout: see Worker. close() cancels handlers that take longer.
        producer_config: see Worker.

    Raises:
        KafkaException: the configuration is wrong; the error names the property.
        RuntimeError: no event loop is running in this thread.
        TypeError: see Worker.
        ValueError: see Worker.
    """

    _awaits = True

    def _open(self) -> None:
        settings = self._settings
        self._consumer = AIOConsumer(settings.consuming | {"on_commit": self._on_commit})
        resolve_cluster_id(settings.deserializers, self._consumer)
        self._handling = Handling(settings, self._counters, _Awaiting(settings))
        self._ready: deque[Unit] = deque()
        self._idle: deque[asyncio.Future[None]] = deque()  # tasks that wait for a unit
        self._tasks: list[asyncio.Task[None]] = []
        self._current: list[Unit | None] = [None] * settings.workers
        self._freed = asyncio.Event()  # a task has ended a unit of a closed window
        self._room = asyncio.Event()
        self._polling: asyncio.Future[Message | None] | None = None
        self._taken: list[Message] = []  # messages that step() was cancelled with
        self._stopped = False
        self._closed = False

    def _hand_out(self, unit: Unit) -> None:
        self._ready.append(unit)
        while self._idle:
            task = self._idle.popleft()
            if not task.done():
                task.set_result(None)
                return

    async def run(self) -> None:
        """Handle messages until stop(), SIGTERM or Ctrl-C, then close the worker; see Worker.run().

        Raises:
            Exception: a handler raised it, and `retry` has no topic for the message.
            KafkaException: the consumer failed, or a message could not be delivered to a topic.
        """
        async with self, _stopping_at_signals(self):
            while not self._stopped:
                await self.step()

    async def step(self, timeout: float = 1.0) -> int:
        """Take messages that have arrived, hand them out, and commit if it is time.

        If the call is cancelled, no message is lost.

        Args:
            timeout: seconds to wait for messages.

        Returns:
            How many messages were done since the last call.

        Raises:
            RuntimeError: the worker is closed.
            Exception: as run(). Only close() can follow.
        """
        await self._start()
        try:
            await self._turn(timeout)
        except Exception as error:
            # Messages may be lost between the consumer and the dispatch: no further turn.
            self._failure = self._failure or error
            raise
        if self._failure is not None:
            raise self._failure
        return self._new_count()

    async def _turn(self, timeout: float) -> None:
        await self._take(self._until_next_turn(timeout))
        taken, self._taken = self._taken, []
        due, early = self._delays.split(records_of(taken), time.time())
        self._dispatch.add(due)
        for place in early:
            await self._consumer.pause([place])
            await self._consumer.seek(place)
        await asyncio.sleep(0)  # the tasks get their turn even if messages keep coming
        self._dispatch.collect()
        if offsets := self._offsets_if_due():
            await self._consumer.commit(offsets=offsets)

    async def drain(self, timeout: float = 30.0) -> bool:
        """Wait until no message is in flight, and commit; see Worker.drain().

        Args:
            timeout: seconds to wait.

        Returns:
            Whether no message is in flight.

        Raises:
            RuntimeError: the worker is closed.
            Exception: as run().
        """
        await self._start()
        until = time.monotonic() + timeout
        while self._dispatch.messages and time.monotonic() < until:
            await self.step(0.01)
        if offsets := self._dispatch.positions():
            await self._consumer.commit(offsets=offsets, asynchronous=False)
        return not self._dispatch.messages

    def stop(self) -> None:
        """Let run() end. Call it in the event loop of the worker."""
        self._stopped = True
        self._wake()

    async def close(self) -> None:
        """Wait for the handlers that run, commit, and leave the group; see Worker.close()."""
        if self._closed:
            return
        self._closed = True
        windows = self._dispatch.close()
        try:
            await self._drain(windows)
            await self._consumer.close()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await self._handling.means.close()
            self._settings.deserializers.close()

    async def __aenter__(self) -> Self:
        await self._start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    async def _start(self) -> None:
        if self._closed:
            raise RuntimeError("the worker is closed: create another one")
        if self._tasks:
            return
        for number in range(self._settings.workers):
            self._tasks.append(asyncio.create_task(self._work(number)))
        await self._consumer.subscribe(
            self._settings.topics,
            on_assign=self._on_assign,
            on_revoke=self._on_revoke,
            on_lost=self._on_lost,
        )

    async def _take(self, timeout: float) -> None:
        """Take messages, or wait until there is room for some."""
        consumer = self._consumer
        if self._is_paused and self._can_resume():
            waiting = self._delays.is_waiting
            here = await consumer.assignment()
            await consumer.resume(
                [each for each in here if not waiting((each.topic, each.partition))]
            )
            self._is_paused = False
        if not self._is_paused and (due := self._delays.now_due(time.time())):
            await consumer.resume(due)
        if room := self._room_left():
            self._taken += await consumer.consume(room, 0)
            if not self._taken and timeout > 0:
                await self._poll(timeout)
            return
        if not self._is_paused:
            self._room.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._room.wait(), min(timeout, SECONDS_BEFORE_PAUSE))
                return
        # Partitions that were assigned since the last turn are not paused yet.
        await consumer.pause(await consumer.assignment())
        self._is_paused = True
        await self._poll(timeout)

    async def _poll(self, timeout: float) -> None:
        self._polling = polling = asyncio.ensure_future(self._consumer.poll(timeout))
        try:
            await asyncio.wait([polling])
        finally:
            self._polling = None
            if polling.done() and not polling.cancelled() and polling.exception() is None:
                message = polling.result()
                self._taken += [] if message is None else [message]
            polling.cancel()
        if not polling.cancelled():
            polling.result()

    def _wake(self) -> None:
        self._room.set()
        if self._polling is not None:
            self._polling.cancel()

    async def _on_assign(self, consumer: AIOConsumer, partitions: list[TopicPartition]) -> None:
        self._dispatch.assign(places_of(partitions))

    async def _on_revoke(self, consumer: AIOConsumer, partitions: list[TopicPartition]) -> None:
        places = places_of(partitions)
        windows = self._dispatch.close(places)
        if not self._closed:  # close() has waited
            await self._drain(windows)
        self._delays.forget(places)
        offsets = self._dispatch.settle(windows)
        if not offsets:
            return
        try:
            await consumer.commit(offsets=offsets, asynchronous=False)
        except KafkaException as error:
            LOGGER.warning("the last offsets of %s are not committed: %s", places, error)

    async def _on_lost(self, consumer: AIOConsumer, partitions: list[TopicPartition]) -> None:
        places = places_of(partitions)
        self._delays.forget(places)
        self._dispatch.settle(self._dispatch.close(places))
        LOGGER.warning("the group gave %s to other members before their messages were done", places)

    async def _drain(self, windows: list[Window]) -> None:
        """Wait until closed windows are drained, for up to drain_timeout."""
        closed = set(windows)
        until = time.monotonic() + self._settings.drain_timeout
        while any(unit is not None and unit[0] in closed for unit in self._current) or (
            not self._dispatch.is_drained(windows)
        ):
            left = until - time.monotonic()
            if left <= 0:
                self._warn_of_late_handlers()
                return
            self._freed.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._freed.wait(), left)

    async def _work(self, number: int) -> None:
        task = asyncio.current_task()
        while True:
            if not self._ready:
                idle = asyncio.get_running_loop().create_future()
                self._idle.append(idle)
                await idle
                continue
            unit = self._ready.popleft()
            self._current[number] = unit
            window, key, messages = unit
            try:
                await self._handle(unit)
            except BaseException as error:
                window.is_abandoned = True
                cancelled = isinstance(error, asyncio.CancelledError)
                if cancelled and task is not None and task.cancelling():
                    raise  # close() ends the task
                if cancelled:
                    error = RuntimeError("the handler was cancelled, but not the worker")
                self._failure = self._failure or error
                self._wake()
                continue
            finally:
                self._current[number] = None
                if not window.is_open:
                    self._freed.set()
            if key is not None or messages:
                self._dispatch.idle.append(unit)
            waits_for_room = self._is_paused or not self._room.is_set()
            if waits_for_room and len(self._dispatch.done) >= self._enough_done():
                self._wake()

    async def _handle(self, unit: Unit) -> None:
        (window, _, messages), done = unit, self._dispatch.done
        if not self._is_simple():
            return await self._handle_batches(unit)
        handler = self._settings.handler
        while messages and (window.is_open or window.may_begin(messages[0])):
            message = messages.pop(0)
            try:
                await handler(message)
            except Exception as error:
                if not await self._handling.again(window, [message], error):
                    window.is_abandoned = True
                    return None
            done.append((window, (message.offset(),)))  # type: ignore[arg-type]
        return None

    async def _handle_batches(self, unit: Unit) -> None:
        (window, _, messages), done = unit, self._dispatch.done
        most = self._settings.batch or 1
        while messages and (window.is_open or window.may_begin(messages[0])):
            batch, messages[:] = messages[:most], messages[most:]
            offsets: list[Any] = [message.offset() for message in batch]
            if not await self._handling.handle(window, batch):
                window.is_abandoned = True
                return
            done.append((window, offsets))


class _Awaiting:
    """How a coroutine waits and sends."""

    def __init__(self, settings: Settings) -> None:
        self._handler = settings.handler
        sends = settings.recovery.sends
        self._producer = AIOProducer(settings.producing) if sends else None

    async def call(self, argument: Any) -> object:
        return await self._handler(argument)

    async def is_closed_after(self, window: Window, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while window.is_open and (left := until - time.monotonic()) > 0:
            await asyncio.sleep(min(left, _SECONDS_BETWEEN_CHECKS))
        return not window.is_open

    async def send(self, topic: str, key: Any, value: Any, headers: Any) -> None:
        assert self._producer is not None
        await (await self._producer.produce(topic, value, key, headers=headers))

    async def close(self) -> None:
        if self._producer is not None:
            await self._producer.close(0)


@contextlib.asynccontextmanager
async def _stopping_at_signals(worker: AIOWorker) -> AsyncIterator[None]:
    """Stop the worker at the first SIGTERM or Ctrl-C, if the loop runs on the main thread."""
    loop = asyncio.get_running_loop()
    before: dict[signal.Signals, Any] = {}

    def restore() -> None:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)
        before.clear()

    def stop() -> None:
        restore()
        worker.stop()

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            handler = signal.getsignal(number)
            with contextlib.suppress(NotImplementedError):  # Windows
                loop.add_signal_handler(number, stop)
                before[number] = handler
    try:
        yield
    finally:
        restore()
