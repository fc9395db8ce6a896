"""``python -m confluent_kafka groups``: consumer groups, their members and their lag."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

from confluent_kafka import (
    ConsumerGroupState,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    TopicPartition,
)
from confluent_kafka.cli.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    confirm,
    settled,
    show,
)
from confluent_kafka.cli.commands import Group
from confluent_kafka.cli.declared import argument, option
from confluent_kafka.cli.ending import fail
from confluent_kafka.cli.settings import Brokers, File, Properties

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka.admin import AdminClient, ListOffsetsResultInfo

app = Group(
    help="List, describe and delete consumer groups.\n\n"
    "Exit status: 0 done, 1 the cluster refused, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka groups list -b localhost:9092",
        "confluent-kafka groups describe billing -F prod.properties",
    ),
)

# A group can have offsets for topics that were deleted, or that this user may not read.
_NO_END = frozenset(
    {
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError._UNKNOWN_TOPIC,
        KafkaError._UNKNOWN_PARTITION,
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.LEADER_NOT_AVAILABLE,
    }
)
_COLUMNS = ("topic", "partition", "committed", "end", "lag", "member", "client", "host")


@app.command(
    name="list",
    examples=(
        "confluent-kafka groups list -b localhost:9092",
        "confluent-kafka groups list --json -F prod.properties",
    ),
)
def list_(
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """List the groups with their states and types."""
    with administering(brokers, config_file, properties, timeout) as admin:
        found = admin.list_consumer_groups(request_timeout=timeout).result()
        for error in found.errors or []:
            raise KafkaException(error)
    show(
        ("group", "state", "type"),
        (
            (
                group.group_id,
                None if group.state is None else group.state.name.lower(),
                None if group.type is None else group.type.name.lower(),
            )
            for group in sorted(found.valid or [], key=lambda group: group.group_id)
        ),
        as_json,
    )


@app.command(
    examples=(
        "confluent-kafka groups describe billing -b localhost:9092",
        "confluent-kafka groups describe billing --watch 5 -F prod.properties",
    )
)
def describe(
    group: Annotated[str, argument(help="Group to describe.")],
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    watch: Annotated[
        float | None,
        option(min=0.1, help="Refresh the table after this many seconds, until Ctrl-C."),
    ] = None,
) -> None:
    """Show each partition of a group: committed offset, end, lag, and the member that reads it.

    The end is unknown if the partition was deleted, or if this user may not read it.
    """
    with administering(brokers, config_file, properties, timeout) as admin:
        rows = _rows(admin, group, timeout)
        if watch is None:
            show(_COLUMNS, rows, as_json)
            return
        if as_json or not sys.stdout.isatty():
            while True:
                show(_COLUMNS, rows, as_json)
                time.sleep(watch)
                rows = _rows(admin, group, timeout)
        from confluent_kafka.cli.tables import watched

        with watched(_COLUMNS) as update:
            while True:
                update(rows)
                time.sleep(watch)
                rows = _rows(admin, group, timeout)


def _rows(admin: AdminClient, group: str, timeout: float) -> list[list[Any]]:
    """Return a row for each partition that has a committed offset or a member."""
    described = admin.describe_consumer_groups([group], request_timeout=timeout)[group].result()
    request = [ConsumerGroupTopicPartitions(group)]
    offsets = admin.list_consumer_group_offsets(request, request_timeout=timeout)[group].result()
    committed = {
        (place.topic, place.partition): place.offset for place in offsets.topic_partitions or []
    }
    if described.state is ConsumerGroupState.DEAD and not committed:
        fail(f"group {group!r} does not exist")
    readers = {
        (place.topic, place.partition): member
        for member in described.members
        if member.assignment is not None
        for place in member.assignment.topic_partitions
    }
    places = sorted(committed | readers)
    ends = _ends(admin, places, timeout)
    rows = []
    for topic, partition in places:
        offset = committed.get((topic, partition), -1)
        end = ends[topic, partition]
        member = readers.get((topic, partition))
        rows.append(
            [
                topic,
                partition,
                offset if offset >= 0 else None,
                end,
                max(0, end - offset) if offset >= 0 and end is not None else None,
                *((member.member_id, member.client_id, member.host) if member else (None,) * 3),
            ]
        )
    return rows


def _ends(
    admin: AdminClient, places: list[tuple[str, int]], timeout: float
) -> dict[tuple[str, int], int | None]:
    from confluent_kafka.admin import OffsetSpec

    if not places:
        return {}
    asked = {TopicPartition(*place): OffsetSpec.latest() for place in places}
    futures = admin.list_offsets(asked, request_timeout=timeout)
    return {(place.topic, place.partition): _end(future) for place, future in futures.items()}


def _end(future: Future[ListOffsetsResultInfo]) -> int | None:
    try:
        return future.result().offset
    except KafkaException as error:
        if error.args[0].code() in _NO_END:
            return None
        raise


@app.command(
    examples=(
        "confluent-kafka groups delete billing -b localhost:9092",
        "confluent-kafka groups delete audit-1 audit-2 --yes -F test.properties",
    )
)
def delete(
    groups: Annotated[list[str], argument(help="Groups to delete.")],
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    yes: Yes = False,
) -> None:
    """Delete groups that have no members, and their offsets."""
    confirm(f"Delete {', '.join(groups)} and their offsets?", yes)
    with administering(brokers, config_file, properties, timeout) as admin:
        futures = admin.delete_consumer_groups(groups, request_timeout=timeout)
        deleted, failures = settled("group", futures)
        for name in deleted:
            print(f"group {name} was deleted")
        if failures:
            fail(*failures)
