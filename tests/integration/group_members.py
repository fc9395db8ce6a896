"""Members of consumer groups that record their rebalances and what they read."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from confluent_kafka import Consumer, KafkaError, TopicPartition
from tests.integration.broker_requests import set_group_config
from tests.integration.kafka_cluster import KafkaCluster
from tests.support.waiting import wait_until

EAGER = {
    strategy: {"partition.assignment.strategy": strategy} for strategy in ("range", "roundrobin")
}
INCREMENTAL: dict[str, dict[str, Any]] = {
    "cooperative-sticky": {"partition.assignment.strategy": "cooperative-sticky"},
    # KIP-848: the brokers decide on sessions and heartbeats, not the members.
    "consumer": {
        "group.protocol": "consumer",
        "session.timeout.ms": None,
        "heartbeat.interval.ms": None,
    },
}
# For each way to share partitions, by name: the settings to add to a member's configuration.
PROTOCOLS: dict[str, dict[str, Any]] = EAGER | INCREMENTAL


def with_long_sessions(kafka: KafkaCluster, group: str, protocol: str) -> dict[str, int]:
    """Make the members' sessions last for 45 s; return the settings that each member needs for
    this."""
    if protocol != "consumer":
        return {"session.timeout.ms": 45_000}
    set_group_config(kafka, group, consumer_session_timeout_ms="45000")
    return {}


class Event(NamedTuple):
    """A call of a rebalance callback."""

    member: str
    kind: str  # assign, revoke or lost
    partitions: list[int]


class Member(Consumer):
    """A consumer of one topic. Members of a test may share `events`, which shows their order."""

    def __init__(
        self,
        kafka: KafkaCluster,
        group: str,
        config: dict[str, Any] | None = None,
        name: str = "member",
        events: list[Event] | None = None,
    ) -> None:
        common: dict[str, Any] = {
            "group.id": group,
            "auto.offset.reset": "earliest",
            "session.timeout.ms": 6000,
            "heartbeat.interval.ms": 100,
            "fetch.wait.max.ms": 50,
        }
        super().__init__(kafka.config() | common | (config or {}))
        self.name = name
        self.events: list[Event] = [] if events is None else events
        self.values: list[bytes | None] = []
        self.errors: list[KafkaError] = []

    def join(self, topic: str) -> None:
        """Subscribes.

        The consumer becomes a member only while the other members poll.
        """
        self.subscribe(
            [topic],
            on_assign=self._note("assign"),
            on_revoke=self._note("revoke"),
            on_lost=self._note("lost"),
        )

    def _note(self, kind: str) -> Callable[[Consumer, list[TopicPartition]], object]:
        return lambda _, what: self.events.append(
            Event(self.name, kind, sorted(each.partition for each in what))
        )

    def step(self) -> None:
        """One poll(): it stores the message's value or its error."""
        message = self.poll(0.01)
        if message is None:
            return
        error = message.error()
        if error is None:
            self.values.append(message.value())
        else:
            self.errors.append(error)

    @property
    def partitions(self) -> list[int]:
        return sorted(each.partition for each in self.assignment())


def poll_until(members: Sequence[Member], condition: Callable[[], object]) -> None:
    """Lets the members take turns until the condition holds."""

    def step() -> None:
        for member in members:
            member.step()

    wait_until(condition, step)


def settle(members: Sequence[Member], rounds: int = 25) -> None:
    """Lets the members poll until no more callbacks are called.

    The last callback may be for a member whose partitions stay the same.
    """
    quiet, seen = 0, -1

    def step() -> None:
        nonlocal quiet, seen
        for member in members:
            member.step()
        count = sum(len(member.events) for member in members)
        quiet, seen = (quiet + 1 if count == seen else 0), count

    wait_until(lambda: quiet >= rounds, step)


def share(members: Sequence[Member], partitions: int) -> None:
    """Lets the members poll until they have divided the topic's partitions evenly among them."""

    def even() -> bool:
        owned = [member.partitions for member in members]
        sizes = [len(each) for each in owned]
        return (
            sorted(itertools.chain(*owned)) == list(range(partitions))
            and max(sizes) - min(sizes) <= 1
        )

    poll_until(members, even)
