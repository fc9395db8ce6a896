"""The configuration of the commands that connect to a cluster: its address and credentials.

Later sources override earlier ones: the environment, the profile of ``-C`` or the file of ``-F``,
``-X``, ``--brokers``.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import click

from confluent_kafka.cli.base.declared import CONNECTION as CONNECTION
from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.base.habits import PROPERTY_HINTS
from confluent_kafka.cli.base.values import ConfigFile
from confluent_kafka.cli.connection.chosen_profile import chosen_profile

# Other variables that begin with KAFKA_ are for Java (KAFKA_HEAP_OPTS) or for containers.
_FROM_ENVIRONMENT = ("bootstrap.servers", "client.id", "group.id", "security.protocol")
_FAMILIES_FROM_ENVIRONMENT = ("sasl.", "ssl.", "https.")
# Other variables that begin with SCHEMA_REGISTRY_ are for containers.
OF_REGISTRY = "schema.registry."
_NUMBERS_OF_REGISTRY = frozenset(
    {"timeout", "max.retries", "retries.wait.ms", "retries.max.wait.ms"}
)
_REGISTRY_FROM_ENVIRONMENT = ("url", "basic.auth.", "bearer.auth.", "ssl.")


Brokers = Annotated[
    str | None,
    option(
        "--brokers",
        "-b",
        panel=CONNECTION,
        metavar="HOST:PORT,...",
        help="Brokers for the first connection (bootstrap.servers).",
    ),
]
File = Annotated[
    Path | None,
    option(
        "--config-file",
        "-F",
        panel=CONNECTION,
        envvar="KAFKA_CONFIG_FILE",
        type=ConfigFile(),
        help="File of properties: librdkafka's, kcat's, or the client.properties of a Java client.",
    ),
]
Properties = Annotated[
    list[str] | None,
    option(
        "--property",
        "-X",
        panel=CONNECTION,
        metavar="KEY=VALUE",
        help="Configuration property of librdkafka. Can be given more than once.",
    ),
]
Registry = Annotated[
    str | None,
    option(
        "--registry",
        panel=CONNECTION,
        metavar="URL",
        help="Schema registry (schema.registry.url).",
    ),
]


class Connection(NamedTuple):
    """The options of a command that connects to a cluster."""

    brokers: Brokers = None
    config_file: File = None
    properties: Properties = None


def settings(connection: Connection) -> dict[str, Any]:
    """Return the configuration of the client.

    Args:
        connection: the options of the command.

    Returns:
        The configuration for a Producer, Consumer or AdminClient. The log of librdkafka goes to
        stderr if "debug" is set. Otherwise it is not shown: the error that ends the command
        reports the failure.

    Raises:
        click.BadParameter: a value is not key=value, or there is no broker.
    """
    import logging

    brokers, file, properties = connection
    config: dict[str, Any] = {
        key: value
        for key, value in _merged(file, properties, for_registry=False).items()
        if not key.startswith(OF_REGISTRY)
    }
    if brokers is not None:
        config["bootstrap.servers"] = brokers
    if not config.get("bootstrap.servers") and not config.get("metadata.broker.list"):
        _refuse_misspelt_brokers(config)
        raise click.BadParameter(
            "no brokers: give --brokers HOST:PORT, -X bootstrap.servers=HOST:PORT, a file with "
            "-F, a profile with -C, or the environment variable KAFKA_BOOTSTRAP_SERVERS",
            param_hint="--brokers",
        )
    logger = logging.Logger("confluent_kafka.cli")
    logger.addHandler(logging.StreamHandler() if config.get("debug") else logging.NullHandler())
    return config | {"logger": logger}


def _refuse_misspelt_brokers(config: Iterable[str]) -> None:
    """Name a property that is probably meant to be bootstrap.servers."""
    for name in config:
        if name.startswith("bootstrap.") and name != "bootstrap.servers":
            raise click.BadParameter(
                f"no brokers: there is no property {name}: did you mean 'bootstrap.servers'?",
                param_hint="--brokers",
            )


def registry_settings(
    url: str | None, file: Path | None, properties: Iterable[str] | None
) -> dict[str, Any]:
    """Return the configuration of the schema registry's client; empty if there is no registry.

    Args:
        url: value of --registry.
        file: value of -F.
        properties: values of -X.

    Raises:
        click.BadParameter: a value is not key=value.
    """
    merged = _merged(file, properties, for_registry=True)
    config: dict[str, Any] = {
        key.removeprefix(OF_REGISTRY): value
        for key, value in merged.items()
        if key.startswith(OF_REGISTRY)
    }
    if url is not None:
        config["url"] = url
    for key in _NUMBERS_OF_REGISTRY & config.keys():
        with contextlib.suppress(ValueError):  # the client reports a text that is no number
            config[key] = float(config[key]) if "." in config[key] else int(config[key])
    source = config.pop("basic.auth.credentials.source", "").upper()
    if source == "SASL_INHERIT":
        user, password = merged.get("sasl.username", ""), merged.get("sasl.password", "")
        config["basic.auth.user.info"] = f"{user}:{password}"
    return config if config.get("url") else {}


def _merged(
    file: Path | None, properties: Iterable[str] | None, for_registry: bool
) -> dict[str, str]:
    """Return the properties of the environment, of the profile or the file, and of -X."""
    config = _from_environment(os.environ)
    profile = chosen_profile()
    if profile is not None:
        from confluent_kafka.cli.connection.profile_file import properties_of

        config |= properties_of(profile, for_registry)
    elif file is not None:
        from confluent_kafka.cli.connection.config_files import read

        config |= read(file)
    for text in properties or ():
        key, equals, value = text.partition("=")
        if not equals or not key:
            # The message does not repeat the text, which may be a password.
            raise click.BadParameter("needs KEY=VALUE", param_hint="-X")
        name = key.strip()
        if name in PROPERTY_HINTS:
            raise click.BadParameter(
                f"no such property: {name}. {PROPERTY_HINTS[name]}", param_hint="-X"
            )
        config[name] = value
    return config


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    config = {}
    for name, value in environment.items():
        if name.startswith("KAFKA_"):
            key = name.removeprefix("KAFKA_").lower().replace("_", ".")
            if key in _FROM_ENVIRONMENT or key.startswith(_FAMILIES_FROM_ENVIRONMENT):
                config[key] = value
        elif name.startswith("SCHEMA_REGISTRY_"):
            key = name.lower().replace("_", ".")
            if key.removeprefix(OF_REGISTRY).startswith(_REGISTRY_FROM_ENVIRONMENT):
                config[key] = value
    return config
