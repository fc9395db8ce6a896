"""The client of a schema registry for commands: its options, its configuration, its errors."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import click

from confluent_kafka.cli.chosen_profile import chosen_profile
from confluent_kafka.cli.declared import CONNECTION, argument, option
from confluent_kafka.cli.ending import ending, fail

if TYPE_CHECKING:
    from confluent_kafka.schema_registry import SchemaRegistryClient

_EXTRA = "needs the extra [schemaregistry]: pip install 'confluent-kafka[schemaregistry]'"
_NOT_FOUND = 404
_FROM_ENVIRONMENT = {
    "SCHEMA_REGISTRY_URL": "url",
    "SCHEMA_REGISTRY_BASIC_AUTH_USER_INFO": "basic.auth.user.info",
}

Url = Annotated[
    str | None,
    option("--url", "-u", panel=CONNECTION, help="Address of the registry, as http://host:port."),
]
Timeout = Annotated[
    float,
    option(min=0.1, max=3600, panel=CONNECTION, help="Seconds to wait for a response."),
]


Subject = Annotated[str, argument(help="Subject, such as TOPIC-value.")]


@contextlib.contextmanager
def registry(
    url: str | None, file: Path | None, properties: list[str] | None, timeout: float
) -> Iterator[SchemaRegistryClient]:
    """Lend a client of the registry. A failure ends the command.

    Args:
        url: value of --url.
        file: value of -F.
        properties: values of -X.
        timeout: seconds to wait for each response.
    """
    with ending():
        try:
            from confluent_kafka.schema_registry import SchemaRegistryClient, SchemaRegistryError
            from confluent_kafka.schema_registry.error import OAuthTokenError
        except ModuleNotFoundError as error:
            if error.name != "httpx":
                raise
            fail(f"registry {_EXTRA}")
        config = registry_settings(url, file, properties)
        with SchemaRegistryClient(config | {"timeout": timeout, "max.retries": 1}) as client:
            try:
                yield client
            except (SchemaRegistryError, OAuthTokenError) as error:
                fail(str(error))


def registry_settings(
    url: str | None, file: Path | None, properties: list[str] | None
) -> dict[str, Any]:
    """Return the configuration for a SchemaRegistryClient.

    Later sources override earlier ones: the environment, the profile or the file, -X, --url.

    Args:
        url: value of --url.
        file: value of -F.
        properties: values of -X.
    """
    from confluent_kafka.cli.administration import pairs

    config = {
        key: os.environ[name] for name, key in _FROM_ENVIRONMENT.items() if name in os.environ
    }
    profile = chosen_profile()
    if profile is not None:
        from confluent_kafka.cli.profile_file import registry_of

        config |= registry_of(profile)
    elif file is not None:
        from confluent_kafka.cli.config_files import read_for_registry

        config |= read_for_registry(file)
    config |= pairs(properties or (), "-X")
    if url is not None:
        config["url"] = url
    if not config.get("url"):
        raise click.BadParameter(
            "no registry: give --url http://HOST:PORT, a profile with a registry, a file with "
            "schema.registry.url, or the environment variable SCHEMA_REGISTRY_URL",
            param_hint="--url",
        )
    return config


def is_missing(error: Exception) -> bool:
    """Return whether the registry answered that there is no such thing.

    Args:
        error: what a call of the client raised. A module of commands must not import its class.
    """
    return getattr(error, "http_status_code", None) == _NOT_FOUND


def version_of(text: str) -> int | str:
    """Return the number of a version, or "latest".

    Args:
        text: value of an argument.
    """
    if text == "latest":
        return text
    if not text.isdecimal() or not int(text):
        raise click.BadParameter(f"{text!r} is not the number of a version, and not latest")
    return int(text)


def versions_of(client: SchemaRegistryClient, subject: str, deleted: bool = False) -> list[int]:
    """Return the versions of a subject. If there are none, the command ends.

    Args:
        client: the client.
        subject: the subject.
        deleted: whether deleted versions count.
    """
    try:
        found = client.get_versions(subject, deleted=deleted)
    except Exception as error:
        if not is_missing(error):
            raise
        found = []
    return found or _fail_for(client, subject, deleted)


def _fail_for(client: SchemaRegistryClient, subject: str, deleted: bool) -> NoReturn:
    from confluent_kafka._suggestions import did_you_mean

    near = did_you_mean(subject, client.get_subjects(deleted=deleted))
    fail(f"there is no subject {subject!r}{f': {near}' if near else ''}")
