"""The state of a cluster at one time, and two of these states with the rates between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from confluent_kafka.cli.groups.view import View
from confluent_kafka.cli.lag.facts import Partition
from confluent_kafka.cli.topics.place import Place


@dataclass(frozen=True)
class Snapshot:
    """The state of a cluster at one time.

    Attributes:
        time: the time in seconds, of a clock that only runs forward.
        brokers: the addresses of the brokers that are up, by id.
        controller: the id of the controller, or None if it is unknown.
        partitions: all partitions.
        ends: the end offset of each partition, or None if it is unknown.
        groups: the groups by name.
        failures: a line for each topic, group or broker whose state is unknown.
    """

    time: float
    brokers: Mapping[int, str] = field(default_factory=dict)
    controller: int | None = None
    partitions: Mapping[Place, Partition] = field(default_factory=dict)
    ends: Mapping[Place, int | None] = field(default_factory=dict)
    groups: Mapping[str, View] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    @cached_property
    def missing(self) -> list[int]:
        """The brokers that have replicas and are not up, in order."""
        with_replicas = {id_ for each in self.partitions.values() for id_ in each.replicas}
        return sorted(with_replicas - set(self.brokers))

    @cached_property
    def under_replicated(self) -> list[Place]:
        """The partitions with a replica that is not in sync, in order."""
        return sorted(place for place, one in self.partitions.items() if one.out_of_sync)

    @cached_property
    def offline(self) -> list[Place]:
        """The partitions without a leader, in order."""
        return sorted(place for place, one in self.partitions.items() if one.leader is None)

    def lags(self, group: str) -> dict[Place, int | None]:
        """Return the lag of each partition of a group, or None if it is unknown."""
        view = self.groups[group]
        return {place: view.lag(place, self.ends.get(place)) for place in view.places}


@dataclass(frozen=True)
class Pair:
    """Two states of a cluster. Every rate is None if one of the states does not have its value.

    Attributes:
        first: the earlier state.
        last: the later state. If there is only one state, it is both.
    """

    first: Snapshot
    last: Snapshot

    def written(self, place: Place) -> float | None:
        """Return how many messages a second were added to a partition.

        It is also None if the end has moved back: the topic was deleted and created again.
        """
        rate = self._rate(self.first.ends.get(place), self.last.ends.get(place))
        return None if rate is None or rate < 0 else rate

    def slopes(self, group: str) -> dict[Place, float]:
        """Return by how much a second the lag of each partition of a group grows."""
        if group not in self.first.groups:
            return {}
        return self._rates(self.first.lags(group), self.last.lags(group))

    def reads(self, group: str) -> dict[Place, float]:
        """Return by how much a second the committed offset of each partition moves."""
        if group not in self.first.groups:
            return {}
        before, after = (each.groups[group].committed for each in (self.first, self.last))
        return self._rates(before, after)

    def _rates(
        self, before: Mapping[Place, int | None], after: Mapping[Place, int | None]
    ) -> dict[Place, float]:
        rates = {place: self._rate(before.get(place), value) for place, value in after.items()}
        return {place: rate for place, rate in rates.items() if rate is not None}

    def _rate(self, before: int | None, after: int | None) -> float | None:
        seconds = self.last.time - self.first.time
        if before is None or after is None or seconds <= 0:
            return None
        return (after - before) / seconds


class History:
    """The states of the last seconds.

    Rates are averages of this time. Consumers commit every 5 s by default, so the lag of a fast
    consumer rises and falls within a shorter time.

    Args:
        seconds: the time. There are always at least two states, even if they are further apart.

    Attributes:
        pair: the oldest and the newest state, or None if there is no state.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._states: list[Snapshot] = []
        self.pair: Pair | None = None

    def add(self, state: Snapshot) -> None:
        """Add a state, which is newer than all others."""
        self._states.append(state)
        while len(self._states) > 2 and state.time - self._states[0].time > self._seconds:
            del self._states[0]
        self.pair = Pair(self._states[0], state)
