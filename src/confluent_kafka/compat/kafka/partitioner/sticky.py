"""Messages without a key go to one partition until a batch is full."""

from __future__ import annotations

import random
from typing import Any

from .default import DefaultPartitioner


class StickyPartitioner(DefaultPartitioner):
    """Gives messages without a key one partition for a while, and then another.

    A producer that has this one lets librdkafka do the same, whose while is 10 ms
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
        """Choose a partition; see Partitioner."""
        if serialized_key is None:
            if topic not in self._current:
                self.on_new_batch(topic, cluster, -1)
            return self._current[topic]
        return super().partition(topic, key, serialized_key, value, serialized_value, cluster)

    def on_new_batch(self, topic: str, cluster: Any, prev_partition: int) -> None:
        """Choose another partition for messages without a key.

        Args:
            topic: of the messages.
            cluster: a ClusterMetadata.
            prev_partition: the one that they went to.
        """
        if self._current.get(topic, prev_partition) != prev_partition:
            return
        available = sorted(cluster.available_partitions_for_topic(topic) or ())
        choice = available or sorted(cluster.partitions_for_topic(topic))
        others = [one for one in choice if one != prev_partition]
        self._current[topic] = random.choice(others or choice)
