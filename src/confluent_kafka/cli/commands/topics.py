"""``python -m confluent_kafka topics``: list, describe, create, grow and delete topics."""

from __future__ import annotations

from typing import Annotated

from confluent_kafka.cimpl import NewPartitions
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
    report_change,
)
from confluent_kafka.cli.connection.chosen_profile import when
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.shell.command import Group
from confluent_kafka.cli.topics.apply import apply
from confluent_kafka.cli.topics.creation import Check, create
from confluent_kafka.cli.topics.listing import list_
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


app.command(
    changes=False,
    name="list",
    examples=(
        "confluent-kafka topics list -b localhost:9092",
        "confluent-kafka topics list '^orders-' --ids --json -F prod.properties",
    ),
)(list_)
app.command(
    changes=False,
    examples=(
        "confluent-kafka topics describe --under-replicated -b localhost:9092",
        "confluent-kafka topics describe orders '^payments-' --json -F prod.properties",
    ),
)(describe)


app.command(
    changes=True,
    examples=(
        "confluent-kafka topics create orders --partitions 6 --replicas 3 \\\n"
        "    -b localhost:9092",
        "confluent-kafka topics create orders-2 --like orders --check \\\n    -F prod.properties",
    ),
)(create)


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
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    check: Check = False,
) -> None:
    """Add partitions to a topic. New messages with a key can then go to another partition."""
    with administering(connection, timeout) as admin:
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
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    yes: Yes = False,
    if_exists: Annotated[
        bool, option(help="Ignore topics that do not exist, instead of exit status 1.")
    ] = False,
) -> None:
    """Delete topics and all their messages."""
    confirm(f"Delete {', '.join(topics)} and all messages?", yes)
    with administering(connection, timeout) as admin:
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
