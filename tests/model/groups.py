"""The model of a group: members share a topic's partitions, join and leave, and lose nothing.

The model cannot predict exactly when a rebalance happens. So between two settled states, it allows
all effects of a rebalance, and nothing else. A message may come again only if the group has not
committed it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.testing import MockCluster
from tests.model.adapters import SECONDS, Adapter, Read, Setting
from tests.model.faces import ADAPTERS
from tests.model.logs import Topic
from tests.support.waiting import wait_until

MEMBERS = 3
members = st.integers(0, MEMBERS - 1)
numbers = st.integers(0, 11)

# These errors mean that the group has rebalanced without the member, or is about to rebalance.
_OUTDATED = {
    KafkaError._NO_OFFSET,
    KafkaError._ASSIGNMENT_LOST,
    KafkaError._STATE,
    KafkaError.REBALANCE_IN_PROGRESS,
    KafkaError.ILLEGAL_GENERATION,
    KafkaError.UNKNOWN_MEMBER_ID,
}


@dataclass
class Member:
    """The model's state of a member."""

    consumer: Adapter
    next: dict[int, int] = field(default_factory=dict)
    """For each partition, the offset after the last message that this member received."""
    paused: set[int] = field(default_factory=set)
    is_held: bool = False
    """The member is inside pause_while()."""


class GroupMachine(RuleBasedStateMachine):
    """The state machine for consumers that subscribe."""

    kind: str = "Consumer"
    cluster: MockCluster

    def __init__(self) -> None:
        super().__init__()
        self.cluster.set_group_initial_rebalance_delay(0)
        self.topic = Topic(self.cluster, partitions=3)
        self.members: list[Member] = []
        self.is_settled = True
        self.given: dict[int, int] = {}
        """For each partition, the offset after the last message that any member received."""
        self.committed: dict[int, int] = {}

    @initialize(is_automatic=st.booleans(), protocol=numbers)
    def begin(self, is_automatic: bool, protocol: int) -> None:
        known = ADAPTERS[self.kind].rules.protocols  # type: ignore[attr-defined]
        self.is_automatic = is_automatic
        self.setting = Setting(
            self.cluster.bootstrap_servers,
            self.topic.name,
            self.topic.name,
            is_automatic,
            known[protocol % len(known)],
        )
        self.reader = ADAPTERS["Consumer"](self.setting)  # a consumer that is not a member
        self.join()

    def teardown(self) -> None:
        for member in self.members:
            if member.is_held:
                member.consumer.release()
            member.consumer.close()
        if self.members:
            self.reader.close()
        self.topic.close()

    @property
    def partitions(self) -> range:
        return range(len(self.topic.logs))

    def member(self, number: int) -> Member:
        return self.members[number % len(self.members)]

    # ---- the topic ----

    @rule(partition=numbers, count=st.integers(1, 12))
    def produce(self, partition: int, count: int) -> None:
        self.topic.produce(partition % len(self.topic.logs), count)

    @rule(partition=numbers, kept=st.sets(st.integers(0, 9)), size=st.integers(1, 10))
    def compacted(self, partition: int, kept: set[int], size: int) -> None:
        self.topic.compacted(partition % len(self.topic.logs), kept, size)

    @precondition(lambda self: len(self.topic.logs) < 5)
    @rule()
    def add_partition(self) -> None:
        self.topic.add_partition()
        self.is_settled = False

    @rule(partition=numbers, broker=st.integers(1, 3))
    def move_leader(self, partition: int, broker: int) -> None:
        self.topic.move_leader(partition % len(self.topic.logs), broker)

    # ---- members ----

    @precondition(lambda self: len(self.members) < MEMBERS)
    @rule()
    def join(self) -> None:
        member = Member(ADAPTERS[self.kind](self.setting))
        member.consumer.subscribe()
        self.members.append(member)
        self.is_settled = False

    @precondition(lambda self: len(self.members) > 1)
    @rule(number=members)
    def leave(self, number: int) -> None:
        """With automatic commits, close() commits the member's messages."""
        member = self.member(number)
        if member.is_held:
            member.consumer.release()
        owned = member.consumer.assignment() if self.is_settled else set()
        member.consumer.close()
        self.members.remove(member)
        self.is_settled = False
        self.see_committed()
        if self.is_automatic:
            for partition in owned & member.next.keys():
                low = member.next[partition]
                high = self.topic.logs[partition].next_record(low)
                assert low <= self.committed[partition] <= high, (partition, self.committed)

    def note(self, member: Member, read: list[Read]) -> None:
        for partition, offset, value in read:
            log = self.topic.logs[partition]
            assert not (self.is_settled and partition in member.paused), (partition, offset)
            assert offset in self.may_come(member, partition), (partition, offset, member, log)
            assert log.records[offset] == value
            member.next[partition] = offset + 1
            self.given[partition] = max(self.given.get(partition, 0), offset + 1)

    def may_come(self, member: Member, partition: int) -> set[int]:
        """Return the possible offsets of the next message.

        After a rebalance, they include the first uncommitted message.
        """
        log = self.topic.logs[partition]
        if self.is_automatic:
            return {log.next_record(self.given.get(partition, 0))}
        begins = {log.next_record(self.committed.get(partition, 0))}
        goes_on = {log.next_record(member.next[partition])} if partition in member.next else set()
        return goes_on | begins if not self.is_settled or not goes_on else goes_on

    def read(self, member: Member, way: int, count: int) -> None:
        ways = member.consumer.ways
        self.note(member, member.consumer.read(ways[way % len(ways)], count, SECONDS))

    @rule(number=members, way=numbers, count=st.integers(1, 8))
    def read_some(self, number: int, way: int, count: int) -> None:
        self.read(self.member(number), way, count)

    @rule(way=numbers, count=st.integers(1, 8))
    def settle(self, way: int, count: int) -> None:
        """All members read, until each partition has an owner that has read all of it."""
        for member in self.members:
            if member.is_held:
                member.consumer.release()
                member.is_held = False

        def step() -> None:
            for member in self.members:
                self.read(member, way, count)

        wait_until(self.is_shared, step)
        wait_until(self.is_read, step)
        self.is_settled = True
        for member in self.members:
            owned = member.consumer.assignment()
            member.paused = member.consumer.paused()
            member.next = {each: at for each, at in member.next.items() if each in owned}

    def is_shared(self) -> bool:
        """Whether each partition has an owner, and the shares differ by at most one partition.

        Before a rebalance, a new member has no partitions, and the former owners still have all
        partitions.
        """
        shares = [member.consumer.assignment() for member in self.members]
        sizes = [len(share) for share in shares]
        owned = sorted(each for share in shares for each in share)
        return owned == list(self.partitions) and max(sizes) - min(sizes) <= 1

    def is_read(self) -> bool:
        if not self.is_shared():
            return False
        for member in self.members:
            at = member.consumer.positions()
            for each in member.consumer.assignment() - member.consumer.paused():
                log = self.topic.logs[each]
                if log.after(self.given.get(each, 0)):
                    return False
                if at.get(each, log.end) != log.end and each in member.next:
                    return False
        return True

    # ---- pauses ----

    @rule(number=members, partition=numbers)
    def pause(self, number: int, partition: int) -> None:
        member, each = self.member(number), partition % len(self.topic.logs)
        if each in member.consumer.assignment() and self.is_settled and not member.is_held:
            member.consumer.pause(each)
            member.paused.add(each)

    @rule(number=members)
    def resume(self, number: int) -> None:
        member = self.member(number)
        if self.is_settled and not member.is_held:
            for each in sorted(member.paused):
                member.consumer.resume(each)
            member.paused = set()

    @precondition(lambda self: ADAPTERS[self.kind].rules.holds)  # type: ignore[attr-defined]
    @rule(number=members)
    def hold(self, number: int) -> None:
        """Begin a block of pause_while(), which settle() and leave() end."""
        member = self.member(number)
        if not member.is_held:
            member.consumer.hold()
            member.is_held = True

    # ---- committing ----

    @precondition(lambda self: not self.is_automatic)
    @rule(number=members)
    def commit(self, number: int) -> None:
        """The commit succeeds, or fails because the group has rebalanced without the member."""
        member = self.member(number)
        try:
            member.consumer.commit()
        except Exception as error:
            if self.is_settled or not is_outdated(error):
                raise
        self.see_committed()
        if self.is_settled:
            for partition, at in member.next.items():
                assert self.committed[partition] >= at, (partition, at, self.committed)

    @invariant()
    def committed_is_what_was_given(self) -> None:
        self.see_committed()

    def see_committed(self) -> None:
        """The committed offset never passes the received messages, and never decreases."""
        told = self.reader.committed(self.partitions)
        for partition, at in told.items():
            most = self.topic.logs[partition].next_record(self.given.get(partition, 0))
            assert self.committed.get(partition, 0) <= at <= most, (told, self.committed, most)
        assert told.keys() >= self.committed.keys(), (told, self.committed)
        self.committed = told


def is_outdated(error: Any) -> bool:
    """Whether the error means that the group has rebalanced without the member, or is about to."""
    if isinstance(error, KafkaException):
        return error.args[0].code() in _OUTDATED
    return type(error).__name__ in {"CommitFailedError", "IllegalStateError"}


def group_of(kind: str, cluster: MockCluster) -> type[GroupMachine]:
    """Return the state machine for groups of one client, as a class, which hypothesis requires."""
    return type(f"{kind}Group", (GroupMachine,), {"kind": kind, "cluster": cluster})
