"""The new number of partitions of a topic."""

from __future__ import annotations


class NewPartitions:
    """The new number of partitions of a topic.

    Args:
        total_count: how many partitions the topic has afterwards.
        new_assignments: the ids of the brokers for each new partition, in order.
    """

    def __init__(self, total_count: int, new_assignments: list[list[int]] | None = None) -> None:
        self.total_count = total_count
        self.new_assignments = new_assignments
