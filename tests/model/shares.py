"""The model of a share group: each record is accepted or rejected once, and no record is lost.

Members join and leave, read the same partitions and acknowledge each record. For each record, the
model counts the deliveries and stores the brokers' responses to its acknowledgements.

An acknowledgement may fail. Then its records come again. Kafka and the model allow that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from confluent_kafka import (
    AcknowledgeType,
    DeserializingShareConsumer,
    Message,
    ShareConsumer,
    TopicPartition,
)
from confluent_kafka.testing import MockCluster
from tests.model.adapters import SECONDS
from tests.model.logs import Topic
from tests.support.waiting import TIMEOUT, wait_until

MEMBERS = 3
members = st.integers(0, MEMBERS - 1)
kinds = st.lists(st.sampled_from(AcknowledgeType), min_size=1, max_size=4)

# The limit is so high that the group never archives a record after too many deliveries.
LIMIT = 1_000_000

_SHARE_GROUP_HEARTBEAT = 76

Place = tuple[int, int]  # partition and offset


@dataclass
class Record:
    """The model's view of a record that was delivered."""

    deliveries: int = 0
    is_done: bool = False
    """The record was accepted or rejected, and the broker has confirmed it."""


@dataclass
class Member:
    """A consumer, and the records that it received and has not acknowledged yet."""

    consumer: ShareConsumer
    held: dict[Place, AcknowledgeType | None] = field(default_factory=dict)
    sent: dict[Place, AcknowledgeType] = field(default_factory=dict)
    """These acknowledgements have no response yet."""


def _objects(config: dict[str, Any]) -> ShareConsumer:
    return DeserializingShareConsumer(config | {"value.deserializer": lambda data, _: data})


SHARE_CONSUMERS: dict[str, Callable[[dict[str, Any]], ShareConsumer]] = {
    "ShareConsumer": ShareConsumer,
    "DeserializingShareConsumer": _objects,
}


class ShareMachine(RuleBasedStateMachine):
    """The state machine for share consumers that subscribe to one topic."""

    kind: ClassVar[str] = "ShareConsumer"
    cluster: ClassVar[MockCluster]

    def __init__(self) -> None:
        super().__init__()
        self.cluster.set_share_group_auto_offset_reset("earliest")
        self.cluster.set_share_group_heartbeat_interval(0.02)
        self.cluster.set_share_group_delivery_count_limit(LIMIT)
        # After a failed acknowledgement, a record is locked for this long.
        self.cluster.set_share_group_record_lock_duration(3)
        self.joined: set[str] = set()
        self.cluster.on_request(_SHARE_GROUP_HEARTBEAT, self.note_heartbeat)
        self.topic = Topic(self.cluster)
        self.members: list[Member] = []
        self.records: dict[Place, Record] = {}

    def note_heartbeat(self, request: Any, _: object) -> None:
        if request.member_epoch > 0:
            self.joined.add(request.member_id)

    @initialize(is_explicit=st.booleans())
    def begin(self, is_explicit: bool) -> None:
        self.is_explicit = is_explicit
        self.join()

    def teardown(self) -> None:
        for member in self.members:
            self.close(member)
        self.topic.close()
        self.cluster.on_request(_SHARE_GROUP_HEARTBEAT, None)

    # ---- the topic ----

    @rule(partition=st.integers(0, 1), count=st.integers(1, 12))
    def produce(self, partition: int, count: int) -> None:
        self.topic.produce(partition, count)

    @rule(partition=st.integers(0, 1), kept=st.sets(st.integers(0, 9)), size=st.integers(1, 10))
    def compacted(self, partition: int, kept: set[int], size: int) -> None:
        self.topic.compacted(partition, kept, size)

    @rule(partition=st.integers(0, 1), count=st.integers(1, 6))
    def transaction(self, partition: int, count: int) -> None:
        self.topic.transaction(partition, count, commit=True)

    # ---- members ----

    @precondition(lambda self: len(self.members) < MEMBERS)
    @rule()
    def join(self) -> None:
        """Add a member, and wait until the group has it.

        A member that closes earlier would stay in the group.
        """
        known = len(self.joined)
        consumer = SHARE_CONSUMERS[self.kind](
            {
                "bootstrap.servers": self.cluster.bootstrap_servers,
                "group.id": self.topic.name,
                "share.acknowledgement.mode": "explicit" if self.is_explicit else "implicit",
                "fetch.wait.max.ms": 10,
                "reconnect.backoff.ms": 10,
                "log_level": 0,
            }
        )
        member = Member(consumer)
        consumer.set_acknowledgement_commit_callback(partial(self.answered, member))
        consumer.subscribe([self.topic.name])
        self.members.append(member)
        wait_until(lambda: len(self.joined) > known)

    @precondition(lambda self: len(self.members) > 1)
    @rule(number=members)
    def leave(self, number: int) -> None:
        self.close(self.members.pop(number % len(self.members)))

    def close(self, member: Member) -> None:
        """Close the member, which sends its acknowledgements, awaits the responses, and releases
        the rest."""
        if self.is_explicit:
            self.send(member)
        member.consumer.close()
        assert not member.sent, member

    # ---- reading ----

    @rule(number=members)
    def read(self, number: int) -> None:
        """Acknowledge all held records first, then poll."""
        member = self.members[number % len(self.members)]
        self.acknowledge_all(member, [AcknowledgeType.ACCEPT])
        self.poll(member)

    def poll(self, member: Member) -> None:
        self.send(member)
        for message in member.consumer.poll(SECONDS):
            self.note(member, message)

    def note(self, member: Member, message: Message[Any, Any]) -> None:
        """Check that the record is in the log and not finished, and that its delivery count has
        increased."""
        assert message.error() is None
        place = message.partition() or 0, message.offset() or 0
        assert self.topic.logs[place[0]].records[place[1]] == message.value()
        record = self.records.setdefault(place, Record())
        assert not record.is_done, place
        count = message.delivery_count() or 0
        assert record.deliveries < count, (place, count)
        record.deliveries = count
        member.held[place] = None if self.is_explicit else AcknowledgeType.ACCEPT

    # ---- acknowledging ----

    @precondition(lambda self: self.is_explicit)
    @rule(number=members, said=kinds, count=st.integers(1, 20))
    def acknowledge(self, number: int, said: list[AcknowledgeType], count: int) -> None:
        """Acknowledge some held records. An acknowledgement that is not sent yet may be changed."""
        member = self.members[number % len(self.members)]
        for index, place in enumerate(list(member.held)[:count]):
            self.say(member, place, said[index % len(said)])

    def acknowledge_all(self, member: Member, said: list[AcknowledgeType]) -> None:
        for index, (place, former) in enumerate(list(member.held.items())):
            if former is None:
                self.say(member, place, said[index % len(said)])

    def say(self, member: Member, place: Place, said: AcknowledgeType) -> None:
        member.consumer.acknowledge_offset(self.topic.name, *place, said)
        member.held[place] = said

    @rule(number=members, waits=st.booleans())
    def commit(self, number: int, waits: bool) -> None:
        """A commit that waits returns all of its results.

        Results of other commits may come later.
        """
        member = self.members[number % len(self.members)]
        before = set(member.sent)
        said = {place[0] for place, kind in member.held.items() if kind is not None}
        self.send(member)
        if waits:
            told = member.consumer.commit_sync(TIMEOUT)
            assert {each.partition for each in told} == said
            assert set(member.sent) <= before
        else:
            member.consumer.commit_async()

    def send(self, member: Member) -> None:
        """Note that the next call sends the acknowledgements."""
        for place, said in list(member.held.items()):
            if said is not None:
                member.sent[place] = said
                del member.held[place]

    def answered(self, member: Member, offsets: dict[TopicPartition, set[int]], error: Any) -> None:
        """Without an error, accepted and rejected records are done. Other records come again."""
        for partition, each in offsets.items():
            for offset in each:
                if offset not in self.topic.logs[partition.partition].records:
                    continue  # the offset has no record, so the client itself acknowledges it
                said = member.sent.pop((partition.partition, offset))
                if error is None and said is not AcknowledgeType.RELEASE:
                    self.records[partition.partition, offset].is_done = True

    # ---- nothing is lost ----

    @rule()
    def settle(self) -> None:
        """All members read and accept, until each record is accepted or rejected."""

        def step() -> None:
            for member in self.members:
                self.acknowledge_all(member, [AcknowledgeType.ACCEPT])
                self.poll(member)

        wait_until(self.is_all_done, step)

    def is_all_done(self) -> bool:
        return all(
            self.records.get((number, offset), Record()).is_done
            for number, log in enumerate(self.topic.logs)
            for offset in log.records
        )


def share_group_of(kind: str, cluster: MockCluster) -> type[ShareMachine]:
    """Return the state machine for one client, as a class, which hypothesis requires."""
    return type(f"{kind}Machine", (ShareMachine,), {"kind": kind, "cluster": cluster})
