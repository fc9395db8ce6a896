"""The names that topics can have. Brokers have the same rule."""

from __future__ import annotations

import re

LONGEST = 249
"""The number of characters that the name of a topic can have."""
RULE = (
    f"a topic's name has 1 to {LONGEST} of the characters a-z, A-Z, 0-9, '.', '_' and '-', and is "
    "not '.' or '..'"
)

_LEGAL = re.compile(rf"(?!\.{{1,2}}\Z)[a-zA-Z0-9._-]{{1,{LONGEST}}}")


def is_legal(topic: str) -> bool:
    """Return whether a topic can have this name."""
    return _LEGAL.fullmatch(topic) is not None
