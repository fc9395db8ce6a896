"""``reassign plan`` and ``reassign verify``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail, note
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.base.values import topic_or_pattern
from confluent_kafka.cli.connection.administration import AsJson, Timeout, administering, show
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.topics.names import existing

if TYPE_CHECKING:
    from confluent_kafka import TopicPartition
    from confluent_kafka.admin import AdminClient, PartitionReassignment, TopicMetadata
    from confluent_kafka.cli.topics.place import Place


def plan(
    topics: Annotated[
        list[str] | None,
        argument(
            parse=topic_or_pattern,
            help="Topics, or regular expressions, which begin with ^. With --drain, by default all "
            "topics.",
        ),
    ] = None,
    *,
    connection: Connection,
    timeout: Timeout = 30,
    onto: Annotated[
        list[int] | None,
        option(
            "--onto",
            min=0,
            metavar="ID",
            help="Move replicas only to this broker. Can be given more than once. By default, to "
            "all brokers that are up.",
        ),
    ] = None,
    drain: Annotated[
        list[int] | None,
        option(
            "--drain",
            min=0,
            metavar="ID",
            help="Move all replicas away from this broker. Can be given more than once.",
        ),
    ] = None,
    replicas: Annotated[
        int | None,
        option("--replicas", "-r", min=1, help="New number of replicas of each partition."),
    ] = None,
) -> None:
    """Write a plan that moves replicas to stdout, as JSON, and change nothing.

    The plan puts about the same number of replicas on each broker, the replicas of a partition on
    different racks, and copies as few replicas as possible. With --drain, it moves only the
    replicas of this broker. `reassign start --file` and kafka-reassign-partitions.sh read the
    plan.
    """
    from confluent_kafka.cli.reassignment import plan as reassignment_plan
    from confluent_kafka.cli.reassignment.file import written

    if topics is None and not drain:
        raise click.BadParameter("give topics, '^' for all topics, or --drain", param_hint="TOPICS")
    with administering(connection, timeout) as admin:
        current = assignments(existing(admin, topics, timeout))
        racks = _racks(admin, onto, drain or [], timeout)
    try:
        moves = reassignment_plan.plan(current, racks, replicas=replicas, rebalance=not drain)
    except ValueError as error:
        fail(str(error))
    print(written(moves))
    copies = sum(len(set(nodes) - set(current[place])) for place, nodes in moves.items())
    note(
        f"{counted(len(moves), 'partition')} of {len(current):,} would change, and "
        f"{counted(copies, 'replica')} would be copied"
    )


def assignments(topics: Mapping[str, TopicMetadata]) -> dict[Place, list[int]]:
    """Return the brokers of each partition.

    Args:
        topics: topics by name.
    """
    return {
        (name, number): list(partition.replicas)
        for name, topic in topics.items()
        for number, partition in sorted(topic.partitions.items())
    }


def _racks(
    admin: AdminClient, onto: Sequence[int] | None, drain: Sequence[int], timeout: float
) -> dict[int, str | None]:
    """Return the racks of the brokers that may have replicas."""
    cluster = admin.describe_cluster(request_timeout=timeout).result()
    racks = {node.id: node.rack for node in cluster.nodes}
    missing = [str(node) for node in onto or [] if node not in racks]
    if missing:
        known = ", ".join(map(str, sorted(racks)))
        fail(f"there is no broker {', '.join(missing)}, only {known}")
    # A broker to drain may be down.
    return {
        node: rack
        for node, rack in sorted(racks.items())
        if node not in drain and (onto is None or node in onto)
    }


def read_plan(file: Path) -> dict[Place, list[int]]:
    """Return the plan in a file. A file that is not a plan is wrong usage.

    Args:
        file: the file.
    """
    from confluent_kafka.cli.reassignment.file import read

    try:
        return read(file.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise click.BadParameter(f"{file}: {error}", param_hint="FILE") from None


def verify(
    file: Annotated[Path, argument(exists=True, help="The plan, as `reassign plan` writes it.")],
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    keep_throttle: Annotated[
        bool, option(help="Do not remove the throttle when all partitions are done.")
    ] = False,
) -> None:
    """Show which partitions of a plan have moved. When all have, remove the throttle.

    Exit status: 0 all partitions are done, 1 they are not, or the command failed, 2 wrong usage,
    130 Ctrl-C.
    """
    from confluent_kafka.cli.reassignment.throttle import remove_throttle

    wanted = read_plan(file)
    names = sorted({topic for topic, _ in wanted})
    with administering(connection, timeout) as admin:
        moving = admin.list_partition_reassignments(request_timeout=timeout).result()
        current = assignments(existing(admin, names, timeout))
        states = _states(wanted, current, moving)
        show(
            ("topic", "partition", "state", "replicas", "wanted"),
            (
                (topic, number, state, current.get((topic, number)), wanted[topic, number])
                for (topic, number), state in states.items()
            ),
            as_json,
        )
        left = sum(state != "done" for state in states.values())
        if left:
            fail(f"{counted(left, 'partition')} of {len(states):,} not done")
        if not keep_throttle:
            known = admin.list_topics(timeout=timeout).brokers
            for each in remove_throttle(admin, names, sorted(known), timeout):
                note(f"removed the throttle of {each}")


def _states(
    wanted: Mapping[Place, Sequence[int]],
    current: Mapping[Place, Sequence[int]],
    moving: Mapping[TopicPartition, PartitionReassignment],
) -> dict[Place, str]:
    """Return `moving`, `done`, or `not started` for each partition."""
    busy = {(place.topic, place.partition) for place in moving}
    return {
        place: "moving"
        if place in busy
        else "done"
        if list(nodes) == current.get(place)
        else "not started"
        for place, nodes in sorted(wanted.items())
    }
