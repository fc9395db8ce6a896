"""Partition reassignments: moving the replicas of partitions to other brokers."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from confluent_kafka import protocol
from confluent_kafka.admin._protocol import (
    CONTROLLER,
    ProtocolRequests,
    by_topic,
    error_of,
    raise_error_of,
)
from confluent_kafka.admin._requests import (
    check_partition,
    checked,
    items_of,
    maybe_empty,
    new_futures,
)
from confluent_kafka.cimpl import KafkaError, TopicPartition


@dataclass(frozen=True)
class PartitionReassignment:
    """The reassignment of a partition that is in progress.

    Attributes:
        replicas: the ids of all brokers that have a replica now or are getting one.
        adding_replicas: the ids of the brokers that are getting a replica.
        removing_replicas: the ids of the brokers whose replica will be removed.

    Kafka: org.apache.kafka.clients.admin.PartitionReassignment (KIP-455).
    """

    replicas: list[int]
    adding_replicas: list[int]
    removing_replicas: list[int]


class ReassignmentRequests(ProtocolRequests):
    """Requests about partition reassignments."""

    __slots__ = ()

    def alter_partition_reassignments(
        self,
        reassignments: dict[TopicPartition, list[int] | None],
        *,
        allow_replication_factor_change: bool = True,
        request_timeout: float | None = None,
    ) -> dict[TopicPartition, Future[None]]:
        """Move partitions to other brokers, or cancel such moves.

        Args:
            reassignments: a dict of TopicPartition to the ids of the brokers that will have its
                replicas, the preferred leader first. None cancels the partition's reassignment.
            allow_replication_factor_change: whether the number of replicas of a partition may
                change. Brokers before 4.1 cannot forbid a change.
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.

        Returns:
            A future for each partition; its result is None as soon as the controller has accepted
            the reassignment. Use list_partition_reassignments() to see when it is done. The future
            fails with UNKNOWN_TOPIC_OR_PART, INVALID_REPLICA_ASSIGNMENT (a broker does not exist),
            NO_REASSIGNMENT_IN_PROGRESS (there is nothing to cancel), INVALID_REPLICATION_FACTOR,
            CLUSTER_AUTHORIZATION_FAILED, or _UNSUPPORTED_FEATURE (the broker is too old to forbid a
            change of the replication factor).

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: AlterPartitionReassignments (KIP-455, KIP-860).
        """
        chosen = _checked_reassignments(reassignments)
        message = protocol.AlterPartitionReassignmentsRequest
        request = message(
            allow_replication_factor_change=checked(
                allow_replication_factor_change, bool, "allow_replication_factor_change"
            ),
            topics=[
                message.ReassignableTopic(
                    name=topic,
                    partitions=[
                        message.ReassignablePartition(
                            partition_index=one.partition, replicas=chosen[one]
                        )
                        for one in partitions
                    ],
                )
                for topic, partitions in by_topic(chosen).items()
            ],
        )
        futures = new_futures(chosen)
        self._exchange_each(request, CONTROLLER, request_timeout, futures, _altered)
        return futures

    def list_partition_reassignments(
        self,
        partitions: list[TopicPartition] | None = None,
        *,
        request_timeout: float | None = None,
    ) -> Future[dict[TopicPartition, PartitionReassignment]]:
        """List the reassignments that are in progress.

        Args:
            partitions: a list of TopicPartition; None means all partitions of the cluster.
            request_timeout: as for alter_partition_reassignments().

        Returns:
            A future; its result is a dict of TopicPartition to PartitionReassignment. It does not
            contain partitions that are not being reassigned or do not exist. It fails with
            CLUSTER_AUTHORIZATION_FAILED if this client may not describe the cluster.

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: ListPartitionReassignments (KIP-455).
        """
        message = protocol.ListPartitionReassignmentsRequest
        request = message(
            topics=None
            if partitions is None
            else [
                message.ListPartitionReassignmentsTopics(
                    name=topic, partition_indexes=[one.partition for one in places]
                )
                for topic, places in by_topic(_checked_partitions(partitions)).items()
            ]
        )
        return self._exchange(request, CONTROLLER, request_timeout, _listed)


def _checked_reassignments(given: object) -> dict[TopicPartition, list[int] | None]:
    name = "reassignments"
    chosen: dict[TopicPartition, list[int] | None] = {}
    for partition, replicas in checked(given, dict, name).items():
        check_partition(checked(partition, TopicPartition, f"a key of {name}"), name)
        chosen[partition] = None if replicas is None else _checked_replicas(replicas, partition)
    return chosen


def _checked_replicas(given: object, partition: TopicPartition) -> list[int]:
    name = f"the value for {partition!r}"
    replicas = items_of(given, int, name)
    for index, broker in enumerate(replicas):
        if not 0 <= broker < 2**31:
            raise ValueError(f"{name}: [{index}] must be a broker id of 0 or more, not {broker}")
    return replicas


def _checked_partitions(given: object) -> list[TopicPartition]:
    partitions = maybe_empty(given, TopicPartition, "partitions")
    for partition in partitions:
        check_partition(partition, "partitions")
    return partitions


def _altered(response: Any) -> Iterator[tuple[TopicPartition, KafkaError | None]]:
    raise_error_of(response)
    for topic in response.responses:
        for one in topic.partitions:
            yield TopicPartition(topic.name, one.partition_index), error_of(one)


def _listed(response: Any) -> dict[TopicPartition, PartitionReassignment]:
    raise_error_of(response)
    return {
        TopicPartition(topic.name, one.partition_index): PartitionReassignment(
            list(one.replicas), list(one.adding_replicas), list(one.removing_replicas)
        )
        for topic in response.topics
        for one in topic.partitions
    }
