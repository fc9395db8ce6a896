"""The known brokers, topics and partitions of a cluster."""

from __future__ import annotations

from .._common.cluster import ClusterMetadata

__all__ = ["ClusterMetadata"]
