"""Partitions that a topic gets."""

from __future__ import annotations


class NewPartitions:
    """Partitions that a topic gets.

    Args:
        total_count: how many it has then.
        new_assignments: the ids of the brokers of each new one, in order.
    """

    def __init__(self, total_count: int, new_assignments: list[list[int]] | None = None) -> None:
        self.total_count = total_count
        self.new_assignments = new_assignments
