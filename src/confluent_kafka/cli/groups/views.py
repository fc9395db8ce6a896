"""Looks up groups of all kinds, by name, and returns them in one form."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import ConsumerGroupTopicPartitions
from confluent_kafka._suggestions import did_you_mean
from confluent_kafka.cli.base.ending import fail
from confluent_kafka.cli.connection.administration import settled
from confluent_kafka.cli.groups.members import members
from confluent_kafka.cli.groups.view import View

if TYPE_CHECKING:
    from concurrent.futures import Future

    from confluent_kafka import TopicPartition
    from confluent_kafka.admin import AdminClient, GroupListing, GroupType


def listed(
    admin: AdminClient, timeout: float, **filters: Any
) -> tuple[dict[str, GroupListing], list[str]]:
    """Return the groups by name, in order, and a line for each broker that did not list its groups.

    Args:
        admin: the client.
        timeout: seconds to wait for the brokers.
        **filters: types and states, as for AdminClient.list_all_groups().
    """
    found = admin.list_all_groups(**filters, request_timeout=timeout).result()
    groups = sorted(found.valid, key=lambda group: group.group_id)
    return {group.group_id: group for group in groups}, [error.str() for error in found.errors]


def view(admin: AdminClient, name: str, timeout: float) -> View:
    """Return one group, or end the command because it does not exist.

    Args:
        admin: the client.
        name: the name of the group.
        timeout: seconds to wait for the brokers.
    """
    found, failures = views(admin, [name], timeout)
    if failures:
        fail(*failures)
    return found[name]


def views(
    admin: AdminClient, names: Collection[str] | None, timeout: float
) -> tuple[dict[str, View], list[str]]:
    """Return groups by name, and a line for each group that cannot be shown.

    Args:
        admin: the client.
        names: the names of the groups; None for all groups.
        timeout: seconds to wait for the brokers.
    """
    if names is None:
        known, failures = listed(admin, timeout)
    else:
        known, failures = existing(admin, names, timeout)
    found, refused = described(admin, known, timeout)
    return found, failures + refused


def existing(
    admin: AdminClient, names: Iterable[str], timeout: float
) -> tuple[dict[str, GroupListing], list[str]]:
    """Return the groups that exist, by name, and a line for each name without a group.

    Args:
        admin: the client.
        names: the names of the groups.
        timeout: seconds to wait for the brokers.
    """
    names = list(dict.fromkeys(names))
    known, failures = listed(admin, timeout)
    others = [name for name in names if name not in known]
    absent, refused = not_listed(admin, others, known, failures, timeout)
    return {name: known[name] for name in names if name in known}, refused + absent


def of_kind(
    admin: AdminClient, names: Iterable[str], kinds: Collection[str], command: str, timeout: float
) -> tuple[dict[str, GroupListing], list[str]]:
    """Return the groups that exist, by name, and a line for each name without a group.

    Ends the command if none of the groups exists, or if one is of a kind that another command is
    for. Brokers do not check that: the request that deletes a streams group deletes any group.

    Args:
        admin: the client.
        names: the names of the groups.
        kinds: the kinds of groups that the command is for.
        command: what the user wants to do, such as reset-offsets.
        timeout: seconds to wait for the brokers.
    """
    found, failures = existing(admin, names, timeout)
    known = {name: kind_of(group) for name, group in found.items()}
    wrong = [other_kind(name, kind, command) for name, kind in known.items() if kind not in kinds]
    if wrong or not found:
        fail(*wrong, *failures)
    return found, failures


def not_listed(
    admin: AdminClient,
    names: list[str],
    known: Iterable[str],
    failures: Collection[str],
    timeout: float,
) -> tuple[list[str], list[str]]:
    """Return a line for each group that does not exist, and for each that this user may not see.

    Brokers leave out groups that this user may not describe, so their coordinators are asked.

    Args:
        admin: the client.
        names: groups that were not listed.
        known: the names of the groups that were listed.
        failures: the errors of brokers that did not list their groups.
        timeout: seconds to wait for the brokers.
    """
    if not names:
        return [], []
    asked = admin.describe_consumer_groups(names, request_timeout=timeout)
    allowed, refused = settled("group", asked)
    return [missing(name, known, failures) for name in allowed], refused


def missing(name: str, known: Iterable[str], failures: Collection[str] = ()) -> str:
    """Return a line about a group that was not found.

    Args:
        name: the name that was given.
        known: the names of groups that exist.
        failures: the errors of brokers, which may coordinate the group.
    """
    if failures:
        return f"group {name!r} was not found, and not all brokers answered: {'; '.join(failures)}"
    near = did_you_mean(name, known)
    return f"group {name!r} does not exist{': ' if near else ''}{near}"


def commands_for(kind: str) -> str:
    """Return the command for groups of a kind.

    Args:
        kind: classic, consumer, share or streams.
    """
    return f"{kind}-groups" if kind in ("share", "streams") else "groups"


def other_kind(name: str, kind: str, command: str) -> str:
    """Return a line that names the command for a group of another kind.

    Args:
        name: the name of the group.
        kind: its kind.
        command: what the user wants to do, such as reset-offsets.
    """
    commands = commands_for(kind)
    if commands == "groups" and command == "offsets":
        command = "describe"
    return f"group {name!r} is a {kind} group: use `{commands} {command} {shlex.quote(name)}`"


def kind_of(group: GroupListing) -> str:
    """Return the kind of a group: classic, consumer, share or streams.

    Args:
        group: the group.
    """
    # Brokers before 3.8 do not return types, and have only classic groups.
    return "classic" if group.type.name == "UNKNOWN" else group.type.name.lower()


def described(
    admin: AdminClient, groups: Mapping[str, GroupListing], timeout: float
) -> tuple[dict[str, View], list[str]]:
    """Return the views of groups that were listed, and a line for each failure.

    Args:
        admin: the client.
        groups: the groups, by name.
        timeout: seconds to wait for the brokers.
    """
    # All requests are sent before the first answer is awaited.
    asked: dict[str, Future[Any]] = {}
    offsets: dict[str, Future[Any]] = {}
    for kind in {group.type for group in groups.values()}:
        names = [name for name, group in groups.items() if group.type is kind]
        asked |= _descriptions(admin, kind, names, timeout)
        offsets |= _offsets(admin, kind, names, timeout)
    descriptions, failures = settled("group", asked)
    positions, others = settled("group", {name: offsets[name] for name in descriptions})
    found = {
        name: _view(groups[name], descriptions[name], positions[name])
        for name in groups
        if name in positions
    }
    return found, failures + others


def _descriptions(
    admin: AdminClient, kind: GroupType, names: list[str], timeout: float
) -> Mapping[str, Future[Any]]:
    from confluent_kafka.admin import GroupType

    if kind is GroupType.CONSUMER:
        return admin.describe_consumer_groups(names, request_timeout=timeout)
    if kind is GroupType.SHARE:
        return admin.describe_share_groups(names, request_timeout=timeout)
    if kind is GroupType.STREAMS:
        return admin.describe_streams_groups(names, request_timeout=timeout)
    return admin.describe_classic_groups(names, request_timeout=timeout)


def _offsets(
    admin: AdminClient, kind: GroupType, names: list[str], timeout: float
) -> Mapping[str, Future[Any]]:
    from confluent_kafka.admin import GroupType

    every: dict[str, list[TopicPartition] | None] = dict.fromkeys(names)
    if kind is GroupType.SHARE:
        return admin.list_share_group_offsets(every, request_timeout=timeout)
    if kind is GroupType.STREAMS:
        return admin.list_streams_group_offsets(every, request_timeout=timeout)
    return {  # librdkafka reads the offsets of one group in a request
        name: admin.list_consumer_group_offsets(
            [ConsumerGroupTopicPartitions(name)], request_timeout=timeout
        )[name]
        for name in names
    }


def _view(listing: GroupListing, description: Any, positions: Any) -> View:
    from confluent_kafka.admin import GroupState, GroupType

    kind, lags = listing.type, {}
    if kind is GroupType.SHARE:
        committed = {
            (place.topic, place.partition): one.start_offset
            for place, one in positions.items()
            if one.start_offset is not None
        }
        lags = {(place.topic, place.partition): one.lag for place, one in positions.items()}
    else:
        places = positions if kind is GroupType.STREAMS else positions.topic_partitions or []
        committed = {
            (place.topic, place.partition): place.offset for place in places if place.offset >= 0
        }
    # Brokers before 2.6 do not return states.
    state = description.state if listing.state is GroupState.UNKNOWN else listing.state
    return View(
        listing.group_id,
        kind_of(listing),
        listing.protocol,
        state.name.lower(),
        members(description),
        committed,
        lags,
        _assignor(description),
        description.coordinator,
    )


def _assignor(description: Any) -> str | None:
    from confluent_kafka.admin import ClassicGroupDescription, ConsumerGroupDescription

    match description:  # the other kinds of groups have no assignor that a user can choose
        case ClassicGroupDescription():
            return description.protocol_data or None
        case ConsumerGroupDescription():
            return description.partition_assignor or None
    return None
