"""Assigned partitions in the compatibility APIs, tested with a model of librdkafka."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from confluent_kafka import KafkaError
from confluent_kafka import TopicPartition as Place
from confluent_kafka.compat._common.assignment import Assignment, Find, Rules, Script, Tell
from confluent_kafka.compat._common.structs import TopicPartition
from confluent_kafka.compat.aiokafka.consumer._rules import RULES as AIOKAFKA
from confluent_kafka.compat.kafka.consumer._rules import RULES as KAFKA
from confluent_kafka.compat.kafka_2 import KafkaConsumer as KafkaConsumer2

KAFKA_2 = KafkaConsumer2._rules
ALL = [TopicPartition("t", number) for number in range(3)]
A, B, C = ALL


@dataclass
class Librdkafka:
    """A model of librdkafka's assignments. Wrong calls fail the test."""

    begun: dict[TopicPartition, int] = field(default_factory=dict)
    """The offset where each assigned partition began, or the offset of its last seek."""
    read: dict[TopicPartition, int] = field(default_factory=dict)
    """The offset after the last message that the consumer returned."""
    paused: set[TopicPartition] = field(default_factory=set)

    def assign(self, partitions: list[Place]) -> None:
        self.begun, self.read = {}, {}
        self.incremental_assign(partitions)

    def incremental_assign(self, partitions: list[Place]) -> None:
        for each, place in zip(of(partitions), partitions, strict=True):
            assert each not in self.begun, "assigned twice"
            assert place.offset >= 0
            self.begun[each] = place.offset

    def incremental_unassign(self, partitions: list[Place]) -> None:
        for each in of(partitions):
            del self.begun[each]  # KeyError if the partition is not assigned
            self.read.pop(each, None)

    def pause(self, partitions: list[Place]) -> None:
        assert set(of(partitions)) <= self.begun.keys()
        self.paused |= set(of(partitions))

    def resume(self, partitions: list[Place]) -> None:
        assert set(of(partitions)) <= self.begun.keys()
        self.paused -= set(of(partitions))

    def _next_position(self, partitions: list[Place]) -> list[Place]:
        return [Place(*each, self.read.get(each, -1001)) for each in of(partitions)]

    def hand_out(self, partition: TopicPartition) -> int:
        """Hand out the next message; return its offset."""
        offset = self.read.get(partition, self.begun[partition])
        self.read[partition] = offset + 1
        return offset

    def seek(self, place: Place) -> None:
        (each,) = of([place])
        self.begun[each] = place.offset
        self.read.pop(each, None)


def of(partitions: list[Place]) -> list[TopicPartition]:
    return [TopicPartition(one.topic, one.partition) for one in partitions]


def run(
    script: Script,
    committed: dict[TopicPartition, int] | None = None,
    first: int | None = 0,
    listener: Callable[[Tell], Any] | None = None,
) -> list[Tell]:
    """Run the steps of a script; return the calls of the listener."""
    told: list[Tell] = []
    found: Any = None
    try:
        while True:
            step = script.send(found)
            found = None
            if isinstance(step, Tell):
                told.append(Tell(step.what, set(step.partitions)))
                if listener is not None:
                    listener(step)
            elif step.where == "committed":
                found = dict(committed or {})
            else:
                assert isinstance(step, Find)
                found = {} if first is None else dict.fromkeys(step.partitions, first)
    except StopIteration:
        return told


def a_member(rules: Rules, is_incremental: bool = False) -> tuple[Assignment, Librdkafka]:
    assigned, client = Assignment(rules), Librdkafka()
    assigned.client = client
    assigned.is_incremental = is_incremental
    return assigned, client


def give(assigned: Assignment, *partitions: TopicPartition, **found: Any) -> list[Tell]:
    """The group assigns partitions. The rebalance or the next poll starts to read them."""
    told = run(assigned.given(frozenset(partitions)), **found)
    run(assigned.settle(), **found)
    assigned.begin()
    return told


class TestEagerRebalances:
    """The group revokes all partitions, and assigns all of them again."""

    @pytest.mark.parametrize("rules", [AIOKAFKA, KAFKA, KAFKA_2])
    def test_positions_after_a_revocation(self, rules: Rules) -> None:
        """Positions continue after the messages that were handed out, and do not go back to the
        start."""
        assigned, client = a_member(rules)
        give(assigned, A, B)
        for _ in range(200):
            client.hand_out(A)
        run(assigned.taken(frozenset({A, B}), "revoked"))
        client.assign([])
        assert assigned.positions() == {A: 200, B: 0}
        for generation in (1, 2):  # both before and after the group has formed
            assert not assigned.may_commit(generation, assigned.takings)

    @pytest.mark.parametrize("rules", [AIOKAFKA, KAFKA, KAFKA_2])
    @pytest.mark.parametrize("how", ["lost", "revoked"])
    def test_a_commit_that_is_late(self, rules: Rules, how: str) -> None:
        """Positions of an earlier assignment are not committed after a new assignment, or by a
        consumer that is not a member."""
        assigned, _ = a_member(rules)
        give(assigned, A)
        takings = assigned.takings
        run(assigned.taken(frozenset({A}), how))
        give(assigned, A)
        assert not assigned.may_commit(-1, assigned.takings)
        assert assigned.may_commit(2, assigned.takings)
        assert not assigned.may_commit(2, takings)

    @pytest.mark.parametrize(
        ("rules", "position", "paused"),
        [(AIOKAFKA, 7, set()), (KAFKA, 10, {A}), (KAFKA_2, 7, set())],
    )
    def test_a_partition_that_stays(
        self, rules: Rules, position: int, paused: set[TopicPartition]
    ) -> None:
        """In kafka-python 3, a partition that stays keeps its position and its pause.

        The other APIs begin at the committed offset.
        """
        assigned, client = a_member(rules)
        give(assigned, A, B)
        for _ in range(10):
            client.hand_out(A)
        assigned.pause([A, B])
        run(assigned.taken(frozenset({A, B}), "revoked"))
        client.assign([])
        give(assigned, A, committed={A: 7})
        assert assigned.positions() == {A: position}
        assert client.begun == {A: position}
        assert assigned.paused == paused == client.paused & {A}

    @pytest.mark.parametrize("rules", [AIOKAFKA, KAFKA, KAFKA_2])
    def test_what_was_lost_begins_at_the_commit(self, rules: Rules) -> None:
        """A lost partition begins at the committed offset, because another member may have read it
        in the meantime."""
        assigned, client = a_member(rules)
        give(assigned, A)
        client.hand_out(A)
        run(assigned.taken(frozenset({A}), "lost"))
        client.assign([])
        give(assigned, A, committed={A: 30})
        assert client.begun == {A: 30}

    @pytest.mark.parametrize("rules", [AIOKAFKA, KAFKA])
    def test_a_listener_that_seeks(self, rules: Rules) -> None:
        """If a listener seeks, reading begins at that offset, and librdkafka gets the partitions
        only once."""
        assigned, client = a_member(rules)

        def listener(step: Tell) -> None:
            if step.what == "assigned":
                assigned.seek(A, 9)

        run(assigned.given(frozenset({A, B})), listener=listener)
        run(assigned.settle())
        assigned.begin()
        assert client.begun == {A: 9, B: 0}

    def test_what_listeners_are_told(self) -> None:
        """Listeners get all former partitions, and then all present partitions.

        No partition is reported twice.
        """
        for rules in (AIOKAFKA, KAFKA):
            assigned, _ = a_member(rules)
            assert give(assigned, A, B) == [("revoked", set()), ("assigned", {A, B})]
            taken = run(assigned.taken(frozenset({A, B}), "revoked"))
            assert taken == [("revoked", {A, B})]
            assert give(assigned, B) == [("assigned", {B})]


class TestIncrementalRebalances:
    """The group revokes and assigns only some partitions."""

    @pytest.mark.parametrize("rules", [AIOKAFKA, KAFKA])
    def test_what_stays_is_read_on(self, rules: Rules) -> None:
        """The other partitions keep their position and pause."""
        assigned, client = a_member(rules, is_incremental=True)
        give(assigned, A, B)
        client.hand_out(A)
        assigned.pause([A])
        run(assigned.taken(frozenset({B}), "revoked"))
        client.incremental_unassign([Place(*B)])
        assert assigned.may_commit(2, assigned.takings)
        give(assigned, C, committed={C: 5})
        assert assigned.positions() == {A: 1, C: 5}
        assert assigned.paused == client.paused & {A, C} == {A}

    def test_what_listeners_are_told(self) -> None:
        """kafka-python reports only changed partitions, and makes no call if there are none.
        aiokafka reports all partitions."""
        told = {}
        for rules in (AIOKAFKA, KAFKA):
            assigned, client = a_member(rules, is_incremental=True)
            told[rules] = give(assigned, A, B)
            told[rules] += run(assigned.taken(frozenset({B}), "revoked"))
            client.incremental_unassign([Place(*B)])
            told[rules] += give(assigned)
            told[rules] += give(assigned, C)
        assert told[KAFKA] == [("assigned", {A, B}), ("revoked", {B}), ("assigned", {C})]
        assert told[AIOKAFKA] == [
            ("revoked", set()),
            ("assigned", {A, B}),
            ("revoked", {A, B}),
            ("assigned", {A}),
            ("revoked", {A}),
            ("assigned", {A}),
            ("revoked", {A}),
            ("assigned", {A, C}),
        ]

    @pytest.mark.parametrize("rules", [AIOKAFKA, KAFKA])
    def test_without_an_offset(self, rules: Rules) -> None:
        """A partition without an offset is still assigned, but paused, so that it can be revoked
        later."""
        assigned, client = a_member(rules, is_incremental=True)
        give(assigned, A, first=None)
        assert client.paused == client.begun.keys() == {A}
        with pytest.raises(Exception, match="NoOffsetForPartition"):
            assigned.check()
        assigned.seek(A, 4)
        assert client.begun == {A: 4}
        assert client.paused == set()


class TestSeeks:
    """The consumer returns no messages until librdkafka has completed the seek."""

    def test_seek(self) -> None:
        assigned, client = a_member(KAFKA)
        give(assigned, A, B)
        client.hand_out(A)
        assigned.seek(A, 30)
        assert assigned.position(A) == 30
        assert of(assigned.wanted() or []) == [B]
        assert assigned.sought(Place(*A, 30), KafkaError(KafkaError._STATE), None)  # seek again
        client.seek(Place(*A, 30))
        assert not assigned.sought(Place(*A, 30), None, None)
        assert assigned.wanted() is None
        assert not assigned.seeks()

    def test_the_newest_seek_counts(self) -> None:
        """The completion of an older seek does not complete the newest seek."""
        assigned, _ = a_member(AIOKAFKA)
        give(assigned, A)
        assigned.seek(A, 30)
        assigned.seek(A, 40)
        assert assigned.sought(Place(*A, 30), None, None)
        assert assigned.seeks()[0].offset == 40

    @pytest.mark.parametrize("is_incremental", [False, True])
    def test_a_seek_that_fails(self, is_incremental: bool) -> None:
        """After a failed seek, reading raises the error until the next seek, and returns no message
        from the old position."""
        assigned, client = a_member(AIOKAFKA, is_incremental)
        give(assigned, A, B)
        assigned.seek(A, 30)
        error = KafkaError(KafkaError._FAIL)
        assert not assigned.sought(Place(*A, 30), error, ValueError("no"))
        for _ in range(2):
            with pytest.raises(ValueError, match="no"):
                assigned.check()
        assigned.check((B,))
        assert of(assigned.wanted() or []) == [B]
        assigned.seek(A, 50)
        assigned.check()
        assert client.begun == {A: 50, B: 0}


@pytest.mark.parametrize("rules", [AIOKAFKA, KAFKA])
def test_pauses_before_anything_is_read(rules: Rules) -> None:
    """pause() and resume() directly after assign() take effect when reading begins."""
    assigned, client = a_member(rules)
    assigned.assign_by_hand([A, B])
    assigned.pause([A, B])
    assigned.pause([B], False)
    run(assigned.settle())
    assigned.begin()
    assert client.paused == assigned.paused == {A}


@pytest.mark.parametrize(("rules", "position"), [(KAFKA, 1), (AIOKAFKA, 0)])
def test_assigned_by_hand_again(rules: Rules, position: int) -> None:
    """kafka-python continues at its position; aiokafka begins at the committed offset again."""
    assigned, client = a_member(rules)
    for _ in range(2):
        assigned.assign_by_hand([A])
        run(assigned.settle())
        assigned.begin(always=True)
        at = client.hand_out(A)
    assert at == position


@dataclass
class Lives:
    """A member of a group, while another member reads the other partitions.

    No message is lost, and no commit goes back.
    """

    rules: Rules
    is_incremental: bool
    generation: int = 1
    committed: dict[TopicPartition, int] = field(default_factory=dict)
    seen: dict[TopicPartition, int] = field(default_factory=lambda: dict.fromkeys(ALL, 0))
    """The offset after the last message of a partition that any member has received."""
    kept: set[TopicPartition] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.assigned, self.client = a_member(self.rules, self.is_incremental)
        give(self.assigned, *ALL)

    def read(self, partition: TopicPartition) -> None:
        """Each message comes in order. Reading may start again at a committed offset."""
        assigned = self.assigned
        if partition not in assigned.partitions or partition in assigned.paused:
            return
        if partition not in self.client.begun or assigned.is_revoked:
            return
        wanted = assigned.wanted()
        if wanted is not None and partition not in of(wanted):
            return
        position = assigned.position(partition)
        offset = self.client.hand_out(partition)
        assert offset == position
        assert offset <= self.seen[partition], "messages are lost"
        self.seen[partition] = max(self.seen[partition], offset + 1)
        assert assigned.position(partition) == offset + 1

    def take(self, kept: set[TopicPartition]) -> None:
        """The group takes partitions from this member, and assigns them to other members; see
        form()."""
        if self.assigned.is_revoked:
            return
        if self.is_incremental:
            gone = frozenset(self.assigned.partitions - kept)
            run(self.assigned.taken(gone, "revoked"))
            self.client.incremental_unassign([Place(*each) for each in gone])
        else:
            run(self.assigned.taken(self.assigned.partitions, "revoked"))
            self.client.assign([])
        self.form(kept)

    def form(self, kept: set[TopicPartition]) -> None:
        """A new generation begins, and another member reads and commits the partitions that this
        member does not keep.

        An eager member may notice the new generation later, so it gets no partitions before the
        next give().
        """
        self.generation += 1
        self.kept = kept
        for each in set(ALL) - kept - (self.assigned.partitions if self.is_incremental else set()):
            self.seen[each] += 5
            self.committed[each] = self.seen[each]

    def give(self, kept: set[TopicPartition]) -> None:
        if self.is_incremental:
            new = kept - self.assigned.partitions
        elif self.assigned.is_revoked:
            new = self.kept
        else:
            return
        give(self.assigned, *new, committed=self.committed)

    def rebalance(self, kept: set[TopicPartition]) -> None:
        self.take(kept)
        self.give(kept)

    def commit(self, _: object) -> None:
        """A commit never moves an offset back, whenever it comes."""
        if not self.assigned.may_commit(self.generation, self.assigned.takings):
            return
        for each, offset in self.assigned.positions().items():
            assert offset <= self.seen[each]
            assert offset >= self.committed.get(each, 0)
            self.committed[each] = offset

    def pause(self, partition: TopicPartition) -> None:
        if partition in self.assigned.partitions:
            self.assigned.pause([partition], partition not in self.assigned.paused)
            if partition in self.client.begun and not self.assigned.is_revoked:
                is_paused = partition in self.assigned.paused
                assert (partition in self.client.paused) == is_paused


_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("read"), st.sampled_from(ALL)),
        st.tuples(st.just("pause"), st.sampled_from(ALL)),
        st.tuples(st.just("commit"), st.none()),
        st.tuples(st.sampled_from(["rebalance", "take", "give"]), st.sets(st.sampled_from(ALL))),
    ),
    max_size=40,
)


@pytest.mark.parametrize("is_incremental", [False, True])
@pytest.mark.parametrize("rules", [AIOKAFKA, KAFKA, KAFKA_2])
@given(steps=_STEPS)
@settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
def test_drawn_lives(rules: Rules, is_incremental: bool, steps: list[tuple[str, Any]]) -> None:
    """No message is lost and no commit goes back, whatever the order of the random steps is."""
    lives = Lives(rules, is_incremental)
    for name, argument in steps:
        getattr(lives, name)(argument)
