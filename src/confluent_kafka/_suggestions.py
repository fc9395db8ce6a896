"""Suggestions for unknown names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(given: object, known: Iterable[str], otherwise: str = "") -> str:
    """Return a question that suggests the nearest name, ignoring case.

    Args:
        given: the unknown name.
        known: the known names.
        otherwise: returned when none is near.
    """
    spelt = {name.lower(): name for name in known}
    near = difflib.get_close_matches(str(given).lower(), spelt, n=1)
    return f"did you mean {spelt[near[0]]!r}?" if near else otherwise
