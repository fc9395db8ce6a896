"""The state of the brokers at one moment, parsed from the bytes of rd_kafka_mock_snapshot()."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from confluent_kafka.cimpl import Uuid

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker, which may be up or down."""

    id: int
    host: str
    port: int
    rack: str | None
    up: bool


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition, with the offsets and metadata that groups have committed."""

    leader: int
    leader_epoch: int
    start: int
    stable: int
    end: int
    size: int
    replicas: list[int]
    committed: dict[str, tuple[int, str | None]]


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic, with its partitions in order."""

    name: str
    id: Uuid
    partitions: list[Partition]


@dataclass(frozen=True, slots=True)
class ClassicMember:
    """A member of a classic group."""

    id: str
    instance_id: str | None
    client_id: str
    metadata: bytes
    assignment: bytes


@dataclass(frozen=True, slots=True)
class ClassicGroup:
    """A group of the classic protocol."""

    id: str
    protocol_type: str
    protocol: str
    phase: int
    members: list[ClassicMember]

    @property
    def state(self) -> str:
        """The state's name in Kafka."""
        if not self.members:
            return "Empty"
        preparing, completing = "PreparingRebalance", "CompletingRebalance"
        return ("Empty", preparing, completing, preparing, "Stable")[self.phase]


# The assignment of a member of a KIP-848 group or share group: topic ids and partition numbers.
Assignment = list[tuple[Uuid, int]]


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a KIP-848 group, or of a share group."""

    id: str
    instance_id: str | None
    client_id: str
    epoch: int
    topics: list[str]
    assignment: Assignment
    target: Assignment


@dataclass(frozen=True, slots=True)
class Group:
    """A KIP-848 group, or a share group."""

    id: str
    epoch: int
    members: list[Member]

    @property
    def state(self) -> str:
        """The state's name in Kafka."""
        if not self.members:
            return "Empty"
        settled = all(set(each.assignment) == set(each.target) for each in self.members)
        return "Stable" if settled else "Reconciling"


@dataclass(frozen=True, slots=True)
class SharePartition:
    """Where a share group continues in a partition. `done` counts finished later records."""

    topic_id: Uuid
    number: int
    start: int
    done: int


@dataclass(frozen=True, slots=True)
class ShareGroup(Group):
    """A share group."""

    partitions: list[SharePartition]


@dataclass(frozen=True, slots=True)
class Transaction:
    """A transactional.id, with its producer and its latest transaction."""

    id: str
    producer_id: int
    producer_epoch: int
    phase: int
    timeout_ms: int
    start_ms: int  # -1 if no transaction is open
    partitions: list[tuple[str, int]]

    @property
    def state(self) -> str:
        """The state's name in Kafka."""
        return ("Empty", "Ongoing", "CompleteCommit", "CompleteAbort")[self.phase]


@dataclass(frozen=True, slots=True)
class State:
    """The whole state."""

    cluster_id: str
    controller: int
    brokers: list[Broker]
    topics: dict[str, Topic]
    classic_groups: dict[str, ClassicGroup]
    consumer_groups: dict[str, Group]
    share_groups: dict[str, ShareGroup]
    transaction_version: int
    transactions: dict[str, Transaction]

    @property
    def committed_groups(self) -> set[str]:
        """The groups that have committed an offset."""
        every = (each for topic in self.topics.values() for each in topic.partitions)
        return {group for partition in every for group in partition.committed}

    def topic_of(self, topic_id: Uuid) -> Topic | None:
        """Return the topic with this id, or None."""
        return next((each for each in self.topics.values() if each.id == topic_id), None)

    @classmethod
    def read(cls, data: bytes) -> State:
        """Parse the bytes of a snapshot."""
        reader = _Reader(data)
        return cls(
            reader.text(),
            reader.number("i"),
            reader.array(reader.broker),
            {topic.name: topic for topic in reader.array(reader.topic)},
            {group.id: group for group in reader.array(reader.classic_group)},
            {group.id: group for group in reader.array(reader.consumer_group)},
            {group.id: group for group in reader.array(reader.share_group)},
            reader.number("h"),
            {each.id: each for each in reader.array(reader.transaction)},
        )


class _Reader:
    """Reads values from bytes, from the front to the end."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._pos = 0

    def number(self, kind: str) -> Any:
        """Read a number in a `struct` format."""
        (value,) = struct.unpack_from(f">{kind}", self._data, self._pos)
        self._pos += struct.calcsize(f">{kind}")
        return value

    def _take(self, size: int) -> bytes:
        taken = self._data[self._pos : self._pos + size]
        self._pos += size
        return taken

    def nullable(self) -> str | None:
        size = self.number("h")
        return None if size < 0 else self._take(size).decode(errors="replace")

    def text(self) -> str:
        return self.nullable() or ""

    def bytes(self) -> bytes:
        return self._take(self.number("i"))

    def uuid(self) -> Uuid:
        return Uuid(self.number("q"), self.number("q"))

    def array(self, element: Callable[[], T]) -> list[T]:
        return [element() for _ in range(self.number("i"))]

    def integer(self) -> int:
        value: int = self.number("i")
        return value

    def broker(self) -> Broker:
        node, host, port = self.integer(), self.text(), self.integer()
        return Broker(node, host, port, self.nullable(), bool(self.number("b")))

    def topic(self) -> Topic:
        return Topic(self.text(), self.uuid(), self.array(self.partition))

    def partition(self) -> Partition:
        leader, epoch, start, stable, end, size = (self.number(kind) for kind in "iiqqqq")
        replicas = self.array(self.integer)
        committed = dict(self.array(self.committed))
        return Partition(leader, epoch, start, stable, end, size, replicas, committed)

    def committed(self) -> tuple[str, tuple[int, str | None]]:
        return self.text(), (self.number("q"), self.nullable())

    def classic_group(self) -> ClassicGroup:
        name, kind, chosen = self.text(), self.text(), self.text()
        return ClassicGroup(name, kind, chosen, self.number("b"), self.array(self.classic_member))

    def classic_member(self) -> ClassicMember:
        name, instance, client = self.text(), self.nullable(), self.text()
        return ClassicMember(name, instance, client, self.bytes(), self.bytes())

    def consumer_group(self) -> Group:
        return Group(self.text(), self.integer(), self.array(self.member))

    def member(self) -> Member:
        name, instance, client = self.text(), self.nullable(), self.text()
        epoch, topics = self.integer(), self.array(self.text)
        assignment, target = self.assignment(), self.assignment()
        return Member(name, instance, client, epoch, topics, assignment, target)

    def share_group(self) -> ShareGroup:
        name, epoch, members = self.text(), self.integer(), self.array(self.share_member)
        return ShareGroup(name, epoch, members, self.array(self.share_partition))

    def share_partition(self) -> SharePartition:
        topic, number = self.uuid(), self.integer()
        return SharePartition(topic, number, self.number("q"), self.integer())

    def share_member(self) -> Member:
        name, client = self.text(), self.text()
        epoch, topics = self.integer(), self.array(self.text)
        assignment = self.assignment()
        return Member(name, None, client, epoch, topics, assignment, assignment)

    def transaction(self) -> Transaction:
        name = self.text()
        producer, epoch, phase, timeout, start = (self.number(kind) for kind in "qhbiq")
        partitions = self.array(lambda: (self.text(), self.integer()))
        return Transaction(name, producer, epoch, phase, timeout, start, partitions)

    def assignment(self) -> Assignment:
        return self.array(lambda: (self.uuid(), self.integer()))


def by_topic(assignment: Assignment) -> Iterator[tuple[Uuid, list[int]]]:
    """Yield each topic with its partitions."""
    topics: dict[Uuid, list[int]] = {}
    for topic, partition in assignment:
        topics.setdefault(topic, []).append(partition)
    yield from topics.items()
