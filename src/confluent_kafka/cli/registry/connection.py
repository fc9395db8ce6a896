"""The client of a schema registry for commands: its options, its configuration, its errors."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NoReturn

import click

from confluent_kafka.cli.base.declared import CONNECTION, argument, option
from confluent_kafka.cli.base.ending import configuring, ending, fail
from confluent_kafka.cli.connection.settings import (
    OF_REGISTRY,
    File,
    Registry,
    registry_settings,
)

if TYPE_CHECKING:
    from confluent_kafka.schema_registry import SchemaRegistryClient

_EXTRA = "needs the extra [schemaregistry]: pip install httpx"
_NOT_FOUND = 404
Properties = Annotated[
    list[str] | None,
    option(
        "--property",
        "-X",
        panel=CONNECTION,
        metavar="KEY=VALUE",
        help="Property of the registry's client, such as schema.registry.ssl.ca.location. Can be "
        "given more than once.",
    ),
]
Timeout = Annotated[
    float,
    option(min=0.1, max=3600, panel=CONNECTION, help="Seconds to wait for a response."),
]
Subject = Annotated[str, argument(help="Subject, such as TOPIC-value.")]


class Connection(NamedTuple):
    """The options that every command of `registry` has."""

    url: Registry = None
    config_file: File = None
    properties: Properties = None
    timeout: Timeout = 30


@contextlib.contextmanager
def registry(connection: Connection) -> Iterator[SchemaRegistryClient]:
    """Yield a client of the registry. A failure ends the command.

    Args:
        connection: the options of the command.
    """
    url, file, properties, timeout = connection
    for text in properties or ():
        if not text.startswith(OF_REGISTRY):
            raise click.BadParameter(
                f"the properties of the registry begin with {OF_REGISTRY}", param_hint="-X"
            )
    defaults = {"timeout": timeout, "max.retries": 1}
    with ending(), client_for("registry", url, file, properties, defaults) as client:
        from confluent_kafka.schema_registry import SchemaRegistryError
        from confluent_kafka.schema_registry.error import OAuthTokenError

        try:
            yield client
        except (SchemaRegistryError, OAuthTokenError) as error:
            fail(str(error))


def client_for(
    needed_by: str,
    url: str | None,
    file: Path | None,
    properties: Iterable[str] | None,
    defaults: Mapping[str, Any] | None = None,
) -> SchemaRegistryClient:
    """Return the client that options, the configuration or the environment name.

    Args:
        needed_by: the command or option that needs the registry, for messages.
        url: value of --registry.
        file: value of -F.
        properties: values of -X.
        defaults: the configuration, unless the user sets another one.
    """
    config = registry_settings(url, file, properties)
    if not config:
        raise click.BadParameter(
            "needs a schema registry: give --registry URL, -X schema.registry.url=URL, the "
            "property in a file with -F or a profile with -C, or the environment variable "
            "SCHEMA_REGISTRY_URL",
            param_hint=needed_by,
        )
    try:
        from confluent_kafka.schema_registry import SchemaRegistryClient
    except ImportError:  # of httpx
        fail(f"{needed_by} {_EXTRA}")
    with configuring():
        return SchemaRegistryClient({**(defaults or {}), **config})


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
        raise click.BadParameter(f"{text!r} is neither the number of a version nor latest")
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
