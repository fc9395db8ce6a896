"""``python -m confluent_kafka groups``: groups of all kinds, their members and their lag."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import click

from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    administering,
    choice,
    show,
)
from confluent_kafka.cli.connection.chosen_profile import when
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.groups.commands import States, deleting, states_of
from confluent_kafka.cli.groups.offsets import deleting_offsets, resetting_offsets
from confluent_kafka.cli.groups.rows import (
    MEMBERS,
    PARTITIONS,
    STATE,
    VERBOSE,
    ends_of,
    member_rows,
    partition_rows,
    state_row,
)
from confluent_kafka.cli.groups.views import described, listed, views
from confluent_kafka.cli.shell.command import Group

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient, GroupListing
    from confluent_kafka.cli.groups.view import View

app = Group(
    help="List, describe and delete groups, and change their offsets.\n\n"
    "Exit status: 0 done, 1 failed, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka groups list -b localhost:9092",
        "confluent-kafka groups describe billing -F prod.properties",
    ),
)

_CONSUMERS = ("classic", "consumer")

LISTED = ("group", "type", "protocol", "state")
TOTALS = ("members", "lag")


@app.command(
    changes=False,
    name="list",
    examples=(
        "confluent-kafka groups list --lag -b localhost:9092",
        "confluent-kafka groups list --json -F prod.properties",
    ),
)
def list_(
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    kind: Annotated[
        list[str] | None,
        option(
            "--type",
            help="List only groups of this type: consumer (KIP-848), classic, share or streams. "
            "Can be given more than once.",
        ),
    ] = None,
    state: States = None,
    lag: Annotated[
        bool,
        option("--lag", "-l", help="Also show the number of members and the total lag."),
    ] = False,
) -> None:
    """List the groups of all types, with their types, protocols and states.

    The lag of a group is unknown if it has no offsets.
    """
    from confluent_kafka.admin import GroupType

    filters = {
        "types": {choice(GroupType, text, "--type") for text in kind or []} or None,
        "states": states_of(state),
    }
    with administering(connection, timeout) as admin:
        found, failures = listed(admin, timeout, **filters)
        rows: list[tuple[Any, ...]] = [_listing(group) for group in found.values()]
        if lag:
            seen, others = described(admin, found, timeout)
            failures += others
            totals = _totals(admin, seen, timeout)
            rows = [(*row, *totals.get(row[0], (None, None))) for row in rows]
    show(LISTED + TOTALS if lag else LISTED, rows, as_json)
    if failures:
        fail(*failures)


def _listing(group: GroupListing) -> tuple[str, str | None, str | None, str | None]:
    # Brokers before 2.6 do not return states, and brokers before 3.8 do not return types.
    kind, state = (
        None if each.name == "UNKNOWN" else each.name.lower() for each in (group.type, group.state)
    )
    return group.group_id, kind, group.protocol or None, state


def _totals(
    admin: AdminClient, groups: dict[str, View], timeout: float
) -> dict[str, tuple[int, int | None]]:
    """Return the number of members and the total lag of each group."""
    ends = ends_of(admin, groups, timeout)
    totals = {}
    for name, group in groups.items():
        lags = [group.lag(place, ends[place]) for place in group.places]
        known = [lag for lag in lags if lag is not None]
        totals[name] = len(group.members), sum(known) if known else None
    return totals


@app.command(
    changes=False,
    examples=(
        "confluent-kafka groups describe billing -b localhost:9092",
        "confluent-kafka groups describe billing --watch 5 -F prod.properties",
    ),
)
def describe(
    groups: Annotated[list[str] | None, argument(help="Groups to describe.")] = None,
    *,
    connection: Connection,
    timeout: Timeout = 30,
    as_json: AsJson = False,
    every: Annotated[bool, option("--all", help="Describe all groups.")] = False,
    members: Annotated[
        bool, option("--members", help="Show the members instead of the partitions.")
    ] = False,
    verbose: Annotated[
        bool,
        option(
            "--verbose",
            help="With --members: also show instance ids, racks, the partitions of each member "
            "now and after the rebalance (target), and columns that only this type of group has.",
        ),
    ] = False,
    state: Annotated[
        bool,
        option(
            "--state",
            help="Show a row for each group instead: its state, its assignor and the broker that "
            "coordinates it.",
        ),
    ] = False,
    watch: Annotated[
        float | None,
        option(min=0.1, help="Refresh the table after this many seconds, until Ctrl-C."),
    ] = None,
) -> None:
    """Show each partition of groups: committed offset, end, lag, and the member that reads it.

    The end is unknown if the partition was deleted, or if this user may not read it. For share
    groups, the start offset replaces the committed offset.
    """
    if groups and every:
        raise click.BadParameter("cannot be combined with --all", param_hint="GROUPS")
    if not (groups or every):
        raise click.BadParameter("give the names of groups or --all", param_hint="GROUPS")
    if verbose and not members:
        raise click.BadParameter("needs --members", param_hint="--verbose")
    if state and members:
        raise click.BadParameter("cannot be combined with --members", param_hint="--state")
    names: tuple[str, ...] = PARTITIONS
    if state:
        names = STATE
    elif members:
        names = (*MEMBERS, *(VERBOSE if verbose else ()))
    with administering(connection, timeout) as admin:

        def look() -> tuple[list[list[Any]], list[str]]:
            found, failures = views(admin, groups, timeout)
            if failures and not found:
                fail(*failures)
            shown = found.values()
            if state:
                return [state_row(each) for each in shown], failures
            if members:
                return [row for each in shown for row in member_rows(each, verbose)], failures
            ends = ends_of(admin, found, timeout)
            return [row for each in shown for row in partition_rows(each, ends)], failures

        if watch is not None:
            _watch(names, lambda: look()[0], watch, as_json)
        rows, failures = look()
    show(names, rows, as_json)
    if failures:
        fail(*failures)


def _watch(
    names: tuple[str, ...], look: Callable[[], list[list[Any]]], seconds: float, as_json: bool
) -> NoReturn:
    """Show rows again and again until Ctrl-C."""
    if as_json or not sys.stdout.isatty():
        while True:
            show(names, look(), as_json)
            time.sleep(seconds)
    from confluent_kafka.cli.base.tables import watched

    with watched(names) as update:
        while True:
            update(look())
            time.sleep(seconds)


app.command(
    changes=True,
    examples=(
        "confluent-kafka groups delete billing -b localhost:9092",
        "confluent-kafka groups delete audit-1 audit-2 --yes -F test.properties",
    ),
)(
    deleting(
        (*_CONSUMERS, "share", "streams"),
        lambda admin, names, seconds: admin.delete_consumer_groups(names, request_timeout=seconds),
        """Delete groups that have no members, and their offsets.""",
    )
)
app.command(
    changes=when("execute"),
    examples=(
        "confluent-kafka groups reset-offsets billing --topic orders:0,2 --to -1h \\\n"
        "    -b localhost:9092",
        "confluent-kafka groups reset-offsets billing --all-topics --shift-by -100 \\\n"
        "    --execute -F test.properties",
    ),
)(
    resetting_offsets(
        _CONSUMERS,
        """Show the old and new offsets of a group, and set the new ones with --execute.

        The group must not have members. Offsets outside of the log are moved to its start or end. A
        group that does not exist is created.
        """,
    )
)
app.command(
    changes=True,
    examples=(
        "confluent-kafka groups delete-offsets billing --topic orders \\\n    -b localhost:9092",
        "confluent-kafka groups delete-offsets billing --all-topics --yes \\\n"
        "    -F test.properties",
    ),
)(
    deleting_offsets(
        _CONSUMERS,
        """Delete committed offsets of a group, and show them.

        The group must not have members that read the topics. For later
        members, auto.offset.reset decides where they begin.
        """,
    )
)
