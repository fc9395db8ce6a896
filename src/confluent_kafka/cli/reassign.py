"""``python -m confluent_kafka reassign``: move the replicas of partitions between brokers."""

from __future__ import annotations

import re
from typing import Annotated

import click

from confluent_kafka import TopicPartition
from confluent_kafka.cli.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    confirm,
    partition_of,
    settled,
    show,
)
from confluent_kafka.cli.commands import Group
from confluent_kafka.cli.declared import argument
from confluent_kafka.cli.ending import fail
from confluent_kafka.cli.settings import Brokers, File, Properties
from confluent_kafka.cli.terminal import counted
from confluent_kafka.cli.values import topic_name

app = Group(
    help="Move partitions to other brokers, list such moves, and cancel them.\n\n"
    "Exit status: 0 done, 1 the cluster refused, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka reassign start orders:0=1,2,3 -b localhost:9092",
        "confluent-kafka reassign list -F prod.properties",
    ),
)

_MOVE = re.compile(r"(.+):(\d+)=(\d+(?:,\d+)*)")


@app.command(
    name="list",
    examples=(
        "confluent-kafka reassign list -b localhost:9092",
        "confluent-kafka reassign list --json -F prod.properties",
    ),
)
def list_(
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """List the reassignments that are in progress."""
    with administering(brokers, config_file, properties, timeout) as admin:
        found = admin.list_partition_reassignments(request_timeout=timeout).result()
    show(
        ("topic", "partition", "replicas", "adding", "removing"),
        (
            (
                *(place.topic, place.partition, _ids(one.replicas)),
                *(_ids(one.adding_replicas), _ids(one.removing_replicas)),
            )
            for place, one in sorted(found.items())
        ),
        as_json,
    )


@app.command(
    examples=(
        "confluent-kafka reassign start orders:0=1,2,3 -b localhost:9092",
        "confluent-kafka reassign start orders:0=1,2,3 orders:1=2,3,1 \\\n    -F prod.properties",
    )
)
def start(
    moves: Annotated[
        list[str],
        argument(
            metavar="TOPIC:PARTITION=BROKER,...",
            help="Partitions with the brokers of their replicas. The first broker is the preferred "
            "leader.",
        ),
    ],
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    yes: Yes = False,
) -> None:
    """Move partitions to these brokers: `reassign start orders:0=1,2,3`."""
    wanted = dict(_move(text) for text in moves)
    confirm(f"Move {counted(len(wanted), 'partition')}?", yes)
    _alter(brokers, config_file, properties, timeout, wanted, "is being moved")


@app.command(
    examples=(
        "confluent-kafka reassign cancel orders:0 -b localhost:9092",
        "confluent-kafka reassign cancel orders:0 orders:1 --yes -F test.properties",
    )
)
def cancel(
    partitions: Annotated[list[str], argument(metavar="TOPIC:PARTITION", help="Partitions.")],
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    yes: Yes = False,
) -> None:
    """Cancel the reassignments of partitions. The replicas stay on their earlier brokers."""
    wanted = dict.fromkeys(partition_of(text) for text in partitions)
    confirm(f"Cancel {counted(len(wanted), 'reassignment')}?", yes)
    _alter(brokers, config_file, properties, timeout, wanted, "stays where it was")


def _alter(
    brokers: Brokers,
    config_file: File,
    properties: Properties,
    timeout: float,
    wanted: dict[TopicPartition, list[int]] | dict[TopicPartition, None],
    done: str,
) -> None:
    with administering(brokers, config_file, properties, timeout) as admin:
        asked = admin.alter_partition_reassignments(dict(wanted), request_timeout=timeout)
        named = {f"{place.topic}:{place.partition}": one for place, one in asked.items()}
        accepted, failures = settled("partition", named)
    for name in accepted:
        print(f"partition {name} {done}")
    if failures:
        fail(*failures)


def _move(text: str) -> tuple[TopicPartition, list[int]]:
    found = _MOVE.fullmatch(text)
    if found is None:
        raise click.BadParameter(f"{text!r}: needs TOPIC:PARTITION=BROKER,...")
    topic, partition, nodes = found.groups()
    return TopicPartition(topic_name(topic), int(partition)), [
        int(node) for node in nodes.split(",")
    ]


def _ids(nodes: list[int]) -> str:
    return ",".join(str(node) for node in nodes)
