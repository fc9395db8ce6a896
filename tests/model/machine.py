"""The model: what a consumer must have handed out, and where it must stand, after any operations.

Operations are drawn by hypothesis, run on a real consumer and an embedded cluster, and noted here.
After each one what the consumer says (position, lag, paused, committed) is compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from confluent_kafka import OFFSET_BEGINNING, KafkaError, KafkaException, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.model.adapters import ADAPTERS, places
from tests.model.logs import PARTITIONS, Topic
from tests.support.waiting import TIMEOUT, wait_until

partitions = st.sampled_from(PARTITIONS)
SECONDS = 0.02


@dataclass
class Place:
    """What the model knows of one partition of the consumer."""

    next: int = 0
    """The consumer was given everything before this offset since it last began somewhere."""
    given: bool = False
    """A message was given since then: position() is known."""
    stored: tuple[int, int] | None = None
    """What commit() commits, if not the position: where a seek went back to, or left off."""
    has_stored: bool = False
    """There is something that commit() can commit."""
    paused: bool = False


class ConsumerMachine(RuleBasedStateMachine):
    """A consumer with partitions that it was told to read."""

    kind: str = "Consumer"
    cluster: MockCluster

    def __init__(self) -> None:
        super().__init__()
        self.topic = Topic(self.cluster)
        self.group = self.topic.name
        self.committed: dict[int, tuple[int, int]] = {}
        self.open()

    def open(self) -> None:
        """A new consumer of the group: each partition begins at what was committed."""
        config = {
            "bootstrap.servers": self.cluster.bootstrap_servers,
            "group.id": self.group,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "isolation.level": "read_uncommitted",
            "fetch.wait.max.ms": 10,
            "topic.metadata.refresh.interval.ms": 50,
            "retry.backoff.ms": 10,
            "reconnect.backoff.ms": 10,
        }
        self.consumer = ADAPTERS[self.kind](config)
        self.places = [Place(next=self.begin_at(each)) for each in PARTITIONS]
        self.consumer.assign(places(self.topic.name, PARTITIONS))

    def begin_at(self, partition: int) -> int:
        """The committed offset if the log has it, or the log's start."""
        log = self.topic.logs[partition]
        at, _ = self.committed.get(partition, (log.start, log.start))
        return at if log.start <= at <= log.end else log.start

    def teardown(self) -> None:
        self.consumer.close()
        self.topic.close()

    # ---- the topic ----

    @rule(partition=partitions, count=st.integers(1, 12))
    def produce(self, partition: int, count: int) -> None:
        self.topic.produce(partition, count)

    @rule(partition=partitions, count=st.integers(1, 6), commit=st.booleans())
    def transaction(self, partition: int, count: int, commit: bool) -> None:
        self.topic.transaction(partition, count, commit)

    @rule(partition=partitions, kept=st.sets(st.integers(0, 9)), size=st.integers(1, 10))
    def compacted(self, partition: int, kept: set[int], size: int) -> None:
        self.topic.compacted(partition, kept, size)

    @rule(partition=partitions, broker=st.integers(1, 3))
    def move_leader(self, partition: int, broker: int) -> None:
        self.topic.move_leader(partition, broker)

    # ---- reading ----

    def note(self, read: list[tuple[int, int, bytes | None]]) -> None:
        """Each message is the next of its partition: none is lost, and none comes again."""
        for partition, offset, value in read:
            log, place = self.topic.logs[partition], self.places[partition]
            assert not place.paused, (partition, offset)
            assert offset == log.next_record(place.next), (partition, offset, place, log)
            assert log.records[offset] == value
            place.next, place.given = offset + 1, True
            place.stored, place.has_stored = None, True

    def way(self, number: int) -> str:
        ways: tuple[str, ...] = ADAPTERS[self.kind].ways  # type: ignore[attr-defined]
        return ways[number % len(ways)]

    @rule(number=st.integers(0, 11), count=st.integers(1, 8))
    def read_some(self, number: int, count: int) -> None:
        self.note(self.consumer.read(self.way(number), count, SECONDS))

    def left(self) -> bool:
        """Whether a message is still to come."""
        return any(
            not place.paused and self.topic.logs[number].after(place.next)
            for number, place in enumerate(self.places)
        )

    @rule(number=st.integers(0, 11), count=st.integers(1, 8))
    def read_all(self, number: int, count: int) -> None:
        """Everything comes, and then the position is the end."""
        step = lambda: self.note(self.consumer.read(self.way(number), count, SECONDS))  # noqa: E731
        wait_until(lambda: not self.left(), step)
        wait_until(self.at_the_end, step)

    def at_the_end(self) -> bool:
        at = self.positions()
        return all(
            place.paused or not place.given or at[number] == self.topic.logs[number].end
            for number, place in enumerate(self.places)
        )

    # ---- moving ----

    @rule(partition=partitions, offset=st.integers(0, 40))
    def seek(self, partition: int, offset: int) -> None:
        log, place = self.topic.logs[partition], self.places[partition]
        target = min(max(offset, log.start), log.end)
        before = self.positions()[partition]
        self.when_begun(lambda: self.consumer.seek(self.at(partition, target)))
        self.leave(partition)
        if 0 <= target < before:
            place.stored, place.has_stored = (target, target), True
        place.next, place.given = target, False

    def leave(self, partition: int) -> None:
        """What was given so far is committed, until something is given at another place."""
        log, place = self.topic.logs[partition], self.places[partition]
        if place.given:
            place.stored = (place.next, log.next_record(place.next))

    @rule(partition=partitions)
    def seek_to_the_beginning(self, partition: int) -> None:
        place = self.places[partition]
        self.when_begun(lambda: self.consumer.seek(self.at(partition, OFFSET_BEGINNING)))
        self.leave(partition)
        place.next, place.given = self.topic.logs[partition].start, False

    def when_begun(self, call: Callable[[], Any]) -> None:
        """A partition that was assigned just now cannot be sought yet."""

        def tried() -> bool:
            try:
                call()
            except KafkaException as error:
                if error.args[0].code() not in (KafkaError._STATE, KafkaError._UNKNOWN_PARTITION):
                    raise
                return False
            return True

        wait_until(tried)

    @rule(partition=partitions)
    def pause(self, partition: int) -> None:
        self.when_begun(lambda: self.consumer.pause([self.at(partition)]))
        self.places[partition].paused = True

    @rule(partition=partitions)
    def resume(self, partition: int) -> None:
        self.when_begun(lambda: self.consumer.resume([self.at(partition)]))
        self.places[partition].paused = False

    def at(self, partition: int, offset: int | None = None) -> TopicPartition:
        if offset is None:
            return TopicPartition(self.topic.name, partition)
        return TopicPartition(self.topic.name, partition, offset)

    # ---- committing ----

    @rule()
    def commit(self) -> None:
        """What was given is committed, and never more."""
        try:
            self.consumer.commit(asynchronous=False)
        except KafkaException as error:
            if error.args[0].code() == KafkaError.FENCED_LEADER_EPOCH:
                # Of a partition whose leader has moved since. Kafka's coordinators do not check it.
                self.believe_the_cluster()
                return
            if error.args[0].code() != KafkaError._NO_OFFSET:
                raise
        for partition, place in enumerate(self.places):
            if place.stored is not None:
                self.committed[partition] = place.stored
            elif place.has_stored and place.given:
                highest = self.topic.logs[partition].next_record(place.next)
                self.committed[partition] = (place.next, highest)

    @rule(partition=partitions, offset=st.integers(0, 40))
    def commit_an_offset(self, partition: int, offset: int) -> None:
        """One that was given, which the next commit() passes."""
        place = self.places[partition]
        if not place.given:
            return
        target = min(offset, place.next - 1)
        self.consumer.commit(offsets=[self.at(partition, target)], asynchronous=False)
        self.committed[partition] = (target, target)

    @rule()
    def close_and_open(self) -> None:
        """Without automatic commits close() commits nothing."""
        self.consumer.close()
        self.believe_the_cluster()
        self.open()

    def believe_the_cluster(self) -> None:
        """Take what the group has committed from the cluster."""
        for partition, offset in self.told_committed().items():
            self.committed[partition] = (offset, offset)

    def told_committed(self) -> dict[int, int]:
        reader = ADAPTERS["Consumer"](
            {"bootstrap.servers": self.cluster.bootstrap_servers, "group.id": self.group}
        )
        told = reader.committed(places(self.topic.name, PARTITIONS), TIMEOUT)
        reader.close()
        return {one.partition: one.offset for one in told if one.offset >= 0}

    # ---- what the consumer says ----

    def positions(self) -> dict[int, int]:
        told = self.consumer.position(places(self.topic.name, PARTITIONS))
        return {one.partition: one.offset for one in told}

    @invariant()
    def position_is_between(self) -> None:
        """Behind what was given, and not behind what is still to come."""
        for partition, at in self.positions().items():
            place, log = self.places[partition], self.topic.logs[partition]
            if place.given:
                assert place.next <= at <= log.next_record(place.next), (partition, at, place)

    @invariant()
    def lag_is_the_rest(self) -> None:
        """No more than what is behind the position."""
        behind = self.consumer.lag()
        for one, lag in behind.items():
            place, log = self.places[one.partition], self.topic.logs[one.partition]
            if place.given and lag is not None:
                assert lag <= log.end - place.next, (one, lag, place, log)

    @invariant()
    def paused_is_what_was_paused(self) -> None:
        told = {one.partition for one in self.consumer.paused()}
        assert told == {number for number in PARTITIONS if self.places[number].paused}

    @invariant()
    def committed_is_what_was_committed(self) -> None:
        told = self.consumer.committed(places(self.topic.name, PARTITIONS), TIMEOUT)
        for one in told:
            if one.partition in self.committed:
                lowest, highest = self.committed[one.partition]
                assert lowest <= one.offset <= highest, (one, self.committed)
            else:
                assert one.offset < 0, (one, self.committed)


def machine_of(kind: str, cluster: MockCluster) -> type[ConsumerMachine]:
    """The machine of one client, as hypothesis wants it: a class."""
    return type(f"{kind}Machine", (ConsumerMachine,), {"kind": kind, "cluster": cluster})
