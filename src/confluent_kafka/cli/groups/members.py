"""The members of groups of all kinds, in one form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka.cli.groups.view import Member
from confluent_kafka.cli.topics.place import Place

if TYPE_CHECKING:
    from confluent_kafka.admin import (
        MemberAssignment,
        MemberDescription,
        ShareMemberDescription,
        StreamsGroupDescription,
        StreamsGroupMemberDescription,
    )


def members(description: Any) -> list[Member]:
    """Return the members of a group.

    Args:
        description: the description of the group, of the class for its kind.
    """
    from confluent_kafka.admin import ShareGroupDescription, StreamsGroupDescription

    if isinstance(description, StreamsGroupDescription):
        return [_of_streams(each, description) for each in description.members]
    if isinstance(description, ShareGroupDescription):
        return [_of_share(each) for each in description.members]
    return [_of_consumers(each) for each in description.members]


def _of_consumers(member: MemberDescription) -> Member:
    target = member.target_assignment
    return Member(
        member.member_id,
        member.client_id,
        member.host,
        _places(member.assignment),
        None if target is None else _places(target),
        member.group_instance_id,
    )


def _of_share(member: ShareMemberDescription) -> Member:
    return Member(
        *(member.member_id, member.client_id, member.host, _places(member.assignment)),
        details={"epoch": member.member_epoch},
    )


def _of_streams(member: StreamsGroupMemberDescription, group: StreamsGroupDescription) -> Member:
    endpoint = member.user_endpoint
    details = {
        "epoch": member.member_epoch,
        "process": member.process_id,
        "topology epoch": member.topology_epoch,
        "endpoint": None if endpoint is None else f"{endpoint[0]}:{endpoint[1]}",
        "tags": ",".join(f"{name}:{value}" for name, value in sorted(member.client_tags.items())),
        "standby": _tasks(member.assignment.standby_tasks),
        "warmup": _tasks(member.assignment.warmup_tasks),
    }
    return Member(
        *(member.member_id, member.client_id, member.client_host),
        _sources(member.assignment.active_tasks, group),
        _sources(member.target_assignment.active_tasks, group),
        member.instance_id,
        member.rack_id,
        {name: value for name, value in details.items() if value not in (None, "")},
    )


def _places(assignment: MemberAssignment | None) -> list[Place]:
    places = [] if assignment is None else assignment.topic_partitions
    return sorted((place.topic, place.partition) for place in places)


def _sources(tasks: Mapping[str, list[int]], group: StreamsGroupDescription) -> list[Place]:
    """Return the partitions that tasks read: theirs in each topic of their subtopology."""
    return sorted(
        (topic, partition)
        for each in group.subtopologies
        for topic in (*each.source_topics, *each.repartition_source_topics)
        for partition in tasks.get(each.subtopology_id, ())
    )


def _tasks(tasks: Mapping[str, list[int]]) -> str:
    return ",".join(f"{name}_{number}" for name in sorted(tasks) for number in tasks[name])
