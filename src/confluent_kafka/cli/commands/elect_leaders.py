"""``python -m confluent_kafka elect-leaders``: let the preferred replicas lead again."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated

from confluent_kafka import KafkaError, TopicPartition
from confluent_kafka._values.options import ElectionType
from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail, report
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    confirm,
    show,
    show_changes,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.topics.names import by_name, partitions_of
from confluent_kafka.cli.topics.selection import Selection, selection_or_pattern

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient, PartitionMetadata

CHANGES = True
EXAMPLES = (
    "confluent-kafka elect-leaders -b localhost:9092",
    "confluent-kafka elect-leaders orders:0 --unclean -F prod.properties",
)


def elect_leaders(
    where: Annotated[
        list[Selection] | None,
        argument(
            parse=selection_or_pattern,
            metavar="[TOPIC[:PARTITION,...]...]",
            help="Topics with all their partitions, or some partitions. ^ begins a regular "
            "expression for topics. Without them, all partitions of the cluster.",
        ),
    ] = None,
    *,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    unclean: Annotated[
        bool,
        option(
            help="Let any replica lead the partitions that have no leader. Messages that this "
            "replica does not have are lost."
        ),
    ] = False,
    yes: Yes = False,
) -> None:
    """Make the first replica of each partition its leader again.

    The command shows the partitions that another replica has led. With --unclean, it shows the
    partitions that have no leader, and asks first.

    Exit status: 0 elected, or no election is needed, 1 failed, 2 wrong usage, 130 Ctrl-C.
    """
    with administering(connection, timeout) as admin:
        partitions = _partitions(admin, where, timeout)
        wanted = [
            place
            for place, one in partitions.items()
            if (one.leader < 0 if unclean else one.leader != one.replicas[0])
        ]
        if not wanted:
            if not as_json:
                print("no election is needed")
            return
        if unclean:
            if not (as_json and yes):
                _show_leaderless(wanted, partitions, (), as_json)
            confirm(
                f"Elect leaders of {counted(len(wanted), 'partition')}, and lose messages?", yes
            )
        errors = _elect(admin, wanted, unclean, timeout)
        done = {place: partitions[place] for place in wanted if place not in errors}
        if not unclean:
            show(
                ("topic", "partition", "before", "leader"),
                (
                    (place.topic, place.partition, _known(one.leader), one.replicas[0])
                    for place, one in done.items()
                ),
                as_json,
            )
        elif as_json:
            _show_leaderless(wanted, partitions, done, as_json)
        else:
            report(*(f"partition {name} has a leader" for name in by_name(done)))
        if errors:
            fail(
                *(
                    f"partition {name!r}: {error.str()}"
                    for name, error in zip(by_name(errors), errors.values(), strict=True)
                )
            )


def _show_leaderless(
    wanted: list[TopicPartition],
    partitions: dict[TopicPartition, PartitionMetadata],
    done: Collection[TopicPartition],
    as_json: bool,
) -> None:
    rows = {each: (each.topic, each.partition, partitions[each].replicas) for each in wanted}
    show_changes(("topic", "partition", "replicas"), rows, done, as_json)


def _known(leader: int) -> int | None:
    return None if leader < 0 else leader


def _partitions(
    admin: AdminClient, where: list[Selection] | None, timeout: float
) -> dict[TopicPartition, PartitionMetadata]:
    chosen = None if where is None else partitions_of(admin, where, timeout)
    topics = admin.list_topics(timeout=timeout).topics
    if chosen is None:
        chosen = [
            TopicPartition(name, number)
            for name, topic in sorted(topics.items())
            for number in sorted(topic.partitions)
        ]
    return {each: topics[each.topic].partitions[each.partition] for each in chosen}


def _elect(
    admin: AdminClient, wanted: list[TopicPartition], unclean: bool, timeout: float
) -> dict[TopicPartition, KafkaError]:
    """Elect leaders, and return the errors. A partition that has its leader by now has no error."""
    kind = ElectionType.UNCLEAN if unclean else ElectionType.PREFERRED
    answers = admin.elect_leaders(
        kind, wanted, request_timeout=timeout, operation_timeout=timeout
    ).result()
    return {
        place: error
        for place, error in answers.items()
        if error is not None and error.code() != KafkaError.ELECTION_NOT_NEEDED
    }
