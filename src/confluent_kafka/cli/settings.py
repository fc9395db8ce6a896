"""The configuration of the commands that connect to a cluster: its address and credentials.

Later sources override earlier ones: the environment, the profile of ``-C`` or the file of ``-F``,
``-X``, ``--brokers``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import click

from confluent_kafka.cli.chosen_profile import chosen_profile
from confluent_kafka.cli.declared import CONNECTION as CONNECTION
from confluent_kafka.cli.declared import option
from confluent_kafka.cli.habits import PROPERTY_HINTS
from confluent_kafka.cli.values import ConfigFile

# Other variables that begin with KAFKA_ are for Java (KAFKA_HEAP_OPTS) or for containers.
_FROM_ENVIRONMENT = ("bootstrap.servers", "client.id", "group.id", "security.protocol")
_FAMILIES_FROM_ENVIRONMENT = ("sasl.", "ssl.", "https.")


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


def settings(
    brokers: str | None, file: Path | None, properties: Iterable[str] | None
) -> dict[str, Any]:
    """Return the configuration of the client.

    Args:
        brokers: value of --brokers.
        file: value of -F.
        properties: values of -X.

    Returns:
        The configuration for a Producer, Consumer or AdminClient. The log of librdkafka goes to
        stderr if "debug" is set. Otherwise it is not shown: the error that ends the command
        reports the failure.

    Raises:
        click.BadParameter: a value is not key=value, or there is no broker.
    """
    import logging

    config: dict[str, Any] = _from_environment(os.environ)
    profile = chosen_profile()
    if profile is not None:
        from confluent_kafka.cli.profile_file import properties_of

        config |= properties_of(profile)
    elif file is not None:
        from confluent_kafka.cli.config_files import read

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
    if brokers is not None:
        config["bootstrap.servers"] = brokers
    if not config.get("bootstrap.servers") and not config.get("metadata.broker.list"):
        raise click.BadParameter(
            "no brokers: give --brokers HOST:PORT, -X bootstrap.servers=HOST:PORT, a file with "
            "-F, a profile with -C, or the environment variable KAFKA_BOOTSTRAP_SERVERS",
            param_hint="--brokers",
        )
    logger = logging.Logger("confluent_kafka.cli")
    logger.addHandler(logging.StreamHandler() if config.get("debug") else logging.NullHandler())
    return config | {"logger": logger}


def _from_environment(environment: Mapping[str, str]) -> dict[str, str]:
    config = {}
    for name, value in environment.items():
        if name.startswith("KAFKA_"):
            key = name.removeprefix("KAFKA_").lower().replace("_", ".")
            if key in _FROM_ENVIRONMENT or key.startswith(_FAMILIES_FROM_ENVIRONMENT):
                config[key] = value
    return config
