"""Names that were misspelt."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def unknown_key(name: object, known: Iterable[str]) -> str:
    """Return what to say of a configuration key that there is not."""
    keys = sorted(known)
    near = difflib.get_close_matches(str(name), keys, n=1)
    advice = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(keys)}"
    return f"unknown key {name!r}: {advice}"
