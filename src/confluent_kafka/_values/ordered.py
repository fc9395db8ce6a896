"""Enumerations that can be sorted."""

from __future__ import annotations

from enum import Enum


class OrderedEnum(Enum):
    """Members order by their values, each kind among itself only."""

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return bool(self.value < other.value)

    def __le__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return bool(self.value <= other.value)
