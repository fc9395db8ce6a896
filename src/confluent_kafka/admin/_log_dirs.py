"""Log directories: what brokers keep on their disks."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from confluent_kafka import protocol
from confluent_kafka.admin._protocol import ProtocolRequests, broker, error_of, raise_error_of
from confluent_kafka.admin._requests import maybe_empty
from confluent_kafka.cimpl import KafkaError, TopicPartition


@dataclass(frozen=True)
class ReplicaInfo:
    """A replica in a log directory.

    Attributes:
        size: bytes of its segments.
        offset_lag: how many messages it is behind: the leader's high watermark, or for a future
            replica the current one.
        is_future: whether it is being moved to this directory, and will replace the current one.

    Kafka: org.apache.kafka.clients.admin.ReplicaInfo (KIP-113).
    """

    size: int
    offset_lag: int
    is_future: bool


@dataclass(frozen=True)
class LogDirDescription:
    """A log directory of a broker.

    Attributes:
        error: why the broker cannot use it, or None.
        replicas: ReplicaInfo by TopicPartition.
        total_bytes: the size of its volume, or None where the broker does not say (before 3.3).
        usable_bytes: what is left there, or None.

    Kafka: org.apache.kafka.clients.admin.LogDirDescription (KIP-113, KIP-827).
    """

    error: KafkaError | None
    replicas: dict[TopicPartition, ReplicaInfo]
    total_bytes: int | None = None
    usable_bytes: int | None = None


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
            By broker a future; its result is a dict of LogDirDescription by the directory's path.
            It fails with CLUSTER_AUTHORIZATION_FAILED without the right to describe the cluster.

        Raises:
            TypeError, ValueError: an argument is wrong; nothing has been sent.

        Kafka: DescribeLogDirs (KIP-113).
        """
        request = protocol.DescribeLogDirsRequest(topics=None)
        return {
            node: self._exchange(request, broker(node), request_timeout, _directories)
            for node in maybe_empty(brokers, int, "brokers")
        }


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
        error_of(found), replicas, _known(found.total_bytes), _known(found.usable_bytes)
    )


def _known(count: int) -> int | None:
    return None if count < 0 else count
