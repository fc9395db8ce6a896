"""Tokens for SASL/OAUTHBEARER, from the application's provider."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._common.tokens import expiry_of


def oauth_callback(provider: Any) -> Callable[[str], tuple[str, float, str, dict[str, str]]]:
    """Return the ``oauth_cb`` of a client.

    Args:
        provider: an AbstractTokenProvider, or another object with its ``token()``.

    Raises:
        TypeError: it is not a provider of tokens.
    """
    if not callable(getattr(provider, "token", None)):
        raise TypeError(
            "sasl_oauth_token_provider must be an AbstractTokenProvider, not "
            f"{type(provider).__name__}"
        )

    def callback(_: str) -> tuple[str, float, str, dict[str, str]]:
        token = provider.token()
        extensions = getattr(provider, "extensions", dict)
        return token, expiry_of(token), "", extensions()

    return callback
