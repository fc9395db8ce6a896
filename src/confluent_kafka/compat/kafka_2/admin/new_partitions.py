"""The class NewPartitions of version 3."""

from __future__ import annotations

from ...kafka.admin.partitions import NewPartitions

__all__ = ["NewPartitions"]
