"""The base class of version 3's assignors."""

from __future__ import annotations

from ....kafka.coordinator.assignors.abstract import AbstractPartitionAssignor

__all__ = ["AbstractPartitionAssignor"]
