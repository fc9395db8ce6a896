"""When tokens for SASL/OAUTHBEARER end."""

from __future__ import annotations

import base64
import json
import time

# Seconds that a token is used whose end is not known.
_LIFETIME = 300.0


def expiry_of(token: str) -> float:
    """Return the time at which a token ends, in seconds since the epoch.

    A JWT says it (``exp``); of others nobody knows, and they are asked for again soon.
    """
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return float(claims["exp"])
    except (IndexError, ValueError, KeyError, TypeError):
        return time.time() + _LIFETIME
