"""The configuration of a registry's client, with its former keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka.schema_registry._settings import without_user

_SOURCE = "basic.auth.credentials.source"
_USER = "basic.auth.user.info"
_AUTO_REGISTER = "auto.register.schemas"
_MECHANISMS = ("sasl.mechanism", "sasl.mechanisms")
_TRUSTED = "ssl.ca.location"
_CERTIFICATE, _KEY = "ssl.certificate.location", "ssl.key.location"
_SOURCES = ["URL", "USER_INFO", "SASL_INHERIT"]
SASL = (*_MECHANISMS, "sasl.username", "sasl.password")
"""Keys that the registry's client can take from the Kafka client's configuration."""


def translate(conf: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return the configuration for SchemaRegistryClient, and whether schemas are registered.

    Args:
        conf: the keys of SchemaRegistryClient, plus ``auto.register.schemas``,
            ``basic.auth.credentials.source`` and the SASL keys, which SchemaRegistryClient lacks.

    Raises:
        ValueError: a key has a wrong value, or a value is missing.
    """
    rest = dict(conf)
    register = rest.pop(_AUTO_REGISTER, True)
    if not isinstance(register, bool):
        raise ValueError(f"{_AUTO_REGISTER} must be a bool, not {register!r:.100}")
    sasl = {name: rest.pop(name, None) for name in SASL}
    given = rest.pop(_SOURCE, None)
    source = given.upper() if isinstance(given, str) else given
    if source == "SASL_INHERIT":
        rest[_USER] = _inherited(sasl)
    elif source == "USER_INFO" and not rest.get(_USER):
        raise ValueError(f"{_SOURCE} USER_INFO needs {_USER}, as <user>:<password>")
    elif source is not None and source not in _SOURCES:
        raise ValueError(f"schema.registry.{_SOURCE} must be one of {_SOURCES}, not {given!r:.100}")
    if source in ("SASL_INHERIT", "USER_INFO") and isinstance(rest.get("url"), str):
        rest["url"] = without_user(rest["url"])  # the credentials source takes precedence
    if rest.get(_TRUSTED) is False:
        del rest[_TRUSTED]  # these clients have always checked certificates, even with False
    if (rest.get(_CERTIFICATE) is None) != (rest.get(_KEY) is None):
        raise ValueError(
            f"Both schema.registry.{_CERTIFICATE} and schema.registry.{_KEY} must be set"
        )
    return rest, register


def _inherited(sasl: Mapping[str, Any]) -> str:
    """Return ``user:password`` from a Kafka client's SASL configuration."""
    for name in _MECHANISMS:
        if str(sasl[name]).upper() == "GSSAPI":
            raise ValueError(
                "SASL_INHERIT does not support SASL mechanism GSSAPI: it has no password"
            )
    user, password = sasl["sasl.username"], sasl["sasl.password"]
    if not isinstance(user, str) or not isinstance(password, str):
        raise ValueError(f"{_SOURCE} SASL_INHERIT needs sasl.username and sasl.password")
    return f"{user}:{password}"
