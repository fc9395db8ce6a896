"""The promises of the core of Worker and AIOWorker: what is handled next, and what is committed.

The core has no threads, so the tests play the dispatcher and the workers in one thread.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from confluent_kafka import Message, TopicPartition
from confluent_kafka.processing._dispatch import Concurrency, Dispatch, Place, Unit, Window

HERE: Place = ("t", 0)
THERE: Place = ("t", 1)
PLACES = [HERE, THERE]
KEYS = [None, b"a", b"b"]
SETTINGS = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=20,
    stateful_step_count=40,
    suppress_health_check=list(HealthCheck),
)


def message(
    offset: int, key: bytes | None = None, place: Place = HERE, value: bytes = b"12345"
) -> Message:
    return Message(*place, offset, key, value)


class Desk:
    """A Dispatch, and the units that it handed out."""

    def __init__(self, concurrency: str = "key", unit_size: int = 1) -> None:
        self.ready: deque[Unit] = deque()
        self.work = Dispatch(Concurrency(concurrency), unit_size, self.ready.append)
        self.work.assign([HERE, THERE])

    def add(self, *messages: Message) -> None:
        self.work.add(messages)

    def offsets(self) -> list[list[int | None]]:
        """The offsets of each unit that is ready."""
        return [[one.offset() for one in messages] for _, _, messages in self.ready]

    def finish(self, unit: Unit, count: int | None = None) -> None:
        """Handle the first messages of a unit, or all; then give the unit back."""
        window, key, messages = unit
        for _ in range(len(messages) if count is None else count):
            self.work.done.append((window, [messages.pop(0).offset() or 0]))
        if key is not None or messages:
            self.work.idle.append(unit)

    def collect(self) -> int:
        """Return how many messages were done since the last call."""
        before = self.work.finished
        self.work.collect()
        return self.work.finished - before

    def finish_all(self) -> int:
        """Handle everything; return how many messages were done."""
        count = self.collect()
        for _ in range(100):
            if not self.ready:
                return count
            self.finish(self.ready.popleft())
            count += self.collect()
        raise AssertionError("units are handed out again and again")

    def positions(self) -> list[tuple[str, int, int]]:
        """The offsets to commit."""
        return in_full(self.work.to_commit())


def in_full(offsets: list[TopicPartition]) -> list[tuple[str, int, int]]:
    return [(each.topic, each.partition, each.offset) for each in offsets]


def test_messages_with_the_same_key_are_one_unit() -> None:
    """With concurrency by key, messages of a partition with the same key are in one unit, in the
    order of the log. Each key has its own unit."""
    desk = Desk("key", unit_size=1)
    desk.add(message(0, b"a"), message(1, b"b"), message(2, b"a"), message(3, b"b"))
    assert desk.offsets() == [[0, 2], [1, 3]]
    assert [unit[1] for unit in desk.ready] == [b"a", b"b"]


def test_an_empty_key_is_a_key() -> None:
    """Messages with an empty key are handled in order. Messages without a key are not."""
    desk = Desk()
    desk.add(message(0, b""), message(1), message(2, b""), message(3))
    assert desk.offsets() == [[0, 2], [1], [3]]


def test_a_key_is_ordered_in_its_partition_only() -> None:
    """The same key in two partitions gives two units."""
    desk = Desk()
    desk.add(message(0, b"a"), message(0, b"a", THERE), message(1, b"a"))
    assert desk.offsets() == [[0, 1], [0]]


def test_messages_of_a_partition_are_one_unit() -> None:
    """With concurrency by partition, all messages of a partition are in one unit: with any key, and
    without a key."""
    desk = Desk("partition")
    desk.add(message(0, b"a"), message(1), message(0, b"a", THERE), message(2, b"b"))
    assert desk.offsets() == [[0, 1, 2], [0]]


@pytest.mark.parametrize(("concurrency", "key"), [("none", b"a"), ("none", None), ("key", None)])
def test_messages_without_an_order(concurrency: str, key: bytes | None) -> None:
    """Messages without an order are each in their own unit. Later messages do not join a unit."""
    desk = Desk(concurrency)
    desk.add(message(0, key), message(1, key))
    desk.add(message(2, key))
    assert desk.offsets() == [[0], [1], [2]]
    assert {unit[1] for unit in desk.ready} == {None}
    assert desk.finish_all() == 3
    assert desk.positions() == [("t", 0, 3)]


@pytest.mark.parametrize(
    ("size", "units"), [(1, [[0], [1], [2], [3], [4]]), (2, [[0, 1], [2, 3], [4]])]
)
def test_the_size_of_units_without_an_order(size: int, units: list[list[int]]) -> None:
    """A unit has up to `unit_size` messages without an order. A unit does not wait for more."""
    desk = Desk("none", size)
    desk.add(*map(message, range(5)))
    assert desk.offsets() == units


def test_a_unit_is_of_one_partition() -> None:
    """Messages of two partitions are never in one unit, also when they alternate."""
    desk = Desk("none", unit_size=9)
    desk.add(message(0), message(0, place=THERE), message(1), message(2))
    assert desk.offsets() == [[0], [0], [1, 2]]


def test_the_size_of_units_with_an_order() -> None:
    """`unit_size` does not limit units with an order, as a second unit would break the order."""
    desk = Desk("key", unit_size=2)
    desk.add(*(message(offset, b"a") for offset in range(5)))
    assert desk.offsets() == [[0, 1, 2, 3, 4]]


def test_later_messages_join_the_unit_of_their_key() -> None:
    """While a worker has the unit of a key, later messages of the key join it. The unit is not
    handed out twice."""
    desk = Desk()
    desk.add(message(0, b"a"))
    unit = desk.ready.popleft()
    desk.add(message(1, b"a"))
    assert not desk.ready
    assert [one.offset() for one in unit[2]] == [0, 1]


def test_a_unit_with_more_messages_is_handed_out_again() -> None:
    """If messages join a unit after the worker has looked for the last time, collect() hands the
    unit out again."""
    desk = Desk()
    desk.add(message(0, b"a"))
    unit = desk.ready.popleft()
    desk.finish(unit)
    desk.add(message(1, b"a"))
    assert not desk.ready
    assert desk.collect() == 1
    assert list(desk.ready) == [unit]
    assert desk.offsets() == [[1]]


def test_a_key_is_forgotten_when_it_has_no_messages() -> None:
    """A window keeps no unit of a key without messages in flight, so memory does not grow with the
    number of keys."""
    desk = Desk()
    for offset in range(100):
        desk.add(message(offset, b"%d" % offset))
        desk.finish_all()
    (window, _) = desk.work.close()
    assert not window.units
    assert not window.offsets


def test_positions_stop_at_the_first_message_that_is_not_done() -> None:
    """The offset to commit is the offset of the first message that is not done, whatever is done
    after it. At the end it is the offset after the last message."""
    desk = Desk("none")
    desk.add(*map(message, range(3)))
    first, second, third = desk.ready
    desk.finish(third)
    desk.work.collect()
    assert desk.positions() == [("t", 0, 0)]
    desk.finish(first)
    desk.work.collect()
    assert desk.positions() == [("t", 0, 1)]
    desk.finish(second)
    desk.work.collect()
    assert desk.positions() == [("t", 0, 3)]


def test_positions_pass_gaps() -> None:
    """Offsets that the log does not have, as after compaction, are not waited for."""
    desk = Desk("none")
    desk.add(message(5), message(100))
    assert desk.positions() == [("t", 0, 5)]
    desk.finish(desk.ready.popleft())
    desk.work.collect()
    assert desk.positions() == [("t", 0, 100)]
    desk.finish_all()
    assert desk.positions() == [("t", 0, 101)]


def test_what_is_done_counts_after_collect() -> None:
    """to_commit() does not know what was done since the last collect()."""
    desk = Desk()
    desk.add(message(0))
    desk.finish(desk.ready.popleft())
    assert desk.positions() == [("t", 0, 0)]
    assert desk.collect() == 1
    assert desk.positions() == [("t", 0, 1)]


def test_only_changes_are_committed() -> None:
    """to_commit() returns an offset once. A partition without messages has no offset."""
    desk = Desk()
    assert desk.positions() == []
    desk.add(message(7), message(3, place=THERE))
    desk.finish_all()
    assert desk.positions() == [("t", 0, 8), ("t", 1, 4)]
    assert desk.positions() == []
    desk.add(message(8))
    desk.finish_all()
    assert desk.positions() == [("t", 0, 9)]


def test_a_commit_that_failed() -> None:
    """After not_committed(), to_commit() returns the offsets of these partitions again. Partitions
    that are no longer assigned are ignored."""
    desk = Desk()
    desk.add(message(0), message(0, place=THERE))
    desk.finish_all()
    assert desk.positions() == [("t", 0, 1), ("t", 1, 1)]
    desk.work.not_committed([THERE, ("other", 0)])
    assert desk.positions() == [("t", 1, 1)]
    assert desk.positions() == []


def test_all_positions() -> None:
    """positions() returns all offsets, also those that to_commit() has returned, and changes
    nothing."""
    desk = Desk()
    assert desk.work.positions() == []
    desk.add(message(0), message(5, place=THERE))
    desk.finish(desk.ready.popleft())
    desk.work.collect()
    assert desk.positions() == [("t", 0, 1), ("t", 1, 5)]
    assert in_full(desk.work.positions()) == [("t", 0, 1), ("t", 1, 5)]
    assert desk.positions() == []
    desk.finish_all()
    assert in_full(desk.work.positions()) == [("t", 0, 1), ("t", 1, 6)]
    assert desk.positions() == [("t", 1, 6)]


def test_closed_windows() -> None:
    """close() closes the windows of the given partitions, all by default, and returns them. Workers
    that wait for `closed` wake up. Partitions that are not assigned are ignored."""
    desk = Desk()
    desk.add(message(0), message(0, place=THERE))
    here, there = (unit[0] for unit in desk.ready)
    assert here.is_open
    assert not here.closed.is_set()
    assert desk.work.close([("other", 0), HERE]) == [here]
    assert (here.is_open, there.is_open) == (False, True)
    assert here.closed.is_set()
    assert desk.work.close() == [here, there]
    assert not there.is_open


def test_a_unit_of_a_closed_window_is_not_handed_out_again() -> None:
    """collect() does not hand out the rest of a unit whose window was closed meanwhile, if nothing
    after it is done."""
    desk = Desk()
    desk.add(message(0, b"a"), message(1, b"a"))
    desk.finish(desk.ready.popleft(), count=1)
    desk.work.close([HERE])
    assert desk.collect() == 1
    assert not desk.ready


def test_settle() -> None:
    """settle() returns the last offsets, and counts what was done since the last collect(). It
    forgets the messages that are not done."""
    desk = Desk("none")
    desk.add(message(0), message(1), message(0, place=THERE))
    desk.finish(desk.ready.popleft())
    windows = desk.work.close([HERE])
    assert in_full(desk.work.settle(windows)) == [("t", 0, 1)]
    assert windows[0].is_settled
    assert (desk.work.finished, desk.work.messages, desk.work.bytes) == (1, 1, 5)
    assert desk.work.close([HERE]) == []
    assert desk.work.settle([]) == []


def test_settle_returns_all_offsets() -> None:
    """settle() also returns an offset that to_commit() has returned: that commit may not arrive. A
    partition without messages has no offset."""
    desk = Desk()
    desk.add(message(0))
    desk.finish_all()
    assert desk.positions() == [("t", 0, 1)]
    assert in_full(desk.work.settle(desk.work.close())) == [("t", 0, 1)]


def test_a_closed_window_without_a_gap_is_drained() -> None:
    """If nothing is done after the first message that is not done, a closed window is drained. Its
    messages are not begun."""
    desk = Desk("none")
    desk.add(message(0), message(1), message(2))
    desk.finish(desk.ready.popleft())
    (window, _) = windows = desk.work.close()
    assert desk.work.is_drained(windows)
    assert not window.may_begin(desk.ready[0][2][0])
    assert in_full(desk.work.settle(windows)) == [("t", 0, 1)]


def test_a_closed_window_with_a_gap() -> None:
    """If a message is done and an earlier one is not, workers may begin the earlier one after the
    window closed, so that the next owner of the partition repeats nothing."""
    desk = Desk("none")
    desk.add(*map(message, range(5)))
    first, second, third, fourth, _ = desk.ready
    desk.finish(fourth)
    windows = desk.work.close([HERE])
    assert not desk.work.is_drained(windows)
    assert [windows[0].may_begin(unit[2][0]) for unit in (first, second, third)] == [True] * 3
    assert not windows[0].may_begin(message(3))
    assert not windows[0].may_begin(message(4))
    desk.finish(third)
    desk.finish(first)
    assert not desk.work.is_drained(windows)
    desk.finish(second)
    assert desk.work.is_drained(windows)
    assert in_full(desk.work.settle(windows)) == [("t", 0, 4)]


def test_a_gap_before_the_end_of_a_batch() -> None:
    """A batch that is done counts up to its last message."""
    desk = Desk()
    desk.add(message(0, b"b"), message(1, b"a"), message(2, b"b"))
    first, second = desk.ready
    desk.work.done.append((first[0], [0, 2]))
    windows = desk.work.close([HERE])
    assert not desk.work.is_drained(windows)
    assert windows[0].may_begin(second[2][0])


def test_a_unit_waits_for_a_later_message_of_a_closed_window() -> None:
    """A worker returns a unit whose next message it may not begin. When a later message is done,
    is_drained() hands the unit out again, once."""
    desk = Desk()
    desk.add(message(0, b"a"), message(1, b"a"), message(2, b"b"), message(3, b"a"))
    first, second = desk.ready
    desk.ready.clear()
    windows = desk.work.close([HERE])
    desk.finish(first, count=1)
    assert desk.work.is_drained(windows)  # as far as it is known: a worker has the second unit
    assert not desk.ready
    desk.finish(second)
    assert not desk.work.is_drained(windows)
    assert desk.offsets() == [[1, 3]]
    assert not desk.work.is_drained(windows)
    assert len(desk.ready) == 1
    desk.finish(desk.ready.popleft(), count=1)
    assert desk.work.is_drained(windows)
    assert not desk.ready
    assert in_full(desk.work.settle(windows)) == [("t", 0, 3)]


def test_a_message_that_was_given_up() -> None:
    """When a worker gives up a message of a closed window, the gap remains. So nothing more is
    begun, and the window counts as drained."""
    desk = Desk("none")
    desk.add(message(0), message(1), message(2))
    desk.finish(desk.ready[2])
    windows = desk.work.close([HERE])
    assert not desk.work.is_drained(windows)
    windows[0].is_abandoned = True
    assert desk.work.is_drained(windows)
    assert not windows[0].may_begin(message(1))
    assert in_full(desk.work.settle(windows)) == [("t", 0, 0)]


def test_nothing_is_begun_after_settle() -> None:
    """After settle() the gap does not matter: another member has the partition."""
    desk = Desk("none")
    desk.add(message(0), message(1))
    desk.finish(desk.ready[1])
    windows = desk.work.close([HERE])
    assert not desk.work.is_drained(windows)
    desk.work.settle(windows)
    assert not windows[0].may_begin(message(0))


def test_late_results() -> None:
    """What is done after settle() is counted as late, message by message, and is never
    committed."""
    desk = Desk("none")
    desk.add(message(0), message(1), message(2), message(3))
    first, second, third, _ = desk.ready
    assert in_full(desk.work.settle(desk.work.close([HERE]))) == [("t", 0, 0)]
    desk.finish(first)
    desk.finish(second)
    desk.work.done.append((third[0], [2, 3]))  # a batch
    assert desk.collect() == 0
    assert desk.work.late == 4
    assert desk.positions() == []
    assert (desk.work.messages, desk.work.bytes) == (0, 0)


def test_a_partition_assigned_again_has_a_fresh_window() -> None:
    """When a partition is assigned again, late results of the former assignment do not mark its
    messages as done, and its keys do not wait for the former units."""
    desk = Desk()
    desk.add(message(0, b"a"), message(1, b"a"))
    old = desk.ready.popleft()
    desk.work.settle(desk.work.close([HERE]))
    desk.work.assign([HERE])
    desk.add(message(0, b"a"), message(1, b"a"))
    assert desk.offsets() == [[0, 1]]
    assert desk.ready[0][0] is not old[0]
    desk.work.done.append((old[0], [0]))
    assert desk.collect() == 0
    assert desk.work.late == 1
    assert desk.positions() == [("t", 0, 0)]
    assert desk.finish_all() == 2
    assert desk.positions() == [("t", 0, 2)]


def test_an_old_unit_does_not_replace_a_new_one() -> None:
    """A unit that a worker gives back late, after its partition was assigned again, changes nothing
    in the new window."""
    desk = Desk()
    desk.add(message(0, b"a"), message(1, b"a"))
    old = desk.ready.popleft()
    desk.work.settle(desk.work.close([HERE]))
    desk.work.assign([HERE])
    desk.add(message(0, b"a"))
    unit = desk.ready.popleft()
    desk.finish(old, count=1)
    assert desk.collect() == 0
    desk.add(message(1, b"a"))
    assert not desk.ready
    assert len(unit[2]) == 2


@pytest.mark.parametrize("concurrency", list(Concurrency))
def test_counters_return_to_zero(concurrency: str) -> None:
    """`messages` and `bytes` count what is in flight: values only. They return to zero. A message
    without a value has no bytes."""
    desk = Desk(concurrency, unit_size=3)
    desk.add(message(0, b"key"), message(1, value=b"x" * 1000), Message(*THERE, 0, b"k", None))
    assert (desk.work.messages, desk.work.bytes) == (3, 1005)
    assert desk.finish_all() == 3
    assert (desk.work.messages, desk.work.bytes, desk.work.late) == (0, 0, 0)


def test_partitions_that_are_not_assigned() -> None:
    """Messages of partitions that are not assigned are ignored: never assigned, or revoked."""
    desk = Desk()
    desk.work.settle(desk.work.close([THERE]))
    desk.add(message(0, place=("other", 0)), message(0, place=THERE), message(4), message(0, b"a"))
    desk.work.add([])
    assert [unit[0].place for unit in desk.ready] == [HERE] * len(desk.ready)
    desk.work.settle(desk.work.close())
    desk.add(message(9))
    assert (desk.work.messages, desk.work.bytes) == (0, 0)


def test_offsets_that_go_back() -> None:
    """When offsets of a partition go back, as in a topic that was created again, the messages in
    flight are settled as if the partition had been revoked. What is done with them says nothing
    about the new messages."""
    desk = Desk()
    desk.add(message(0, b"a"), message(1, b"a"), message(2))
    ordered, loose = desk.ready
    desk.ready.clear()
    desk.add(message(3), message(0, b"a", value=b"other"), message(1))
    assert not ordered[0].is_open
    assert ordered[0].is_settled
    assert (desk.work.messages, desk.work.bytes) == (2, 10)
    desk.finish(ordered)
    desk.finish(loose)
    assert desk.collect() == 0
    assert desk.work.late == 3
    assert desk.positions() == [("t", 0, 0)]
    assert [unit[0].is_open for unit in desk.ready] == [False, True, True]
    desk.ready.popleft()
    assert desk.finish_all() == 2
    assert desk.positions() == [("t", 0, 2)]
    assert (desk.work.messages, desk.work.bytes) == (0, 0)


def test_units_of_offsets_that_go_back() -> None:
    """Messages before and after offsets go back are not in the same unit."""
    desk = Desk("none", unit_size=9)
    desk.add(message(5), message(6), message(0), message(1))
    assert desk.offsets() == [[5, 6], [0, 1]]
    assert [unit[0].is_open for unit in desk.ready] == [False, True]


class Running:
    """A worker of the model. It does what Worker._work and Worker._handle_each do, step by step.

    Attributes:
        unit: what Worker._current has.
        owned: the unit, until it was given back.
        gives_up: whether it gives up its message if the window is closed, as when it would have to
            wait before it tries again.
    """

    def __init__(self, machine: DispatchMachine) -> None:
        self.machine = machine
        self.unit: Unit | None = None
        self.owned: Unit | None = None
        self.gives_up = False
        self._steps = self._run()

    def step(self) -> None:
        next(self._steps)

    def _run(self) -> Iterator[None]:
        machine = self.machine
        work = machine.work
        while True:
            while not machine.ready:
                yield
            self.unit = self.owned = unit = machine.ready.popleft()
            window, key, messages = unit
            yield
            while messages and (window.is_open or window.may_begin(messages[0])):
                one = messages.pop(0)
                machine.begin(window, one)
                self.gives_up = False
                yield
                if self.gives_up and not window.is_open:
                    machine.give_up(window, one)
                    window.is_abandoned = True
                    break
                machine.end(window, one)
                work.done.append((window, [one.offset() or 0]))
                yield
            yield
            if key is not None or messages:
                work.idle.append(unit)
            self.owned = None
            yield
            self.unit = None


class DispatchMachine(RuleBasedStateMachine):
    """A dispatcher and three workers, in any order of their steps."""

    def __init__(self, concurrency: Concurrency, unit_size: int) -> None:
        super().__init__()
        self.concurrency = concurrency
        self.ready: deque[Unit] = deque()
        self.work = Dispatch(concurrency, unit_size, self.ready.append)
        self.workers = [Running(self) for _ in range(3)]
        self.windows: dict[Place, Window | None] = {}  # of assigned partitions
        self.closing: list[Window] = []
        self.next: dict[Place, int] = dict.fromkeys(PLACES, 0)
        self.added: dict[Place, list[int]] = {}  # offsets, since the partition was assigned
        self.begun: dict[tuple[Window, Any], list[int]] = {}  # offsets, in the order of their begin
        self.running: set[tuple[Window, Any]] = set()
        self.done: dict[Window, set[int]] = {}
        self.given_up: dict[Window, set[int]] = {}
        self.late = self.in_time = 0

    # What a worker tells the model.

    def order_of(self, window: Window, one: Message) -> tuple[Window, Any]:
        """What has to be handled one after the other: a key, a partition, or just a message."""
        if self.concurrency is Concurrency.PARTITION:
            return window, ""
        is_ordered = self.concurrency is Concurrency.KEY and one.key() is not None
        return window, one.key() if is_ordered else one.offset()

    def begin(self, window: Window, one: Message) -> None:
        order = self.order_of(window, one)
        before = self.begun.setdefault(order, [])
        offset = one.offset()
        assert offset is not None
        may_fill_gap = not window.is_abandoned and not window.is_settled
        is_gap = offset < max(self.done.get(window, ()), default=-1)
        assert window.is_open or (may_fill_gap and is_gap), "begun after its window closed"
        assert order not in self.running, "two of a key at the same time"
        assert not before or before[-1] < offset, "not in the order of the log"
        before.append(offset)
        self.running.add(order)

    def end(self, window: Window, one: Message) -> None:
        self.running.remove(self.order_of(window, one))
        self.done.setdefault(window, set()).add(one.offset() or 0)
        self.late += window.is_settled
        self.in_time += not window.is_settled

    def give_up(self, window: Window, one: Message) -> None:
        self.running.remove(self.order_of(window, one))
        self.given_up.setdefault(window, set()).add(one.offset() or 0)

    # What the dispatcher does.

    @initialize()
    def assign_all(self) -> None:
        for place in PLACES:
            self.assign(place)

    @precondition(lambda self: len(self.windows) < len(PLACES))
    @rule(place=st.sampled_from(PLACES))
    def assign(self, place: Place) -> None:
        if place not in self.windows:
            self.work.assign([place])
            self.windows[place] = None
            self.added[place] = []

    @rule(
        batch=st.lists(
            st.tuples(st.sampled_from(PLACES), st.sampled_from(KEYS)), min_size=3, max_size=10
        ),
        gap=st.integers(0, 1),
    )
    def add(self, batch: list[tuple[Place, bytes | None]], gap: int) -> None:
        messages = []
        for place, key in batch:
            window = self.windows.get(place)
            if window is not None and not window.is_open:
                continue  # the consumer is in the rebalance callback, so it returns nothing
            offset = self.next[place]
            self.next[place] += 1 + gap
            messages.append(message(offset, key, place, bytes(offset % 7)))
            if place in self.windows:
                self.added[place].append(offset)
        self.work.add(messages)
        for unit in self.ready:
            if unit[0].is_open:
                self.windows[unit[0].place] = unit[0]

    @rule(number=st.integers(0, 2), count=st.integers(1, 12))
    def work_on(self, number: int, count: int) -> None:
        for _ in range(count):
            self.workers[number].step()

    @rule(number=st.integers(0, 2))
    def fail(self, number: int) -> None:
        self.workers[number].gives_up = True

    @rule()
    def collect(self) -> None:
        self.work.collect()
        assert not self.work.done
        assert not self.work.idle
        assert (self.work.finished, self.work.late) == (self.in_time, self.late)
        for window in self.known_windows():
            assert self.not_done(window) == list(window.offsets)

    @precondition(lambda self: self.open_windows())
    @rule(place=st.sampled_from(PLACES))
    def close(self, place: Place) -> None:
        windows = self.work.close([place])
        assert len(windows) == (place in self.windows)
        for window in windows:
            self.windows[place] = window
            if window not in self.closing:
                self.closing.append(window)

    @precondition(lambda self: self.closing)
    @rule()
    def settle(self) -> None:
        windows, self.closing = self.closing, []
        offsets = {(each.topic, each.partition): each.offset for each in self.work.settle(windows)}
        for window in windows:
            assert offsets.get(window.place) == self.position(window)
            del self.windows[window.place], self.added[window.place]

    @precondition(lambda self: self.closing)
    @rule()
    def drain(self) -> None:
        """Do what Worker._drain does, with time enough."""
        for _ in range(3_000):
            units = [worker.unit for worker in self.workers if worker.unit is not None]
            if not any(unit[0] in self.closing for unit in units) and self.work.is_drained(
                self.closing
            ):
                break
            for worker in self.workers:
                worker.step()
        else:
            raise AssertionError("closed windows are never drained")
        for window in self.closing:
            done = max(self.done.get(window, ()), default=-1)
            position = self.position(window)
            assert window.is_abandoned or position is None or done < position, "repeated"
        self.settle()

    @rule()
    def commit(self) -> None:
        for each in self.work.to_commit():
            place = (each.topic, each.partition)
            window = self.windows[place]
            assert window is not None
            assert each.offset <= (self.not_done(window) or [each.offset])[0]
        assert self.work.to_commit() == []

    # What is always true.

    def known_windows(self) -> list[Window]:
        return [window for window in self.windows.values() if window is not None]

    def open_windows(self) -> list[Window]:
        return [window for window in self.known_windows() if window.is_open]

    def not_done(self, window: Window) -> list[int]:
        done = self.done.get(window, set())
        return [offset for offset in self.added[window.place] if offset not in done]

    def position(self, window: Window) -> int | None:
        added = self.added[window.place]
        return (self.not_done(window) or [added[-1] + 1])[0] if added else None

    @invariant()
    def positions_pass_nothing_that_is_not_done(self) -> None:
        for window in self.known_windows():
            position, left = window.position(), self.not_done(window)
            assert not left or (position is not None and position <= left[0])

    @invariant()
    def counters_are_sums(self) -> None:
        windows = self.known_windows()
        assert self.work.messages == sum(len(window.offsets) for window in windows)
        assert self.work.bytes == sum(sum(window.offsets.values()) for window in windows)

    @invariant()
    def no_message_is_forgotten(self) -> None:
        """A message that is not done is handled now, or is in one unit that somebody has."""
        units = [worker.owned for worker in self.workers if worker.owned is not None]
        units += [*self.ready, *self.work.idle]
        for window in self.known_windows():
            units += window.parked
        waiting = Counter((unit[0], one.offset()) for unit in units for one in unit[2])
        running = {(order[0], self.begun[order][-1]) for order in self.running}
        for window in self.known_windows():
            for offset in set(self.not_done(window)) - self.given_up.get(window, set()):
                assert waiting[window, offset] + ((window, offset) in running) == 1

    def is_busy(self) -> bool:
        return any(worker.unit is not None for worker in self.workers)

    @precondition(lambda self: not self.is_busy())
    @rule()
    def look_for_work(self) -> None:
        self.collect()
        if any(window.offsets for window in self.open_windows()):
            assert any(unit[0].is_open and unit[2] for unit in self.ready)

    def teardown(self) -> None:
        """Give the workers time to do everything."""
        for _ in range(3_000):
            for worker in self.workers:
                worker.step()
            if not self.is_busy():
                self.collect()
                if not self.ready:
                    break
        else:
            raise AssertionError("units are handed out again and again")
        for window in self.open_windows():
            assert window.position() == self.added[window.place][-1] + 1
            assert not window.units
        if self.closing:
            self.drain()
        assert (self.work.messages, self.work.bytes) == (0, 0)
        assert self.work.late == self.late


@pytest.mark.parametrize(
    ("concurrency", "unit_size"), [("key", 1), ("key", 3), ("partition", 1), ("none", 2)]
)
def test_any_order_of_steps(concurrency: str, unit_size: int) -> None:
    """In any order of the steps of a dispatcher and its workers: after a window closed, only
    messages before one that is done are begun; messages of a key are begun in order, one at a time;
    a position never passes a message that is not done; no message is forgotten; after a drain
    nothing is repeated; and at the end everything is done."""

    class Machine(DispatchMachine):
        def __init__(self) -> None:
            super().__init__(Concurrency(concurrency), unit_size)

    run_state_machine_as_test(Machine, settings=SETTINGS)
