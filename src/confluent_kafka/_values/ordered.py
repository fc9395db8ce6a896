"""Enumerations that can be sorted."""

from __future__ import annotations

from enum import Enum


class OrderedEnum(Enum):
    """Members are ordered by value. Members of different enumerations cannot be compared."""

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return bool(self.value < other.value)

    def __le__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return bool(self.value <= other.value)
