"""``python -m confluent_kafka reassign``: move the replicas of partitions between brokers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail, note, report
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.base.values import topic_name
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    confirm,
    report_change,
    settled,
    show,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.reassignment.disks import move_disk
from confluent_kafka.cli.reassignment.planning import assignments, plan, read_plan, verify
from confluent_kafka.cli.reassignment.throttle import set_throttle, take_back
from confluent_kafka.cli.shell.command import Group
from confluent_kafka.cli.topics.names import existing
from confluent_kafka.cli.topics.selection import Selection, no_partition, selection

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka.admin import AdminClient, PartitionReassignment
    from confluent_kafka.cli.topics.place import Place

app = Group(
    help="Move partitions to other brokers or disks, list such moves, and cancel them.\n\n"
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
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """List the reassignments that are in progress."""
    with administering(connection, timeout) as admin:
        found = _moves(admin, timeout)
    _show(found, as_json)


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
    *,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
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

    Before it asks, the command shows the brokers now and after the move.
    """
    if (moves is None) == (file is None):
        raise click.BadParameter("give either partitions or --file", param_hint="--file")
    wanted = read_plan(file) if file is not None else dict(_move(text) for text in moves or [])
    with administering(connection, timeout) as admin:
        if throttle is not None or not yes:
            current = _current(admin, wanted, timeout)
        if not yes:
            rows = ((*place, current[place], nodes) for place, nodes in wanted.items())
            show(("topic", "partition", "replicas", "new"), rows, as_json=False)
        confirm(f"Move {counted(len(wanted), 'partition')}?", yes)
        if throttle is not None:
            before = set_throttle(admin, current, wanted, throttle, timeout)
        asked = _requested(admin, wanted, timeout)
        if throttle is not None:
            moving = {place: wanted[place] for place, one in asked.items() if not _is_refused(one)}
            failures = take_back(admin, before, current, moving, timeout)
            note(*(f"not undone: {line}" for line in failures))
        _report(asked, "is being moved", as_json)


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
        "confluent-kafka reassign cancel orders:0,1 payments -b localhost:9092",
        "confluent-kafka reassign cancel --all --yes -F test.properties",
    ),
)
def cancel(
    partitions: Annotated[
        list[Selection] | None,
        argument(
            metavar="[TOPIC[:PARTITION,...]...]",
            parse=selection,
            help="Topics with all their moves, or with some partitions, as in orders:0,2.",
        ),
    ] = None,
    *,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    every: Annotated[bool, option("--all", help="Cancel all reassignments.")] = False,
    yes: Yes = False,
) -> None:
    """Cancel the reassignments of partitions. The replicas stay on their earlier brokers.

    Before it asks, the command shows the reassignments.
    """
    if bool(partitions) == every:
        raise click.BadParameter("give either partitions or --all", param_hint="--all")
    with administering(connection, timeout) as admin:
        found = _moves(admin, timeout)
        if every and not found:
            if not as_json:
                report("no partition is being moved")
            return
        wanted = _moving(admin, found, partitions, timeout) if partitions else list(found)
        moving = {place: found[place] for place in wanted if place in found}
        if moving and not yes and not as_json:
            _show(moving, as_json=False)
        confirm(f"Cancel {counted(len(wanted), 'reassignment')}?", yes)
        asked = _requested(admin, dict.fromkeys(wanted), timeout)
        _report(asked, "stays where it was", as_json)


def _moving(
    admin: AdminClient, found: Iterable[Place], selections: list[Selection], timeout: float
) -> list[Place]:
    """Return the partitions to cancel. End the command if a topic has none.

    The brokers refuse a partition that is named and is not being moved.
    """
    moving = {
        each: (
            [place for place in found if each.has(place)]
            if each.partitions is None
            else [(each.topic, number) for number in sorted(each.partitions)]
        )
        for each in selections
    }
    if idle := [each.topic for each, places in moving.items() if not places]:
        existing(admin, idle, timeout)
        fail(*(f"topic {name!r} has no partition that is being moved" for name in idle))
    return list(dict.fromkeys(place for places in moving.values() for place in places))


def _moves(admin: AdminClient, timeout: float) -> dict[Place, PartitionReassignment]:
    """Return the reassignments that are in progress."""
    found = admin.list_partition_reassignments(request_timeout=timeout).result()
    return {(place.topic, place.partition): one for place, one in sorted(found.items())}


def _show(moves: Mapping[Place, PartitionReassignment], as_json: bool) -> None:
    show(
        ("topic", "partition", "replicas", "adding", "removing"),
        (
            (*place, _ids(one.replicas), _ids(one.adding_replicas), _ids(one.removing_replicas))
            for place, one in moves.items()
        ),
        as_json,
    )


def _requested(
    admin: AdminClient, wanted: Mapping[Place, list[int] | None], timeout: float
) -> dict[Place, Future[None]]:
    """Ask the brokers to move partitions. None cancels the reassignment of a partition."""
    places = {TopicPartition(*place): nodes for place, nodes in wanted.items()}
    asked = admin.alter_partition_reassignments(places, request_timeout=timeout)
    return {(place.topic, place.partition): one for place, one in asked.items()}


def _is_refused(answer: Future[None]) -> bool:
    """Return whether it is certain that a partition does not move. After a timeout, it may move."""
    from confluent_kafka.admin._embedded import is_unsupported

    error = answer.exception()
    if not isinstance(error, KafkaException):
        return False
    is_answer = error.args[0].code() > 0 and error.args[0].code() != KafkaError.REQUEST_TIMED_OUT
    return is_answer or is_unsupported(error)


def _report(asked: Mapping[Place, Future[None]], done: str, as_json: bool) -> None:
    """Report what was done, and end the command if something failed."""
    named = {f"{topic}:{number}": one for (topic, number), one in asked.items()}
    accepted, failures = settled("partition", named)
    for name in accepted:
        report_change(f"partition {name} {done}", as_json, {"partition": name})
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
app.command(
    name="move-disk",
    changes=True,
    examples=(
        "confluent-kafka reassign move-disk orders:0 --broker 1 --to /mnt/disk2 \\\n"
        "    -b localhost:9092",
        "confluent-kafka reassign move-disk orders payments --broker 1 \\\n"
        "    --to /mnt/disk2 --yes -F test.properties",
    ),
)(move_disk)
