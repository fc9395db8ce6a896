"""Finds the end of tokens for SASL/OAUTHBEARER."""

from __future__ import annotations

import base64
import json
import time

# How many seconds a token with an unknown end is used.
_LIFETIME = 300.0


def expiry_of(token: str) -> float:
    """Return the time at which a token ends, in seconds since the epoch.

    A JWT contains its end (``exp``). The end of other tokens is unknown, so a new token is
    requested soon.
    """
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return float(claims["exp"])
    except (IndexError, ValueError, KeyError, TypeError):
        return time.time() + _LIFETIME
