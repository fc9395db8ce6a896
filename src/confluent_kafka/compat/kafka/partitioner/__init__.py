"""Partitioners choose the partitions of messages."""

from __future__ import annotations

from .abstract import Partitioner
from .default import DefaultPartitioner, murmur2
from .sticky import StickyPartitioner

__all__ = ["DefaultPartitioner", "Partitioner", "StickyPartitioner", "murmur2"]
