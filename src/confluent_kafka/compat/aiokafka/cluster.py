"""What is known of a cluster."""

from __future__ import annotations

from .._common.cluster import ClusterMetadata

__all__ = ["ClusterMetadata"]
