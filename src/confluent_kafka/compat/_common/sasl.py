"""Converts the keywords for authentication to librdkafka's properties."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
"""The values of ``security_protocol``."""

_MECHANISMS = ("PLAIN", "GSSAPI", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")


def sasl_properties(
    keywords: Mapping[str, Any],
    oauth_callback: Callable[[Any], Any],
    words: tuple[str, str] = ("", ""),
) -> dict[str, Any]:
    """Return librdkafka's properties for the ``sasl_*`` keywords.

    Args:
        keywords: the keywords of the client.
        oauth_callback: makes an ``oauth_cb`` from a provider of tokens.
        words: the beginnings of the original client's errors for an unknown mechanism, and for
            missing credentials; ``{}`` stands for the mechanism.

    Raises:
        ValueError, TypeError: a keyword is wrong or missing.
    """
    mechanism = keywords["sasl_mechanism"]
    if mechanism not in _MECHANISMS:
        allowed = ", ".join(map(repr, _MECHANISMS))
        raise ValueError(f"{words[0]}sasl_mechanism must be one of {allowed}, not {mechanism!r}")
    conf: dict[str, Any] = {"sasl.mechanism": mechanism}
    if mechanism == "GSSAPI":
        conf["sasl.kerberos.service.name"] = keywords["sasl_kerberos_service_name"]
    elif mechanism == "OAUTHBEARER":
        conf["oauth_cb"] = oauth_callback(keywords["sasl_oauth_token_provider"])
    else:
        user, password = keywords["sasl_plain_username"], keywords["sasl_plain_password"]
        if user is None or password is None:
            raise ValueError(
                f"{words[1].format(mechanism)}sasl_plain_username and sasl_plain_password are "
                f"needed with {mechanism}"
            )
        conf.update({"sasl.username": user, "sasl.password": password})
    return conf
