"""A partitioner that takes turns."""

from __future__ import annotations

from itertools import cycle
from typing import Any

from .base import Partitioner


class RoundRobinPartitioner(Partitioner):
    """Chooses the partitions one after the other.

    Args:
        partitions: of the topic, their numbers.
    """

    def __init__(self, partitions: list[int]) -> None:
        super().__init__(partitions)
        self.iterpart = cycle(partitions)

    def partition(self, key: Any, partitions: list[int] | None = None) -> int:
        """Choose the next partition.

        Args:
            key: does not matter.
            partitions: from now on; if they are others, the first one comes next.
        """
        if partitions and partitions != self.partitions:
            self.partitions = partitions
            self.iterpart = cycle(partitions)
        return next(self.iterpart)
