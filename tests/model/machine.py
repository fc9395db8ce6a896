"""The model of a consumer: the messages that it must have returned, and its position.

Hypothesis draws operations. Each operation runs on a real consumer with an embedded cluster, and
updates the model. Then the test compares the consumer's position, lag, pauses and committed offsets
with the model.
"""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from confluent_kafka.testing import MockCluster
from tests.model.adapters import ALL, SECONDS, Read, Setting
from tests.model.faces import ADAPTERS
from tests.model.logs import Topic
from tests.support.waiting import wait_until

partitions = st.sampled_from(ALL)
Bounds = tuple[int, int]


@dataclass
class Place:
    """The model's state of one partition of the consumer."""

    next: int = 0
    """The consumer has returned all messages before this offset since its last assignment or
    seek."""
    given: bool = False
    """A message has come since then, so position() has a value in every client."""
    stored: Bounds | None = None
    """The offset that commit() commits instead of the position, after a seek."""
    has_stored: bool = False
    """commit() has an offset to commit."""
    paused: bool = False
    is_new: bool = False
    """The topic was created again, and none of its messages has come yet."""


def within(bounds: Bounds, *others: Bounds | None) -> Bounds:
    """Return the smallest bounds that contain all given bounds."""
    known = [bounds, *(each for each in others if each is not None)]
    return min(low for low, _ in known), max(high for _, high in known)


class ConsumerMachine(RuleBasedStateMachine):
    """The state machine for a consumer with assigned partitions."""

    kind: str = "Consumer"
    cluster: MockCluster

    def __init__(self) -> None:
        super().__init__()
        self.topic = Topic(self.cluster)
        self.committed: dict[int, Bounds] = {}
        self.is_automatic = False

    @initialize(is_automatic=st.booleans())
    def begin(self, is_automatic: bool) -> None:
        self.is_automatic = is_automatic
        self.open()

    def open(self) -> None:
        """Open a new consumer of the group: each partition begins at its committed offset."""
        servers = self.cluster.bootstrap_servers
        setting = Setting(servers, self.topic.name, self.topic.name, self.is_automatic)
        self.consumer = ADAPTERS[self.kind](setting)
        self.rules = self.consumer.rules
        self.has_read = False  # whether the consumer has read messages since the last commit
        self.places = {each: Place(next=self.begin_at(each)) for each in ALL}
        self.consumer.assign(ALL)

    def begin_at(self, partition: int) -> int:
        """Return the committed offset if the log has it, or else the start of the log."""
        log = self.topic.logs[partition]
        at, _ = self.committed.get(partition, (log.start, log.start))
        return at if log.start <= at <= log.end else log.start

    def teardown(self) -> None:
        if hasattr(self, "consumer"):
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

    @rule(partition=partitions, offset=st.integers(0, 40))
    def delete_records(self, partition: int, offset: int) -> None:
        self.topic.delete_records(partition, offset)

    @precondition(lambda self: self.rules.follows)
    @rule()
    def create_again(self) -> None:
        """The consumer reads the new topic from its start, after it has updated its metadata.

        Kafka forgets a group's committed offsets of a deleted topic.
        """
        highest = {each: self.at(each)[1] for each in self.places}
        self.topic.create_again()
        # The client may repeat a commit of the old topic's offsets, which then applies to the new
        # topic.
        self.committed = (
            {each: (0, at) for each, at in highest.items()} if self.is_automatic else {}
        )
        self.consumer.learn()
        for place in self.places.values():
            place.next, place.given, place.is_new = 0, False, True
            place.stored, place.has_stored = None, False

    # ---- reading ----

    def note(self, read: list[Read]) -> None:
        """Check that each message is the next message of its partition, so that none is lost or
        repeated."""
        for partition, offset, value in read:
            if self.topic.is_former(value):
                assert self.places[partition].is_new, (partition, offset, value)
                continue  # the client fetched the message before the topic was deleted
            log, place = self.topic.logs[partition], self.places[partition]
            assert not place.paused, (partition, offset)
            assert offset in log.may_follow(place.next), (partition, offset, place, log)
            assert log.records[offset] == value
            place.next, place.given, place.is_new = offset + 1, True, False
            place.stored, place.has_stored = None, True
            self.has_read = True

    def way(self, number: int) -> str:
        return self.consumer.ways[number % len(self.consumer.ways)]

    @rule(number=st.integers(0, 11), count=st.integers(1, 8))
    def read_some(self, number: int, count: int) -> None:
        self.note(self.consumer.read(self.way(number), count, SECONDS))

    def left(self) -> bool:
        """Whether a partition that is not paused has more messages."""
        return any(
            not place.paused and self.topic.logs[number].after(place.next)
            for number, place in self.places.items()
        )

    @rule(number=st.integers(0, 11), count=st.integers(1, 8))
    def read_all(self, number: int, count: int) -> None:
        """Read all messages. Afterwards, the position must be the end of the log."""
        step = lambda: self.note(self.consumer.read(self.way(number), count, SECONDS))  # noqa: E731
        wait_until(lambda: not self.left(), step)
        if self.rules.follows:
            wait_until(self.is_at_the_end, step)

    def is_at_the_end(self) -> bool:
        at = self.consumer.positions()
        return all(
            place.paused or not place.given or at[number] == self.topic.logs[number].end
            for number, place in self.places.items()
        )

    # ---- moving ----

    @rule(partition=partitions, offset=st.none() | st.integers(0, 40))
    def seek(self, partition: int, offset: int | None) -> None:
        """Seek to the offset, or to the beginning if it is None."""
        if partition not in self.places:
            return
        log, place = self.topic.logs[partition], self.places[partition]
        target = log.start if offset is None else min(max(offset, log.start), log.end)
        before = self.consumer.positions().get(partition, -1)
        asked = None if offset is None else target
        wait_until(lambda: self.consumer.seek(partition, asked))
        if place.given:
            # commit() still commits the received messages, until a message comes from the new
            # place.
            place.stored = (place.next, log.next_record(place.next))
        if offset is not None and target < before:
            place.stored, place.has_stored = (target, target), True
        place.next, place.given, place.is_new = target, False, False

    @precondition(lambda self: self.rules.pauses)
    @rule(partition=partitions)
    def pause(self, partition: int) -> None:
        if partition in self.places:
            self.consumer.pause(partition)
            self.places[partition].paused = True

    @precondition(lambda self: self.rules.pauses)
    @rule(partition=partitions)
    def resume(self, partition: int) -> None:
        if partition in self.places:
            self.consumer.resume(partition)
            self.places[partition].paused = False

    @precondition(lambda self: not self.is_automatic)
    @rule(wanted=st.sampled_from([{0}, {1}, {0, 1}]))
    def assign(self, wanted: set[int]) -> None:
        """If a partition was assigned before, a client keeps its pause, its pause and position, or
        neither."""
        before, self.places = (
            self.places,
            {each: Place(next=self.begin_at(each)) for each in wanted},
        )
        for each in wanted & before.keys():
            if self.rules.keeps_by_hand:
                self.places[each] = before[each]
            elif self.rules.keeps_pauses:
                self.places[each].paused = before[each].paused
        self.has_read = False
        self.consumer.assign(wanted)

    # ---- committing ----

    def stored(self, partition: int) -> Bounds | None:
        """Return the bounds of the offset that the next commit() commits."""
        place = self.places[partition]
        if place.stored is not None:
            return place.stored
        return self.at(partition) if place.has_stored and place.given else None

    def at(self, partition: int) -> Bounds:
        """Return the bounds of the position: after the last received message, up to the next
        message."""
        place = self.places[partition]
        return place.next, self.topic.logs[partition].next_record(place.next)

    @rule()
    def commit(self) -> None:
        """commit() commits exactly the received messages."""
        told = self.consumer.positions()
        self.consumer.commit()
        for partition, place in self.places.items():
            if not self.rules.knows_its_position:
                bounds = self.stored(partition)
            elif self.rules.commits_what_is_new and not self.has_read:
                bounds = None
            else:
                bounds = self.at(partition) if partition in told else None
                if bounds is not None and not place.given:
                    # The client's first offset may have been deleted from the log without the
                    # client noticing.
                    bounds = within(bounds, self.committed.get(partition))
                if place.is_new and bounds is not None:
                    bounds = (0, bounds[1])
            if bounds is not None:
                self.committed[partition] = bounds
        self.has_read = False

    @rule(partition=partitions, offset=st.integers(0, 40))
    def commit_an_offset(self, partition: int, offset: int) -> None:
        """Commit an offset of a received message. The next commit() commits a later offset."""
        place = self.places.get(partition)
        if place is None or not place.given or self.is_automatic:
            return
        target = min(offset, place.next - 1)
        self.consumer.commit_offset(partition, target)
        self.committed[partition] = (target, target)

    @rule()
    def close_and_open(self) -> None:
        """close() commits the received messages if commits are automatic.

        Otherwise it commits nothing.
        """
        self.consumer.close()
        if self.is_automatic:
            for partition in self.places:
                self.committed_by_itself(partition, at_last=True)
        told = self.told_committed()
        self.check_committed(told)
        self.committed = {each: (offset, offset) for each, offset in told.items()}
        self.open()

    def committed_by_itself(self, partition: int, at_last: bool) -> None:
        """Note that the client may have committed the stored offsets in the background."""
        stored, former = self.stored(partition), self.committed.get(partition, (0, 0))
        if self.rules.knows_its_position:
            stored = within(self.at(partition), stored)
        if stored is not None:
            is_exact = at_last and self.places[partition].given
            self.committed[partition] = within(stored, None if is_exact else former)

    def told_committed(self) -> dict[int, int]:
        """Return the committed offsets, which another consumer of the group reads."""
        setting = Setting(self.cluster.bootstrap_servers, self.topic.name, self.topic.name)
        reader = ADAPTERS["Consumer"](setting)
        told = reader.committed()
        reader.close()
        return told

    # ---- values that the consumer reports ----

    @invariant()
    def position_is_between(self) -> None:
        """The position is after the last received message, and not after the next message."""
        told = self.consumer.positions()
        for partition, place in self.places.items():
            if place.given:
                low, high = self.at(partition)
                assert low <= told[partition] <= high, (partition, told, place)

    @invariant()
    def lag_is_the_rest(self) -> None:
        """The lag is at most the number of offsets after the position."""
        for partition, lag in self.consumer.lags().items():
            place, log = self.places[partition], self.topic.logs[partition]
            if place.given:
                assert 0 <= lag <= log.end - place.next, (partition, lag, place, log)

    @invariant()
    def paused_is_what_was_paused(self) -> None:
        expected = {number for number, place in self.places.items() if place.paused}
        assert self.consumer.paused() == expected

    @invariant()
    def committed_is_what_was_committed(self) -> None:
        if self.is_automatic:
            for partition in self.places:
                self.committed_by_itself(partition, at_last=False)
        told = self.consumer.committed()
        self.check_committed(told)
        if self.is_automatic:
            self.committed = {each: (offset, offset) for each, offset in told.items()}

    def check_committed(self, told: dict[int, int]) -> None:
        for partition, (low, high) in self.committed.items():
            if self.is_automatic and partition not in told:
                continue
            assert low <= told.get(partition, -1) <= high, (told, self.committed, self.places)
        assert told.keys() <= self.committed.keys(), (told, self.committed)


def machine_of(kind: str, cluster: MockCluster) -> type[ConsumerMachine]:
    """Return the state machine for one client, as a class, which hypothesis requires."""
    return type(f"{kind}Machine", (ConsumerMachine,), {"kind": kind, "cluster": cluster})
