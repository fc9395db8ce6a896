"""Log directories: the data that brokers keep on their disks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from confluent_kafka import protocol
from confluent_kafka.admin._protocol import (
    ProtocolRequests,
    broker,
    by_topic,
    error_of,
    known,
    raise_error_of,
)
from confluent_kafka.admin._requests import (
    check_partition,
    checked,
    maybe_empty,
    new_futures,
)
from confluent_kafka.cimpl import KafkaError, TopicPartition


@dataclass(frozen=True)
class ReplicaInfo:
    """A replica in a log directory.

    Attributes:
        size: the total size of its segments, in bytes.
        offset_lag: how many messages it lags behind. A current replica is compared with the high
            watermark of the leader, a future replica with the current replica.
        is_future: True if it is being moved to this directory and will replace the current replica.

    Kafka: org.apache.kafka.clients.admin.ReplicaInfo (KIP-113).
    """

    size: int
    offset_lag: int
    is_future: bool


@dataclass(frozen=True)
class LogDirDescription:
    """A log directory of a broker.

    Attributes:
        error: the reason why the broker cannot use it, or None.
        replicas: a dict of TopicPartition to ReplicaInfo.
        total_bytes: the size of its volume, or None if the broker does not report it (before 3.3).
        usable_bytes: the free space of its volume, or None.

    Kafka: org.apache.kafka.clients.admin.LogDirDescription (KIP-113, KIP-827).
    """

    error: KafkaError | None
    replicas: dict[TopicPartition, ReplicaInfo]
    total_bytes: int | None = None
    usable_bytes: int | None = None


@dataclass(frozen=True)
class TopicPartitionReplica:
    """A replica of a partition.

    Attributes:
        topic: the topic's name.
        partition: the partition's number.
        broker_id: the id of the broker that has the replica.

    Kafka: org.apache.kafka.common.TopicPartitionReplica (KIP-113).
    """

    topic: str
    partition: int
    broker_id: int


@dataclass(frozen=True)
class ReplicaLogDirInfo:
    """The log directory of a replica, and the one that it is being moved to.

    Attributes:
        current_replica_log_dir: the path. None if the broker does not have the replica, or if its
            directory is offline.
        current_replica_offset_lag: how many messages the replica lags behind the leader's high
            watermark, or None.
        future_replica_log_dir: the path that the replica is being moved to, or None.
        future_replica_offset_lag: how many messages the copy in that path lags behind, or None.

    Kafka: DescribeReplicaLogDirsResult.ReplicaLogDirInfo (KIP-113).
    """

    current_replica_log_dir: str | None = None
    current_replica_offset_lag: int | None = None
    future_replica_log_dir: str | None = None
    future_replica_offset_lag: int | None = None


class LogDirRequests(ProtocolRequests):
    """Requests about log directories."""

    __slots__ = ()

    def describe_log_dirs(
        self, brokers: list[int], *, request_timeout: float | None = None
    ) -> dict[int, Future[dict[str, LogDirDescription]]]:
        """Describe the log directories of brokers, and the replicas in them.

        Args:
            brokers: the brokers' ids.
            request_timeout: seconds until the request fails, at most 3600;
                ``socket.timeout.ms`` when None.

        Returns:
            A dict of broker id to a future; its result is a dict of the path of each directory to
            its LogDirDescription. It fails with CLUSTER_AUTHORIZATION_FAILED if this client may not
            describe the cluster.

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: DescribeLogDirs (KIP-113).
        """
        request = protocol.DescribeLogDirsRequest(topics=None)
        return {
            node: self._exchange(request, broker(node), request_timeout, _directories)
            for node in maybe_empty(brokers, int, "brokers")
        }

    def describe_replica_log_dirs(
        self, replicas: list[TopicPartitionReplica], *, request_timeout: float | None = None
    ) -> dict[TopicPartitionReplica, Future[ReplicaLogDirInfo]]:
        """Find the log directories of replicas, and the directories that they are being moved to.

        Args:
            replicas: a list of TopicPartitionReplica. Each broker gets one request.
            request_timeout: as for describe_log_dirs().

        Returns:
            A future for each replica; its result is a ReplicaLogDirInfo. It fails with
            CLUSTER_AUTHORIZATION_FAILED if this client may not describe the cluster.

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: DescribeLogDirs (KIP-113).
        """
        chosen = maybe_empty(replicas, TopicPartitionReplica, "replicas")
        for index, replica in enumerate(chosen):
            _check_replica(replica, f"replicas[{index}]")
        futures = new_futures(chosen)
        for node, own in _by_broker(futures).items():
            self._exchange_each(
                _question_about(own),
                broker(node),
                request_timeout,
                {replica: futures[replica] for replica in own},
                lambda response, own=own: _places(own, _directories(response)),  # type: ignore[misc]
            )
        return futures

    def alter_replica_log_dirs(
        self,
        assignment: dict[TopicPartitionReplica, str],
        *,
        request_timeout: float | None = None,
    ) -> dict[TopicPartitionReplica, Future[None]]:
        """Move replicas to other log directories of their brokers.

        Args:
            assignment: a dict of TopicPartitionReplica to the absolute path of a log directory of
                its broker. Each broker gets one request.
            request_timeout: as for describe_log_dirs().

        Returns:
            A future for each replica; its result is None as soon as the broker has begun to move
            it. Use describe_replica_log_dirs() to see when it has arrived. The future fails with
            LOG_DIR_NOT_FOUND, KAFKA_STORAGE_ERROR, REPLICA_NOT_AVAILABLE (the broker does not have
            the replica; if the broker gets the replica later, it creates the replica in that
            directory), CLUSTER_AUTHORIZATION_FAILED ...

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: AlterReplicaLogDirs (KIP-113).
        """
        paths = _checked_assignment(assignment)
        futures = new_futures(paths)
        for node, own in _by_broker(futures).items():
            self._exchange_each(
                _order_to_move({replica: paths[replica] for replica in own}),
                broker(node),
                request_timeout,
                {replica: futures[replica] for replica in own},
                lambda response, node=node: _moved(node, response),  # type: ignore[misc]
            )
        return futures


def _check_replica(replica: TopicPartitionReplica, name: str) -> None:
    checked(replica.topic, str, f"{name}.topic")
    checked(replica.partition, int, f"{name}.partition")
    checked(replica.broker_id, int, f"{name}.broker_id")
    check_partition(TopicPartition(replica.topic, replica.partition), name)


def _checked_assignment(given: object) -> dict[TopicPartitionReplica, str]:
    paths = checked(given, dict, "assignment")
    for replica, path in paths.items():
        name = "a key of assignment"
        _check_replica(checked(replica, TopicPartitionReplica, name), name)
        if not checked(path, str, f"the value for {replica!r}"):
            raise ValueError(f"the value for {replica!r} must be a path, not empty")
    return paths


def _by_broker(
    replicas: Iterable[TopicPartitionReplica],
) -> dict[int, list[TopicPartitionReplica]]:
    brokers: dict[int, list[TopicPartitionReplica]] = {}
    for replica in replicas:
        brokers.setdefault(replica.broker_id, []).append(replica)
    return brokers


def _place_of(replica: TopicPartitionReplica) -> TopicPartition:
    return TopicPartition(replica.topic, replica.partition)


def _question_about(replicas: list[TopicPartitionReplica]) -> protocol.DescribeLogDirsRequest:
    message = protocol.DescribeLogDirsRequest
    return message(
        topics=[
            message.DescribableLogDirTopic(
                topic=topic, partitions=[one.partition for one in partitions]
            )
            for topic, partitions in by_topic(map(_place_of, replicas)).items()
        ]
    )


def _places(
    replicas: list[TopicPartitionReplica], directories: dict[str, LogDirDescription]
) -> Iterator[tuple[TopicPartitionReplica, ReplicaLogDirInfo]]:
    current: dict[TopicPartition, tuple[str, int]] = {}
    future: dict[TopicPartition, tuple[str, int]] = {}
    for path, directory in directories.items():
        for place, found in directory.replicas.items():
            (future if found.is_future else current)[place] = (path, found.offset_lag)
    nowhere = (None, None)
    for replica in replicas:
        place = _place_of(replica)
        yield (
            replica,
            ReplicaLogDirInfo(*current.get(place, nowhere), *future.get(place, nowhere)),
        )


def _order_to_move(paths: dict[TopicPartitionReplica, str]) -> protocol.AlterReplicaLogDirsRequest:
    message = protocol.AlterReplicaLogDirsRequest
    places: dict[str, list[TopicPartition]] = {}
    for replica, path in paths.items():
        places.setdefault(path, []).append(_place_of(replica))
    return message(
        dirs=[
            message.AlterReplicaLogDir(
                path=path,
                topics=[
                    message.AlterReplicaLogDirTopic(
                        name=topic, partitions=[one.partition for one in partitions]
                    )
                    for topic, partitions in by_topic(own).items()
                ],
            )
            for path, own in places.items()
        ]
    )


def _moved(node: int, response: Any) -> Iterator[tuple[TopicPartitionReplica, KafkaError | None]]:
    for topic in response.results:
        for one in topic.partitions:
            yield TopicPartitionReplica(topic.topic_name, one.partition_index, node), error_of(one)


def _directories(response: Any) -> dict[str, LogDirDescription]:
    raise_error_of(response)
    return {one.log_dir: _directory(one) for one in response.results}


def _directory(found: Any) -> LogDirDescription:
    replicas = {
        TopicPartition(topic.name, one.partition_index): ReplicaInfo(
            one.partition_size, one.offset_lag, one.is_future_key
        )
        for topic in found.topics
        for one in topic.partitions
    }
    return LogDirDescription(
        error_of(found), replicas, known(found.total_bytes), known(found.usable_bytes)
    )
