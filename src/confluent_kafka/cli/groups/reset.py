"""Sets and deletes the committed offsets of a group: plans, and carries them out.

Nothing here writes to stdout, so that the MCP server can use it as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaError, TopicPartition
from confluent_kafka._suggestions import did_you_mean
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.connection.administration import settled
from confluent_kafka.cli.groups.offset_plan import Change, plan
from confluent_kafka.cli.groups.offset_target import Target
from confluent_kafka.cli.groups.view import View
from confluent_kafka.cli.groups.views import described, listed, not_listed, other_kind
from confluent_kafka.cli.topics.names import partitions_of
from confluent_kafka.cli.topics.place import Place
from confluent_kafka.cli.topics.selection import Selection, selected

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

# While a group has members, the coordinator accepts offsets from these members only.
_ACTIVE = "the group now has active members"


@dataclass(frozen=True)
class Reset:
    """A plan for the offsets of a group.

    Attributes:
        group: the group.
        changes: the change of each partition.
        notes: what the user should know.
    """

    group: View
    changes: list[Change]
    notes: list[str]

    @property
    def obstacles(self) -> list[str]:
        """Lines that say why the plan cannot be carried out."""
        if self.group.members:
            return _active(self.group)
        return [
            f"partition {topic}:{number} does not exist or cannot be read, so nothing is changed. "
            "Select the other partitions with --topic"
            for topic, number in (each.place for each in self.changes if each.is_unreadable)
        ]


def planned(
    admin: AdminClient,
    name: str,
    kinds: tuple[str, ...],
    target: Target,
    topics: list[Selection] | None,
    timeout: float,
) -> Reset:
    """Return a plan for the offsets of a group.

    Args:
        admin: the client.
        name: the name of the group.
        kinds: the kinds of groups that the command is for. The first one is the kind of a new
            group.
        target: where to move the group.
        topics: values of --topic; None for all topics of the group or the file.
        timeout: seconds to wait for the brokers.
    """
    notes = []
    group, reason = _group(admin, name, kinds, "reset-offsets", timeout)
    if group is None:
        # Without topics and offsets, only the group would determine the partitions. A streams group
        # cannot be created in this way: brokers would create a classic group.
        if (topics is None and target.offsets is None) or "streams" in kinds:
            fail(reason)
        group = View(name, kinds[0], "", "dead", [], {})
        notes = [reason, "the group is created when its offsets are set"]
    places = _places(admin, group, target, topics, timeout)
    return Reset(group, plan(admin, group, places, target, timeout), notes)


def carry_out(admin: AdminClient, reset: Reset, timeout: float) -> tuple[list[Change], list[str]]:
    """Set the offsets of a plan, or end the command if it cannot be carried out as a whole.

    Args:
        admin: the client.
        reset: the plan.
        timeout: seconds to wait for the brokers.

    Returns:
        The changes that are done, and a line for each partition that the brokers refused.
    """
    if reset.obstacles:
        fail(*reset.obstacles)
    offsets = {each.place: each.new for each in reset.changes if each.new is not None}
    if not offsets:
        fail("no offset can be changed: look at the remarks of the plan")
    group = reset.group
    change = _set_in_share_group if group.kind == "share" else _set
    refused = change(admin, group.name, offsets, timeout)
    return [each for each in reset.changes if each.place not in refused], [*refused.values()]


def _set(
    admin: AdminClient, name: str, offsets: dict[Place, int], timeout: float
) -> dict[Place, str]:
    """Set offsets, and return a line for each partition that was refused."""
    places = [TopicPartition(*place, offset) for place, offset in offsets.items()]
    request = [ConsumerGroupTopicPartitions(name, places)]
    answer = admin.alter_consumer_group_offsets(request, request_timeout=timeout)[name].result()
    return _refused(answer)


def _set_in_share_group(
    admin: AdminClient, name: str, offsets: dict[Place, int], timeout: float
) -> dict[Place, str]:
    wanted = {TopicPartition(*place): offset for place, offset in offsets.items()}
    asked = admin.alter_share_group_offsets(name, wanted, request_timeout=timeout)
    places = {f"{one.topic}:{one.partition}": (one.topic, one.partition) for one in asked}
    done, failures = settled("partition", dict(zip(places, asked.values(), strict=True)))
    failed = [place for text, place in places.items() if text not in done]
    return dict(zip(failed, failures, strict=True))


def deletable(
    admin: AdminClient,
    name: str,
    kinds: tuple[str, ...],
    topics: list[Selection] | None,
    timeout: float,
) -> dict[Place, int]:
    """Return the committed offsets to delete, or end the command if there are none.

    Args:
        admin: the client.
        name: the name of the group.
        kinds: the kinds of groups that the command is for.
        topics: values of --topic; None for all topics.
        timeout: seconds to wait for the brokers.
    """
    group, reason = _group(admin, name, kinds, "delete-offsets", timeout)
    if group is None:
        fail(reason)
    committed = group.committed
    known = {topic for topic, _ in committed}
    if without := [each.topic for each in topics or () if each.topic not in known]:
        fail(*(_no_offsets(name, topic, known) for topic in dict.fromkeys(without)))
    chosen = sorted(each for each in committed if topics is None or selected(topics, each))
    if not chosen:
        fail(f"group {name!r} has no committed offsets in the selected partitions")
    return {place: committed[place] for place in chosen}


def _no_offsets(name: str, topic: str, known: set[str]) -> str:
    # Whether the topic exists does not matter: a group can have offsets in a deleted topic.
    near = did_you_mean(topic, known)
    return f"group {name!r} has no offsets in topic {topic!r}{': ' if near else ''}{near}"


def delete(
    admin: AdminClient, name: str, chosen: dict[Place, int], timeout: float
) -> dict[Place, str]:
    """Delete committed offsets, and return a line for each partition that was refused.

    Args:
        admin: the client.
        name: the name of the group.
        chosen: the partitions, with their offsets.
        timeout: seconds to wait for the brokers.
    """
    request = [ConsumerGroupTopicPartitions(name, [TopicPartition(*place) for place in chosen])]
    answer = admin.delete_consumer_group_offsets(request, request_timeout=timeout)[name].result()
    return _refused(answer)


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
        fail(other_kind(name, found[name].kind, command))
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
        sources = {"file": "offsets in the file", "group": "offsets in the other group"}
        where = sources.get(target.kind, "committed offsets")
        selection = "" if topics is None else " for the selected partitions"
        fail(f"group {group.name!r} has no {where}{selection}")
    return sorted(places)


def _active(group: View) -> list[str]:
    """Return lines that say why the offsets cannot be set."""
    count = counted(len(group.members), "active member")
    # Brokers do not change the offsets of a share group that has members.
    reason = (
        "so brokers refuse new offsets"
        if group.kind == "share"
        else "which would overwrite the offsets"
    )
    return [
        f"group {group.name!r} has {count}, {reason}. Stop the members first:",
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
