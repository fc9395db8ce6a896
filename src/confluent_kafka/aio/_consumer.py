"""The asyncio consumer."""

from __future__ import annotations

import math
from asyncio import get_running_loop
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, Self

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition
from confluent_kafka._other_clients import CONSUMER, explaining

from ._client import AIOClient
from ._readiness import deadline
from ._rebalances import RebalanceCallback, Rebalances

_EVERY = 0.1  # seconds between looks at whether the group has been left
_MAX_MESSAGES = 1_000_000  # that consume() takes
_LONGEST_STEP = 10_000  # messages that are fetched before other tasks get a turn


@explaining(CONSUMER)
class AIOConsumer(AIOClient):
    """A consumer whose messages are awaited.

    A task that is cancelled while it waits in poll() or consume() loses no message. Iterating with
    ``async for`` polls without limit. Belongs to the event loop that it was created in.

    Args:
        consumer_conf: the configuration of a Consumer. ``error_cb``, ``throttle_cb``, ``stats_cb``
            and ``on_commit`` may be coroutines and run in the event loop; the next poll() or
            consume() raises their exceptions. ``oauth_cb`` may be a coroutine too; a plain
            function runs on a thread of its own.
        max_workers: threads for requests that a broker must answer.
        executor: runs these requests instead; it is not shut down.

    Raises:
        KafkaException: the configuration is wrong; the error names the property.
        RuntimeError: no event loop is running in this thread.
        ValueError: ``group.id`` is missing.
    """

    _client: Consumer

    def __init__(
        self,
        consumer_conf: Mapping[str, Any],
        max_workers: int = 100,
        executor: Executor | None = None,
    ) -> None:
        self._failures: deque[BaseException] = deque()
        self._subscribed = False
        super().__init__(consumer_conf, max_workers, executor)
        self._rebalances = Rebalances(self._loop, self._callbacks)

    async def poll(self, timeout: float = -1) -> Message | None:
        """Return the next message.

        Args:
            timeout: seconds to wait; -1 waits without limit, 0 does not wait.

        Returns:
            The message, or an event with an error(); None if none came.

        Raises:
            Exception: raised by a callback.
            RuntimeError: the consumer is closed, or belongs to another event loop.
        """
        until = deadline(self._loop, timeout)
        while self._is_free() or await self._may_fetch(until):
            message = self._take_one()
            if message is not None:
                return message
            if not await self._readiness.wait(until):
                return None
        return None

    async def consume(self, num_messages: int = 1, timeout: float = -1) -> list[Message]:
        """Return a number of messages.

        Args:
            num_messages: the maximum number of messages, up to 1,000,000.
            timeout: seconds to wait for all of them; -1 waits without limit.

        Returns:
            The messages: fewer than requested only when time was up.

        Raises:
            Exception: raised by a callback.
            RuntimeError: the consumer is closed, or belongs to another event loop.
        """
        ready = await self._gather(num_messages, timeout)
        return self._take(num_messages if ready else 0)

    def _take_one(self) -> Message | None:
        """Return the next message if one is at hand, and store its offset."""
        return self._client.poll(0)

    def _take(self, num_messages: int) -> list[Message]:
        """Return messages that are at hand, and store their offsets."""
        return self._client.consume(num_messages, 0)

    async def consume_arrow(
        self,
        num_messages: int = 1,
        timeout: float = -1,
        *,
        headers: bool = False,
        columns: Sequence[str] | None = None,
    ) -> Any:
        """Return messages as Arrow columns; see Consumer.consume_arrow().

        Args:
            num_messages: the maximum number of rows, up to 1,000,000.
            timeout: seconds to wait for all of them; -1 waits without limit.
            headers: whether to add the column of headers.
            columns: the columns to build; all when None.

        Raises:
            KafkaException: an error of the consumer.
            Exception: raised by a callback.
        """
        nothing = self._client.consume_arrow(0, 0, headers=headers, columns=columns)
        if not await self._gather(num_messages, timeout):
            return nothing
        return self._client.consume_arrow(num_messages, 0, headers=headers, columns=columns)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Message:
        message = None
        while message is None:
            try:
                message = await self.poll(math.inf)
            except RuntimeError:
                if self._closing is None:
                    raise
                raise StopAsyncIteration from None
        error = message.error()
        if error is None or error.code() == KafkaError._PARTITION_EOF:
            return message
        raise KafkaException(error)

    async def subscribe(
        self,
        topics: Sequence[str],
        on_assign: RebalanceCallback | None = None,
        on_revoke: RebalanceCallback | None = None,
        on_lost: RebalanceCallback | None = None,
    ) -> None:
        """Join the group and read its share of these topics' partitions.

        Args:
            topics: names; one that starts with ``^`` is a regular expression.
            on_assign: called with this consumer and the new partitions. This and the other
                callbacks may be coroutines: the group and poll() then wait until they end.
            on_revoke: called with partitions about to be revoked; also in close().
            on_lost: called with partitions that other members may own already; on_revoke if not
                given.

        Raises:
            KafkaException: the topics are not valid.
            TypeError: a callback is not callable.
        """
        rebalances = self._rebalances
        self._client.subscribe(
            topics,
            rebalances.assigning(self, on_assign),
            rebalances.revoking(self, on_revoke),
            rebalances.revoking(self, on_revoke if on_lost is None else on_lost),
        )
        self._subscribed = True

    async def unsubscribe(self) -> None:
        """Leave the group; see Consumer.unsubscribe()."""
        self._client.unsubscribe()
        self._subscribed = False

    async def assign(self, partitions: list[TopicPartition]) -> None:
        """Read exactly these partitions; see Consumer.assign()."""
        self._client.assign(partitions)

    async def unassign(self) -> None:
        """Read no partitions; see Consumer.unassign()."""
        self._client.unassign()

    async def incremental_assign(self, partitions: list[TopicPartition]) -> None:
        """Read these partitions too; see Consumer.incremental_assign()."""
        self._client.incremental_assign(partitions)

    async def incremental_unassign(self, partitions: list[TopicPartition]) -> None:
        """Stop reading these partitions; see Consumer.incremental_unassign()."""
        self._client.incremental_unassign(partitions)

    async def subscription(self) -> list[str]:
        """Return what subscribe() named; see Consumer.subscription()."""
        return self._client.subscription()

    async def assignment(self) -> list[TopicPartition]:
        """Return the partitions that are read; see Consumer.assignment()."""
        return self._client.assignment()

    async def pause(self, partitions: list[TopicPartition]) -> None:
        """Return no messages of these partitions; see Consumer.pause()."""
        self._client.pause(partitions)

    async def resume(self, partitions: list[TopicPartition]) -> None:
        """Return messages of these partitions again; see Consumer.resume()."""
        self._client.resume(partitions)

    async def seek(self, partition: TopicPartition) -> None:
        """Continue at another offset; see Consumer.seek()."""
        await self._request(self._client.seek, partition)

    async def position(self, partitions: list[TopicPartition]) -> list[TopicPartition]:
        """Return the offsets after the last messages returned; see Consumer.position()."""
        return self._client.position(partitions)

    async def lag(self) -> dict[TopicPartition, int | None]:
        """Return how far each assigned partition is behind; see Consumer.lag()."""
        return self._client.lag()

    async def commit(
        self,
        message: Message | None = None,
        offsets: list[TopicPartition] | None = None,
        asynchronous: bool = True,
    ) -> list[TopicPartition] | None:
        """Commit offsets; see Consumer.commit().

        Args:
            message: commit the offset after it.
            offsets: commit these; without both, the stored offsets.
            asynchronous: False waits for the broker's answer.

        Returns:
            The committed offsets; None if asynchronous.

        Raises:
            KafkaException: the commit failed.
        """
        if asynchronous:
            return self._client.commit(message, offsets, asynchronous)
        commit: Callable[..., list[TopicPartition]] = self._client.commit
        return await self._request(commit, message, offsets, asynchronous)

    async def store_offsets(
        self, message: Message | None = None, offsets: list[TopicPartition] | None = None
    ) -> None:
        """Store offsets for the next commit; see Consumer.store_offsets()."""
        self._client.store_offsets(message, offsets)

    async def committed(
        self, partitions: list[TopicPartition], timeout: float = -1
    ) -> list[TopicPartition]:
        """Return the group's committed offsets; see Consumer.committed()."""
        return await self._request(self._client.committed, partitions, timeout)

    async def get_watermark_offsets(
        self, partition: TopicPartition, timeout: float = -1, cached: bool = False
    ) -> tuple[int, int] | None:
        """Return the first and the next offset; see Consumer.get_watermark_offsets()."""
        return await self._request(self._client.get_watermark_offsets, partition, timeout, cached)

    async def offsets_for_times(
        self, partitions: list[TopicPartition], timeout: float = -1
    ) -> list[TopicPartition]:
        """Return the first offsets after timestamps; see Consumer.offsets_for_times()."""
        return await self._request(self._client.offsets_for_times, partitions, timeout)

    async def consumer_group_metadata(self) -> Any:
        """Return the group membership, for AIOProducer.send_offsets_to_transaction()."""
        return self._client.consumer_group_metadata()

    def _make_client(self, conf: dict[str, Any]) -> Consumer:
        return Consumer(conf)

    def _callback_failed(self, error: BaseException) -> None:
        self._failures.append(error)
        self._readiness.wake()

    def _is_free(self) -> bool:
        """Return whether _may_fetch() has nothing to raise and nothing to wait for.

        Nearly always so: it spares a coroutine for each message.
        """
        return (
            get_running_loop() is self._loop
            and self._closing is None
            and not self._failures
            and not self._rebalances.is_running()
            and self._loop.time() <= self._turn_ends
        )

    async def _may_fetch(self, until: float) -> bool:
        """Wait while a rebalance callback runs: False if time is up before it ends.

        Its partitions must not be read while it commits their offsets.
        """
        self._check_loop()
        if self._closing is not None and not self._callbacks.is_inside():
            raise self._is_closed()
        if self._loop.time() > self._turn_ends:
            await self._let_others()
        while self._rebalances.is_running():
            left = until - self._loop.time()
            if left <= 0:
                return False
            await self._rebalances.finish(None if left == math.inf else left)
        if self._failures:
            raise self._failures.popleft()
        return True

    async def _gather(self, num_messages: int, timeout: float) -> bool:
        """Wait for so many messages, or until time is up; False while none may be taken.

        No message is handed out here, so that cancelling the wait loses none.
        """
        if not isinstance(num_messages, int):
            raise TypeError(f"num_messages must be int, not {type(num_messages).__name__}")
        if not 0 <= num_messages <= _MAX_MESSAGES:
            raise ValueError(f"num_messages must be 0 to {_MAX_MESSAGES}, not {num_messages}")
        until = deadline(self._loop, timeout)
        count = 0
        while self._is_free() or await self._may_fetch(until):
            wanted = min(num_messages, count + _LONGEST_STEP)
            count = self._client._gather(wanted)
            if self._rebalances.is_running():
                continue
            if count >= num_messages:
                return True
            if count < wanted and not await self._readiness.wait(until):
                return True
        return False

    async def _close(self) -> None:
        try:
            await self._leave()
        finally:
            await super()._close()
        if self._failures:
            raise self._failures.popleft()

    async def _leave(self) -> None:
        """Leave the group while the event loop can still run coroutines of callbacks."""
        self._readiness.wake()
        self._serve()  # an assignment may wait to be told
        await self._rebalances.finish()
        if not self._subscribed:
            return  # assign() has no callbacks
        owned = self._rebalances.owned
        told = owned.revocations
        self._client.unsubscribe()
        # What was assigned by hand, before the group assigned anything, is not taken away.
        while owned.partitions and owned.revocations == told and self._client.assignment():
            self._serve()
            await self._readiness.wait(self._loop.time() + _EVERY)
        await self._rebalances.finish()

    def _serve(self) -> None:
        """Run the callbacks that wait, even if messages are queued before them."""
        try:
            self._client._gather(_MAX_MESSAGES)
        except Exception as error:
            self._failures.append(error)
