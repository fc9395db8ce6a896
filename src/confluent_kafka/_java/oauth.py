"""Tokens of an identity provider: the properties of Java's clients that say how to get them."""

from __future__ import annotations

import re

from confluent_kafka._java.names import Wording

_HANDLER = "sasl.login.callback.handler.class"
_RETRIEVER = "sasl.oauthbearer.jwt.retriever.class"
_METHOD = "sasl.oauthbearer.method"
_PACKAGE = r"(class )?org\.apache\.kafka\.common\.security\.oauthbearer\."
# Java's classes that ask an identity provider, as librdkafka does. The other class of this kind
# makes tokens without a signature, and its settings are in sasl.jaas.config.
_PROVIDER = re.compile(rf"{_PACKAGE}(secured\.)?OAuthBearerLoginCallbackHandler")
_UNSECURED = re.compile(rf"{_PACKAGE}internals\.unsecured\.OAuthBearerUnsecured\w*CallbackHandler")
_GRANTS = {
    "DefaultJwtRetriever": None,
    "ClientCredentialsJwtRetriever": "client_credentials",
    "JwtBearerJwtRetriever": "urn:ietf:params:oauth:grant-type:jwt-bearer",
}
# One of them makes the client's id in sasl.jaas.config unnecessary.
_CREDENTIALS = (
    "sasl.oauthbearer.client.credentials.",
    "sasl.oauthbearer.client.id",
    "sasl.oauthbearer.assertion.",
)


def take_token_properties(rest: dict[str, str], wording: Wording) -> dict[str, str]:
    """Take the names of Java's classes that get tokens, and return librdkafka's properties.

    Args:
        rest: the properties. Those that have a translation are removed.
        wording: what the errors call a property.

    Raises:
        ValueError: a class is not one of Java's own.
    """
    found: dict[str, str] = {}
    handler = rest.get(_HANDLER, "")
    if _PROVIDER.fullmatch(handler):
        found[_METHOD] = "oidc"
    if found or _UNSECURED.fullmatch(handler):
        del rest[_HANDLER]
    grant = _grant(rest.pop(_RETRIEVER, None), wording)
    if grant is not None:
        found["sasl.oauthbearer.grant.type"] = grant
    return {name: text for name, text in found.items() if rest.get(name) != text}


def has_credentials(given: dict[str, str]) -> bool:
    """Return whether properties contain the client's credentials for the identity provider.

    Args:
        given: the properties.
    """
    return any(name.startswith(_CREDENTIALS) for name in given)


def _grant(text: str | None, wording: Wording) -> str | None:
    """Return the type of grant with which a class of Java gets tokens; None for the default."""
    if text is None:
        return None
    match = re.fullmatch(rf"{_PACKAGE}(\w+)", text)
    name = match[2] if match else ""
    if name not in _GRANTS:
        raise ValueError(
            f"{wording.named(_RETRIEVER)} names a Java class that has no counterpart here, only "
            f"{', '.join(_GRANTS)} have one"
        )
    return _GRANTS[name]
