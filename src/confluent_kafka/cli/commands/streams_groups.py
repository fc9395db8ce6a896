"""``python -m confluent_kafka streams-groups``: groups of Kafka Streams, members and offsets."""

from __future__ import annotations

from typing import Annotated

from confluent_kafka.cli.base.declared import argument
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    administering,
    show,
)
from confluent_kafka.cli.connection.chosen_profile import when
from confluent_kafka.cli.connection.settings import Brokers, File, Properties
from confluent_kafka.cli.groups.commands import deleting, listing
from confluent_kafka.cli.groups.offsets import deleting_offsets, resetting_offsets
from confluent_kafka.cli.groups.rows import (
    MEMBERS,
    PARTITIONS,
    VERBOSE,
    ends_of,
    member_rows,
    partition_rows,
)
from confluent_kafka.cli.groups.views import described, of_kind
from confluent_kafka.cli.shell.command import Group

app = Group(
    help="List, describe and delete groups of Kafka Streams, and change their offsets.\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka streams-groups list -b localhost:9092",
        "confluent-kafka streams-groups describe totals -b localhost:9092",
    ),
)

_STREAMS = ("streams",)

Names = Annotated[list[str], argument(help="Streams groups: their application.id.")]


app.command(
    changes=False,
    name="list",
    examples=(
        "confluent-kafka streams-groups list -b localhost:9092",
        "confluent-kafka streams-groups list --state not_ready -F prod.properties",
    ),
)(listing("streams", """List the streams groups with their states."""))


@app.command(
    changes=False,
    examples=(
        "confluent-kafka streams-groups describe totals -b localhost:9092",
        "confluent-kafka streams-groups describe totals --json -F prod.properties",
    ),
)
def describe(
    groups: Names,
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """Show groups with a row for each member: its partitions, its tasks and its process."""
    with administering(brokers, config_file, properties, timeout) as admin:
        known, absent = of_kind(admin, groups, _STREAMS, "describe", timeout)
        found, failures = described(admin, known, timeout)
    rows = [row for group in found.values() for row in member_rows(group, verbose=True)]
    show(MEMBERS + VERBOSE, rows, as_json)
    if absent or failures:
        fail(*absent, *failures)


@app.command(
    changes=False,
    examples=(
        "confluent-kafka streams-groups offsets totals -b localhost:9092",
        "confluent-kafka streams-groups offsets totals --json -F prod.properties",
    ),
)
def offsets(
    groups: Names,
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """Show each partition of groups: committed offset, end, lag, and the member that reads it."""
    with administering(brokers, config_file, properties, timeout) as admin:
        known, absent = of_kind(admin, groups, _STREAMS, "offsets", timeout)
        found, failures = described(admin, known, timeout)
        ends = ends_of(admin, found, timeout)
    rows = [row for group in found.values() for row in partition_rows(group, ends)]
    show(PARTITIONS, rows, as_json)
    if absent or failures:
        fail(*absent, *failures)


app.command(
    changes=True,
    examples=(
        "confluent-kafka streams-groups delete totals -b localhost:9092",
        "confluent-kafka streams-groups delete totals averages --yes -F test.properties",
    ),
)(
    deleting(
        _STREAMS,
        lambda admin, names, seconds: admin.delete_streams_groups(names, request_timeout=seconds),
        """Delete streams groups that have no members, and their offsets. Internal topics stay.""",
    )
)
app.command(
    changes=when("execute"),
    examples=(
        "confluent-kafka streams-groups reset-offsets totals --topic orders \\\n"
        "    --to earliest -b localhost:9092",
        "confluent-kafka streams-groups reset-offsets totals --all-topics --to -1h \\\n"
        "    --execute -F test.properties",
    ),
)(
    resetting_offsets(
        _STREAMS,
        """Show the old and new offsets of a streams group, and set the new ones with --execute.

        The group must exist and must not have members. Offsets outside of the log are moved to its
        start or end. State stores and changelog topics stay as they are.
        """,
    )
)
app.command(
    changes=True,
    examples=(
        "confluent-kafka streams-groups delete-offsets totals --topic orders \\\n"
        "    -b localhost:9092",
        "confluent-kafka streams-groups delete-offsets totals --all-topics --yes \\\n"
        "    -F test.properties",
    ),
)(
    deleting_offsets(
        _STREAMS,
        """Delete committed offsets of a streams group, and show them.

        The group must not have members that read the topics.
        """,
    )
)
