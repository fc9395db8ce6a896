"""What partitioners have in common."""

from __future__ import annotations

from typing import Any


class Partitioner:
    """Chooses the partitions of messages.

    Args:
        partitions: of the topic, their numbers.
    """

    def __init__(self, partitions: list[int]) -> None:
        self.partitions = partitions

    def partition(self, key: Any, partitions: list[int] | None = None) -> int:
        """Choose a partition.

        Args:
            key: of the message.
            partitions: instead of those of the constructor.
        """
        raise NotImplementedError("partition function has to be implemented")
