"""Adds, moves and empties partitions; reads their leaders, offsets and files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any

from confluent_kafka import protocol

from .. import errors
from .._enums import EnumHelper
from ..structs import (
    IsolationLevel,
    OffsetAndTimestamp,
    OffsetSpec,
    TopicPartition,
    TopicPartitionReplica,
)
from ._wire import CONTROLLER, Wire, broker, by_topic, check, partitions_of, plain


class NewPartitions:
    """The new number of partitions of a topic.

    Args:
        total_count: how many partitions the topic has afterwards.
        new_assignments: the ids of the brokers for each new partition, in order.
    """

    def __init__(self, total_count: int, new_assignments: list[list[int]] | None = None) -> None:
        self.total_count = total_count
        self.new_assignments = new_assignments


class OffsetTimestamp(int):
    """A time in milliseconds since the epoch, which can be used instead of an OffsetSpec."""


class ElectionType(EnumHelper, IntEnum):
    """Which replicas may become the leader."""

    PREFERRED = 0
    UNCLEAN = 1


class PartitionAdminMixin:
    """Methods of KafkaAdminClient."""

    _wire: Wire

    def create_partitions(
        self,
        topic_partitions: Mapping[str, Any],
        timeout_ms: float | None = None,
        validate_only: bool = False,
        raise_errors: bool = True,
    ) -> Any:
        """Give topics more partitions.

        Args:
            topic_partitions: the new number of partitions, or NewPartitions, by topic.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.
            validate_only: whether to check the request only, without a change.
            raise_errors: whether to raise the first error; otherwise the answer contains all
                errors.

        Returns:
            The broker's answer, a message of ``confluent_kafka.protocol``.
        """
        kind = protocol.CreatePartitionsRequest
        request = kind(
            topics=[_grown(kind, topic, what) for topic, what in topic_partitions.items()],
            timeout_ms=self._wire.milliseconds(timeout_ms),
            validate_only=validate_only,
        )
        answer = self._wire.ask(request, CONTROLLER, timeout_ms)
        if raise_errors:
            for one in answer.results:
                check(one, one.name)
        return answer

    def delete_records(
        self,
        records_to_delete: Mapping[TopicPartition, int],
        timeout_ms: float | None = None,
        partition_leader_id: int | None = None,
    ) -> dict[TopicPartition, dict[str, Any]]:
        """Delete the oldest records of partitions.

        Args:
            records_to_delete: the first offset to keep, by partition; -1 deletes all records.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.
            partition_leader_id: the leader of all the partitions, if it is known.

        Returns:
            ``{"low_watermark": ...}``, the first remaining offset, by partition.

        Raises:
            BrokerResponseError: the error of the first partition that failed.
        """
        kind = protocol.DeleteRecordsRequest
        found = {}
        for leader, led in self._wire.by_leader(records_to_delete, partition_leader_id).items():
            topics = [
                kind.DeleteRecordsTopic(
                    name=topic,
                    partitions=[
                        kind.DeleteRecordsPartition(
                            partition_index=each,
                            offset=records_to_delete[TopicPartition(topic, each)],
                        )
                        for each in numbers
                    ],
                )
                for topic, numbers in by_topic(led).items()
            ]
            request = kind(topics=topics, timeout_ms=self._wire.milliseconds(timeout_ms))
            answer = self._wire.ask(request, broker(leader), timeout_ms)
            for topic, one in _each(answer.topics):
                check(one, f"topic {topic} partition {one.partition_index}")
                found[TopicPartition(topic, one.partition_index)] = plain(one)
        return found

    def list_partition_offsets(
        self,
        topic_partition_specs: Mapping[TopicPartition, Any],
        isolation_level: Any = IsolationLevel.READ_UNCOMMITTED,
        timeout_ms: float | None = None,
    ) -> dict[TopicPartition, OffsetAndTimestamp]:
        """Return offsets of partitions.

        Args:
            topic_partition_specs: an OffsetSpec or an OffsetTimestamp, by partition.
            isolation_level: an IsolationLevel, or its name. With READ_COMMITTED, LATEST is the
                start of the first open transaction.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.

        Raises:
            BrokerResponseError: the error of the first partition that failed.
        """
        specs = {each: _time(spec) for each, spec in topic_partition_specs.items()}
        kind = protocol.ListOffsetsRequest
        found = {}
        for leader, led in self._wire.by_leader(specs).items():
            topics = [
                kind.ListOffsetsTopic(
                    name=topic,
                    partitions=[
                        kind.ListOffsetsPartition(
                            partition_index=each, timestamp=specs[TopicPartition(topic, each)]
                        )
                        for each in numbers
                    ],
                )
                for topic, numbers in by_topic(led).items()
            ]
            level = IsolationLevel.value_for(isolation_level)
            request = kind(replica_id=-1, isolation_level=level, topics=topics)
            for topic, one in _each(self._wire.ask(request, broker(leader), timeout_ms).topics):
                check(one, f"topic {topic} partition {one.partition_index}")
                place = OffsetAndTimestamp(one.offset, one.timestamp, one.leader_epoch)
                found[TopicPartition(topic, one.partition_index)] = place
        return found

    def elect_leaders(
        self,
        election_type: Any,
        topic_partitions: Any = None,
        timeout_ms: float | None = None,
        raise_errors: bool = True,
    ) -> Any:
        """Start elections of leaders.

        Args:
            election_type: 0 for the preferred replica, 1 for any, even one that lacks records.
            topic_partitions: TopicPartitions, or partition numbers by topic; None means all.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.
            raise_errors: whether to raise the first error; otherwise the answer contains all
                errors. It is not an error if a partition needs no election.

        Returns:
            The broker's answer, a message of ``confluent_kafka.protocol``.
        """
        kind = protocol.ElectLeadersRequest
        topics = None
        if topic_partitions is not None:
            topics = [
                kind.TopicPartitions(topic=topic, partitions=numbers)
                for topic, numbers in by_topic(partitions_of(topic_partitions)).items()
            ]
        request = kind(
            election_type=ElectionType.value_for(election_type),
            topic_partitions=topics,
            timeout_ms=self._wire.milliseconds(timeout_ms),
        )
        answer = self._wire.ask(request, CONTROLLER, timeout_ms)
        if raise_errors:
            check(answer)
            for result in answer.replica_election_results:
                for one in result.partition_result:
                    if one.error_code != errors.ElectionNotNeededError.errno:
                        check(one, result.topic)
        return answer

    def alter_partition_reassignments(
        self, reassignments: Mapping[TopicPartition, Any], timeout_ms: float | None = None
    ) -> dict[TopicPartition, type[errors.BrokerResponseError] | None]:
        """Move partitions to other brokers.

        Args:
            reassignments: the ids of the new brokers, by partition; None cancels a move.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.

        Returns:
            None or the class of the error, by partition.

        Raises:
            ValueError: a list is empty, or has something other than ids.
        """
        for partition, brokers in reassignments.items():
            _check_brokers(partition, brokers)
        kind = protocol.AlterPartitionReassignmentsRequest
        topics = [
            kind.ReassignableTopic(
                name=topic,
                partitions=[
                    kind.ReassignablePartition(
                        partition_index=each, replicas=reassignments[TopicPartition(topic, each)]
                    )
                    for each in numbers
                ],
            )
            for topic, numbers in by_topic(reassignments).items()
        ]
        milliseconds = self._wire.milliseconds(timeout_ms)
        answer = self._wire.ask(
            kind(topics=topics, timeout_ms=milliseconds), CONTROLLER, timeout_ms
        )
        check(answer)
        return {
            TopicPartition(topic, one.partition_index): (
                errors.for_code(one.error_code) if one.error_code else None
            )
            for topic, one in _each(answer.responses)
        }

    def list_partition_reassignments(
        self, topic_partitions: Any = None, timeout_ms: float | None = None
    ) -> dict[TopicPartition, dict[str, Any]]:
        """Return the moves of partitions that are not finished.

        Args:
            topic_partitions: TopicPartitions, or partition numbers by topic; None means all.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.

        Returns:
            ``replicas``, ``adding_replicas`` and ``removing_replicas``, by partition.
        """
        kind = protocol.ListPartitionReassignmentsRequest
        topics = None
        if topic_partitions is not None:
            topics = [
                kind.ListPartitionReassignmentsTopics(name=topic, partition_indexes=numbers)
                for topic, numbers in by_topic(partitions_of(topic_partitions)).items()
            ]
        milliseconds = self._wire.milliseconds(timeout_ms)
        answer = self._wire.ask(
            kind(topics=topics, timeout_ms=milliseconds), CONTROLLER, timeout_ms
        )
        check(answer)
        return {
            TopicPartition(topic, one.partition_index): plain(one, "partition_index")
            for topic, one in _each(answer.topics)
        }

    def describe_log_dirs(
        self, topic_partitions: Any = None, brokers: Iterable[int] | None = None
    ) -> list[dict[str, Any]]:
        """Return the directories of brokers, with the sizes of partitions.

        Args:
            topic_partitions: TopicPartitions, or partition numbers by topic; None means all.
            brokers: the ids of the brokers; None means all.
        """
        kind = protocol.DescribeLogDirsRequest
        topics = None
        if topic_partitions is not None:
            topics = [
                kind.DescribableLogDirTopic(topic=topic, partitions=numbers)
                for topic, numbers in by_topic(partitions_of(topic_partitions)).items()
            ]
        found = []
        for each in self._wire.brokers(brokers):
            answer = self._wire.ask(kind(topics=topics), broker(each))
            check(answer, f"broker {each}")
            found.append({"broker": each, "log_dirs": [plain(one) for one in answer.results]})
        return found

    def alter_replica_log_dirs(
        self, replica_assignments: Mapping[TopicPartitionReplica, str]
    ) -> dict[TopicPartitionReplica, type[errors.BrokerResponseError]]:
        """Move replicas to other directories of their brokers.

        Args:
            replica_assignments: the directories by replica.

        Returns:
            The class of the error by replica; NoError for a success.
        """
        found = {}
        for node in sorted({each.broker_id for each in replica_assignments}):
            own = {each: to for each, to in replica_assignments.items() if each.broker_id == node}
            answer = self._wire.ask(_moved(own), broker(node))
            for result in answer.results:
                for one in result.partitions:
                    replica = TopicPartitionReplica(result.topic_name, one.partition_index, node)
                    found[replica] = errors.for_code(one.error_code)
        return found


def _grown(kind: Any, topic: str, what: Any) -> Any:
    total, assignments = what, None
    if isinstance(what, NewPartitions):
        total, assignments = what.total_count, what.new_assignments
    elif isinstance(what, Mapping):
        total, assignments = what["count"], what.get("assignments")
    given = None
    if assignments is not None:
        given = [kind.CreatePartitionsAssignment(broker_ids=one) for one in assignments]
    return kind.CreatePartitionsTopic(name=topic, count=total, assignments=given)


def _check_brokers(partition: TopicPartition, brokers: Any) -> None:
    if brokers is None:
        return
    if not brokers:
        raise ValueError(
            f"Replica list for {partition} must be non-empty; use None to cancel a reassignment."
        )
    if not all(isinstance(each, int) for each in brokers):
        raise ValueError(f"Replica list for {partition} must be int broker_ids.")


def _time(spec: Any) -> int:
    if not isinstance(spec, OffsetSpec | OffsetTimestamp) and type(spec) is not int:
        raise TypeError(f"an offset must be an OffsetSpec or OffsetTimestamp, not {spec!r}")
    return int(spec)


def _moved(assignments: Mapping[TopicPartitionReplica, str]) -> Any:
    kind = protocol.AlterReplicaLogDirsRequest
    paths: dict[str, list[TopicPartition]] = {}
    for each, path in assignments.items():
        paths.setdefault(path, []).append(TopicPartition(each.topic, each.partition))
    return kind(
        dirs=[
            kind.AlterReplicaLogDir(
                path=path,
                topics=[
                    kind.AlterReplicaLogDirTopic(name=topic, partitions=numbers)
                    for topic, numbers in by_topic(partitions).items()
                ],
            )
            for path, partitions in paths.items()
        ]
    )


def _each(topics: Any) -> Iterable[tuple[str, Any]]:
    """Return the partitions of an answer, each with its topic's name."""
    return [(topic.name, one) for topic in topics for one in topic.partitions]
