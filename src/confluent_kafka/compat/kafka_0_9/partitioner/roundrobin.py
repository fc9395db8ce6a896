"""A partitioner that chooses the partitions in turn."""

from __future__ import annotations

from itertools import cycle
from typing import Any

from .base import Partitioner


class RoundRobinPartitioner(Partitioner):
    """Chooses one partition after another.

    Args:
        partitions: the numbers of the topic's partitions.
    """

    def __init__(self, partitions: list[int]) -> None:
        super().__init__(partitions)
        self.iterpart = cycle(partitions)

    def partition(self, key: Any, partitions: list[int] | None = None) -> int:
        """Choose the next partition.

        Args:
            key: no effect.
            partitions: the partitions from now on. If they have changed, the first one comes next.
        """
        if partitions and partitions != self.partitions:
            self.partitions = partitions
            self.iterpart = cycle(partitions)
        return next(self.iterpart)
