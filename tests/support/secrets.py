"""Secrets that tests use.

All contain the same mark, which no output may contain.
"""

from __future__ import annotations

import base64

MARK = "mArKeR"


def secret(name: str) -> str:
    """A password, key phrase or part of a token."""
    return f"{name}-{MARK}"


def reveals(text: str) -> bool:
    """Whether the mark is in it, plain or within base64 (basic authentication, tokens)."""
    return any(form in text for form in _FORMS)


def _within_base64(lead: int) -> str:
    """The characters that are the same whatever stands before and behind the mark."""
    encoded = base64.b64encode(b"\0" * lead + MARK.encode()).decode()
    whole = (lead + len(MARK)) * 8 // 6
    return encoded[-(-lead * 8 // 6) : whole]


_FORMS = (MARK, *map(_within_base64, range(3)))
