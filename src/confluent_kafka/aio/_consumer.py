"""The asyncio consumer."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)
from confluent_kafka._other_clients import AIO_CONSUMER, explaining
from confluent_kafka.error import ConsumeError
from confluent_kafka.serialization._clients import Taking

from ._client import MAX_WORKERS, AIOClient
from ._pausing import AIOPauseWhile
from ._rebalances import RebalanceCallback, Rebalances
from ._threads import on_daemon_thread

if TYPE_CHECKING:
    from confluent_kafka.columns.batch import ColumnDecoder

_EVERY = 0.1  # seconds between two checks whether the consumer has left the group
_MAX_MESSAGES = 1_000_000  # the limit of consume()
_LONGEST_STEP = 10_000  # messages that are fetched before other tasks get a turn
_SEEK_AGAIN = 0.01  # seconds between attempts to seek in a partition that is not fetched yet


@explaining(AIO_CONSUMER)
class AIOConsumer(AIOClient):
    """A consumer for asyncio: you await its messages.

    If a task is cancelled while it waits in poll() or consume(), no message is lost. ``async for``
    waits for each message without limit. A consumer belongs to the event loop that it was created
    in.

    Args:
        consumer_conf: the configuration of a Consumer. ``error_cb``, ``throttle_cb``, ``stats_cb``
            and ``on_commit`` may be coroutines and run in the event loop; the next poll() or
            consume() raises their exceptions. ``oauth_cb`` may be a coroutine too; a plain
            function runs on a thread of its own.
        max_workers: the number of threads for requests that a broker must answer.
        executor: runs these requests instead; the consumer does not shut it down. Python waits for
            the threads of a ThreadPoolExecutor before it exits: if no broker answers, a cancelled
            request keeps the process alive until the request times out.

    Raises:
        KafkaException: the configuration is wrong; the error names the property.
        RuntimeError: no event loop is running in this thread.
        ValueError: ``group.id`` is missing.
    """

    _client: Consumer

    def __init__(
        self,
        consumer_conf: Mapping[str, Any],
        max_workers: int = MAX_WORKERS,
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
            The message, or an event with an error(). None if nothing arrived in time.

        Raises:
            Exception: a callback raised it.
            RuntimeError: the consumer is closed, or belongs to another event loop.
        """
        message = self._client._poll_now(timeout, True)
        if message is not None:
            return message
        return await self._poll_until(self._deadline(timeout), True)

    async def _poll_until(self, until: float, store: int) -> Message | None:
        """Continue poll() if no message is buffered; for `store`, see Consumer._poll_now()."""
        while self._client._is_turn or await self._may_fetch(until):
            message = self._client._poll_of(None, store)
            if message is not None:
                return message
            if not await self._readiness.wait(until):
                return None
        return None

    async def consume(self, num_messages: int = 1, timeout: float = -1) -> list[Message]:
        """Return up to ``num_messages`` messages.

        Args:
            num_messages: the maximum number of messages, up to 1,000,000.
            timeout: seconds to wait for all of them; -1 waits without limit.

        Returns:
            The messages. There are fewer than requested only if the timeout ended.

        Raises:
            Exception: a callback raised it.
            RuntimeError: the consumer is closed, or belongs to another event loop.
        """
        messages = self._client._consume_now(num_messages, True)
        if messages:
            return messages
        ready = await self._gather(num_messages, self._deadline(timeout))
        return self._client._take(num_messages if ready else 0, True)

    async def getone(self, *partitions: TopicPartition) -> Message:
        """Return the next message, and wait for it without limit.

        Args:
            *partitions: return a message from one of these partitions; without arguments, from any
                partition. Messages from the other partitions stay buffered, in order, for later
                calls. librdkafka stops fetching a partition when 10,000 of its messages, or 8 MiB,
                are buffered.

        Returns:
            The message. With ``enable.partition.eof``, it may be the event of a partition's end.

        Raises:
            ConsumeError: an error of one of the partitions or of the consumer came instead of a
                message; ``kafka_message`` is the event.
            Exception: a callback raised it.
            RuntimeError: the consumer is closed, or belongs to another event loop.
            TypeError: a partition is not a TopicPartition.
        """
        return await self._getone(partitions, True)

    async def _getone(self, partitions: tuple[TopicPartition, ...], store: int) -> Message:
        while True:
            if self._client._is_turn or await self._may_fetch(math.inf):
                message = self._client._poll_of(partitions or None, store)
                if message is not None:
                    return _raised_if_error(message)
                await self._until_more(math.inf)

    async def getmany(
        self, *partitions: TopicPartition, timeout: float = -1, max_records: int = 500
    ) -> dict[TopicPartition, list[Message]]:
        """Return the available messages by partition; wait only if there are none.

        Args:
            *partitions: return messages from these partitions, as for getone(); without arguments,
                from all partitions.
            timeout: seconds to wait for the first message; -1 waits without limit, 0 does not wait.
            max_records: the maximum number of messages, up to 1,000,000.

        Returns:
            A dict of TopicPartition to its messages, in order. It is empty if no message arrived in
            time. With ``enable.partition.eof``, the messages include the events of partitions'
            ends.

        Raises:
            ConsumeError: an error came instead of messages, as for getone(). An earlier call has
                returned the messages before it.
            Exception: a callback raised it.
            RuntimeError: the consumer is closed, or belongs to another event loop.
            TypeError: a partition is not a TopicPartition.
        """
        return await self._getmany(partitions, self._deadline(timeout), max_records, True)

    async def _getmany(
        self, partitions: tuple[TopicPartition, ...], until: float, max_records: int, store: int
    ) -> dict[TopicPartition, list[Message]]:
        _check_count("max_records", max_records, 1)
        while self._client._is_turn or await self._may_fetch(until):
            found = self._client._by_partition(max_records, partitions or None, store)
            if isinstance(found, Message):
                _raised_if_error(found)
            elif found or not await self._until_more(until):
                return found
        return {}

    async def consume_arrow(
        self,
        num_messages: int = 1,
        timeout: float = -1,
        *,
        headers: bool = False,
        columns: Sequence[str] | None = None,
        key: ColumnDecoder | None = None,
        value: ColumnDecoder | None = None,
    ) -> Any:
        """Return messages as Arrow columns; see Consumer.consume_arrow().

        Args:
            num_messages: the maximum number of rows, up to 1,000,000.
            timeout: seconds to wait for all of them; -1 waits without limit.
            headers: whether to add the column of headers.
            columns: the names of the columns to build; None builds all.
            key: the decoder of the keys, which runs in a thread: AvroColumns or another decoder of
                confluent_kafka.columns. If it raises, or the call is cancelled, the next call
                returns the same messages again; their offsets are not stored before that.
            value: the decoder of the values.

        Raises:
            KafkaException: an error of the consumer.
            SchemaRegistryError: the registry could not be asked for the decoder's schemas.
            Exception: a callback raised it.
        """
        until = self._deadline(timeout)
        if key is None and value is None:
            batch = self._client.consume_arrow(0, 0, headers=headers, columns=columns)
            if await self._gather(num_messages, until):
                batch = self._client.consume_arrow(
                    num_messages, 0, headers=headers, columns=columns
                )
            return batch
        from confluent_kafka.columns.batch import decode_fetched, reads_headers

        shown = headers or "headers" in (columns or ())
        fetched = shown or reads_headers(key, value)
        while True:
            with Taking(self) as take:
                batch = self._client._take_arrow(0, take, fetched, columns)
                if await self._gather(num_messages, until):
                    batch = self._client._take_arrow(num_messages, take, fetched, columns)
                # In a thread, because decoding may have to ask a schema registry.
                decoding = partial(decode_fetched, batch, key, value, shown)
                decoded = await on_daemon_thread(self._loop, decoding, "decode")
                if self._client._hand_out(take):
                    return decoded
                self._give_back(take)

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
        return _raised_if_error(message)

    async def subscribe(
        self,
        topics: Sequence[str],
        on_assign: RebalanceCallback | None = None,
        on_revoke: RebalanceCallback | None = None,
        on_lost: RebalanceCallback | None = None,
    ) -> None:
        """Join the group and read its share of these topics' partitions.

        Args:
            topics: the names of topics; a name that starts with ``^`` is a regular expression.
            on_assign: called with this consumer and the new partitions. Each of these callbacks may
                be a coroutine: the group and poll() then wait until it ends.
            on_revoke: called with partitions that are about to be revoked; close() calls it, too.
            on_lost: called with partitions that other members may already own. Without it,
                on_revoke is called.

        Raises:
            KafkaException: the topics are not valid.
            TypeError: a callback is not callable.
        """
        rebalances = self._rebalances
        self._here().subscribe(
            topics,
            rebalances.assigning(self, on_assign),
            rebalances.revoking(self, on_revoke),
            rebalances.revoking(self, on_revoke if on_lost is None else on_lost),
        )
        self._subscribed = True

    async def unsubscribe(self) -> None:
        """Leave the group, and wait for on_revoke; see Consumer.unsubscribe().

        Raises:
            Exception: a callback raised it. The consumer has unsubscribed all the same.
        """
        self._here().unsubscribe()
        self._subscribed = False
        while self._rebalances.is_running():
            await self._rebalances.finish()
            if self._closing is None:
                self._serve()  # the callback that just ended may have delayed on_revoke
        if (failure := self._next_failure()) is not None:
            raise failure

    async def assign(self, partitions: list[TopicPartition]) -> None:
        """Read exactly these partitions; see Consumer.assign()."""
        self._here().assign(partitions)

    async def unassign(self) -> None:
        """Read no partitions; see Consumer.unassign()."""
        self._here().unassign()

    async def incremental_assign(self, partitions: list[TopicPartition]) -> None:
        """Read these partitions too; see Consumer.incremental_assign()."""
        self._here().incremental_assign(partitions)

    async def incremental_unassign(self, partitions: list[TopicPartition]) -> None:
        """Stop reading these partitions; see Consumer.incremental_unassign()."""
        self._here().incremental_unassign(partitions)

    async def subscription(self) -> list[str]:
        """Return the topics of subscribe(); see Consumer.subscription()."""
        return self._here().subscription()

    async def assignment(self) -> list[TopicPartition]:
        """Return the partitions that are read; see Consumer.assignment()."""
        return self._here().assignment()

    async def pause(self, partitions: list[TopicPartition]) -> None:
        """Return no messages of these partitions; see Consumer.pause()."""
        self._here().pause(partitions)

    async def resume(self, partitions: list[TopicPartition]) -> None:
        """Return messages of these partitions again; see Consumer.resume()."""
        self._here().resume(partitions)
        self._readiness.wake()  # messages may have been given back, which causes no event

    async def paused(self) -> list[TopicPartition]:
        """Return the assigned partitions that pause() has paused; see Consumer.paused()."""
        return self._here().paused()

    def pause_while(self) -> AIOPauseWhile:
        """Return an async context manager for long work on messages; see Consumer.pause_while().

        Inside the block the event loop polls ten times a second, so that the consumer stays a
        member of the group however long the block takes. Callbacks run in the loop; the next poll()
        raises their exceptions. Code that blocks the event loop would stop the polling: run it with
        asyncio.to_thread().

        ::

            found = await consumer.getmany()
            async with consumer.pause_while() as pause:
                await process(found)
            if not pause.lost:
                await consumer.commit(asynchronous=False)

        Returns:
            The context manager. The block gets an object with one attribute, ``lost``: the
            partitions that the group has revoked inside the block.

        Raises:
            RuntimeError: the block is entered inside another such block, in a callback that is a
                plain function, or in another event loop.
        """
        return AIOPauseWhile(self._client, self._check_loop, self._rebalances.is_running)

    async def seek(self, partition: TopicPartition) -> None:
        """Continue at another offset; see Consumer.seek()."""
        self._here().seek(partition)
        self._readiness.wake()  # for the same reason as in resume()

    async def seek_to_beginning(self, *partitions: TopicPartition, timeout: float = 30) -> None:
        """Continue at the first offset of partitions.

        Args:
            *partitions: assigned partitions; without arguments, all assigned partitions.
            timeout: seconds to wait for the brokers, and for the first fetch of a partition that
                has just been assigned; -1 waits without limit.

        Raises:
            KafkaException: a broker's error; _TIMED_OUT; or _STATE: a partition is not assigned, or
                is not being fetched.
        """
        await self._seek_to(OFFSET_BEGINNING, partitions, timeout)

    async def seek_to_end(self, *partitions: TopicPartition, timeout: float = 30) -> None:
        """Continue at the current end of partitions, after their last messages.

        Args and Raises: as for seek_to_beginning().
        """
        await self._seek_to(OFFSET_END, partitions, timeout)

    async def position(self, partitions: list[TopicPartition]) -> list[TopicPartition]:
        """Return the offsets after the last messages returned; see Consumer.position()."""
        return self._here().position(partitions)

    async def lag(self) -> dict[TopicPartition, int | None]:
        """Return how far each assigned partition is behind; see Consumer.lag()."""
        return self._here().lag()

    async def commit(
        self,
        message: Message | None = None,
        offsets: list[TopicPartition] | None = None,
        asynchronous: bool = True,
    ) -> list[TopicPartition] | None:
        """Commit offsets; see Consumer.commit().

        Args:
            message: commit the offset after this message.
            offsets: commit these offsets. Without ``message`` and ``offsets``, the stored offsets
                are committed.
            asynchronous: False waits for the broker's answer.

        Returns:
            The committed offsets; None if asynchronous.

        Raises:
            KafkaException: the commit failed.
        """
        if asynchronous:
            return self._here().commit(message, offsets, asynchronous)
        commit: Callable[..., list[TopicPartition]] = self._client.commit
        return await self._request(commit, message, offsets, asynchronous)

    async def store_offsets(
        self, message: Message | None = None, offsets: list[TopicPartition] | None = None
    ) -> None:
        """Store offsets for the next commit; see Consumer.store_offsets()."""
        self._here().store_offsets(message, offsets)

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
        """Return the first offsets at or after timestamps; see Consumer.offsets_for_times()."""
        return await self._request(self._client.offsets_for_times, partitions, timeout)

    async def beginning_offsets(
        self, partitions: Sequence[TopicPartition], timeout: float = -1
    ) -> dict[TopicPartition, int]:
        """Request the first offset of each partition.

        Args:
            partitions: the partitions; they need not be assigned.
            timeout: seconds to wait for the brokers; -1 waits without limit.

        Raises:
            KafkaException: a broker's error for any of the partitions.
        """
        return await self._offsets_at(OFFSET_BEGINNING, partitions, timeout)

    async def end_offsets(
        self, partitions: Sequence[TopicPartition], timeout: float = -1
    ) -> dict[TopicPartition, int]:
        """Request the offset of each partition's next message.

        With ``isolation.level=read_committed``, the default, this is the last stable offset: the
        offset of the first message whose transaction is still open, if there is one.

        Args:
            partitions: the partitions; they need not be assigned.
            timeout: seconds to wait for the brokers; -1 waits without limit.

        Raises:
            KafkaException: a broker's error for any of the partitions.
        """
        return await self._offsets_at(OFFSET_END, partitions, timeout)

    async def highwater(self, partition: TopicPartition) -> int | None:
        """Return the offset of a partition's next message, as the last fetch reported it.

        No request is sent.

        Args:
            partition: a partition that the consumer reads.

        Returns:
            The offset. None if nothing has been fetched from the partition yet.
        """
        watermarks = self._here().get_watermark_offsets(partition, cached=True)
        return None if watermarks is None or watermarks[1] < 0 else watermarks[1]

    async def last_stable_offset(self, partition: TopicPartition) -> int | None:
        """Return a partition's last stable offset: all transactions before it have ended.

        The value comes from the latest statistics, so it can be as old as
        ``statistics.interval.ms``. To ask the broker, use end_offsets().

        Args:
            partition: a partition that the consumer reads.

        Returns:
            The offset. None if nothing has been fetched from the partition yet, or if statistics
            are off.
        """
        statistics = self._here().stats()
        topic = None if statistics is None else statistics.topics.get(partition.topic)
        known = None if topic is None else topic.partitions.get(partition.partition)
        return None if known is None or known.ls_offset < 0 else known.ls_offset

    async def memberid(self) -> str | None:
        """Return this consumer's member id in its group; None while it is not a member."""
        return self._here().memberid()

    async def consumer_group_metadata(self) -> Any:
        """Return the group membership, for AIOProducer.send_offsets_to_transaction()."""
        return self._here().consumer_group_metadata()

    def _here(self) -> Consumer:
        self._check_loop()
        return self._client

    def _make_client(self, conf: dict[str, Any]) -> Consumer:
        return Consumer(conf)

    def _callback_failed(self, error: BaseException) -> None:
        self._put_off([error])
        self._readiness.wake()

    def _put_off(self, failures: Iterable[BaseException]) -> None:
        """Let the next calls raise these errors, one error per call."""
        self._failures.extend(failures)
        if self._failures:
            self._end_turn()

    def _next_failure(self) -> BaseException | None:
        """Return the next deferred error; the caller raises it."""
        return self._failures.popleft() if self._failures else None

    def _give_back(self, take: int) -> None:
        """Give the messages of a take back to the next calls; see Consumer._give_back()."""
        self._client._give_back(take)
        self._readiness.wake()  # messages that are given back cause no event

    def _begin_turn(self) -> None:
        """Begin a turn, unless _may_fetch() has an error to raise or must keep tasks waiting."""
        if not self._failures and self._rebalances.is_idle():
            super()._begin_turn()

    async def _may_fetch(self, until: float) -> bool:
        """Wait while a rebalance callback runs. Return False if the timeout ends before it.

        While the callback commits offsets, its partitions must not be read.
        """
        self._check_loop()
        if self._closing is not None and not self._callbacks.is_inside():
            raise self._closed_error()
        if not self._client._is_turn:
            await self._let_others()
        while self._rebalances.is_running():
            left = until - self._loop.time()
            if left <= 0:
                return False
            await self._rebalances.finish(None if left == math.inf else left)
        if (failure := self._next_failure()) is not None:
            raise failure
        return True

    async def _gather(self, num_messages: int, until: float) -> bool:
        """Wait for messages until the timeout. Return whether the caller may take messages.

        The method itself takes no message. So a cancellation of the wait loses no message.
        """
        _check_count("num_messages", num_messages, 0)
        count = 0
        while self._client._is_turn or await self._may_fetch(until):
            wanted = min(num_messages, count + _LONGEST_STEP)
            count = self._client._gather(wanted)
            if self._rebalances.is_running():
                continue
            if count >= num_messages:
                return True
            if count < wanted and not await self._readiness.wait(until):
                return True
        return False

    async def _until_more(self, until: float) -> bool:
        """Wait for more messages. Return False after the timeout.

        A call that stops before the queue is empty gets no event for the remaining messages.
        """
        return self._client._queue_length() > 0 or await self._readiness.wait(until)

    async def _offsets_at(
        self, place: int, partitions: Sequence[TopicPartition], timeout: float
    ) -> dict[TopicPartition, int]:
        """Request the offsets that OFFSET_BEGINNING or OFFSET_END means."""
        self._check_open()
        # The numbers of these two constants are also the special timestamps in ListOffsets.
        asked = [TopicPartition(one.topic, one.partition, place) for one in partitions]
        if not asked:  # librdkafka would report an invalid argument
            return {}
        answer = await self._request(self._client.offsets_for_times, asked, timeout)
        for one in answer:
            if one.error is not None:
                raise KafkaException(one.error)
        return {TopicPartition(one.topic, one.partition): one.offset for one in answer}

    async def _seek_to(
        self, place: int, partitions: Sequence[TopicPartition], timeout: float
    ) -> None:
        """Ask for the current begin or end of partitions, and seek to these offsets."""
        self._check_open()
        until = self._deadline(timeout)
        offsets = await self._offsets_at(place, partitions or self._client.assignment(), timeout)
        for one, offset in offsets.items():
            await self._seek_when_fetched(TopicPartition(one.topic, one.partition, offset), until)

    async def _seek_when_fetched(self, partition: TopicPartition, until: float) -> None:
        """Seek. If the partition is assigned but not fetched yet, wait for its first fetch."""
        while True:
            try:
                return await self.seek(partition)
            except KafkaException as error:
                if (
                    error.args[0].code() != KafkaError._STATE
                    or self._loop.time() >= until
                    or partition not in self._client.assignment()
                ):
                    raise
            await asyncio.sleep(_SEEK_AGAIN)

    async def _close(self) -> None:
        try:
            await self._leave()
        finally:
            await super()._close()
        failures = list(iter(self._next_failure, None))
        for other in failures[1:]:
            message = f"{self._called()}.close() raises an earlier error than this one"
            self._loop.call_exception_handler({"message": message, "exception": other})
        if failures:
            raise failures[0]

    async def _leave(self) -> None:
        """Leave the group while the event loop can still run coroutines of callbacks."""
        self._readiness.wake()
        self._serve()  # an assignment may wait for its callback
        await self._rebalances.finish()
        if not self._subscribed:
            return  # partitions that assign() set have no callbacks
        self._putting_off(self._client.unsubscribe)
        # A rebalance that began earlier is reported first; then the other partitions are revoked.
        self._serve()
        while self._owns_some():
            self._serve()
            await self._readiness.wait(self._loop.time() + _EVERY)
        await self._rebalances.finish()

    def _owns_some(self) -> bool:
        """Return whether the group still has to revoke partitions.

        The group does not revoke partitions that assign() set.
        """
        owned = self._rebalances.owned.partitions
        return any((one.topic, one.partition) in owned for one in self._client.assignment())

    def _serve(self) -> None:
        """Run the pending callbacks, even if there are messages before them in the queue."""
        self._putting_off(partial(self._client._gather, _MAX_MESSAGES))

    def _putting_off(self, serve: Callable[[], object]) -> None:
        """Call a function that runs callbacks, and let the next calls raise their exceptions."""
        try:
            serve()
        except Exception as error:
            self._put_off([error])


def _check_count(name: str, count: int, least: int) -> None:
    if not isinstance(count, int):
        raise TypeError(f"{name} must be int, not {type(count).__name__}")
    if not least <= count <= _MAX_MESSAGES:
        raise ValueError(f"{name} must be {least} to {_MAX_MESSAGES}, not {count}")


def _raised_if_error(event: Message) -> Message:
    """Return a message or the event of a partition's end; raise every other event as an error."""
    error = event.error()
    if error is None or error.code() == KafkaError._PARTITION_EOF:
        return event
    raise ConsumeError(error, kafka_message=event)
