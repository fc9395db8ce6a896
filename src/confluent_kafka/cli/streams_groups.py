"""``python -m confluent_kafka streams-groups``: groups of Kafka Streams, members and offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from confluent_kafka.cli.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    choice,
    confirm,
    settled,
    show,
)
from confluent_kafka.cli.chosen_profile import when
from confluent_kafka.cli.commands import Group
from confluent_kafka.cli.declared import argument, option
from confluent_kafka.cli.ending import fail, report
from confluent_kafka.cli.group_offsets import (
    AllTopics,
    Execute,
    FromFile,
    ShiftBy,
    To,
    Topics,
    check_topics,
    chosen_target,
)
from confluent_kafka.cli.group_reset import delete as delete_committed
from confluent_kafka.cli.group_reset import reset
from confluent_kafka.cli.group_rows import (
    MEMBERS,
    PARTITIONS,
    VERBOSE,
    ends_of,
    member_rows,
    partition_rows,
)
from confluent_kafka.cli.group_views import listed, other_kind, suggesting, views
from confluent_kafka.cli.settings import Brokers, File, Properties

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient
    from confluent_kafka.cli.group_view import View

app = Group(
    help="List, describe and delete groups of Kafka Streams, and change their offsets.\n\n"
    "Exit status: 0 done, 1 the cluster refused, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka streams-groups list -b localhost:9092",
        "confluent-kafka streams-groups describe totals -b localhost:9092",
    ),
)

_STREAMS = ("streams",)

Name = Annotated[str, argument(help="Streams group: the application.id.")]
Names = Annotated[list[str], argument(help="Streams groups.")]


@app.command(
    changes=False,
    name="list",
    examples=(
        "confluent-kafka streams-groups list -b localhost:9092",
        "confluent-kafka streams-groups list --state not_ready -F prod.properties",
    ),
)
def list_(
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    state: Annotated[
        list[str] | None,
        option(
            "--state",
            help="List only groups in this state, such as stable. Can be given more than once.",
        ),
    ] = None,
) -> None:
    """List the streams groups with their states."""
    from confluent_kafka.admin import GroupState, GroupType

    states = {choice(GroupState, text, "--state") for text in state or []} or None
    with administering(brokers, config_file, properties, timeout) as admin:
        found, failures = listed(admin, timeout, types={GroupType.STREAMS}, states=states)
    rows = [(name, group.state.name.lower()) for name, group in found.items()]
    show(("group", "state"), rows, as_json)
    if failures:
        fail(*failures)


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
        found, failures = _views(admin, groups, "describe", timeout)
    rows = [row for group in found.values() for row in member_rows(group, verbose=True)]
    show(MEMBERS + VERBOSE, rows, as_json)
    if failures:
        fail(*failures)


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
        found, failures = _views(admin, groups, "offsets", timeout)
        ends = ends_of(admin, found, timeout)
    rows = [row for group in found.values() for row in partition_rows(group, ends)]
    show(PARTITIONS, rows, as_json)
    if failures:
        fail(*failures)


def _views(
    admin: AdminClient, names: list[str], command: str, timeout: float
) -> tuple[dict[str, View], list[str]]:
    found, failures = views(admin, names, timeout)
    for group in found.values():
        if group.kind not in _STREAMS:
            other_kind(group, command)
    return found, failures


@app.command(
    changes=True,
    examples=(
        "confluent-kafka streams-groups delete totals -b localhost:9092",
        "confluent-kafka streams-groups delete totals averages --yes -F test.properties",
    ),
)
def delete(
    groups: Names,
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    yes: Yes = False,
) -> None:
    """Delete streams groups that have no members, and their offsets. Internal topics stay."""
    confirm(f"Delete {', '.join(groups)} and their offsets?", yes)
    with administering(brokers, config_file, properties, timeout) as admin:
        asked = admin.delete_streams_groups(groups, request_timeout=timeout)
        deleted, failures = settled("group", asked)
        failures = suggesting(admin, asked, failures, timeout)
    for name in deleted:
        report(f"group {name} was deleted")
    if failures:
        fail(*failures)


@app.command(
    changes=when("execute"),
    examples=(
        "confluent-kafka streams-groups reset-offsets totals --topic orders \\\n"
        "    --to earliest -b localhost:9092",
        "confluent-kafka streams-groups reset-offsets totals --all-topics --to -1h \\\n"
        "    --execute -F test.properties",
    ),
)
def reset_offsets(
    group: Name,
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    to: To = None,
    shift_by: ShiftBy = None,
    from_file: FromFile = None,
    topics: Topics = None,
    all_topics: AllTopics = False,
    execute: Execute = False,
) -> None:
    """Show the old and new offsets of a streams group, and set the new ones with --execute.

    The group must exist and must not have members. Offsets outside of the log are moved to its
    start or end. State stores and changelog topics stay as they are.
    """
    target = chosen_target(group, to, shift_by, from_file)
    check_topics(topics, all_topics, target)
    with administering(brokers, config_file, properties, timeout) as admin:
        reset(admin, group, _STREAMS, target, topics, timeout, as_json, execute)


@app.command(
    changes=True,
    examples=(
        "confluent-kafka streams-groups delete-offsets totals --topic orders \\\n"
        "    -b localhost:9092",
        "confluent-kafka streams-groups delete-offsets totals --all-topics --yes \\\n"
        "    -F test.properties",
    ),
)
def delete_offsets(
    group: Name,
    brokers: Brokers = None,
    config_file: File = None,
    properties: Properties = None,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    topics: Topics = None,
    all_topics: AllTopics = False,
    yes: Yes = False,
) -> None:
    """Delete committed offsets of a streams group, and show them.

    No member may read the topics.
    """
    check_topics(topics, all_topics)
    with administering(brokers, config_file, properties, timeout) as admin:
        delete_committed(admin, group, _STREAMS, topics, timeout, as_json, yes)
