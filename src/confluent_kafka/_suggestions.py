"""What was probably meant by a name that there is not."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(given: object, known: Iterable[str], otherwise: str = "") -> str:
    """Return a question with the nearest name, whatever the case of its letters.

    Args:
        given: what was given in its place.
        known: the names that there are.
        otherwise: returned when none is near.
    """
    spelt = {name.lower(): name for name in known}
    near = difflib.get_close_matches(str(given).lower(), spelt, n=1)
    return f"did you mean {spelt[near[0]]!r}?" if near else otherwise
