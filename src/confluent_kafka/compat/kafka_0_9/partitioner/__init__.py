"""Which partition a message of KeyedProducer goes to."""

from __future__ import annotations

from .hashed import HashedPartitioner, LegacyPartitioner, Murmur2Partitioner
from .roundrobin import RoundRobinPartitioner

__all__ = [
    "HashedPartitioner",
    "LegacyPartitioner",
    "Murmur2Partitioner",
    "RoundRobinPartitioner",
]
