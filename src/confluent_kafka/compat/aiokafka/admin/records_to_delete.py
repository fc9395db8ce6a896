"""Records to delete."""

from __future__ import annotations


class RecordsToDelete:
    """The oldest records of a partition, to delete.

    Args:
        before_offset: the first offset to keep; -1 deletes all existing records.
    """

    def __init__(self, before_offset: int) -> None:
        self.before_offset = before_offset
