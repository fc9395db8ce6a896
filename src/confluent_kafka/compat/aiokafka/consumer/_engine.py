"""A consumer's underlying client: an AIOConsumer that serves callbacks even if nobody reads."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from typing import Any, TypeVar

from confluent_kafka import OFFSET_STORED, KafkaException, Message
from confluent_kafka import KafkaError as Error
from confluent_kafka import TopicPartition as Place
from confluent_kafka.admin import ClusterMetadata
from confluent_kafka.aio import AIOConsumer

from ..._common.topics import creation, without_creation
from ..errors import ConsumerStoppedError, KafkaError
from ..structs import ConsumerRecord, TopicPartition
from ._background import Background

T = TypeVar("T")

Rebalanced = Callable[[Any, list[Place]], Any]


class Engine(AIOConsumer):
    """An AIOConsumer.

    aiokafka's consumers follow rebalances even if nobody reads. So this one has a task that fetches
    when nobody else does. The fetched messages wait in the client, and librdkafka pauses partitions
    with too many waiting messages.

    Args:
        conf: librdkafka's configuration.
        event: called with each error that librdkafka reports instead of a message; it raises the
            error if the application must know it.
    """

    _alias = "AIOKafkaConsumer"
    _unclosed = "Unclosed {}: await stop() or use 'async with'"  # begins like aiokafka's text

    def __init__(self, conf: Mapping[str, Any], event: Callable[[Message], object]) -> None:
        self._has_failed = asyncio.Event()
        conf, self._creates = without_creation(conf)
        super().__init__(conf)
        self._event = event
        self._takes = 0
        self._reads = 0
        self._waiting = 0
        self._attendant = Background(self._attend, self.fail)
        self._attendant.begin()

    def join(self, topics: list[str], on_assign: Rebalanced, on_revoke: Rebalanced) -> None:
        """Subscribe; the callbacks may return awaitables, and the group waits for them."""
        rebalances = self._rebalances
        self._client.subscribe(
            topics,
            rebalances.assigning(self, on_assign),
            rebalances.revoking(self, on_revoke),
        )
        self._subscribed = True

    async def list_topics(self, topic: str | None = None, timeout: float = -1) -> ClusterMetadata:
        """Request metadata; create the named topic if necessary."""
        if topic is not None and self._creates:
            await self.request(*creation(topic), timeout=timeout)
        return await super().list_topics(topic, timeout)

    def leave(self) -> None:
        """Unsubscribe."""
        self._putting_off(self._client.unsubscribe)
        self._subscribed = False

    @property
    def client(self) -> Any:
        """The C extension's client, for calls that do not wait."""
        return self._client

    def next(self, store: bool) -> Any:
        """Return the next record or Message; None if the caller has to call take().

        With this method, nearly every message needs no coroutine.

        Args:
            store: whether to store the offset.
        """
        if not self._client._is_turn:
            return None
        self._takes += 1
        return self._client._poll_of(None, store, ConsumerRecord)

    async def take(self, look: Callable[[], T | None], until: float) -> T | None:
        """Wait until there is something to return.

        Args:
            look: returns it without waiting, or returns None.
            until: the loop's time at which to stop waiting.

        Raises:
            ConsumerStoppedError: the consumer is stopped, before or meanwhile.
            Exception: `look` raised it.
        """
        self._waiting += 1
        self._reads += 1
        try:
            while True:
                if self._closing is not None:
                    raise ConsumerStoppedError
                if not self._client._is_turn and not await self._may_fetch(until):
                    return None
                taken = look()
                if taken is not None:
                    self._takes += 1
                    return taken
                if not await self._until_more(until):
                    return None
        finally:
            self._waiting -= 1
            self._reads += 1

    def reads(self) -> int:
        """Return a number that changes with each read."""
        self._reads += self._waiting
        return self._reads + self._takes

    def forget_stored_offsets(self, partitions: Iterable[TopicPartition]) -> None:
        """Forget the stored offsets, so that librdkafka does not commit them automatically."""
        self._client._store([Place(*each, OFFSET_STORED) for each in partitions])

    def ensure(self) -> None:
        """Start the task again if somebody else has cancelled it."""
        if self._closing is None:
            self._attendant.ensure()

    def fail(self, error: Exception) -> None:
        """Let the next call raise an error, unless the same error already waits to be raised."""
        if repr(error) not in map(repr, self._failures):
            self._callback_failed(error)

    def run(self, work: Awaitable[Any]) -> None:
        """Run a callback's awaitable; stop() waits for it."""
        self._callbacks.start(work)

    def check_running(self) -> None:
        """Refuse calls that began before stop().

        Raises:
            ConsumerStoppedError: the consumer is stopped.
        """
        if self._closing is not None:
            raise ConsumerStoppedError

    async def unless_it_fails(self, work: Coroutine[Any, Any, None]) -> None:
        """Wait for something that a failure of the client may prevent.

        Raises:
            ConsumerStoppedError: the consumer is stopped meanwhile.
            Exception: the failure.
        """
        task = self._loop.create_task(work)
        failure = self._loop.create_task(self._has_failed.wait())
        try:
            await asyncio.wait((task, failure), return_when=asyncio.FIRST_COMPLETED)
        finally:
            task.cancel()
            failure.cancel()
        if self._failures:
            raise self._failures.popleft()
        self.check_running()
        if not task.cancelled():
            task.result()

    def check_loop(self) -> None:
        """Refuse calls from another event loop. Calls without a running event loop are accepted.

        Raises:
            RuntimeError: another loop is running.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return
        self._check_loop()

    def wake(self) -> None:
        """Let waiting tasks check again."""
        self._readiness.wake()

    def _closed_error(self) -> ConsumerStoppedError:
        return ConsumerStoppedError()

    async def _attend(self) -> None:
        seen = self._takes
        while self._closing is None:
            if not self._waiting and self._takes == seen and not self._rebalances.is_running():
                self._serve_callbacks()
            seen = self._takes
            await self._readiness.wait(math.inf)

    def _serve_callbacks(self) -> None:
        """Run the waiting callbacks, including callbacks that follow messages in the queue."""
        try:
            found: Any = 1
            while found:
                found = self._client._by_partition(1, [], False)
                if isinstance(found, Message):
                    self._event(found)
        except KafkaError as error:
            self.fail(error)
        except Exception as error:
            self._callback_failed(error)

    def _callback_failed(self, error: BaseException) -> None:
        super()._callback_failed(error)
        self._has_failed.set()

    def abandon(self) -> None:
        """End the task that keeps this client alive."""
        self._attendant.end()

    def has_ended_with_its_loop(self) -> bool:
        """Return whether the loop was closed: its tasks do not run and cannot be cancelled."""
        return self._loop.is_closed()

    async def _close(self) -> None:
        self._has_failed.set()
        self._attendant.end()
        # The cluster's errors are for calls that read messages, so stop() does not raise them.
        self._failures = deque(one for one in self._failures if not isinstance(one, KafkaError))
        try:
            await super()._close()
        except KafkaException as failure:
            # A fenced static member has no group to leave; the client is closed.
            if failure.args[0].code() != Error._FATAL:
                raise


def places(partitions: Iterable[TopicPartition]) -> list[Place]:
    """Convert aiokafka's partitions to the client's partitions.

    Raises:
        TypeError: a partition is something else.
    """
    return [Place(*checked(partition)) for partition in partitions]


def checked(partition: Any) -> TopicPartition:
    """Check and return an application's partition.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(partition, TopicPartition):
        raise TypeError(f"partitions must be TopicPartition, not {type(partition).__name__}")
    return partition
