"""The default partitioner, which chooses the same partitions as Kafka's Java client."""

from __future__ import annotations

import random
from typing import Any

from ..._common.murmur2 import murmur2
from .abstract import Partitioner

__all__ = ["DefaultPartitioner", "murmur2"]


class DefaultPartitioner(Partitioner):
    """Gives equal keys the same partition, and messages without a key a random one.

    With this partitioner, librdkafka computes the same partition in C.
    """

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
        everything = all_partitions(topic, cluster)
        if serialized_key is None:
            available: list[int] = sorted(cluster.available_partitions_for_topic(topic) or ())
            return random.choice(available or everything)
        return everything[(murmur2(serialized_key) & 0x7FFFFFFF) % len(everything)]


def all_partitions(topic: str, cluster: Any) -> list[int]:
    """Return a topic's partitions, in order.

    Raises:
        ValueError: the cluster does not have the topic.
    """
    known = cluster.partitions_for_topic(topic)
    if known is None:
        raise ValueError(f"Topic {topic} not found in ClusterMetadata")
    return sorted(known)
