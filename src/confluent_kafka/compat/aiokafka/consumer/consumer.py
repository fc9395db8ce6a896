"""AIOKafkaConsumer, with aiokafka's names, arguments and errors."""

from __future__ import annotations

import asyncio
import math
import warnings
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Set
from functools import partial
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from confluent_kafka import KafkaException
from confluent_kafka import TopicPartition as Place

from ..._common.membership import complete
from .._closing import leave
from .._engines import made
from .._failures import failure_of, translated
from ..abc import AbstractTokenProvider, ConsumerRebalanceListener
from ..client import AIOKafkaClient
from ..config import __version__, configuration, shared, warn_deprecated
from ..coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from ..errors import (
    ConsumerStoppedError,
    IllegalOperation,
    IllegalStateError,
)
from ..structs import ConsumerRecord, OffsetAndTimestamp, TopicPartition
from ._commits import offsets_to_commit
from ._deserializers import Deserializer, Deserializers
from ._engine import checked
from ._reader import Reader
from ._subscription import Subscription
from .group_coordinator import GroupCoordinator

KT = TypeVar("KT")
VT = TypeVar("VT")
T = TypeVar("T")

_MOST = 10_000  # messages that getmany() returns without max_records


class AIOKafkaConsumer(Generic[KT, VT]):
    """Reads messages, alone or as a member of a group: aiokafka's consumer on librdkafka.

    ::

        async with AIOKafkaConsumer("topic", bootstrap_servers="localhost:9092") as consumer:
            async for record in consumer:
                print(record.offset, record.value)

    Args:
        *topics: the topics to subscribe to.
        loop: no effect; the consumer belongs to the loop in which start() runs.
        bootstrap_servers: "host:port", or a list of such texts.
        client_id: a name for the brokers' logs.
        group_id: the group; with None, the consumer reads all partitions and commits nothing.
        group_instance_id: a static member's name (KIP-345).
        key_deserializer: called with each key's bytes, or None; returns the record's key.
        value_deserializer: called with each value's bytes, or None; returns the record's value.
        fetch_max_wait_ms: how long a broker waits for fetch_min_bytes, in milliseconds.
        fetch_max_bytes: the largest size of an answer, in bytes.
        fetch_min_bytes: the number of bytes for which a broker waits.
        max_partition_fetch_bytes: the largest size of one partition's messages in an answer, in
            bytes.
        request_timeout_ms: how long to wait for a broker, in milliseconds.
        retry_backoff_ms: milliseconds between attempts.
        auto_offset_reset: where to read without a committed offset: "earliest", "latest" or
            "none", which raises NoOffsetForPartitionError.
        enable_auto_commit: whether to commit the returned messages every auto_commit_interval_ms,
            and at the end.
        auto_commit_interval_ms: milliseconds between commits.
        check_crcs: whether to check the checksums of messages.
        metadata_max_age_ms: milliseconds between two searches for new topics and partitions.
        partition_assignment_strategy: assignors of the group, by preference.
        max_poll_interval_ms: milliseconds that a member may take between two reads.
        rebalance_timeout_ms: no effect.
        session_timeout_ms: milliseconds after which a silent member is out of the group.
        heartbeat_interval_ms: milliseconds between heartbeats.
        consumer_timeout_ms: no effect, because the consumer does not poll at intervals.
        max_poll_records: the largest number of messages that getmany() returns; None for no limit.
        ssl_context: a context from helpers.create_ssl_context().
        security_protocol: "PLAINTEXT", "SSL", "SASL_PLAINTEXT" or "SASL_SSL".
        api_version: no effect, because librdkafka asks the brokers.
        exclude_internal_topics: whether a pattern leaves out Kafka's own topics.
        connections_max_idle_ms: milliseconds after which an idle connection is closed.
        isolation_level: "read_uncommitted" or "read_committed".
        sasl_mechanism: "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "GSSAPI" or "OAUTHBEARER".
        sasl_plain_password: the password, for PLAIN and SCRAM.
        sasl_plain_username: the user, for PLAIN and SCRAM.
        sasl_kerberos_service_name: the service name of the brokers, for GSSAPI.
        sasl_kerberos_domain_name: must be None: librdkafka always uses the broker's host name.
        sasl_oauth_token_provider: an AbstractTokenProvider, for OAUTHBEARER.
        client_rack: the rack of the consumer, to fetch from the nearest replica (KIP-392).
        properties: a dict of librdkafka properties that have no keyword; aiokafka does not have
            this.

    Raises:
        TypeError, ValueError: a keyword's value is wrong.
    """

    def __init__(
        self,
        *topics: str,
        loop: asyncio.AbstractEventLoop | None = None,
        bootstrap_servers: str | list[str] = "localhost",
        client_id: str = f"aiokafka-{__version__}",
        group_id: str | None = None,
        group_instance_id: str | None = None,
        key_deserializer: Deserializer | None = None,
        value_deserializer: Deserializer | None = None,
        fetch_max_wait_ms: int = 500,
        fetch_max_bytes: int = 52428800,
        fetch_min_bytes: int = 1,
        max_partition_fetch_bytes: int = 1 * 1024 * 1024,
        request_timeout_ms: int = 40 * 1000,
        retry_backoff_ms: int = 100,
        auto_offset_reset: str = "latest",
        enable_auto_commit: bool = True,
        auto_commit_interval_ms: int = 5000,
        check_crcs: bool = True,
        metadata_max_age_ms: int = 5 * 60 * 1000,
        partition_assignment_strategy: Collection[Any] = (RoundRobinPartitionAssignor,),
        max_poll_interval_ms: int = 300000,
        rebalance_timeout_ms: int | None = None,
        session_timeout_ms: int = 10000,
        heartbeat_interval_ms: int = 3000,
        consumer_timeout_ms: int = 200,
        max_poll_records: int | None = None,
        ssl_context: Any = None,
        security_protocol: str = "PLAINTEXT",
        api_version: str | None = None,
        exclude_internal_topics: bool = True,
        connections_max_idle_ms: int | None = 540000,
        isolation_level: str = "read_uncommitted",
        sasl_mechanism: str = "PLAIN",
        sasl_plain_password: str | None = None,
        sasl_plain_username: str | None = None,
        sasl_kerberos_service_name: str = "kafka",
        sasl_kerberos_domain_name: str | None = None,
        sasl_oauth_token_provider: AbstractTokenProvider | None = None,
        client_rack: str | None = None,
        properties: Mapping[str, Any] | None = None,
    ) -> None:
        keywords = {
            name: value for name, value in locals().items() if name not in ("self", "topics")
        }
        self._reader: Reader | None = None
        self._active: Reader | None = None  # the same reader until stop(), then None
        _check_number("max_poll_records", max_poll_records)
        warn_deprecated(keywords, "loop", "api_version")
        self._client = AIOKafkaClient(**shared(keywords))
        self._group_id = group_id
        self._max_poll_records = max_poll_records
        self._subscription = Subscription(exclude_internal_topics)
        self._assigned = self._subscription.assigned
        self._make_reader = partial(
            Reader,
            _configuration(keywords),
            self._client,
            self._subscription,
            Deserializers(key_deserializer, value_deserializer),
            auto_offset_reset,
            group_id is not None,
            metadata_max_age_ms / 1000,
            request_timeout_ms / 1000,
            max(1, max_partition_fetch_bytes),
            max_poll_interval_ms / 1000 if group_instance_id is None else None,
        )
        self._is_started = False
        self._is_stopped = False
        if topics:
            self._subscription.subscribe(topics, None, None)

    # ---- life ----

    async def start(self) -> None:
        """Connect, join the group, and wait for its first assignment.

        Raises:
            AssertionError: the consumer was started already.
            KafkaConnectionError: no broker answers.
            KafkaError: the group or a broker refuses the consumer.
            UnknownTopicOrPartitionError: a topic was missing for request_timeout_ms.
            ValueError: the port of a bootstrap server is not a number.
        """
        if self._is_started:
            raise AssertionError("start() was called before: make a consumer for each start()")
        self._is_started = True
        reader = made(lambda _: self._make_reader(), self._client._configuration)
        try:
            await reader.connect()
            self._reader = self._active = reader
            await reader.wait_for_topics()
            reader.begin()
            await reader.began()
        except BaseException:
            self._reader = self._active = None
            self._is_stopped = True
            await reader.close()
            raise

    async def stop(self) -> None:
        """Commit with enable_auto_commit, leave the group and close the connections.

        Waiting calls raise ConsumerStoppedError. A second stop() does nothing.
        """
        if self._reader is not None:
            self._reader.engine.check_loop()
        self._is_stopped = True
        self._active = None
        if self._reader is not None:
            with translated():
                await self._reader.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await leave(self._reader and self._reader.engine, self.stop, error)

    def __del__(self, warn: Callable[..., None] = warnings.warn) -> None:
        reader = getattr(self, "_active", None)
        if reader is not None:
            text = f"Unclosed AIOKafkaConsumer {self!r}: await stop() or use 'async with'"
            warn(text, ResourceWarning, source=self)
            reader.abandon()

    # ---- messages ----

    async def getone(self, *partitions: TopicPartition) -> ConsumerRecord[KT, VT]:
        """Wait for the next message.

        Args:
            *partitions: the partitions to read from; all by default.

        Raises:
            ConsumerStoppedError: the consumer was stopped, before the call or during it.
            CorruptRecordException: a checksum is wrong. Each call raises this until you seek past
                the message.
            NoOffsetForPartitionError, OffsetOutOfRangeError: with auto_offset_reset="none".
            KafkaError: a broker refuses something, such as the group or its committed offsets.
            Exception: a deserializer raised it; the message is read again.
        """
        reader = self._active or self._running()
        try:
            record = None if partitions else reader.take_next()
            if record is None:
                reader.ensure()
                look = partial(reader.take_one, partitions)
                record = await reader.engine.take(look, math.inf)
        except KafkaException as failure:
            raise failure_of(failure) from failure
        assert record is not None
        return record

    async def getmany(
        self,
        *partitions: TopicPartition,
        timeout_ms: int = 0,
        max_records: int | None = None,
    ) -> dict[TopicPartition, list[ConsumerRecord[KT, VT]]]:
        """Return messages by partition.

        Args:
            *partitions: the partitions to read from; all by default.
            timeout_ms: milliseconds to wait for the first message.
            max_records: the maximum number of messages; max_poll_records by default.

        Returns:
            The messages; empty if none came in time or the consumer was stopped meanwhile.

        Raises:
            ConsumerStoppedError: the consumer was stopped before.
            CorruptRecordException, NoOffsetForPartitionError, OffsetOutOfRangeError, KafkaError: as
                in getone().
            Exception: a deserializer raised it; all messages are read again.
        """
        reader = self._active or self._running()
        _check_number("max_records", max_records)
        reader.ensure()
        look = partial(reader.take_many, partitions, max_records or self._max_poll_records or _MOST)
        until = asyncio.get_running_loop().time() + timeout_ms / 1000
        try:
            return await reader.engine.take(look, until) or {}
        except ConsumerStoppedError:
            return {}
        except KafkaException as failure:
            raise failure_of(failure) from failure

    def __aiter__(self) -> Self:
        if self._is_stopped:
            raise ConsumerStoppedError
        return self

    async def __anext__(self) -> ConsumerRecord[KT, VT]:
        try:
            return await self.getone()
        except ConsumerStoppedError:
            raise StopAsyncIteration from None

    # ---- what is read ----

    def subscribe(
        self,
        topics: Collection[str] = (),
        pattern: str | None = None,
        listener: ConsumerRebalanceListener | None = None,
    ) -> None:
        """Subscribe to topics, instead of the earlier ones.

        Args:
            topics: a list, tuple or set of names.
            pattern: a regular expression that names must begin with, instead of topics.
            listener: called when the group assigns and revokes partitions.

        Raises:
            IllegalStateError: partitions were assigned by hand.
            TypeError: neither topics nor a pattern is given, or both are, or a type is wrong.
            ValueError: the pattern is not valid.
        """
        self._check_loop()
        self._subscription.subscribe(topics, pattern, listener)
        self._begin()

    def unsubscribe(self) -> None:
        """Stop reading: leave the group, or give up the partitions that were assigned by hand."""
        self._check_loop()
        if self._active is not None:
            self._active.unsubscribe()
        self._subscription.forget()

    def subscription(self) -> Set[str]:
        """Return the topics of the subscription, of the pattern, or of the assigned partitions."""
        return self._subscription.topics

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """Read these partitions, instead of the earlier ones, without help from the group.

        Raises:
            IllegalStateError: topics are subscribed to.
        """
        self._check_loop()
        self._subscription.assign_by_hand([checked(partition) for partition in partitions])
        self._begin()

    def assignment(self) -> Set[TopicPartition]:
        """Return the assigned partitions."""
        return self._assigned.partitions

    def pause(self, *partitions: TopicPartition) -> None:
        """Pause partitions: return no messages of them until resume() or a rebalance.

        Raises:
            IllegalStateError: a partition is not assigned.
        """
        self._require(*partitions)
        self._check_loop()
        with translated():
            self._assigned.pause(partitions)

    def resume(self, *partitions: TopicPartition) -> None:
        """Resume partitions: return their messages again.

        Raises:
            IllegalStateError: a partition is not assigned.
        """
        self._require(*partitions)
        self._check_loop()
        with translated():
            self._assigned.pause(partitions, False)

    def paused(self) -> set[TopicPartition]:
        """Return the paused partitions."""
        return self._assigned.paused

    # ---- positions ----

    def seek(self, partition: TopicPartition, offset: int) -> None:
        """Continue reading a partition at an offset.

        Raises:
            IllegalStateError: the partition is not assigned.
            ValueError: the offset is not an int, or negative.
        """
        if not isinstance(offset, int) or offset < 0:
            raise ValueError(f"Offset must be a positive integer, not {offset!r}")
        reader = self._running()
        self._require(partition)
        reader.positions.seek(partition, offset)

    async def seek_to_beginning(self, *partitions: TopicPartition) -> bool:
        """Continue reading partitions at their first messages.

        Args:
            *partitions: the partitions; all assigned ones by default.

        Raises:
            IllegalStateError: a partition is not assigned.
        """
        return await self._seek_to(self.beginning_offsets, partitions)

    async def seek_to_end(self, *partitions: TopicPartition) -> bool:
        """Continue reading partitions at their ends; see seek_to_beginning()."""
        return await self._seek_to(self.end_offsets, partitions)

    async def seek_to_committed(
        self, *partitions: TopicPartition
    ) -> dict[TopicPartition, int | None]:
        """Continue reading partitions at the group's committed offsets.

        Args:
            *partitions: the partitions; all assigned ones by default.

        Returns:
            The offsets; None for a partition without a committed offset, whose position stays.

        Raises:
            IllegalOperation: there is no group.
            IllegalStateError: a partition is not assigned.
        """
        reader = self._running()
        chosen = self._chosen(partitions)
        offsets = await self._committed(chosen)
        for each, offset in offsets.items():
            if offset is not None and each in self._assigned.partitions:
                reader.positions.seek(each, offset)
        return offsets

    async def position(self, partition: TopicPartition) -> int:
        """Return the offset of the next message.

        Raises:
            IllegalStateError: the partition is not assigned.
            NoOffsetForPartitionError: there is no offset, and auto_offset_reset is "none".
        """
        self._require(partition)
        reader = self._running()
        with translated():
            return await reader.position(partition)

    def highwater(self, partition: TopicPartition) -> int | None:
        """Return the end offset of the partition, as of the last fetch.

        Raises:
            IllegalStateError: the partition is not assigned.
        """
        self._require(partition)
        return self._running().highwater(partition)

    def last_stable_offset(self, partition: TopicPartition) -> int | None:
        """Return the last stable offset: all transactions before it have ended."""
        self._require(partition)
        return self._running().last_stable_offset(partition)

    def last_poll_timestamp(self, partition: TopicPartition) -> int | None:
        """Return the time of the last fetch of a partition, in milliseconds since the epoch."""
        self._require(partition)
        polled_at = self._running().polled_at(partition)
        return None if polled_at is None else int(polled_at * 1000)

    # ---- offsets ----

    async def commit(
        self,
        offsets: Mapping[TopicPartition, int | tuple[int, str]] | None = None,
    ) -> None:
        """Commit offsets, and wait for the broker's answer.

        Args:
            offsets: by partition, the offset of the next message to read: an int, a tuple (offset,
                metadata) or an OffsetAndMetadata. The default is the positions of all partitions.

        Raises:
            CommitFailedError: the group has rebalanced meanwhile.
            IllegalOperation: there is no group.
            IllegalStateError: a partition is not assigned, or there is no assignment yet.
            KafkaError: the broker refuses the commit.
        """
        self._require_group()
        reader = self._running()
        if not (self._subscription.is_subscribed or self._subscription.is_by_hand):
            raise IllegalStateError("Not subscribed to any topics")
        if not self._assigned.is_assigned:
            raise IllegalStateError("No partitions assigned")
        if offsets is None:
            given = [Place(*each, at) for each, at in self._assigned.positions().items()]
        else:
            given = offsets_to_commit(offsets)
            self._require(*offsets)
        if not given:
            return
        await reader.commit(given)

    async def committed(self, partition: TopicPartition) -> int | None:
        """Return the group's committed offset of a partition; None if there is none.

        Raises:
            IllegalOperation: there is no group.
        """
        return (await self._committed([partition]))[partition]

    async def beginning_offsets(
        self, partitions: Iterable[TopicPartition]
    ) -> dict[TopicPartition, int]:
        """Return the first offsets of partitions.

        Raises:
            KafkaTimeoutError: the cluster did not have a partition for request_timeout_ms.
        """
        return await self._bounds(partitions, "earliest")

    async def end_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the end offsets of partitions; see beginning_offsets()."""
        return await self._bounds(partitions, "latest")

    async def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """Return the first message of each partition at or after a time.

        Args:
            timestamps: milliseconds since the epoch by partition.

        Returns:
            The offsets and timestamps; None for a partition whose messages are all older.

        Raises:
            KafkaTimeoutError: the cluster did not have a partition for request_timeout_ms.
            ValueError: a time is negative.
        """
        for partition, timestamp in timestamps.items():
            if int(timestamp) < 0:
                raise ValueError(
                    f"The target time for partition {partition} is {timestamp}. The target time "
                    "cannot be negative."
                )
        return await self._awaited(self._running().offsets_for_times(timestamps))

    # ---- the cluster ----

    async def topics(self) -> set[str]:
        """Return the names of all topics except Kafka's internal ones."""
        self._running()
        return (await self._client.fetch_all_metadata()).topics()

    def partitions_for_topic(self, topic: str) -> set[int] | None:
        """Return the numbers of a topic's partitions; None if the topic is unknown."""
        return self._client.cluster.partitions_for_topic(topic)

    # ---- what the methods share ----

    def _begin(self) -> None:
        if self._active is not None:
            self._active.begin()

    def _running(self) -> Reader:
        if self._is_stopped:
            raise ConsumerStoppedError
        if self._active is None:
            raise IllegalStateError("the consumer is not started: await start() first")
        self._check_loop()
        return self._active

    def _check_loop(self) -> None:
        if self._active is not None:
            self._active.engine.check_loop()

    def _require(self, *partitions: TopicPartition) -> None:
        self._subscription.require(*map(checked, partitions))

    @property
    def _coordinator(self) -> GroupCoordinator | None:
        """The group coordinator, which FastStream asks for the member's id."""
        if self._group_id is None or self._reader is None:
            return None
        return GroupCoordinator(self._group_id, self._reader.engine._client.memberid)

    def _require_group(self) -> None:
        if self._group_id is None:
            raise IllegalOperation("there are no committed offsets without group_id")

    def _chosen(self, partitions: tuple[TopicPartition, ...]) -> list[TopicPartition]:
        self._require(*partitions)
        chosen = partitions or tuple(self._assigned.partitions)
        if not chosen:
            raise IllegalStateError("No partitions are currently assigned")
        return list(chosen)

    async def _seek_to(
        self,
        ask: Callable[[list[TopicPartition]], Awaitable[dict[TopicPartition, int]]],
        partitions: tuple[TopicPartition, ...],
    ) -> bool:
        reader = self._running()
        offsets = await ask(self._chosen(partitions))
        for each, offset in offsets.items():
            if each in self._assigned.partitions:
                reader.positions.seek(each, offset)
        return True

    async def _committed(
        self, partitions: list[TopicPartition]
    ) -> dict[TopicPartition, int | None]:
        self._require_group()
        return await self._awaited(self._running().positions.committed(partitions))

    async def _bounds(
        self, partitions: Iterable[TopicPartition], which: str
    ) -> dict[TopicPartition, int]:
        return await self._awaited(self._running().bounds(list(partitions), which))

    async def _awaited(self, request: Awaitable[T]) -> T:
        with translated():
            return await request


def _configuration(keywords: dict[str, Any]) -> dict[str, Any]:
    conf = configuration("consumer", keywords)
    conf.setdefault("allow.auto.create.topics", True)
    if conf["isolation.level"] == "read_committed":
        conf.setdefault("statistics.interval.ms", 1000)  # for last_stable_offset()
    complete(conf, keywords["properties"] or {})
    return conf


def _check_number(name: str, value: Any) -> None:
    if value is not None and (not isinstance(value, int) or value < 1):
        raise ValueError(f"`{name}` must be a positive Integer, not {value!r}")
