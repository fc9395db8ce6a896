"""The default partitioner: that of Kafka's Java client, by the key."""

from __future__ import annotations

import random
from collections.abc import Sequence

__all__ = ["DefaultPartitioner", "murmur2"]

_FACTOR = 0x5BD1E995
_SEED = 0x9747B28C
_WORD = 0xFFFFFFFF


class DefaultPartitioner:
    """Gives equal keys the same partition, and messages without a key a random one.

    A producer that has this one lets librdkafka compute the same in C.
    """

    @classmethod
    def __call__(
        cls, key: bytes | None, all_partitions: Sequence[int], available: Sequence[int]
    ) -> int:
        """Choose a partition.

        Args:
            key: of the message, serialized.
            all_partitions: of the topic, in order.
            available: those that have a leader.
        """
        if key is None:
            return random.choice(available or all_partitions)
        return all_partitions[(murmur2(key) & 0x7FFFFFFF) % len(all_partitions)]


def murmur2(data: bytes) -> int:
    """Return the MurmurHash2 of a key, as Kafka's clients compute it.

    Args:
        data: the key.

    Returns:
        32 bits, unsigned.
    """
    whole = len(data) & ~3
    hashed = _SEED ^ len(data)
    for start in range(0, whole, 4):
        word = (int.from_bytes(data[start : start + 4], "little") * _FACTOR) & _WORD
        word = ((word ^ (word >> 24)) * _FACTOR) & _WORD
        hashed = ((hashed * _FACTOR) & _WORD) ^ word
    if whole < len(data):
        hashed = ((hashed ^ int.from_bytes(data[whole:], "little")) * _FACTOR) & _WORD
    hashed = ((hashed ^ (hashed >> 13)) * _FACTOR) & _WORD
    return hashed ^ (hashed >> 15)
