"""The default partitioner, as a function: that of Kafka's Java client, by the key."""

from __future__ import annotations

import random

from ..._common.murmur2 import murmur2

__all__ = ["DefaultPartitioner", "murmur2"]


class DefaultPartitioner:
    """Gives equal keys the same partition, and messages without a key a random one.

    A producer that has this one lets librdkafka compute the same in C.
    """

    @classmethod
    def __call__(cls, key: bytes | None, all_partitions: list[int], available: list[int]) -> int:
        """Choose a partition.

        Args:
            key: the message's; None without.
            all_partitions: of the topic, in order.
            available: those that have a leader.
        """
        if key is None:
            return random.choice(available or all_partitions)
        return all_partitions[(murmur2(key) & 0x7FFFFFFF) % len(all_partitions)]
