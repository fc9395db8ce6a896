"""``reset-offsets`` and ``delete-offsets`` for groups of all kinds: options, and what is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import click

from confluent_kafka.cli.base.declared import argument, option
from confluent_kafka.cli.base.ending import fail, note
from confluent_kafka.cli.connection.administration import (
    AsJson,
    Timeout,
    Yes,
    administering,
    confirm,
    show,
)
from confluent_kafka.cli.connection.settings import Connection
from confluent_kafka.cli.groups.offset_file import offsets_in
from confluent_kafka.cli.groups.offset_plan import COLUMNS
from confluent_kafka.cli.groups.offset_target import Target, target_of
from confluent_kafka.cli.groups.reset import carry_out, deletable, delete, planned
from confluent_kafka.cli.groups.views import view
from confluent_kafka.cli.topics.selection import Selection, selection

Name = Annotated[str, argument(help="Group.")]
Topics = Annotated[
    list[Selection] | None,
    option(
        "--topic",
        "-t",
        metavar="TOPIC[:N,...]",
        parse=selection,
        help="Topic with all its partitions, or with some, as in orders:0,2. Can be given more "
        "than once.",
    ),
]
AllTopics = Annotated[
    bool, option(help="All partitions for which the group has committed offsets.")
]
To = Annotated[
    Target | None,
    option(
        "--to",
        metavar="WHERE",
        parse=target_of,
        help="New position: earliest, latest, current, an offset, a time such as "
        "2026-01-31T12:00Z, or a duration back from now such as -1h or PT1H.",
    ),
]
ShiftBy = Annotated[
    int | None, option(help="Move by this number of messages: back if it is negative.")
]
FromFile = Annotated[
    Path | None,
    option(
        exists=True,
        help="Read the offsets from this file: lines of topic,partition,offset or "
        "group,topic,partition,offset, or what `groups describe --json` and "
        "`reset-offsets --json` write.",
    ),
]
FromGroup = Annotated[
    str | None,
    option("--from-group", metavar="GROUP", help="Take the committed offsets of this group."),
]
Execute = Annotated[bool, option(help="Set the offsets. Otherwise they are only shown.")]


def resetting_offsets(kinds: tuple[str, ...], text: str) -> Callable[..., None]:
    """Return the command that sets the offsets of groups.

    Args:
        kinds: the kinds of groups that it is for.
        text: its help.
    """

    def reset_offsets(
        group: Name,
        connection: Connection,
        timeout: Timeout = 30,
        as_json: AsJson = False,
        to: To = None,
        shift_by: ShiftBy = None,
        from_file: FromFile = None,
        from_group: FromGroup = None,
        topics: Topics = None,
        all_topics: AllTopics = False,
        execute: Execute = False,
    ) -> None:
        target = _target(group, to, shift_by, from_file, from_group)
        _check_topics(topics, all_topics, target)
        with administering(connection, timeout) as admin:
            if from_group is not None:
                other = view(admin, from_group, timeout)
                target = target._replace(offsets=other.committed)
            reset = planned(admin, group, kinds, target, topics, timeout)
            note(*reset.notes)
            if execute:
                done, refused = carry_out(admin, reset, timeout)
                show(COLUMNS, [change.row for change in done], as_json)
                if refused:
                    fail(*refused)
                return
            show(COLUMNS, [change.row for change in reset.changes], as_json)
            note("nothing was changed: add --execute to set the new offsets")
            if reset.obstacles:
                note("--execute will be refused:", *reset.obstacles)

    reset_offsets.__doc__ = text
    return reset_offsets


def deleting_offsets(kinds: tuple[str, ...], text: str) -> Callable[..., None]:
    """Return the command that deletes committed offsets of groups.

    Args:
        kinds: the kinds of groups that it is for.
        text: its help.
    """

    def delete_offsets(
        group: Name,
        connection: Connection,
        timeout: Timeout = 30,
        as_json: AsJson = False,
        topics: Topics = None,
        all_topics: AllTopics = False,
        yes: Yes = False,
    ) -> None:
        _check_topics(topics, all_topics)
        with administering(connection, timeout) as admin:
            chosen = deletable(admin, group, kinds, topics, timeout)
            where = ", ".join(f"{name}:{number} at {old}" for (name, number), old in chosen.items())
            confirm(f"Delete the offsets of {group} in {where}?", yes)
            refused = delete(admin, group, chosen, timeout)
            rows = [(*place, old) for place, old in chosen.items() if place not in refused]
            show(("topic", "partition", "deleted offset"), rows, as_json)
            if refused:
                fail(*refused.values())

    delete_offsets.__doc__ = text
    return delete_offsets


def _target(
    group: str,
    to: Target | None,
    shift_by: int | None,
    from_file: Path | None,
    from_group: str | None,
) -> Target:
    """Return the target of the one option that was given.

    Args:
        group: the name of the group.
        to: value of --to.
        shift_by: value of --shift-by.
        from_file: value of --from-file.
        from_group: value of --from-group, whose offsets are not known yet.
    """
    if sum(each is not None for each in (to, shift_by, from_file, from_group)) != 1:
        raise click.BadParameter("give one of --to, --shift-by, --from-file and --from-group")
    if to is not None:
        return to
    if from_file is not None:
        return Target("file", offsets=offsets_in(from_file, group))
    if from_group is not None:
        return Target("group")
    return Target("shift", shift_by or 0)


def _check_topics(
    topics: list[Selection] | None, all_topics: bool, target: Target | None = None
) -> None:
    """Refuse a command that selects no topics. A file or another group also selects topics.

    Args:
        topics: values of --topic.
        all_topics: value of --all-topics.
        target: where to move the group.
    """
    if topics and all_topics:
        raise click.BadParameter("cannot be used with --topic", param_hint="--all-topics")
    if not (topics or all_topics or (target is not None and target.kind in ("file", "group"))):
        raise click.BadParameter("give --topic TOPIC or --all-topics")
