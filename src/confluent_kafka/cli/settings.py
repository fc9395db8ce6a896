"""Where the commands that talk to a cluster get its address and credentials from.

Later ones win: the environment, the file of ``-F``, ``-X``, ``--brokers``.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

# Other variables that begin with KAFKA_ are Java's (KAFKA_HEAP_OPTS), or a container's.
_FROM_ENVIRONMENT = ("bootstrap.servers", "client.id", "group.id", "security.protocol")
_FAMILIES_FROM_ENVIRONMENT = ("sasl.", "ssl.", "https.")

Brokers = Annotated[
    str | None,
    typer.Option(
        "--brokers",
        "-b",
        metavar="HOST:PORT,...",
        help="Brokers to start from (bootstrap.servers).",
    ),
]
File = Annotated[
    Path | None,
    typer.Option(
        "--config-file",
        "-F",
        envvar="KAFKA_CONFIG_FILE",
        exists=True,
        dir_okay=False,
        help="File of key=value lines; # begins a comment.",
    ),
]
Properties = Annotated[
    list[str] | None,
    typer.Option(
        "--property",
        "-X",
        metavar="KEY=VALUE",
        help="Configuration property of librdkafka. Can be given more than once.",
    ),
]


def settings(
    brokers: str | None, file: Path | None, properties: Iterable[str] | None
) -> dict[str, Any]:
    """The client's configuration.

    Args:
        brokers: value of --brokers.
        file: value of -F.
        properties: values of -X.

    Returns:
        What Producer and Consumer take. Log records of librdkafka go to stderr if "debug" asks
        for them. Else they are not shown: what fails is said once, by the error that ends the
        command.

    Raises:
        typer.BadParameter: something is not key=value, or nothing names a broker.
    """
    config: dict[str, Any] = _from_environment(os.environ)
    if file is not None:
        config |= _from_file(file)
    for text in properties or ():
        key, equals, value = text.partition("=")
        if not equals or not key:
            # Not the text itself: it may be a password.
            raise typer.BadParameter("needs KEY=VALUE", param_hint="-X")
        config[key.strip()] = value
    if brokers is not None:
        config["bootstrap.servers"] = brokers
    if not config.get("bootstrap.servers") and not config.get("metadata.broker.list"):
        raise typer.BadParameter(
            "no brokers: give --brokers HOST:PORT, -X bootstrap.servers=HOST:PORT, a file with "
            "-F, or the environment variable KAFKA_BOOTSTRAP_SERVERS",
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


def _from_file(file: Path) -> dict[str, str]:
    config = {}
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{file}: {error}", param_hint="-F") from None
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise typer.BadParameter(f"{file}, line {number}: needs key=value", param_hint="-F")
        config[key.strip()] = value.strip()
    return config
