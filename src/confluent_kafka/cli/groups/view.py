"""A group of any kind: its members, what these read, and its committed offsets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from confluent_kafka.cli.topics.place import Place

if TYPE_CHECKING:
    from confluent_kafka import Node

KINDS = ("classic", "consumer", "share", "streams")


@dataclass(frozen=True)
class Member:
    """A member of a group.

    Attributes:
        id: its id.
        client: its ``client.id``.
        host: the address of its client.
        reads: the partitions that it reads.
        target: the partitions that it is about to read; None if the kind of group has no target.
        instance: its ``group.instance.id``, or None.
        rack: its ``client.rack``, or None if it has none or the brokers do not return it.
        details: what only this kind of group has, by name.
    """

    id: str
    client: str
    host: str
    reads: list[Place]
    target: list[Place] | None = None
    instance: str | None = None
    rack: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class View:
    """A group of any kind.

    Attributes:
        name: its name.
        kind: classic, consumer, share or streams.
        protocol: the protocol type of its members; empty if the group has only offsets.
        state: its state in lower case, such as stable.
        members: its members.
        committed: its committed offsets. In a share group: its start offsets.
        lags: the lag of each partition, if the brokers return it. Only in share groups.
        assignor: the assignor that distributes the partitions; None if the group does not have one.
        coordinator: the broker that coordinates the group, or None if it is unknown.
    """

    name: str
    kind: str
    protocol: str
    state: str
    members: list[Member]
    committed: Mapping[Place, int]
    lags: Mapping[Place, int | None] = field(default_factory=dict)
    assignor: str | None = None
    coordinator: Node | None = None

    @property
    def readers(self) -> dict[Place, list[Member]]:
        """The members that read each partition: several only in a share group."""
        found: dict[Place, list[Member]] = {}
        for member in self.members:
            for place in member.reads:
                found.setdefault(place, []).append(member)
        return found

    @property
    def places(self) -> list[Place]:
        """The partitions that have a committed offset or a member, in order."""
        return sorted({*self.committed, *self.readers})

    def lag(self, place: Place, end: int | None) -> int | None:
        """Return how many messages the group still has to read, or None if that is unknown.

        Args:
            place: the partition.
            end: the end offset of the partition, or None.
        """
        if place in self.lags:
            return self.lags[place]
        offset = self.committed.get(place)
        return None if offset is None or end is None else max(0, end - offset)
