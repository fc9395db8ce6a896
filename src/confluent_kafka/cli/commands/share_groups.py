"""``python -m confluent_kafka share-groups``: share groups, their members and their offsets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

from confluent_kafka.cli.base.declared import argument
from confluent_kafka.cli.base.ending import fail
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
from confluent_kafka.cli.connection.chosen_profile import when
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.groups.commands import deleting, listing
from confluent_kafka.cli.groups.offsets import resetting_offsets
from confluent_kafka.cli.groups.views import of_kind
from confluent_kafka.cli.shell.command import Group

if TYPE_CHECKING:
    from confluent_kafka.admin import ShareGroupDescription

app = Group(
    help="List, describe and delete share groups, and change their offsets.\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka share-groups list -b localhost:9092",
        "confluent-kafka share-groups offsets billing -F prod.properties",
    ),
)

_SHARE = ("share",)

Name = Annotated[str, argument(help="Share group.")]
Names = Annotated[list[str], argument(help="Share groups.")]


app.command(
    changes=False,
    name="list",
    examples=(
        "confluent-kafka share-groups list -b localhost:9092",
        "confluent-kafka share-groups list --json -F prod.properties",
    ),
)(listing("share", """List the share groups with their states."""))


@app.command(
    changes=False,
    examples=(
        "confluent-kafka share-groups describe billing -b localhost:9092",
        "confluent-kafka share-groups describe billing audit --json -F prod.properties",
    ),
)
def describe(
    groups: Names,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """Show groups with a row for each member. A group without members has one row."""
    with administering(connection, timeout) as admin:
        known, absent = of_kind(admin, groups, _SHARE, "describe", timeout)
        asked = admin.describe_share_groups(list(known), request_timeout=timeout)
        found, failures = settled("group", asked)
    show(
        ("group", "state", "epoch", "coordinator", "member", "client", "host", "partitions"),
        (row for group in found.values() for row in _rows(group)),
        as_json,
    )
    if absent or failures:
        fail(*absent, *failures)


def _rows(group: ShareGroupDescription) -> Iterator[tuple[Any, ...]]:
    common = (group.group_id, group.state.name.lower(), group.group_epoch, group.coordinator.id)
    for member in group.members:
        places = sorted(member.assignment.topic_partitions)
        yield (
            *common,
            *(member.member_id, member.client_id, member.host),
            [f"{each.topic}:{each.partition}" for each in places],
        )
    if not group.members:
        yield (*common, None, None, None, [])


app.command(
    changes=True,
    examples=(
        "confluent-kafka share-groups delete billing -b localhost:9092",
        "confluent-kafka share-groups delete billing audit --yes -F test.properties",
    ),
)(
    deleting(
        _SHARE,
        lambda admin, names, seconds: admin.delete_share_groups(names, request_timeout=seconds),
        """Delete share groups that have no members, and their offsets.""",
    )
)


@app.command(
    changes=False,
    examples=(
        "confluent-kafka share-groups offsets billing -b localhost:9092",
        "confluent-kafka share-groups offsets billing --json -F prod.properties",
    ),
)
def offsets(
    group: Name,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """Show the offsets of a group in the partitions that it reads.

    All messages before the start offset are finished. The lag is the number of messages that are
    not finished; brokers report it since Kafka 4.2.
    """
    with administering(connection, timeout) as admin:
        of_kind(admin, [group], _SHARE, "offsets", timeout)
        asked = admin.list_share_group_offsets({group: None}, request_timeout=timeout)
        found = asked[group].result()
    show(
        ("topic", "partition", "start", "lag"),
        (
            (place.topic, place.partition, one.start_offset, one.lag)
            for place, one in sorted(found.items())
        ),
        as_json,
    )
    failures = [
        f"partition {place.topic}:{place.partition}: {one.error.str()}"
        for place, one in sorted(found.items())
        if one.error is not None
    ]
    if failures:
        fail(*failures)


app.command(
    changes=when("execute"),
    examples=(
        "confluent-kafka share-groups reset-offsets billing --topic orders:0,2 \\\n"
        "    --to earliest -b localhost:9092",
        "confluent-kafka share-groups reset-offsets billing --all-topics --to -1h \\\n"
        "    --execute -F test.properties",
    ),
)(
    resetting_offsets(
        _SHARE,
        """Show the old and new start offsets of a group, and set the new ones with --execute.

        The group must not have members. Offsets outside of the log are moved to its start or end. A
        group that does not exist is created.
        """,
    )
)


@app.command(
    changes=True,
    examples=(
        "confluent-kafka share-groups delete-offsets billing orders -b localhost:9092",
        "confluent-kafka share-groups delete-offsets billing orders --yes \\\n"
        "    -F test.properties",
    ),
)
def delete_offsets(
    group: Name,
    topics: Annotated[
        list[str], argument(parse=topic_name, help="Topics whose offsets to delete.")
    ],
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    yes: Yes = False,
) -> None:
    """Delete the offsets of a group that has no members, for whole topics."""
    confirm(f"Delete the offsets of {group} in {', '.join(topics)}?", yes)
    with administering(connection, timeout) as admin:
        of_kind(admin, [group], _SHARE, "delete-offsets", timeout)
        futures = admin.delete_share_group_offsets(group, topics, request_timeout=timeout)
        deleted, failures = settled("topic", futures)
    for name in deleted:
        text = f"group {group} has no offsets in {name}"
        report_change(text, as_json, {"group": group, "topic": name})
    if failures:
        fail(*failures)
