"""The round-robin assignor of version 3."""

from __future__ import annotations

from ....kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor

__all__ = ["RoundRobinPartitionAssignor"]
