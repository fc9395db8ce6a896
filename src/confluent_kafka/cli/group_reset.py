"""Sets and deletes the committed offsets of a group, after showing what will happen."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaError, TopicPartition
from confluent_kafka.cli.administration import confirm, show
from confluent_kafka.cli.ending import fail
from confluent_kafka.cli.group_view import Place, View
from confluent_kafka.cli.group_views import described, listed, not_listed, other_kind
from confluent_kafka.cli.offset_plan import COLUMNS, plan
from confluent_kafka.cli.offset_target import Target
from confluent_kafka.cli.terminal import counted, printable
from confluent_kafka.cli.topic_names import partitions_of
from confluent_kafka.cli.topic_selection import Selection, no_topic, selected

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

# The coordinator refuses offsets that no member commits.
_ACTIVE = "the group has got active members in the meantime"


def reset(
    admin: AdminClient,
    name: str,
    kinds: tuple[str, ...],
    target: Target,
    topics: list[Selection] | None,
    timeout: float,
    as_json: bool,
    execute: bool,
) -> None:
    """Show a plan for the offsets of a group, and carry it out if the user wants that.

    Args:
        admin: the client.
        name: the name of the group.
        kinds: the kinds of groups that the command is for.
        target: where to move the group.
        topics: values of --topic; None for all topics of the group or the file.
        timeout: seconds to wait for the brokers.
        as_json: value of --json.
        execute: value of --execute.
    """
    group, reason = _group(admin, name, kinds, "reset-offsets", timeout)
    if group is None and "streams" in kinds:
        fail(reason)  # brokers would create a classic group
    if group is None:
        group = View(name, kinds[0], "", "dead", [], {})
        _note(reason, f"{'the command' if execute else '--execute'} creates the group")
    changes = plan(admin, group, _places(admin, group, target, topics, timeout), target, timeout)
    if not execute:
        show(COLUMNS, [change.row for change in changes], as_json)
        _note("nothing was changed: add --execute to set the new offsets")
        if group.members:
            _note("--execute will be refused:", *_active(group))
        return
    if group.members:
        fail(*_active(group))
    offsets = [TopicPartition(*each.place, each.new) for each in changes if each.new is not None]
    if not offsets:
        fail("no offset can be changed: run the command without --execute, and see the remarks")
    request = [ConsumerGroupTopicPartitions(name, offsets)]
    answer = admin.alter_consumer_group_offsets(request, request_timeout=timeout)[name].result()
    refused = _refused(answer)
    kept = [change for change in changes if change.place not in refused]
    show(COLUMNS, [change.row for change in kept], as_json)
    if refused:
        fail(*refused.values())


def delete(
    admin: AdminClient,
    name: str,
    kinds: tuple[str, ...],
    topics: list[Selection] | None,
    timeout: float,
    as_json: bool,
    yes: bool,
) -> None:
    """Delete committed offsets of a group if the user confirms that, and show them.

    Args:
        admin: the client.
        name: the name of the group.
        kinds: the kinds of groups that the command is for.
        topics: values of --topic; None for all topics.
        timeout: seconds to wait for the brokers.
        as_json: value of --json.
        yes: value of --yes.
    """
    group, reason = _group(admin, name, kinds, "delete-offsets", timeout)
    if group is None:
        fail(reason)
    committed = group.committed
    known = {topic for topic, _ in committed}
    if unknown := [each.topic for each in topics or () if each.topic not in known]:
        fail(*(f"group {name!r} has no offsets there: {no_topic(each, known)}" for each in unknown))
    chosen = sorted(each for each in committed if topics is None or selected(topics, each))
    if not chosen:
        fail(f"group {name!r} has no committed offsets there")
    where = ", ".join(f"{topic}:{number} at {committed[topic, number]}" for topic, number in chosen)
    confirm(f"Delete the offsets of {name} in {where}?", yes)
    request = [ConsumerGroupTopicPartitions(name, [TopicPartition(*place) for place in chosen])]
    answer = admin.delete_consumer_group_offsets(request, request_timeout=timeout)[name].result()
    refused = _refused(answer)
    rows = [(*place, committed[place]) for place in chosen if place not in refused]
    show(("topic", "partition", "deleted offset"), rows, as_json)
    if refused:
        fail(*refused.values())


def _group(
    admin: AdminClient, name: str, kinds: tuple[str, ...], command: str, timeout: float
) -> tuple[View | None, str]:
    """Return the group, or None and a line that says that it does not exist."""
    known, failures = listed(admin, timeout)
    if name not in known:
        absent, refused = not_listed(admin, [name], known, failures, timeout)
        if refused or failures:
            fail(*refused, *absent)
        return None, absent[0]
    found, failures = described(admin, {name: known[name]}, timeout)
    if failures:
        fail(*failures)
    if found[name].kind not in kinds:
        other_kind(found[name], command)
    return found[name], ""


def _places(
    admin: AdminClient,
    group: View,
    target: Target,
    topics: list[Selection] | None,
    timeout: float,
) -> list[Place]:
    if target.offsets is not None:
        places = [place for place in target.offsets if topics is None or selected(topics, place)]
    elif topics is not None:
        return sorted(
            (each.topic, each.partition) for each in partitions_of(admin, topics, timeout)
        )
    else:
        places = list(group.committed)
    if not places:
        where = "committed offsets" if target.offsets is None else "offsets in the file"
        fail(f"group {group.name!r} has no {where}, or no selected ones")
    return sorted(places)


def _active(group: View) -> list[str]:
    """Return lines that say why the offsets cannot be set."""
    count = counted(len(group.members), "active member")
    return [
        f"group {group.name!r} has {count}, which would overwrite the offsets. Stop first:",
        *(
            f"member {member.id} (client {member.client}) runs on host {member.host}"
            for member in group.members
        ),
    ]


def _refused(answer: ConsumerGroupTopicPartitions) -> dict[Place, str]:
    """Return a line for each partition that the group's coordinator refused."""
    return {
        (place.topic, place.partition): f"partition {place.topic}:{place.partition}: "
        + (_ACTIVE if place.error == KafkaError.UNKNOWN_MEMBER_ID else place.error.str())
        for place in answer.topic_partitions or []
        if place.error is not None
    }


def _note(*lines: str) -> None:
    for line in lines:
        print(f"note: {printable(line)}", file=sys.stderr)
