"""What `why` knows about a group: two samples of its offsets, its topics and its transactions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.groups.view import View
from confluent_kafka.cli.topics.place import Place


@dataclass(frozen=True)
class Sample:
    """The state of a group at one time.

    Attributes:
        time: the time in seconds.
        group: the group.
        ends: the end offset of each partition, or None if it is unknown.
        stable: the last stable offset of each partition: the end for ``read_committed`` readers.
    """

    time: float
    group: View
    ends: Mapping[Place, int | None]
    stable: Mapping[Place, int | None]

    @property
    def lags(self) -> dict[Place, int]:
        """The lag of each partition whose lag is known."""
        lags = {place: self.group.lag(place, self.ends.get(place)) for place in self.group.places}
        return {place: lag for place, lag in lags.items() if lag is not None}


@dataclass(frozen=True)
class Partition:
    """The replicas of a partition.

    Attributes:
        leader: the broker that leads it, or None.
        replicas: the brokers that have a copy.
        in_sync: the brokers whose copy is in sync.
    """

    leader: int | None
    replicas: list[int]
    in_sync: list[int]

    @cached_property
    def out_of_sync(self) -> list[int]:
        """The brokers whose copy is not in sync, in order."""
        return sorted({*self.replicas} - {*self.in_sync})


@dataclass(frozen=True)
class Transaction:
    """A transaction that is open in a partition.

    Attributes:
        place: the partition.
        start: its first offset in the partition.
        producer_id: the id of its producer.
        id: its transactional id, or None if it is unknown.
        since: when it began, or else the time of its last message; in seconds since 1970, or None.
        coordinated: whether its coordinator has it open. None if no transactional id of its
            producer is listed, for example because this user may not describe it.
    """

    place: Place
    start: int
    producer_id: int
    id: str | None = None
    since: float | None = None
    coordinated: bool | None = None


@dataclass(frozen=True)
class Quota:
    """A limit that can apply to a member.

    Attributes:
        client: the client id, or None for the default of all client ids.
        name: the quota, such as consumer_byte_rate.
        value: its value.
    """

    client: str | None
    name: str
    value: float


@dataclass(frozen=True)
class Facts:
    """Everything that findings are made from.

    Attributes:
        first: the first sample.
        last: the last sample.
        now: the time of the last sample, in seconds since 1970.
        starts: the first offset of each partition, or None if it is unknown.
        partitions: the partitions of the group's topics.
        unreadable: topics that cannot be described, with the reasons.
        missing: topics that do not exist.
        transactions: open transactions that hold back ``read_committed`` readers.
        quotas: limits that can apply to members.
        between: the group at times between the samples, in order.
        batches: the sizes of the batches that the group reads next, where they can be large.
    """

    first: Sample
    last: Sample
    now: float = 0.0
    starts: Mapping[Place, int | None] = field(default_factory=dict)
    partitions: Mapping[Place, Partition] = field(default_factory=dict)
    unreadable: Mapping[str, str] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()
    transactions: list[Transaction] = field(default_factory=list)
    quotas: list[Quota] = field(default_factory=list)
    between: list[View] = field(default_factory=list)
    batches: Mapping[Place, int] = field(default_factory=dict)

    @property
    def views(self) -> list[View]:
        """The group at all times, in order."""
        return [self.first.group, *self.between, self.last.group]

    @property
    def group(self) -> View:
        """The group in the last sample."""
        return self.last.group

    @property
    def seconds(self) -> float:
        """The time between the samples."""
        return self.last.time - self.first.time

    @property
    def held_back(self) -> dict[Place, int]:
        """The last stable offsets that did not move and are below the ends of partitions."""
        return {
            place: stable
            for place, stable in self.last.stable.items()
            if stable is not None
            and stable == self.first.stable.get(place)
            and stable < (self.first.ends.get(place) or 0)
        }

    @property
    def waiting(self) -> dict[Place, int]:
        """The lag of partitions in which messages waited all the time, the largest lag first."""
        before = self.first.lags
        lags = {place: lag for place, lag in self.last.lags.items() if lag and before.get(place)}
        return dict(sorted(lags.items(), key=lambda each: -each[1]))

    def moved(self, place: Place) -> int:
        """Return by how many messages the group has moved in a partition."""
        return self.last.group.committed.get(place, 0) - self.first.group.committed.get(place, 0)

    def produced(self, place: Place) -> int:
        """Return how many messages producers have added to a partition."""
        before, after = self.first.ends.get(place), self.last.ends.get(place)
        return 0 if before is None or after is None else after - before


def summary(facts: Facts) -> str:
    """Return a line about the group: its state, members and lag.

    Args:
        facts: what is known about the group.
    """
    group, before, after = facts.group, facts.first.lags, facts.last.lags
    lag, change = sum(after.values()), sum(after.values()) - sum(before.values())
    text = f"group {group.name}: {group.kind}, {group.state}, "
    text += f"{counted(len(group.members), 'member')}, {counted(len(group.places), 'partition')}, "
    text += f"lag {lag:,}"
    if change and facts.seconds:
        text += f" ({change / facts.seconds:+,.0f}/s)"
        if change < 0 < lag:
            text += f", at this rate done in {lag / -change * facts.seconds:,.0f} s"
    return text
