"""Suggestions for unknown names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(given: object, known: Iterable[str], otherwise: str = "") -> str:
    """Return a question that suggests the nearest name, ignoring case.

    Args:
        given: the unknown name.
        known: the known names.
        otherwise: the text to return when no known name is similar.
    """
    near = nearest_name(given, known)
    return otherwise if near is None else f"did you mean {near!r}?"


def nearest_name(given: object, known: Iterable[str]) -> str | None:
    """Return the nearest name, ignoring case, or None if no name is near.

    Args:
        given: the unknown name.
        known: the known names.
    """
    spelt = {name.lower(): name for name in known}
    near = difflib.get_close_matches(str(given).lower(), spelt, n=1)
    return spelt[near[0]] if near else None
