"""Partitioners choose the partitions of messages."""

from __future__ import annotations

from .default import DefaultPartitioner, murmur2

__all__ = ["DefaultPartitioner", "murmur2"]
