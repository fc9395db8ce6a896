"""``reassign move-disk``: move replicas to another log directory of their broker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail, note, report
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    check_broker,
    confirm,
    report_change,
    settled,
    show,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.topics.names import partitions_of
from confluent_kafka.cli.topics.selection import Selection, selection

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient, LogDirDescription
    from confluent_kafka.cli.topics.place import Place


def move_disk(
    partitions: Annotated[
        list[Selection],
        argument(
            metavar="TOPIC[:PARTITION,...]...",
            parse=selection,
            help="Topics with all their replicas on the broker, or with some partitions, as in "
            "orders:0,2.",
        ),
    ],
    broker: Annotated[int, option(min=0, help="Broker that has the replicas.")],
    to: Annotated[str, option("--to", metavar="PATH", help="New log directory of the replicas.")],
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    yes: Yes = False,
) -> None:
    """Move replicas to another log directory of their broker. Asks first.

    Before it asks, the command shows the directories now and after the move. The broker copies the
    replicas after the command has ended: `log-dirs --moving` shows the moves that are running.
    """
    with administering(connection, timeout) as admin:
        check_broker(admin, broker, timeout)
        asked = admin.describe_log_dirs([broker], request_timeout=timeout)
        directories = asked[broker].result()
        _check_directory(directories, broker, to)
        here = _directories_now(admin, directories, partitions, broker, timeout)
        if there := [f"{topic}:{number}" for (topic, number), path in here.items() if path == to]:
            note(f"already in {to}: {', '.join(there)}")
        moves = {place: path for place, path in here.items() if path != to}
        if not moves:
            if not as_json:
                report("no replica has to move")
            return
        if not yes and not as_json:
            rows = ((*place, path, to) for place, path in moves.items())
            show(("topic", "partition", "directory", "new"), rows, as_json=False)
        confirm(f"Move {counted(len(moves), 'replica')} of broker {broker}?", yes)
        _move(admin, moves, broker, to, timeout, as_json)


def _check_directory(directories: dict[str, LogDirDescription], broker: int, path: str) -> None:
    """End the command if a broker does not have this directory, or cannot use it."""
    if path not in directories:
        known = ", ".join(sorted(directories))
        fail(f"--to: broker {broker} has no log directory {path!r}, only {known}")
    error = directories[path].error
    if error is not None:
        fail(f"--to: broker {broker} cannot use {path!r}: {error.str()}")


def _directories_now(
    admin: AdminClient,
    directories: dict[str, LogDirDescription],
    partitions: list[Selection],
    broker: int,
    timeout: float,
) -> dict[Place, str]:
    """Return the directory of each replica. End the command if the broker does not have one."""
    found = {
        (place.topic, place.partition): path
        for path, directory in directories.items()
        for place, replica in directory.replicas.items()
        if not replica.is_future
    }
    places = [(one.topic, one.partition) for one in partitions_of(admin, partitions, timeout)]
    # An argument without partitions means all replicas of the topic on this broker.
    whole = {each.topic for each in partitions if each.partitions is None}
    if missing := [each for each in places if each not in found and each[0] not in whole]:
        fail(*(f"broker {broker} has no replica of {name}:{number}" for name, number in missing))
    if without := whole - {topic for topic, _ in found}:
        fail(*(f"broker {broker} has no replica of topic {name!r}" for name in sorted(without)))
    return {place: found[place] for place in places if place in found}


def _move(
    admin: AdminClient,
    moves: dict[Place, str],
    broker: int,
    path: str,
    timeout: float,
    as_json: bool,
) -> None:
    """Ask the broker to move replicas, and report which moves it has begun."""
    from confluent_kafka.admin import TopicPartitionReplica

    wanted = {TopicPartitionReplica(*place, broker): path for place in moves}
    futures = admin.alter_replica_log_dirs(wanted, request_timeout=timeout)
    named = {f"{one.topic}:{one.partition}": future for one, future in futures.items()}
    begun, failures = settled("replica", named)
    for name in begun:
        text = f"replica {name} of broker {broker} is being moved to {path}"
        report_change(text, as_json, {"partition": name, "broker": broker, "directory": path})
    if failures:
        fail(*failures)
