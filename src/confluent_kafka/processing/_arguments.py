"""Checks of arguments."""

from __future__ import annotations

from typing import Any


def number(name: str, value: Any, kind: type, least: float, most: float) -> Any:
    """Return a number that is in its range.

    Args:
        name: the argument.
        value: its value.
        kind: int or float.
        least: the lowest number that is allowed.
        most: the highest number that is allowed.

    Raises:
        TypeError: it is not a number of this kind.
        ValueError: it is out of range.
    """
    kinds = (int,) if kind is int else (int, float)
    if not isinstance(value, kinds) or isinstance(value, bool):
        wanted = "a whole number" if kind is int else "a number"
        raise TypeError(f"{name} must be {wanted}, not {type(value).__name__}")
    if not least <= value <= most:
        raise ValueError(f"{name} is {value}: it must be from {least} to {most:,}")
    return value
