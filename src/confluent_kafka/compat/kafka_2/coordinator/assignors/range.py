"""The range assignor of version 3."""

from __future__ import annotations

from ....kafka.coordinator.assignors.range import RangePartitionAssignor

__all__ = ["RangePartitionAssignor"]
