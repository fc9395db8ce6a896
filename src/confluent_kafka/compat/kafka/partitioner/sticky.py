"""A partitioner that sends messages without a key to one partition until a batch is full."""

from __future__ import annotations

import random
from typing import Any

from .default import DefaultPartitioner, all_partitions


class StickyPartitioner(DefaultPartitioner):
    """Gives messages without a key one partition for a while, and then another.

    With this partitioner, librdkafka itself chooses the partition, and changes it every 10 ms
    (``sticky.partitioning.linger.ms``).
    """

    def __init__(self) -> None:
        self._current: dict[str, int] = {}

    def partition(
        self,
        topic: str,
        key: Any,
        serialized_key: bytes | None,
        value: Any,
        serialized_value: bytes | None,
        cluster: Any,
    ) -> int:
        """Choose a partition; see Partitioner.

        Raises:
            ValueError: the cluster does not have the topic.
        """
        if serialized_key is not None:
            return super().partition(topic, key, serialized_key, value, serialized_value, cluster)
        usable = _usable(all_partitions(topic, cluster), topic, cluster)
        if self._current.get(topic) not in usable:  # first message, or no leader
            self._current[topic] = random.choice(usable)
        return self._current[topic]

    def on_new_batch(self, topic: str, cluster: Any, prev_partition: int) -> None:
        """Choose another partition for messages without a key; do nothing for an unknown topic.

        Args:
            topic: the topic of the messages.
            cluster: a ClusterMetadata.
            prev_partition: the partition of the earlier messages.
        """
        if self._current.get(topic, prev_partition) != prev_partition:
            return
        choice = _usable(sorted(cluster.partitions_for_topic(topic) or ()), topic, cluster)
        others = [one for one in choice if one != prev_partition]
        if choice:
            self._current[topic] = random.choice(others or choice)


def _usable(everything: list[int], topic: str, cluster: Any) -> list[int]:
    """Return the partitions that have a leader; all partitions if none has one."""
    return sorted(cluster.available_partitions_for_topic(topic) or ()) or everything
