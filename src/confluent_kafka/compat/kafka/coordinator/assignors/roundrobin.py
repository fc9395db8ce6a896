"""The round-robin assignor's name."""

from __future__ import annotations

from .abstract import AbstractPartitionAssignor


class RoundRobinPartitionAssignor(AbstractPartitionAssignor):
    """The partitions of all topics in order, to one member after the other."""

    name = "roundrobin"
