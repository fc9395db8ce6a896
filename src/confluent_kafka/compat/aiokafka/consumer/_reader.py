"""The part of a consumer that exists between start() and stop()."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from confluent_kafka import KafkaError, KafkaException, Message
from confluent_kafka import TopicPartition as Place
from confluent_kafka.admin import ListOffsetsResultInfo, OffsetSpec
from confluent_kafka.aio import AIOAdminClient

from ..._common.commits import Reasons
from ..._common.events import TOLD, UNKNOWN, refuses_member
from ..._common.groups import generation_of
from ..._common.membership import is_incremental_protocol
from ..client import AIOKafkaClient
from ..errors import CommitFailedError, IllegalStateError, KafkaTimeoutError
from ..structs import ConsumerRecord, OffsetAndTimestamp, TopicPartition
from ._commits import Underway, failure_of_commit
from ._deserializers import Deserializers
from ._engine import Engine, checked
from ._following import Following
from ._group import Membership
from ._positions import Positions
from ._refusals import failure_of_group
from ._subscription import Subscription

_log = logging.getLogger(__name__)

T = TypeVar("T")

_AGAIN = 0.1  # seconds until the cluster is asked again for a missing partition
# librdkafka fetches the batch again, and reports it again.
_UNREADABLE = frozenset({KafkaError._BAD_COMPRESSION, KafkaError._BAD_MSG})


class Reader:
    """The client of a started consumer, and its reading.

    Args:
        conf: librdkafka's configuration.
        client: fetches the cluster's topics.
        subscription: the application's subscription.
        deserializers: the deserializers of keys and values.
        reset: ``auto_offset_reset``.
        has_group: whether the consumer is in a group.
        metadata_max_age: seconds between two searches for new topics.
        timeout: seconds to wait for a broker.
        partition_bytes: how many bytes of a partition take_many() returns.
        poll_interval: seconds that a member may take between two reads; None for no limit.
    """

    def __init__(
        self,
        conf: Mapping[str, Any],
        client: AIOKafkaClient,
        subscription: Subscription,
        deserializers: Deserializers,
        reset: str,
        has_group: bool,
        metadata_max_age: float,
        timeout: float,
        partition_bytes: int,
        poll_interval: float | None,
    ) -> None:
        self._is_committed = conf.get("isolation.level") == "read_committed"
        self._group_id = str(conf.get("group.id", ""))
        self._timeout = timeout
        self._partition_bytes = partition_bytes
        self.engine = Engine(conf, self._event)
        self._client = client
        self._is_incremental = has_group and is_incremental_protocol(conf)
        self._subscription = subscription
        self.assigned = subscription.assigned
        self.assigned.client = self.engine.client
        self.positions = Positions(self.engine, self.assigned, reset, has_group, timeout, client)
        self._deserializers = deserializers
        self._store = deserializers.are_none  # otherwise _deserialize() stores offsets
        self._commits = Underway()
        self._reasons = Reasons()
        self._group: Membership | None = None
        if has_group:
            self._group = Membership(
                self.engine, subscription, self.positions, self._commits, poll_interval
            )
        self._following = Following(
            self.engine, subscription, self.positions, client, self._group, metadata_max_age
        )
        self._polled_at: float | None = None  # seconds since the epoch, for all partitions
        self._polled: dict[TopicPartition, float] = {}  # the same for partitions that were named

    async def connect(self) -> None:
        """Connect to a broker, and ask it for the cluster's topics.

        Raises:
            KafkaError: no broker answers, or a broker refuses the credentials.
        """
        await self._client._attach(self.engine)
        await self._client.fetch_all_metadata()

    async def wait_for_topics(self) -> None:
        """Wait until the cluster has the subscribed topics or the assigned partitions.

        Raises:
            ConsumerStoppedError: the consumer is stopped meanwhile.
            UnknownTopicOrPartitionError: the cluster did not have a topic in time.
            KafkaError: an error that the application must know.
        """
        await self.engine.unless_it_fails(self._following.wait_for_topics())

    def ensure(self) -> None:
        """Start the tasks again if somebody else has cancelled them."""
        self.engine.ensure()
        self.positions.ensure()
        self._following.ensure()
        if self._group is not None:
            self._group.ensure()

    def begin(self) -> None:
        """Start to read the subscribed topics or the assigned partitions."""
        self.positions.end()
        self.assigned.is_incremental = self._is_incremental and self._subscription.is_subscribed
        if not self._subscription.is_subscribed:
            self.engine.client.unassign()
        if self._subscription.is_subscribed or self._subscription.is_by_hand:
            self._following.begin()
        self.engine.wake()

    async def began(self) -> None:
        """Wait until there is an assignment.

        Raises:
            ConsumerStoppedError: the consumer is stopped meanwhile.
            KafkaError: an error that the application must know.
        """
        if self._subscription.is_subscribed or self._subscription.is_by_hand:
            await self.engine.unless_it_fails(self._following.assigned())

    def unsubscribe(self) -> None:
        """Stop reading."""
        self.positions.end()
        self._following.end()
        if not self._subscription.is_subscribed:
            self.engine.client.unassign()
        elif self._group is not None:
            self._group.leave()
        else:
            self.engine.client.unassign()

    async def close(self) -> None:
        """Leave the group, and close the client."""
        self._end_tasks()
        await self._client.close()
        await self.engine.close()

    def abandon(self) -> None:
        """End the tasks that keep the client alive."""
        if not self.engine.has_ended_with_its_loop():
            self._end_tasks()
            self.engine.abandon()

    def _end_tasks(self) -> None:
        self._following.end()
        self.positions.end()
        if self._group is not None:
            self._group.stop_telling()

    # ---- messages ----

    def take_next(self) -> ConsumerRecord[Any, Any] | None:
        """Return the next message if that needs no other step; otherwise None."""
        if not self.assigned.is_whole:
            return None
        self._polled_at = time.time()
        found = self.engine.next(self._store)
        if found.__class__ is ConsumerRecord and self._store:
            record: ConsumerRecord[Any, Any] = found
            return record
        return None if found is None else self._handed_out(found)

    def take_one(self, partitions: tuple[TopicPartition, ...]) -> ConsumerRecord[Any, Any] | None:
        """Return the next buffered message, or None.

        Args:
            partitions: the partitions to read from; () means all.
        """
        client = self.engine.client
        self._note_poll(partitions)
        while True:
            self.assigned.check(partitions)
            wanted = self.assigned.wanted(partitions)
            found = client._poll_of(wanted, self._store, ConsumerRecord)
            if found is None:
                return None
            record = self._handed_out(found)
            if record is not None:
                return record

    def take_many(
        self, partitions: tuple[TopicPartition, ...], limit: int
    ) -> dict[TopicPartition, list[ConsumerRecord[Any, Any]]] | None:
        """Return buffered messages, or None.

        Args:
            partitions: the partitions to read from; () means all.
            limit: the maximum number of messages.
        """
        client = self.engine.client
        self._note_poll(partitions)
        while True:
            self.assigned.check(partitions)
            wanted = self.assigned.wanted(partitions)
            found = client._by_partition(
                limit,
                wanted,
                self._store,
                ConsumerRecord,
                TopicPartition,
                self._partition_bytes,
            )
            if isinstance(found, Message):
                self._event(found)
                continue
            if not self._store:
                self._deserialize(found)
            return found or None

    def _handed_out(self, found: Any) -> ConsumerRecord[Any, Any] | None:
        """Return a record with deserialized key and value; note an error and return None for it."""
        if isinstance(found, Message):
            self._event(found)
            return None
        if not self._store:
            self._deserialize({TopicPartition(found.topic, found.partition): [found]})
        record: ConsumerRecord[Any, Any] = found
        return record

    def _deserialize(self, records: dict[TopicPartition, list[ConsumerRecord[Any, Any]]]) -> None:
        """Deserialize keys and values; after an exception, all the messages are read again."""
        client = self.engine.client
        try:
            for of_partition in records.values():
                self._deserializers.apply(of_partition)
        except BaseException:
            client._rewind([Place(*each, records[each][0].offset) for each in records])
            raise
        client._store([Place(*each, records[each][-1].offset + 1) for each in records])

    # ---- offsets ----

    async def commit(self, offsets: list[Place]) -> None:
        """Commit, unless this member knows that the group has given its partitions to others.

        A rebalance waits for the answer, so no offset is sent after the partition is revoked.

        Raises:
            KafkaError: the broker's answer.
        """
        is_member = self._group is not None and self._subscription.is_subscribed
        if is_member and not self.assigned.may_commit(
            generation_of(self.engine.client), self.assigned.takings
        ):
            raise CommitFailedError
        with self._commits:
            try:
                answer = await self.engine.commit(offsets=offsets, asynchronous=False)
            except KafkaException as failure:
                raise failure_of_commit(self._reasons.of(failure)) from failure
        for place in answer or ():
            if place.error is not None:
                raise failure_of_commit(self._reasons.of(place.error))

    async def position(self, partition: TopicPartition) -> int:
        """Return the offset of the next message; find it first if it is unknown."""
        until = time.monotonic() + self._timeout
        while (known := self.assigned.position(partition)) is None:
            self.assigned.check((partition,))
            if partition not in self.assigned.partitions:
                raise IllegalStateError(f"{partition} is not assigned any more")
            await self.positions.settle()
            self.assigned.check((partition,))
            if self.assigned.position(partition) is None:
                await self._wait_for_position(partition, until)
        return known

    async def _wait_for_position(self, partition: TopicPartition, until: float) -> None:
        if time.monotonic() + _AGAIN > until:
            raise KafkaTimeoutError(
                f"no broker returned the start offset of {partition} for {self._timeout:g} s "
                "(request_timeout_ms)"
            )
        await asyncio.sleep(_AGAIN)
        self.engine.check_running()

    async def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """Return the first messages at or after certain times."""
        if not timestamps:
            return {}
        asked = {
            Place(*checked(each)): OffsetSpec.for_timestamp(int(timestamp))
            for each, timestamp in timestamps.items()
        }
        # The answer to a consumer's own request has no timestamp.
        async with AIOAdminClient(self._client._configuration) as admin:

            async def ask() -> dict[Place, ListOffsetsResultInfo]:
                answers = admin.list_offsets(asked, request_timeout=self._timeout)
                answered = await asyncio.gather(*answers.values())
                return dict(zip(answers, answered, strict=True))

            found = await self._until_known(ask)
        return {
            TopicPartition(each.topic, each.partition): (
                None if one.offset < 0 else OffsetAndTimestamp(one.offset, one.timestamp)
            )
            for each, one in found.items()
        }

    async def bounds(
        self, partitions: list[TopicPartition], which: str
    ) -> dict[TopicPartition, int]:
        """Return the first offsets of partitions ("earliest"), or their end offsets ("latest")."""
        return await self._until_known(partial(self.positions.bounds, partitions, which))

    async def _until_known(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask for offsets until the cluster has all partitions.

        Raises:
            KafkaTimeoutError: a partition was still missing when the time was over.
        """
        until = time.monotonic() + self._timeout
        while True:
            try:
                return await ask()
            except KafkaException as failure:
                if failure.args[0].code() not in UNKNOWN:
                    raise
                if time.monotonic() + _AGAIN > until:
                    raise KafkaTimeoutError(
                        f"no such partition for {self._timeout:g} s (request_timeout_ms): "
                        f"{failure.args[0].str()}"
                    ) from failure
            await asyncio.sleep(_AGAIN)
            self.engine.check_running()

    def _note_poll(self, partitions: tuple[TopicPartition, ...]) -> None:
        if partitions:
            self._polled.update(dict.fromkeys(partitions, time.time()))
        else:
            self._polled_at = time.time()

    def polled_at(self, partition: TopicPartition) -> float | None:
        """Return the time of the last fetch of a partition, in seconds since the epoch."""
        times = (self._polled_at, self._polled.get(partition))
        return max((one for one in times if one is not None), default=None)

    def highwater(self, partition: TopicPartition) -> int | None:
        """Return the partition's end offset, as of the last fetch."""
        high = self.engine.client.get_watermark_offsets(Place(*partition), cached=True)[1]
        return int(high) if high >= 0 else None

    def last_stable_offset(self, partition: TopicPartition) -> int | None:
        """Return the last stable offset: all transactions before it have ended.

        librdkafka reports it from time to time, in its statistics, and never returns a message
        after it. With "read_uncommitted" it is equal to highwater().
        """
        if not self._is_committed:
            return self.highwater(partition)
        statistics = self.engine.client.stats()
        topic = None if statistics is None else statistics.topics.get(partition.topic)
        told = None if topic is None else topic.partitions.get(partition.partition)
        known = self.assigned.position(partition)
        offsets = [known or -1, -1 if told is None else told.ls_offset]
        return max(offsets) if max(offsets) >= 0 else None

    # ---- errors ----

    def _event(self, message: Message) -> None:
        """Note an error that came instead of a message, or raise it."""
        error = message.error()
        assert error is not None
        topic, partition = message.topic(), message.partition()
        if error.code() == KafkaError._AUTO_OFFSET_RESET and topic is not None:
            assert partition is not None
            self.assigned.out_of_range(TopicPartition(topic, partition))
            return
        is_of_group = topic is None and refuses_member(error)
        is_of_messages = topic is not None and error.code() in _UNREADABLE
        if error.code() in TOLD or error.fatal() or is_of_group or is_of_messages:
            raise failure_of_group(error, self._group_id)
        _log.warning("%s", error.str())
