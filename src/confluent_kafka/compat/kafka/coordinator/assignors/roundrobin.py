"""The round-robin assignor."""

from __future__ import annotations

from .abstract import AbstractPartitionAssignor


class RoundRobinPartitionAssignor(AbstractPartitionAssignor):
    """Distributes the partitions of all topics to the members in turn."""

    name = "roundrobin"
