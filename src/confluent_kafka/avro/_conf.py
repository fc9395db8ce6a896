"""The configuration of a registry's client, by its former keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_SOURCE = "basic.auth.credentials.source"
_USER = "basic.auth.user.info"
_AUTO_REGISTER = "auto.register.schemas"
_MECHANISMS = ("sasl.mechanism", "sasl.mechanisms")
SASL = (*_MECHANISMS, "sasl.username", "sasl.password")
"""Keys that a registry may inherit from its client."""


def translate(conf: Mapping[str, Any]) -> tuple[dict[str, Any], bool]:
    """Return the configuration for SchemaRegistryClient, and whether schemas are registered.

    Args:
        conf: the keys of SchemaRegistryClient, and ``auto.register.schemas``,
            ``basic.auth.credentials.source`` and the keys of SASL, which it does not have.

    Raises:
        ValueError: a key has a wrong value, or a value is missing.
    """
    rest = dict(conf)
    register = rest.pop(_AUTO_REGISTER, True)
    if not isinstance(register, bool):
        raise ValueError(f"{_AUTO_REGISTER} must be a bool, not {register!r:.100}")
    sasl = {name: rest.pop(name, None) for name in SASL}
    source = rest.pop(_SOURCE, None)
    if source == "SASL_INHERIT":
        rest[_USER] = _inherited(sasl)
    elif source == "USER_INFO" and not rest.get(_USER):
        raise ValueError(f"{_SOURCE} USER_INFO needs {_USER}, as <user>:<password>")
    elif source not in (None, "URL", "USER_INFO"):
        raise ValueError(f"{_SOURCE} must be URL, USER_INFO or SASL_INHERIT, not {source!r:.100}")
    return rest, register


def _inherited(sasl: Mapping[str, Any]) -> str:
    """Return ``user:password`` of a client's SASL configuration."""
    for name in _MECHANISMS:
        if str(sasl[name]).upper() == "GSSAPI":
            raise ValueError(f"{_SOURCE} SASL_INHERIT: {name} GSSAPI has no password to inherit")
    user, password = sasl["sasl.username"], sasl["sasl.password"]
    if not isinstance(user, str) or not isinstance(password, str):
        raise ValueError(f"{_SOURCE} SASL_INHERIT needs sasl.username and sasl.password")
    return f"{user}:{password}"
