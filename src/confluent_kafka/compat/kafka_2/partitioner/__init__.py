"""Where messages go."""

from __future__ import annotations

from .default import DefaultPartitioner, murmur2

__all__ = ["DefaultPartitioner", "murmur2"]
