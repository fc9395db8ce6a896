"""The default partitioner, which chooses the same partitions as Kafka's Java client."""

from __future__ import annotations

import random
from collections.abc import Sequence

from .._common.murmur2 import murmur2

__all__ = ["DefaultPartitioner", "murmur2"]


class DefaultPartitioner:
    """Gives equal keys the same partition, and messages without a key a random one.

    With this partitioner, librdkafka computes the same partition in C.
    """

    @classmethod
    def __call__(
        cls, key: bytes | None, all_partitions: Sequence[int], available: Sequence[int]
    ) -> int:
        """Choose a partition.

        Args:
            key: the serialized key of the message.
            all_partitions: the partitions of the topic, in order.
            available: the partitions that have a leader.
        """
        if key is None:
            return random.choice(available or all_partitions)
        return all_partitions[(murmur2(key) & 0x7FFFFFFF) % len(all_partitions)]
