"""The range assignor."""

from __future__ import annotations

from .abstract import AbstractPartitionAssignor


class RangePartitionAssignor(AbstractPartitionAssignor):
    """Splits the partitions of each topic into ranges, one for each member."""

    name = "range"
