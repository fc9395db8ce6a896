"""Secrets that tests use.

All secrets contain the same mark. No output may contain the mark.
"""

from __future__ import annotations

import base64

MARK = "mArKeR"


def secret(name: str) -> str:
    """Return a secret for use as a password, a key phrase or a part of a token."""
    return f"{name}-{MARK}"


def reveals(text: str) -> bool:
    """Whether the text contains the mark, plain or within base64 (basic authentication, tokens)."""
    return any(form in text for form in _FORMS)


def _within_base64(lead: int) -> str:
    """The characters of base64 that depend only on the mark, if `lead` bytes come before it."""
    encoded = base64.b64encode(b"\0" * lead + MARK.encode()).decode()
    whole = (lead + len(MARK)) * 8 // 6
    return encoded[-(-lead * 8 // 6) : whole]


_FORMS = (MARK, *map(_within_base64, range(3)))
