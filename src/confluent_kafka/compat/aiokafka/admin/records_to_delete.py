"""Records to delete."""

from __future__ import annotations


class RecordsToDelete:
    """Records of a partition to delete: the oldest.

    Args:
        before_offset: the first offset that stays; -1 deletes all that there are.
    """

    def __init__(self, before_offset: int) -> None:
        self.before_offset = before_offset
