"""Requests about partitions: delete records, list offsets, elect leaders."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import total_ordering

from confluent_kafka import cimpl, protocol
from confluent_kafka._values.options import ElectionType, IsolationLevel
from confluent_kafka.admin._leaders import LeaderRequests
from confluent_kafka.admin._protocol import error_of, known
from confluent_kafka.admin._requests import (
    check_partition,
    checked,
    maybe_empty,
    new_futures,
)
from confluent_kafka.admin._tiered_offsets import (
    EARLIEST_LOCAL,
    EARLIEST_PENDING_UPLOAD,
    LATEST_TIERED,
    OLDEST,
    tiered_request,
)
from confluent_kafka.cimpl import OFFSET_END, OFFSET_INVALID, KafkaError, TopicPartition


@total_ordering
class OffsetSpec:
    """The offset of a partition that list_offsets() looks up. Equal if the numbers are equal.

    Args:
        index: a timestamp in ms since the epoch, or a number from -6 to -1 with a special meaning
            in Kafka. Prefer the class methods, whose names show what they mean.

    Raises:
        TypeError, ValueError: index has a wrong type or value.

    librdkafka: rd_kafka_OffsetSpec_t.
    """

    __slots__ = ("_value",)

    def __init__(self, index: int) -> None:
        if not isinstance(index, int) or isinstance(index, bool):
            raise TypeError(f"index must be int, not {type(index).__name__}")
        if not EARLIEST_PENDING_UPLOAD <= index < 2**63:
            raise ValueError(
                f"index must be a timestamp in ms, or from {EARLIEST_PENDING_UPLOAD} to "
                f"{cimpl.OFFSET_SPEC_LATEST}, not {index}"
            )
        self._value = index

    @classmethod
    def earliest(cls) -> OffsetSpec:
        """The first offset."""
        return cls(cimpl.OFFSET_SPEC_EARLIEST)

    @classmethod
    def latest(cls) -> OffsetSpec:
        """The offset that the next record will have."""
        return cls(cimpl.OFFSET_SPEC_LATEST)

    @classmethod
    def max_timestamp(cls) -> OffsetSpec:
        """The offset of the record with the highest timestamp (KIP-734)."""
        return cls(cimpl.OFFSET_SPEC_MAX_TIMESTAMP)

    @classmethod
    def earliest_local(cls) -> OffsetSpec:
        """The first offset on the brokers' disks, after the tiered records (KIP-405)."""
        return cls(EARLIEST_LOCAL)

    @classmethod
    def latest_tiered(cls) -> OffsetSpec:
        """The last offset in tiered storage, or -1 (KIP-1005)."""
        return cls(LATEST_TIERED)

    @classmethod
    def earliest_pending_upload(cls) -> OffsetSpec:
        """The first offset that must still be copied to tiered storage, or -1 (KIP-1023)."""
        return cls(EARLIEST_PENDING_UPLOAD)

    @classmethod
    def for_timestamp(cls, timestamp: int) -> OffsetSpec:
        """The offset of the first record at or after a point in time.

        Args:
            timestamp: ms since the epoch.

        Raises:
            TypeError, ValueError: timestamp is not an int, or is negative.
        """
        spec = cls(timestamp)
        if timestamp < 0:
            raise ValueError(f"timestamp must be 0 or more, not {timestamp}")
        return spec

    def __eq__(self, other: object) -> bool:
        return self._value == other._value if isinstance(other, OffsetSpec) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self._value < other._value if isinstance(other, OffsetSpec) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        names = {
            cimpl.OFFSET_SPEC_EARLIEST: "earliest()",
            cimpl.OFFSET_SPEC_LATEST: "latest()",
            cimpl.OFFSET_SPEC_MAX_TIMESTAMP: "max_timestamp()",
            EARLIEST_LOCAL: "earliest_local()",
            LATEST_TIERED: "latest_tiered()",
            EARLIEST_PENDING_UPLOAD: "earliest_pending_upload()",
        }
        return f"OffsetSpec.{names.get(self._value, f'for_timestamp({self._value})')}"


@dataclass(eq=False)
class ListOffsetsResultInfo:
    """The result of list_offsets() for a partition.

    Attributes:
        offset: the offset. It is -1 if no record has the timestamp or a later one, or if tiered
            storage is empty.
        timestamp: the record's timestamp in ms since the epoch; -1 if the lookup was not by time.
        leader_epoch: the epoch of the leader that answered, or None.

    librdkafka: rd_kafka_ListOffsetsResultInfo_t.
    """

    offset: int
    timestamp: int
    leader_epoch: int | None


@dataclass(eq=False)
class DeletedRecords:
    """The result of delete_records() for a partition.

    Attributes:
        low_watermark: the partition's first offset after the deletion.

    librdkafka: rd_kafka_DeleteRecords_result_t.
    """

    low_watermark: int


class RecordRequests(LeaderRequests):
    """Requests about partitions and their records."""

    __slots__ = ()

    def delete_records(
        self,
        topic_partition_offsets: list[TopicPartition],
        *,
        request_timeout: float | None = None,
        operation_timeout: float | None = None,
    ) -> dict[TopicPartition, Future[DeletedRecords]]:
        """Delete the records before an offset.

        Args:
            topic_partition_offsets: a list of TopicPartition. Records before the offset are
                deleted; OFFSET_END deletes all records.
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.
            operation_timeout: seconds that the leaders wait for the replicas, at most 3600; 60
                when None.

        Returns:
            A future for each partition; its result is a DeletedRecords. It fails
            with OFFSET_OUT_OF_RANGE, _NOENT (the partition does not exist), POLICY_VIOLATION (the
            topic is compacted), TOPIC_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_DeleteRecords().
        """
        name = "topic_partition_offsets"
        partitions = maybe_empty(topic_partition_offsets, TopicPartition, name)
        for partition in partitions:
            check_partition(partition, name)
            if partition.offset < 0 and partition.offset != OFFSET_END:
                raise ValueError(
                    f"{name}: {partition!r} must have an offset of 0 or more, or OFFSET_END"
                )
        futures = new_futures(partitions)
        options = {"request_timeout": request_timeout, "operation_timeout": operation_timeout}
        self._ask_each("delete_records", partitions, options, futures, _deleted)
        return futures

    def list_offsets(
        self,
        topic_partition_offsets: dict[TopicPartition, OffsetSpec],
        *,
        isolation_level: IsolationLevel | None = None,
        request_timeout: float | None = None,
    ) -> dict[TopicPartition, Future[ListOffsetsResultInfo]]:
        """Look up offsets: the first, the last, or the offset at a point in time.

        Args:
            topic_partition_offsets: a dict of TopicPartition to OffsetSpec.
            isolation_level: IsolationLevel; READ_UNCOMMITTED when None. With READ_COMMITTED, the
                latest offset is the offset of the first transaction that has not ended.
            request_timeout: as for delete_records().

        Returns:
            A future for each partition; its result is a ListOffsetsResultInfo. It fails with
            UNKNOWN_TOPIC_OR_PART, TOPIC_AUTHORIZATION_FAILED, _TIMED_OUT, _UNSUPPORTED_FEATURE (the
            broker does not support the OffsetSpec) ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_ListOffsets() (KIP-396). For tiered storage, Kafka: ListOffsets.
        """
        level = (
            None
            if isolation_level is None
            else checked(isolation_level, IsolationLevel, "isolation_level").value
        )
        own, others = _by_kind(topic_partition_offsets)
        futures = new_futures(own)
        # If both requests are sent, the first one checks the options.
        if own or not others:
            options = {"isolation_level": level, "request_timeout": request_timeout}
            argument = [
                TopicPartition(each.topic, each.partition, spec) for each, spec in own.items()
            ]
            self._ask_each("list_offsets", argument, options, futures, _listed)
        if others:
            tiered = self._ask_leaders(
                list(others),
                request_timeout,
                functools.partial(tiered_request, others, level or 0),
                _tiered,
                oldest=max(map(OLDEST.__getitem__, others.values())),
            )
            futures = futures | tiered
        return {each: futures[each] for each in topic_partition_offsets}

    def elect_leaders(
        self,
        election_type: ElectionType,
        partitions: list[TopicPartition] | None = None,
        *,
        request_timeout: float | None = None,
        operation_timeout: float | None = None,
    ) -> Future[dict[TopicPartition, KafkaError | None]]:
        """Elect partitions' leaders.

        Args:
            election_type: ElectionType. PREFERRED makes the first replica the leader again.
                UNCLEAN makes any replica that is alive the leader, which can lose records.
            partitions: a list of TopicPartition; None means all partitions of the cluster.
            request_timeout: as for delete_records().
            operation_timeout: seconds that the controller waits for the elections, at most
                3600; 60 when None.

        Returns:
            A future; its result is a dict of TopicPartition to None, or to the KafkaError with the
            reason why there was no election: ELECTION_NOT_NEEDED, UNKNOWN_TOPIC_OR_PART ... If
            `partitions` is None, the result leaves out partitions that need no election.

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        librdkafka: rd_kafka_ElectLeaders() (KIP-460).
        """
        # These texts begin as in confluent-kafka-python, because programs look for these words.
        if not isinstance(election_type, ElectionType):
            raise TypeError(
                "Expected 'election_type' to be of type 'ElectionType', got "
                f"'{type(election_type).__name__}'"
            )
        kind = election_type
        chosen = None
        if partitions is not None:
            if not isinstance(partitions, (list, tuple)):
                given = type(partitions).__name__
                raise TypeError(f"Expected 'partitions' to be a list, got '{given}'")
            chosen = maybe_empty(partitions, TopicPartition, "partitions")
            for partition in chosen:
                check_partition(partition, "partitions")
        options = {"request_timeout": request_timeout, "operation_timeout": operation_timeout}
        return self._ask("elect_leaders", (kind.value, chosen), options, dict)


def _by_kind(given: object) -> tuple[dict[TopicPartition, int], dict[TopicPartition, int]]:
    """Divide the offsets into those that librdkafka can look up and those that need a message."""
    name = "topic_partition_offsets"
    own: dict[TopicPartition, int] = {}
    others: dict[TopicPartition, int] = {}
    for partition, spec in checked(given, dict, name).items():
        check_partition(checked(partition, TopicPartition, f"a key of {name}"), name)
        value = checked(spec, OffsetSpec, f"the value for {partition!r}")._value
        (others if value in OLDEST else own)[partition] = value
    return own, others


def _deleted(
    result: list[TopicPartition],
) -> Iterator[tuple[TopicPartition, DeletedRecords | KafkaError]]:
    for partition in result:
        yield partition, partition.error or DeletedRecords(partition.offset)


def _listed(
    result: list[tuple[TopicPartition, int]],
) -> Iterator[tuple[TopicPartition, ListOffsetsResultInfo | KafkaError]]:
    for partition, timestamp in result:
        yield partition, partition.error or _offset_of(partition, timestamp)


def _offset_of(partition: TopicPartition, timestamp: int) -> ListOffsetsResultInfo | KafkaError:
    # librdkafka drops the error of a leader that does not answer and leaves the partition as it
    # was.
    if partition.offset == OFFSET_INVALID:
        place = f"{partition.topic} [{partition.partition}]"
        return KafkaError(KafkaError._TIMED_OUT, f"the leader of {place} did not answer")
    return ListOffsetsResultInfo(partition.offset, timestamp, partition.leader_epoch)


def _tiered(
    response: protocol.ListOffsetsResponse,
) -> Iterator[tuple[TopicPartition, ListOffsetsResultInfo | KafkaError]]:
    for topic in response.topics:
        for each in topic.partitions:
            info = ListOffsetsResultInfo(each.offset, each.timestamp, known(each.leader_epoch))
            yield TopicPartition(topic.name, each.partition_index), error_of(each) or info
