"""The file of profiles: the properties of each cluster, and where their secrets come from."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from confluent_kafka._suggestions import did_you_mean
from confluent_kafka.cli.connection.profile_secrets import (
    Reference,
    reference_of,
    refuse_table,
    resolved,
)

_OURS = ("production", "registry")


class Profile(NamedTuple):
    """A profile. A value is a text, or a reference to the place of a secret.

    Attributes:
        name: its name.
        production: whether a change of the cluster demands --yes-really.
        properties: librdkafka's properties.
        registry: the settings of the schema registry.
    """

    name: str
    production: bool
    properties: dict[str, str | Reference]
    registry: dict[str, str | Reference]


def location() -> Path:
    """Return the path of the file."""
    if given := os.environ.get("KAFKA_PROFILES"):
        return Path(given)
    if sys.platform == "win32":
        root = os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming"
    else:
        root = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(root) / "confluent-kafka" / "profiles.toml"


def profiles() -> tuple[dict[str, Profile], list[click.BadParameter]]:
    """Return all profiles by name, and an error for each one that is wrong.

    Raises:
        click.BadParameter: the file cannot be read.
    """
    found, errors = {}, []
    for name, table in _tables().items():
        try:
            found[name] = _profile(name, table)
        except click.BadParameter as error:
            errors.append(error)
    return found, errors


def _tables() -> dict[str, Any]:
    """Return the content of the file. Without a file there are no profiles."""
    path = location()
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise _wrong(f"{path}: {error.strerror}") from None
    except ValueError as error:  # also of TOML. The message contains no part of the text.
        raise _wrong(f"{path}: {_position(error)}") from None


def profile(name: str) -> Profile:
    """Return a profile.

    Args:
        name: its name.

    Raises:
        click.BadParameter: there is no such profile, it is wrong, or the file cannot be read.
    """
    known = _tables()
    if name in known:  # a mistake in another profile does not matter
        return _profile(name, known[name])
    near = did_you_mean(name, known) or (
        f"the profiles are {', '.join(known)}" if known else "the file does not exist or is empty"
    )
    raise _wrong(f"there is no profile {name!r} in {location()}: {near}")


def is_production(name: str) -> bool:
    """Return whether a change of the profile's cluster demands --yes-really."""
    return profile(name).production


def properties_of(name: str, for_registry: bool = False) -> dict[str, str]:
    """Return the properties of a profile. Only their secrets are looked up.

    Args:
        name: the name of the profile.
        for_registry: whether to return the settings of the registry, with the prefix of such
            properties. The credentials of the cluster belong to them if the registry inherits them.
    """
    found = profile(name)
    values = found.properties
    if for_registry:
        inherits = "basic.auth.credentials.source" in found.registry
        registry = {f"schema.registry.{key}": value for key, value in found.registry.items()}
        values = found.properties | registry if inherits else registry
    try:
        return {key: resolved(key, value) for key, value in values.items()}
    except ValueError as error:
        raise _wrong(f"profile {name!r}: {error}") from None


def _profile(name: str, table: Any) -> Profile:
    path = location()
    if not isinstance(table, dict):
        raise _wrong(f"{path}: {name} must be a table: write [{name}]")
    production, registry = table.get("production", False), table.get("registry", {})
    try:
        if not isinstance(production, bool):
            raise ValueError("production must be true or false")
        if not isinstance(registry, dict):
            raise ValueError(f"registry must be a table: write [{name}.registry]")
        properties = {key: value for key, value in table.items() if key not in _OURS}
        return Profile(name, production, dict(_flat(properties)), dict(_flat(registry)))
    except ValueError as error:
        raise _wrong(f"{path}: profile {name!r}: {error}") from None


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str | Reference]]:
    """Yield each property. TOML makes nested tables of the dots in `sasl.password = "..."`."""
    for part, value in table.items():
        key = f"{prefix}{part}"
        if isinstance(value, dict):
            if (found := reference_of(key, value)) is not None:
                yield key, found
            else:
                refuse_table(key, value)
                yield from _flat(value, f"{key}.")
        elif isinstance(value, bool):
            yield key, str(value).lower()
        elif isinstance(value, str | int | float):
            yield key, str(value)
        elif isinstance(value, list) and all(isinstance(each, str) for each in value):
            yield key, ",".join(value)
        else:
            raise ValueError(f"{key} must be a string, a number, true, false or a list of strings")


def _position(error: ValueError) -> str:
    """Return the end of a TOML error: ``Invalid value (at line 1, column 5)``."""
    text = str(error)
    return f"not TOML {text[text.rindex('(at') :]}" if "(at" in text else "not TOML in UTF-8"


def _wrong(text: str) -> click.BadParameter:
    return click.BadParameter(text, param_hint="--profile")
