"""The range assignor's name."""

from __future__ import annotations

from .abstract import AbstractPartitionAssignor


class RangePartitionAssignor(AbstractPartitionAssignor):
    """Each topic on its own: its partitions in order, in as many ranges as there are members."""

    name = "range"
