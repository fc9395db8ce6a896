"""Tokens for SASL/OAUTHBEARER, from the application's provider."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Coroutine
from typing import Any

from .abc import AbstractTokenProvider

# Seconds that a token is used whose end is not known.
_LIFETIME = 300.0

_Token = tuple[str, float, str, dict[str, str]]


def oauth_callback(provider: Any) -> Callable[[str], Coroutine[Any, Any, _Token]]:
    """Return the ``oauth_cb`` of a client.

    Args:
        provider: an AbstractTokenProvider.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(provider, AbstractTokenProvider):
        raise TypeError(
            "sasl_oauth_token_provider must be an AbstractTokenProvider, not "
            f"{type(provider).__name__}"
        )

    async def callback(_: str) -> _Token:
        token = await provider.token()
        return token, expiry_of(token), "", provider.extensions()

    return callback


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
