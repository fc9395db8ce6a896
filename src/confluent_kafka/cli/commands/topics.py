"""``python -m confluent_kafka topics``: list, describe, create, grow and delete topics."""

from __future__ import annotations

import re
from typing import Annotated

import click

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.cimpl import NewPartitions, NewTopic
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.base.values import topic_name
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    confirm,
    pairs,
    report_change,
    show,
)
from confluent_kafka.cli.connection.chosen_profile import when
from confluent_kafka.cli.connection.settings import Brokers, File, Properties
from confluent_kafka.cli.shell.command import Group
from confluent_kafka.cli.topics.apply import apply
from confluent_kafka.cli.topics.names import settled_topics
from confluent_kafka.cli.topics.offsets import delete_records, offsets
from confluent_kafka.cli.topics.replicas import compare_replicas
from confluent_kafka.cli.topics.states import describe

app = Group(
    help="List, describe, create, grow and delete topics.\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka topics create orders --partitions 6 -b localhost:9092",
        "confluent-kafka topics describe orders -F prod.properties",
    ),
)

Name = Annotated[str, argument(parse=topic_name, help="Topic.")]
Names = Annotated[list[str], argument(parse=topic_name, help="Topics.")]
Check = Annotated[bool, option("--check", help="Only validate the request, and change nothing.")]


@app.command(
    changes=False,
    name="list",
    examples=(
        "confluent-kafka topics list -b localhost:9092",
        "confluent-kafka topics list --internal --json -F prod.properties",
    ),
)
def list_(
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    internal: Annotated[
        bool,
        option(help="Also show internal topics, whose names begin with two underscores."),
    ] = False,
) -> None:
    """List the topics with their partitions and replicas."""
    with administering(brokers, config_file, properties, timeout) as admin:
        topics = admin.list_topics(timeout=timeout).topics
    show(
        ("topic", "partitions", "replicas"),
        (
            (
                name,
                len(topic.partitions),
                max((len(one.replicas) for one in topic.partitions.values()), default=0),
            )
            for name, topic in sorted(topics.items())
            if internal or not name.startswith("__")
        ),
        as_json,
    )


app.command(
    changes=False,
    examples=(
        "confluent-kafka topics describe --under-replicated -b localhost:9092",
        "confluent-kafka topics describe orders '^payments-' --json -F prod.properties",
    ),
)(describe)


@app.command(
    changes=True,
    examples=(
        "confluent-kafka topics create orders --partitions 6 --replicas 3 \\\n"
        "    -b localhost:9092",
        "confluent-kafka topics create orders -c cleanup.policy=compact --check \\\n"
        "    -F prod.properties",
    ),
)
def create(
    topic: Name,
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
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
    with administering(brokers, config_file, properties, timeout) as admin:
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


@app.command(
    changes=True,
    examples=(
        "confluent-kafka topics grow orders 12 -b localhost:9092",
        "confluent-kafka topics grow orders 12 --check -F prod.properties",
    ),
)
def grow(
    topic: Name,
    partitions: Annotated[int, argument(min=1, help="New number of partitions.")],
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    check: Check = False,
) -> None:
    """Add partitions to a topic. New messages with a key can then go to another partition."""
    with administering(brokers, config_file, properties, timeout) as admin:
        futures = admin.create_partitions(
            [NewPartitions(topic, partitions)],
            operation_timeout=timeout,
            request_timeout=timeout,
            validate_only=check,
        )
        futures[topic].result()
    text = f"topic {topic} {'can have' if check else 'has'} {counted(partitions, 'partition')}"
    report_change(text, as_json, {"topic": topic, "partitions": partitions}, not check)


@app.command(
    changes=True,
    examples=(
        "confluent-kafka topics delete orders -b localhost:9092",
        "confluent-kafka topics delete orders payments --yes -F test.properties",
    ),
)
def delete(
    topics: Names,
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    yes: Yes = False,
    if_exists: Annotated[
        bool, option(help="Ignore topics that do not exist, instead of exit status 1.")
    ] = False,
) -> None:
    """Delete topics and all their messages."""
    confirm(f"Delete {', '.join(topics)} and all messages?", yes)
    with administering(brokers, config_file, properties, timeout) as admin:
        if if_exists:
            known = admin.list_topics(timeout=timeout).topics
            topics = [name for name in topics if name in known]
        if not topics:
            return
        names = list(dict.fromkeys(topics))
        futures = admin.delete_topics(names, operation_timeout=timeout, request_timeout=timeout)
        deleted, failures = settled_topics(admin, futures, timeout)
        for name in deleted:
            report_change(f"topic {name} was deleted", as_json, {"topic": name})
        if failures:
            fail(*failures)


app.command(
    changes=False,
    examples=(
        "confluent-kafka topics offsets orders -b localhost:9092",
        "confluent-kafka topics offsets orders --at earliest -F prod.properties",
    ),
)(offsets)
app.command(
    changes=True,
    examples=(
        "confluent-kafka topics delete-records orders:0 --before 500 -b localhost:9092",
        "confluent-kafka topics delete-records orders --before 2026-01-31T12:00Z \\\n"
        "    -F prod.properties",
    ),
)(delete_records)
app.command(
    changes=when("execute"),
    examples=(
        "confluent-kafka topics apply topics.toml -b localhost:9092",
        "confluent-kafka topics apply topics.toml --execute -F prod.properties",
    ),
)(apply)
app.command(
    changes=False,
    name="compare-replicas",
    examples=(
        "confluent-kafka topics compare-replicas orders -b localhost:9092",
        "confluent-kafka topics compare-replicas orders:0,2 --json -F prod.properties",
    ),
)(compare_replicas)
