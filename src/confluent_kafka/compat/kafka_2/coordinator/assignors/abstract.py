"""The base of the assignors' names: that of version 3."""

from __future__ import annotations

from ....kafka.coordinator.assignors.abstract import AbstractPartitionAssignor

__all__ = ["AbstractPartitionAssignor"]
