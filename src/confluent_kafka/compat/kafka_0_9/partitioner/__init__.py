"""Partitioners choose the partitions of KeyedProducer's messages."""

from __future__ import annotations

from .hashed import HashedPartitioner, LegacyPartitioner, Murmur2Partitioner
from .roundrobin import RoundRobinPartitioner

__all__ = [
    "HashedPartitioner",
    "LegacyPartitioner",
    "Murmur2Partitioner",
    "RoundRobinPartitioner",
]
