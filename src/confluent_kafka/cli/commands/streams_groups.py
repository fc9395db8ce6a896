"""``python -m confluent_kafka streams-groups``: groups of Kafka Streams, members and offsets."""

from __future__ import annotations

from typing import Annotated

from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail, note
from confluent_kafka.cli.base.terminal import counted
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
from confluent_kafka.cli.groups.commands import listing
from confluent_kafka.cli.groups.internal_topics import (
    delete_topics,
    topics_of_application,
    topics_of_groups,
)
from confluent_kafka.cli.groups.offset_plan import COLUMNS
from confluent_kafka.cli.groups.offset_target import Target, target_of
from confluent_kafka.cli.groups.offsets import deleting_offsets, resetting_offsets
from confluent_kafka.cli.groups.reset import carry_out, planned
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
from confluent_kafka.cli.topics.selection import Selection, selection

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
InputTopics = Annotated[
    list[Selection],
    option(
        "--topic",
        "-t",
        metavar="TOPIC[:N,...]",
        parse=selection,
        help="Input topic of the application. Can be given more than once.",
    ),
]
Execute = Annotated[bool, option(help="Carry out the plan. Otherwise it is only shown.")]


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
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """Show groups with a row for each member: its partitions, its tasks and its process."""
    with administering(connection, timeout) as admin:
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
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """Show each partition of groups: committed offset, end, lag, and the member that reads it."""
    with administering(connection, timeout) as admin:
        known, absent = of_kind(admin, groups, _STREAMS, "offsets", timeout)
        found, failures = described(admin, known, timeout)
        ends = ends_of(admin, found, timeout)
    rows = [row for group in found.values() for row in partition_rows(group, ends)]
    show(PARTITIONS, rows, as_json)
    if absent or failures:
        fail(*absent, *failures)


@app.command(
    changes=True,
    examples=(
        "confluent-kafka streams-groups delete totals -b localhost:9092",
        "confluent-kafka streams-groups delete totals --internal-topics --yes \\\n"
        "    -F test.properties",
    ),
)
def delete(
    groups: Names,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    internal_topics: Annotated[
        bool,
        option(
            help="Also delete the changelog and repartition topics that the topologies of the "
            "groups name. The command shows them before it asks."
        ),
    ] = False,
    yes: Yes = False,
) -> None:
    """Delete streams groups that have no members, and their offsets.

    Internal topics stay, unless --internal-topics is given.
    """
    question = f"Delete {', '.join(groups)} and their offsets?"
    if not internal_topics:
        confirm(question, yes)
    with administering(connection, timeout) as admin:
        known, absent = of_kind(admin, groups, _STREAMS, "delete", timeout)
        topics = topics_of_groups(admin, known, timeout) if internal_topics else {}
        if internal_topics:
            rows = [(name, topic) for name, owned in topics.items() for topic in owned]
            if not yes and not as_json:
                show(("group", "topic"), rows, as_json=False)
            confirm(f"{question[:-1]}, and {counted(len(rows), 'internal topic')}?", yes)
        futures = admin.delete_streams_groups(list(known), request_timeout=timeout)
        deleted, failures = settled("group", futures)
        for name in deleted:
            report_change(f"group {name} was deleted", as_json, {"group": name})
        # The topics of a group that still has members are not deleted.
        gone = [topic for name in deleted for topic in topics.get(name, ())]
        failures += delete_topics(admin, gone, timeout, as_json)
    if absent or failures:
        fail(*absent, *failures)


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


@app.command(
    changes=when("execute"),
    examples=(
        "confluent-kafka streams-groups reset-application totals --topic orders \\\n"
        "    -b localhost:9092",
        "confluent-kafka streams-groups reset-application totals --topic orders \\\n"
        "    --to -1d --execute -F test.properties",
    ),
)
def reset_application(
    application: Annotated[str, argument(help="The application.id, which names the group.")],
    topics: InputTopics,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    to: Annotated[
        Target | None,
        option(
            "--to",
            metavar="WHERE",
            parse=target_of,
            show_default="earliest",
            help="New position in the input topics, as for `reset-offsets`.",
        ),
    ] = None,
    execute: Execute = False,
) -> None:
    """Let a Streams application begin again: reset its offsets, and delete its internal topics.

    The command shows the new offsets and the internal topics that it deletes, and carries the plan
    out with --execute. The group can be a streams group or a classic group, and must not have
    members. The name of an internal topic begins with the application.id, and ends with -changelog
    or -repartition, or with a name of a foreign-key join. You must also delete the local state of
    the application on its disks.
    """
    with administering(connection, timeout) as admin:
        target = to or target_of("earliest")
        reset = planned(admin, application, ("classic", "streams"), target, topics, timeout)
        internal = topics_of_application(admin, application, timeout)
        if execute:
            done, refused = carry_out(admin, reset, timeout)
            show(COLUMNS, [change.row for change in done], as_json)
            # With new offsets in some partitions only, the application needs its old state.
            refused = refused or delete_topics(admin, internal, timeout, as_json)
            if refused:
                fail(*refused)
            return
        show(COLUMNS, [change.row for change in reset.changes], as_json)
        note(*(f"--execute deletes the internal topic {name}" for name in internal))
        note("nothing was changed: add --execute to carry out the plan")
        if reset.obstacles:
            note("--execute will be refused:", *reset.obstacles)
