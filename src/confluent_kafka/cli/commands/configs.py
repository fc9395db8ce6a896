"""``python -m confluent_kafka configs``: the configuration of topics, brokers and others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

import click

from confluent_kafka import KafkaException
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.base.values import name as name_of
from confluent_kafka.cli.base.values import number_type, topic_name
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    administering,
    answering_broker,
    check_broker,
    pairs,
    report_change,
    settled,
    show,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.shell.command import Group

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka.admin import AdminClient, ConfigEntry, ConfigResource

app = Group(
    help="Show and change the configuration of topics, brokers, loggers, groups and client "
    "metrics.\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka configs describe topic orders -b localhost:9092",
        "confluent-kafka configs set topic orders retention.ms=86400000 \\\n    -F prod.properties",
    ),
)

_T = TypeVar("_T")


class Kind(StrEnum):
    """The kinds of resources that have a configuration."""

    topic = "topic"
    broker = "broker"
    group = "group"
    broker_logger = "broker-logger"
    client_metrics = "client-metrics"


Of = Annotated[Kind, argument(help="Kind of the resource.")]
Name = Annotated[
    str,
    argument(
        # An empty text stands for the defaults of all brokers.
        type=click.STRING,
        help="The topic, the group, the client metrics, or the broker's id.",
    ),
]
Everything = Annotated[
    bool, option("--all", help="Also show the settings that have their default.")
]
Check = Annotated[bool, option("--check", help="Only validate the request, and change nothing.")]


@app.command(
    changes=False,
    name="list",
    examples=(
        "confluent-kafka configs list client-metrics -b localhost:9092",
        "confluent-kafka configs list --json -F prod.properties",
    ),
)
def list_(
    kind: Annotated[
        Kind | None,
        argument(help="Kind of the resources. Without it, the command lists all kinds."),
    ] = None,
    *,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """List the resources that have a configuration.

    These are all topics and brokers, and the groups and client metrics with settings of their own.
    """
    from confluent_kafka.admin import ResourceType

    with administering(connection, timeout) as admin:
        if kind is Kind.client_metrics:  # older brokers can list these, and no other kinds
            metrics = admin.list_client_metrics_resources(request_timeout=timeout).result()
            found = [(kind.value, each.name) for each in metrics]
        else:
            types = None if kind is None else {ResourceType[kind.name.upper()]}
            resources = admin.list_config_resources(types, request_timeout=timeout).result()
            found = [(Kind[each.restype.name.lower()].value, each.name) for each in resources]
    show(("kind", "name"), sorted(found), as_json)


@app.command(
    changes=False,
    examples=(
        "confluent-kafka configs describe topic orders -b localhost:9092",
        "confluent-kafka configs describe broker 1 --all --json -F prod.properties",
    ),
)
def describe(
    kind: Of,
    name: Name,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    everything: Everything = False,
) -> None:
    """Show the settings of a resource and their sources. Brokers hide sensitive values."""
    resource = _resource(kind, name)
    with administering(connection, timeout) as admin:
        show_settings(admin, resource, timeout, as_json, everything)


def show_settings(
    admin: AdminClient, resource: ConfigResource, timeout: float, as_json: bool, everything: bool
) -> None:
    """Show the settings of a resource.

    Args:
        admin: a connected client.
        resource: the resource.
        timeout: seconds to wait for the answer.
        as_json: value of --json.
        everything: whether to show the settings that have their default, too.
    """
    _check_broker(admin, resource, timeout)
    found = _answer(_described(admin, resource, timeout), resource)
    show(
        ("name", "value", "source"),
        (
            (entry.name, entry.value, entry.source.name.lower())
            for entry in sorted(found.values(), key=lambda entry: entry.name)
            if everything or not entry.is_default
        ),
        as_json,
    )


@app.command(
    changes=True,
    name="set",
    examples=(
        "confluent-kafka configs set topic orders retention.ms=86400000 \\\n    -b localhost:9092",
        "confluent-kafka configs set topic orders cleanup.policy=compact --check \\\n"
        "    -F prod.properties",
    ),
)
def set_(
    kind: Of,
    name: Name,
    values: Annotated[list[str], argument(metavar="NAME=VALUE...", help="Settings to change.")],
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    check: Check = False,
) -> None:
    """Change settings of a resource. All other settings stay as they are."""
    from confluent_kafka.admin import AlterConfigOpType, ConfigEntry

    changes = [
        ConfigEntry(key, value, incremental_operation=AlterConfigOpType.SET)
        for key, value in pairs(values, "NAME=VALUE").items()
    ]
    resource = _resource(kind, name, changes)
    with administering(connection, timeout) as admin:
        _alter(admin, resource, timeout, check, as_json)


@app.command(
    changes=True,
    examples=(
        "confluent-kafka configs unset topic orders retention.ms -b localhost:9092",
        "confluent-kafka configs unset broker 1 log.cleaner.threads --check \\\n"
        "    -F prod.properties",
    ),
)
def unset(
    kind: Of,
    name: Name,
    names: Annotated[list[str], argument(help="Settings to reset to their defaults.")],
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    check: Check = False,
) -> None:
    """Reset settings of a resource to their defaults."""
    from confluent_kafka.admin import AlterConfigOpType, ConfigEntry

    changes = [
        ConfigEntry(key, None, incremental_operation=AlterConfigOpType.DELETE) for key in names
    ]
    resource = _resource(kind, name, changes)
    with administering(connection, timeout) as admin:
        _alter(admin, resource, timeout, check, as_json)


def _resource(kind: Kind, name: str, changes: list[ConfigEntry] | None = None) -> ConfigResource:
    from confluent_kafka.admin import ConfigResource

    try:
        if kind is Kind.topic:
            topic_name(name)
        elif kind in (Kind.broker, Kind.broker_logger) and name:
            number_type(int, 0, None).convert(name, None, None)
        elif kind is not Kind.broker:
            name_of(name)
    except click.BadParameter as error:
        raise click.BadParameter(error.message, param_hint="NAME") from None
    return ConfigResource(kind.name, name, incremental_configs=changes)


def _alter(
    admin: AdminClient, resource: ConfigResource, timeout: float, check: bool, as_json: bool
) -> None:
    _check_broker(admin, resource, timeout)
    futures = admin.incremental_alter_configs(
        [resource], request_timeout=timeout, validate_only=check
    )
    _answer(futures, resource, lambda: _near(admin, resource, timeout))
    kind = resource.restype.name.lower()
    text = f"{kind} {resource.name} {'can be' if check else 'was'} changed"
    report_change(text, as_json, {"kind": kind, "name": resource.name}, not check)


def _check_broker(admin: AdminClient, resource: ConfigResource, timeout: float) -> None:
    # Without a name, the settings are the defaults of all brokers.
    if resource.restype.name in ("BROKER", "BROKER_LOGGER") and resource.name:
        check_broker(admin, int(resource.name), timeout)


def _described(
    admin: AdminClient, resource: ConfigResource, timeout: float
) -> dict[ConfigResource, Future[dict[str, ConfigEntry]]]:
    # The settings of a broker come from this broker.
    is_of_broker = resource.restype.name in ("BROKER", "BROKER_LOGGER")
    broker = None if is_of_broker else answering_broker(admin, timeout)
    return admin.describe_configs([resource], request_timeout=timeout, broker=broker)


def _near(admin: AdminClient, resource: ConfigResource, timeout: float) -> str:
    """Return a line that suggests the right names for unknown settings."""
    from confluent_kafka._suggestions import did_you_mean
    from confluent_kafka.admin import ConfigResource

    plain = ConfigResource(resource.restype, resource.name)
    try:
        known = _described(admin, plain, timeout)[plain].result()
    except KafkaException:
        return ""
    given = [each.name for each in resource.incremental_configs or () if each.name not in known]
    near = ((name, did_you_mean(name, known)) for name in given)
    return " ".join(f"{name}: {question}" for name, question in near if question)


def _answer(
    futures: Mapping[ConfigResource, Future[_T]],
    resource: ConfigResource,
    advice: Callable[[], str] = str,
) -> _T:
    """Wait for the answer about a resource. A refusal ends the command and names the resource."""
    kind = resource.restype.name.lower()
    found, failures = settled(kind, {resource.name: futures[resource]})
    if failures:
        fail(*failures, advice=advice())
    return found[resource.name]
