"""``python -m confluent_kafka reassign``: move the replicas of partitions between brokers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from confluent_kafka import TopicPartition
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail, report
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.base.values import topic_name
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    confirm,
    partition_of,
    settled,
    show,
)
from confluent_kafka.cli.connection.settings import Brokers, File, Properties
from confluent_kafka.cli.reassignment.planning import assignments, plan, read_plan, verify
from confluent_kafka.cli.shell.command import Group
from confluent_kafka.cli.topics.names import existing
from confluent_kafka.cli.topics.selection import no_partition

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient
    from confluent_kafka.cli.topics.place import Place

app = Group(
    help="Move partitions to other brokers, list such moves, and cancel them.\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka reassign start orders:0=1,2,3 -b localhost:9092",
        "confluent-kafka reassign list -F prod.properties",
    ),
)

_MOVE = re.compile(r"(.+):(\d+)=(\d+(?:,\d+)*)")


@app.command(
    changes=False,
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
    changes=True,
    examples=(
        "confluent-kafka reassign start orders:0=1,2,3 -b localhost:9092",
        "confluent-kafka reassign start --file plan.json --throttle 10000000 \\\n"
        "    -F prod.properties",
    ),
)
def start(
    moves: Annotated[
        list[str] | None,
        argument(
            metavar="[TOPIC:PARTITION=BROKER,...]",
            help="Partitions with the brokers of their replicas. The first broker is the preferred "
            "leader.",
        ),
    ] = None,
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    file: Annotated[
        Path | None,
        option("--file", exists=True, help="Plan to carry out, as `reassign plan` writes it."),
    ] = None,
    throttle: Annotated[
        int | None,
        option(
            min=1,
            metavar="BYTES",
            help="Copy at most this number of bytes a second to or from each broker. `reassign "
            "verify` removes the limit.",
        ),
    ] = None,
    yes: Yes = False,
) -> None:
    """Move partitions to these brokers: `reassign start orders:0=1,2,3`. Asks first.

    When it asks, the command shows the brokers now and after the move.
    """
    if (moves is None) == (file is None):
        raise click.BadParameter("give either partitions or --file", param_hint="--file")
    wanted = read_plan(file) if file is not None else dict(_move(text) for text in moves or [])
    with administering(brokers, config_file, properties, timeout) as admin:
        if throttle is not None or not yes:
            current = _current(admin, wanted, timeout)
        if not yes:
            rows = ((*place, current[place], nodes) for place, nodes in wanted.items())
            show(("topic", "partition", "replicas", "new"), rows, as_json=False)
        confirm(f"Move {counted(len(wanted), 'partition')}?", yes)
        if throttle is not None:
            from confluent_kafka.cli.reassignment.throttle import set_throttle

            set_throttle(admin, current, wanted, throttle, timeout)
        _alter(
            admin,
            {TopicPartition(*place): nodes for place, nodes in wanted.items()},
            timeout,
            "is being moved",
        )


def _current(admin: AdminClient, wanted: Iterable[Place], timeout: float) -> dict[Place, list[int]]:
    """Return the brokers of partitions now. End the command if one does not exist."""
    names = list(dict.fromkeys(topic for topic, _ in wanted))
    found = assignments(existing(admin, names, timeout))
    missing = [place for place in wanted if place not in found]
    if missing:
        known = {name: [number for topic, number in found if topic == name] for name in names}
        fail(*(no_partition(topic, number, known[topic]) for topic, number in missing))
    return found


@app.command(
    changes=True,
    examples=(
        "confluent-kafka reassign cancel orders:0 -b localhost:9092",
        "confluent-kafka reassign cancel orders:0 orders:1 --yes -F test.properties",
    ),
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
    with administering(brokers, config_file, properties, timeout) as admin:
        _alter(admin, wanted, timeout, "stays where it was")


def _alter(
    admin: AdminClient,
    wanted: dict[TopicPartition, list[int]] | dict[TopicPartition, None],
    timeout: float,
    done: str,
) -> None:
    asked = admin.alter_partition_reassignments(dict(wanted), request_timeout=timeout)
    named = {f"{place.topic}:{place.partition}": one for place, one in asked.items()}
    accepted, failures = settled("partition", named)
    for name in accepted:
        report(f"partition {name} {done}")
    if failures:
        fail(*failures)


def _move(text: str) -> tuple[Place, list[int]]:
    found = _MOVE.fullmatch(text)
    if found is None:
        raise click.BadParameter(f"{text!r}: needs TOPIC:PARTITION=BROKER,...")
    topic, partition, nodes = found.groups()
    return (topic_name(topic), int(partition)), [int(node) for node in nodes.split(",")]


def _ids(nodes: list[int]) -> str:
    return ",".join(str(node) for node in nodes)


app.command(
    changes=False,
    examples=(
        "confluent-kafka reassign plan orders payments -b localhost:9092",
        "confluent-kafka reassign plan --drain 4 -F prod.properties",
    ),
)(plan)
app.command(
    changes=lambda given: not given["keep_throttle"],
    examples=(
        "confluent-kafka reassign verify plan.json -b localhost:9092",
        "confluent-kafka reassign verify plan.json --keep-throttle -F prod.properties",
    ),
)(verify)
