"""Give a new cluster the topics of an earlier run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from confluent_kafka.protocol import records
from confluent_kafka.testing._data._topics import SavedPartition, SavedTopic

if TYPE_CHECKING:
    from confluent_kafka.cimpl import MockCluster
    from confluent_kafka.testing._data._logs import Log


def restore_topic(cluster: MockCluster, topic: SavedTopic, logs: Mapping[int, Log]) -> None:
    """Create a topic as it was.

    Args:
        cluster: the new cluster.
        topic: the topic.
        logs: the logs of its partitions that are not empty.
    """
    replicas = min(len(topic.partitions[0].replicas), cluster.brokers)
    cluster.create_topic(topic.name, len(topic.partitions), replicas)
    halves = topic.id.get_most_significant_bits(), topic.id.get_least_significant_bits()
    cluster._set_topic_id(topic.name, *halves)
    for number, partition in enumerate(topic.partitions):
        _place(cluster, topic.name, number, partition)
        log = logs.get(number)
        if log is None:
            cluster._write_records(topic.name, number, b"", partition.end, partition.end)
        else:
            _write(cluster, topic.name, number, partition.start, log)


def _place(cluster: MockCluster, topic: str, number: int, partition: SavedPartition) -> None:
    """Place the replicas where they were, if the cluster still has these brokers."""
    if max(partition.replicas) <= cluster.brokers:
        cluster._set_replicas(topic, number, partition.replicas)
        if partition.leader in partition.replicas:
            cluster.set_leader(topic, number, partition.leader)
    # A client that was connected to the earlier cluster ignores metadata with an older epoch.
    cluster._set_leader_epoch(topic, number, partition.leader_epoch + 1)


def _write(cluster: MockCluster, topic: str, number: int, start: int, log: Log) -> None:
    # Where records were deleted, the log begins in the middle of a batch.
    low = min(start, log.batches[0].base_offset)
    cluster._write_records(topic, number, records.write(log.batches), low, log.end)
    if start > low:
        cluster._delete_records(topic, number, start)
    for each in log.aborted:
        cluster._add_aborted(topic, number, each.producer_id, each.first, each.last)
