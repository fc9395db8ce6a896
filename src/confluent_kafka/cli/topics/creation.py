"""``topics create``: a new topic, perhaps with the settings of another topic."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, NamedTuple

import click

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.cimpl import NewTopic
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.base.values import topic_name
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    administering,
    pairs,
    report_change,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.topics.names import existing
from confluent_kafka.cli.topics.states import overrides

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

# While a reassignment has a throttle, these settings name the replicas that it applies to.
_THROTTLED = ".replication.throttled.replicas"

Check = Annotated[bool, option("--check", help="Only validate the request, and change nothing.")]


class _Model(NamedTuple):
    """What a new topic copies from another topic."""

    partitions: int
    replicas: int
    configs: dict[str, str]


def create(
    topic: Annotated[str, argument(parse=topic_name, help="Topic.")],
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    partitions: Annotated[
        int,
        option(
            "--partitions",
            "-p",
            min=-1,
            help="Number of partitions; -1 is the default of the brokers.",
        ),
    ] = -1,
    replicas: Annotated[
        int,
        option(
            "--replicas", "-r", min=-1, help="Number of replicas; -1 is the default of the brokers."
        ),
    ] = -1,
    config: Annotated[
        list[str] | None,
        option(
            "--config",
            "-c",
            metavar="NAME=VALUE",
            help="Setting of the topic. Can be given more than once.",
        ),
    ] = None,
    assignment: Annotated[
        list[str] | None,
        option(
            "--assign",
            metavar="BROKER,...",
            help="Brokers of the replicas of partition 0, the preferred leader first. Give it once "
            "for each partition, instead of --partitions and --replicas.",
        ),
    ] = None,
    like: Annotated[
        str | None,
        option(
            "--like",
            parse=topic_name,
            metavar="TOPIC",
            help="Topic with the same partitions, replicas and settings. Other options take "
            "precedence.",
        ),
    ] = None,
    check: Check = False,
    if_not_exists: Annotated[
        bool, option(help="Do nothing if the topic exists, instead of exit status 1.")
    ] = False,
) -> None:
    """Create a topic."""
    configs = pairs(config or [], "--config")
    assigned = [_brokers_of(text) for text in assignment or []]
    if assigned and (partitions, replicas) != (-1, -1):
        raise click.BadParameter(
            "cannot be combined with --partitions and --replicas", param_hint="--assign"
        )
    with administering(connection, timeout) as admin:
        if like is not None:
            old = _model(admin, like, timeout)
            configs = old.configs | configs
            if not assigned:
                partitions = old.partitions if partitions == -1 else partitions
                replicas = old.replicas if replicas == -1 else replicas
        new = (
            NewTopic(topic, replica_assignment=assigned, config=configs)
            if assigned
            else NewTopic(topic, partitions, replicas, config=configs)
        )
        futures = admin.create_topics(
            [new], operation_timeout=timeout, request_timeout=timeout, validate_only=check
        )
        try:
            futures[topic].result()
        except KafkaException as error:
            if not if_not_exists or error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise
            report_change(f"topic {topic} exists already", as_json, {"topic": topic}, False)
            return
    text = f"topic {topic} {'can be' if check else 'was'} created"
    report_change(text, as_json, {"topic": topic}, not check)


def _brokers_of(text: str) -> list[int]:
    """Return the brokers that a value of --assign names."""
    if not re.fullmatch(r"\d+(,\d+)*", text):
        raise click.BadParameter(f"{text!r}: needs BROKER,...", param_hint="--assign")
    return [int(node) for node in text.split(",")]


def _model(admin: AdminClient, topic: str, timeout: float) -> _Model:
    """Return what is copied from a topic. End the command if the topic does not exist."""
    partitions = existing(admin, [topic], timeout)[topic].partitions.values()
    settings, failures = overrides(admin, [topic], timeout)
    if failures:
        fail(*failures)
    return _Model(
        len(partitions),
        # A partition that is moving has its old and its new replicas.
        min(len(each.replicas) for each in partitions),
        {
            name: value
            for name, value in settings[topic].items()
            if value is not None and not name.endswith(_THROTTLED)
        },
    )
