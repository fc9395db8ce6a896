"""The client of the schema registry that options, the configuration or the environment name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from confluent_kafka.cli.ending import configuring, fail
from confluent_kafka.cli.settings import registry_settings


def registry_client(
    url: str | None, file: Path | None, properties: Iterable[str] | None, option: str
) -> Any:
    """Return a SchemaRegistryClient.

    Args:
        url: value of --registry.
        file: value of -F.
        properties: values of -X.
        option: the option that needs the registry, for messages.
    """
    config = registry_settings(url, file, properties)
    if not config:
        raise click.BadParameter(
            "needs a schema registry: give --registry URL, -X schema.registry.url=URL, the "
            "property in a file with -F, or the environment variable SCHEMA_REGISTRY_URL",
            param_hint=option,
        )
    try:
        from confluent_kafka.schema_registry import SchemaRegistryClient
    except ImportError as error:
        fail(f"{option}: {error}")
    with configuring():
        return SchemaRegistryClient(config)
