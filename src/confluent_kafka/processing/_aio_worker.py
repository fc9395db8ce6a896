"""A consumer whose messages are handled by coroutines."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from types import TracebackType
from typing import Any, Self

from confluent_kafka import KafkaException, Message, TopicPartition
from confluent_kafka.aio import AIOConsumer, AIOProducer
from confluent_kafka.aio._serdes import resolve_cluster_id

from ._base import LOGGER, BaseWorker, places_of, records_of
from ._dispatch import Unit, Window
from ._handling import Handling, Received
from ._settings import Settings
from ._signals import StoppingAtSignals

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
        self._enough = 1
        self._stopped = False
        self._closing: asyncio.Task[None] | None = None
        self._ends = False  # close() ends the tasks

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
        loop = asyncio.get_running_loop()

        def stop() -> None:  # between two instructions of the loop's thread
            loop.call_soon_threadsafe(self.stop)

        with StoppingAtSignals(stop):
            async with self:
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
            self._failed(error)
            self._is_raised = True
            raise
        if self._failure is not None:
            self._is_raised = True
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
            await self._commit(offsets)
        return not self._dispatch.messages

    def stop(self) -> None:
        """Let run() end. Call it in the event loop of the worker."""
        self._stopped = True
        self._wake()

    async def close(self) -> None:
        """Wait for the handlers that run, commit, and leave the group; see Worker.close()."""
        await self._end()
        self._raise_failure()

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self._end()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._end()
        if kind is None:
            self._raise_failure()

    async def _end(self) -> None:
        """Close the worker. If the call is cancelled, the worker is closed all the same."""
        self._check_task()
        if self._closing is None:
            self._closed = True
            self._closing = asyncio.create_task(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        try:
            await self._drain(self._dispatch.close())
            self._has_drained = True
            await self._consumer.close()
        finally:
            self._ends = True
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await self._handling.means.close()
            self._settings.deserializers.close()

    def _check_task(self) -> None:
        if asyncio.current_task() in self._tasks:
            raise RuntimeError("a handler cannot run or close its worker: call stop()")

    async def _start(self) -> None:
        if self._closed:
            raise RuntimeError("the worker is closed: create another one")
        self._check_task()
        if self._tasks:
            return
        await self._consumer.subscribe(
            self._settings.topics,
            on_assign=self._on_assign,
            on_revoke=self._on_revoke,
            on_lost=self._on_lost,
        )
        for number in range(self._settings.workers):
            self._tasks.append(asyncio.create_task(self._work(number)))

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
        room = self._room_left()
        must_pause = self._must_pause(room)
        self._enough = self._enough_done()
        if room:
            self._taken += await consumer.consume(room, 0)
            if not self._taken and timeout > 0:
                await self._poll(timeout)
            return
        if not self._is_paused and not must_pause:
            self._room.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._room.wait(), timeout)
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
        offsets: list[TopicPartition] = []
        try:
            if not self._has_drained:
                await self._drain(windows)
        finally:
            # If the group assigns them again, they must not be paused.
            await consumer.resume(partitions)
            self._delays.forget(places)
            offsets = self._dispatch.settle(windows)
        try:
            if offsets:
                await self._commit(offsets)
        except KafkaException as error:
            LOGGER.warning("the last offsets of %s are not committed: %s", places, error)

    async def _commit(self, offsets: list[TopicPartition]) -> None:
        """Commit, and wait for the answer."""
        await self._consumer.commit(offsets=offsets, asynchronous=False)

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
        # A handler can swallow a cancellation.
        while not (self._ends or (task is not None and task.cancelling())):
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
                if self._ends or (task is not None and task.cancelling()):
                    raise
                if isinstance(error, asyncio.CancelledError):
                    error = RuntimeError("the handler was cancelled, but not the worker")
                self._failed(error)
                self._wake()
                continue
            finally:
                self._current[number] = None
                if not window.is_open:
                    self._freed.set()
            if key is not None or messages:
                self._dispatch.idle.append(unit)
            waits_for_room = self._is_paused or not self._room.is_set()
            if waits_for_room and len(self._dispatch.done) >= self._enough:
                self._wake()

    async def _handle(self, unit: Unit) -> None:
        (window, _, messages), done = unit, self._dispatch.done
        if not self._is_simple():
            return await self._handle_batches(unit)
        handler, sends = self._settings.handler, self._settings.recovery.sends
        while messages and (window.is_open or window.may_begin(messages[0])):
            message = messages.pop(0)
            # A topic gets the payload as it was before the handler got the message.
            received = Received(message, message.key(), message.value()) if sends else None
            try:
                await handler(message)
            except Exception as error:
                received = received or Received(message, None, None)
                if not await self._handling.again(window, received, error):
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
