"""The base class of partitioners."""

from __future__ import annotations

from typing import Any


class Partitioner:
    """Chooses the partitions of messages.

    Args:
        partitions: the numbers of the topic's partitions.
    """

    def __init__(self, partitions: list[int]) -> None:
        self.partitions = partitions

    def partition(self, key: Any, partitions: list[int] | None = None) -> int:
        """Choose a partition.

        Args:
            key: the key of the message.
            partitions: partitions to use instead of the constructor's.
        """
        raise NotImplementedError("partition function has to be implemented")
