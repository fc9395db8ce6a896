"""The metadata of a cluster, as in version 3."""

from __future__ import annotations

from ..kafka.cluster import ClusterMetadata

__all__ = ["ClusterMetadata"]
