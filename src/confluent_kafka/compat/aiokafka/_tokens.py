"""Tokens for SASL/OAUTHBEARER, from the application's provider."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from .._common.tokens import expiry_of
from .abc import AbstractTokenProvider

_Token = tuple[str, float, str, dict[str, str]]


def oauth_callback(provider: Any) -> Callable[[str], Coroutine[Any, Any, _Token]]:
    """Return the ``oauth_cb`` of a client.

    Args:
        provider: an AbstractTokenProvider.

    Raises:
        ValueError: it is not an AbstractTokenProvider.
    """
    if not isinstance(provider, AbstractTokenProvider):
        raise ValueError(
            "sasl_oauth_token_provider needs to be provided implementing "
            "aiokafka.abc.AbstractTokenProvider: it must be an AbstractTokenProvider, not "
            f"{type(provider).__name__}"
        )

    async def callback(_: str) -> _Token:
        token = await provider.token()
        return token, expiry_of(token), "", provider.extensions()

    return callback
