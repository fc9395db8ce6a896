"""The rows of tables about groups: one for each partition, or one for each member."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka.cli.groups.view import Member, View
from confluent_kafka.cli.topics.partition_offsets import offsets_at
from confluent_kafka.cli.topics.place import Place

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

PARTITIONS = (
    *("group", "topic", "partition", "committed", "end", "lag"),
    *("member", "client", "host"),
)
MEMBERS = ("group", "type", "state", "member", "client", "host", "partitions")
STATE = ("group", "type", "state", "assignor", "coordinator", "address", "members")
VERBOSE = ("instance", "rack", "assignment", "target", "details")


def partition_rows(group: View, ends: Mapping[Place, int | None]) -> Iterator[list[Any]]:
    """Yield a row for each partition that has a committed offset or a member.

    Args:
        group: the group.
        ends: the end offsets of the partitions.
    """
    readers = group.readers
    for place in group.places:
        end = ends[place]
        reading: list[Member] = readers.get(place, [])
        yield [
            group.name,
            *place,
            group.committed.get(place),
            end,
            group.lag(place, end),
            *(
                # Only in a share group can several members read a partition.
                ", ".join(getattr(member, each) for member in reading) or None
                for each in ("id", "client", "host")
            ),
        ]


def member_rows(group: View, verbose: bool) -> Iterator[list[Any]]:
    """Yield a row for each member. A group without members has one row.

    Args:
        group: the group.
        verbose: whether the rows also have the values of VERBOSE.
    """
    common = [group.name, group.kind, group.state]
    for member in group.members:
        row = [*common, member.id, member.client, member.host, len(member.reads)]
        if verbose:
            target = member.target
            details = [f"{name}={value}" for name, value in member.details.items()]
            row += [member.instance, member.rack, _names(member.reads)]
            row += [None if target is None else _names(target), details]
        yield row
    if not group.members:
        yield [*common, *(None,) * 4, *((None,) * len(VERBOSE) if verbose else ())]


def state_row(group: View) -> list[Any]:
    """Return the row of a group with its state, its coordinator and its number of members.

    Args:
        group: the group.
    """
    at = group.coordinator
    return [
        *(group.name, group.kind, group.state, group.assignor),
        *((None, None) if at is None else (at.id, f"{at.host}:{at.port}")),
        len(group.members),
    ]


def _names(places: list[Place]) -> list[str]:
    return [f"{topic}:{partition}" for topic, partition in places]


def ends_of(
    admin: AdminClient, groups: Mapping[str, View], timeout: float
) -> dict[Place, int | None]:
    """Return the end offset of each partition of groups, or None if it is unknown.

    Args:
        admin: the client.
        groups: the groups, by name.
        timeout: seconds to wait for the brokers.
    """
    from confluent_kafka.admin import OffsetSpec

    places = {place for group in groups.values() for place in group.places}
    return offsets_at(admin, sorted(places), OffsetSpec.latest(), timeout)
