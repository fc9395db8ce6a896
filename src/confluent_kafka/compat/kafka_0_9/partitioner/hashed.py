"""Partitioners that use the key's hash."""

from __future__ import annotations

from typing import Any

from ..._common.murmur2 import murmur2 as _murmur2
from .base import Partitioner


class Murmur2Partitioner(Partitioner):
    """Gives equal keys the same partition as Kafka's Java client."""

    def partition(self, key: Any, partitions: list[int] | None = None) -> int:
        """Choose a partition.

        Args:
            key: bytes; of any other object, the text is used.
            partitions: partitions to use instead of the constructor's.
        """
        chosen = partitions or self.partitions
        return chosen[(murmur2(key) & 0x7FFFFFFF) % len(chosen)]


class LegacyPartitioner(Partitioner):
    """Gives equal keys the same partition, with Python's ``hash()``.

    Python salts ``hash()``: another process chooses other partitions, unless PYTHONHASHSEED is set.
    """

    def partition(self, key: Any, partitions: list[int] | None = None) -> int:
        """Choose a partition.

        Args:
            key: any object that has a hash.
            partitions: partitions to use instead of the constructor's.
        """
        chosen = partitions or self.partitions
        return chosen[hash(key) % len(chosen)]


HashedPartitioner = LegacyPartitioner
"""The default of KeyedProducer."""


def murmur2(key: Any) -> int:
    """Return the MurmurHash2 of a key, as Kafka's clients compute it.

    Args:
        key: bytes; of any other object, the text is used.

    Returns:
        32 bits, unsigned.
    """
    return _murmur2(bytes(key) if isinstance(key, bytes | bytearray) else str(key).encode())
