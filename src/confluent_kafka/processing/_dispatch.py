"""Which message is handled next, and which offsets are done: without threads, tasks or clients.

One dispatcher owns a Dispatch, and hands out its units to workers. A worker changes only the unit
that it has, and reports through two queues, `done` and `idle`, which it may append to from any
thread. So neither needs a lock.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from enum import StrEnum

from confluent_kafka import Message, TopicPartition

Place = tuple[str, int]  # a topic and a partition


class Concurrency(StrEnum):
    """Which messages are handled in order, one after the other.

    Attributes:
        KEY: messages of a partition with the same key. Messages without a key have no order.
        PARTITION: messages of a partition.
        NONE: no messages.
    """

    KEY = "key"
    PARTITION = "partition"
    NONE = "none"


class Window:
    """The messages of one partition that are in flight: received, and not done.

    Attributes:
        place: the topic and the partition.
        offsets: the offsets in flight in the order of the log, with the size of each message.
        units: the unit of each key that has messages in flight.
        next_offset: the offset after the last message that was received.
        committed: the offset of the last commit.
        highest: the highest offset that is done; -1 if none is.
        is_open: whether workers may begin all of its messages; see may_begin().
        is_abandoned: whether a worker has given up a message.
        is_settled: whether its offsets were committed for the last time.
        closed: is set when is_open becomes False, for workers that wait.
        parked: units with messages that no worker may begin.
    """

    __slots__ = (
        "closed",
        "committed",
        "highest",
        "is_abandoned",
        "is_open",
        "is_settled",
        "next_offset",
        "offsets",
        "parked",
        "place",
        "units",
    )

    def __init__(self, place: Place) -> None:
        self.place = place
        self.offsets: dict[int, int] = {}
        self.units: dict[Hashable, Unit] = {}
        self.next_offset: int | None = None
        self.committed: int | None = None
        self.highest = -1
        self.is_open = True
        self.is_abandoned = False
        self.is_settled = False
        self.closed = threading.Event()
        self.parked: list[Unit] = []

    def close(self) -> None:
        """Let workers begin only messages whose offsets are below one that is done.

        The next owner of the partition begins at the first message that is not done, so the
        messages after it that are done would be handled again.
        """
        self.is_open = False
        self.closed.set()

    def may_begin(self, message: Message) -> bool:
        """Return whether a worker may begin a message."""
        if self.is_open:
            return True
        offset: int = message.offset()  # type: ignore[assignment]
        return offset < self.highest and not self.is_abandoned and not self.is_settled

    def has_gap(self) -> bool:
        """Return whether a message is not done whose offset is below one that is done."""
        return next(iter(self.offsets), self.highest) < self.highest and not self.is_abandoned

    def position(self) -> int | None:
        """The offset to commit: every message before it is done. None if none was received."""
        return next(iter(self.offsets), self.next_offset)


# Messages that one worker handles one after the other: their window, the key that orders them, and
# the messages that no worker has begun. The key is None if no later message has to wait for them.
# (An instance of a class would take twice as long to create.)
Unit = tuple[Window, Hashable, list[Message]]


class Dispatch:
    """The messages in flight of all assigned partitions.

    Args:
        concurrency: which messages are handled in order.
        unit_size: the most messages without an order that are in one unit.
        hand_out: called with each unit that a worker can handle now.

    Attributes:
        done: what workers have handled, as a window and offsets.
        idle: ordered units whose messages are done.
        finished: how many messages are done in time.
        messages: how many messages are in flight.
        bytes: the size of their values.
        late: how many messages were done after their partition had been revoked.
    """

    def __init__(
        self, concurrency: Concurrency, unit_size: int, hand_out: Callable[[Unit], object]
    ) -> None:
        self._concurrency = concurrency
        self._unit_size = unit_size
        self._hand_out = hand_out
        self._windows: dict[Place, Window] = {}
        self.done: deque[tuple[Window, Sequence[int]]] = deque()
        self.idle: deque[Unit] = deque()
        self.finished = 0
        self.messages = 0
        self.bytes = 0
        self.late = 0

    def assign(self, places: Iterable[Place]) -> None:
        """Open the windows of partitions that were assigned.

        Args:
            places: the partitions.
        """
        for place in places:
            if (window := self._windows.get(place)) is not None:
                window.close()
                self._forget(window)
            self._windows[place] = Window(place)

    def add(self, messages: Iterable[Message]) -> None:
        """Take messages in the order of their partitions' logs, and hand out new units.

        Args:
            messages: the messages. Messages of a partition that is not assigned are ignored.
        """
        # Each message costs time here, so the loop calls no function of ours.
        by_key = self._concurrency is Concurrency.KEY
        key: Hashable = None if self._concurrency is Concurrency.NONE else ""
        fresh: list[Unit] = []
        loose: list[Message] | None = None  # messages without an order, for one unit
        topic = partition = window = None
        after = 0  # the window's next_offset
        for message in messages:
            if message.partition() != partition or message.topic() != topic:
                topic, partition = message.topic(), message.partition()
                window = self._windows.get((topic, partition))  # type: ignore[arg-type]
                after = (window and window.next_offset) or 0
                loose = None
            if window is None:
                continue
            offset: int = message.offset()  # type: ignore[assignment]
            if offset < after:
                window, loose = self._begin_again(window), None
            window.offsets[offset] = size = len(message)
            window.next_offset = after = offset + 1
            self.messages += 1
            self.bytes += size
            if by_key:
                key = message.key()
            if key is None:
                if loose is not None and len(loose) < self._unit_size:
                    loose.append(message)
                else:
                    loose = [message]
                    fresh.append((window, None, loose))
            elif (unit := window.units.get(key)) is not None:
                unit[2].append(message)
            else:
                window.units[key] = unit = (window, key, [message])
                fresh.append(unit)
        for unit in fresh:
            self._hand_out(unit)

    def collect(self) -> None:
        """Take what workers have done, and hand out units that have more messages by now."""
        count = 0
        while self.done:
            window, offsets = self.done.popleft()
            if window.is_settled:
                self.late += len(offsets)
                continue
            count += len(offsets)
            for offset in offsets:
                self.bytes -= window.offsets.pop(offset)
            if offsets[-1] > window.highest:
                window.highest = offsets[-1]
        self.finished += count
        self.messages -= count
        while self.idle:
            window, key, messages = unit = self.idle.popleft()
            if not messages:
                if window.units.get(key) is unit:
                    del window.units[key]
            elif window.may_begin(messages[0]):
                self._hand_out(unit)
            else:
                window.parked.append(unit)

    def is_drained(self, windows: Iterable[Window]) -> bool:
        """Return whether settle() would repeat nothing, if no worker has a unit of these windows.

        Hands out units whose messages may begin now.

        Args:
            windows: windows that are closed.
        """
        self.collect()
        for window in windows:
            waiting = window.parked
            window.parked = [unit for unit in waiting if not window.may_begin(unit[2][0])]
            for unit in waiting:
                if window.may_begin(unit[2][0]):
                    self._hand_out(unit)
        return not any(window.has_gap() for window in windows)

    def close(self, places: Iterable[Place] | None = None) -> list[Window]:
        """Let workers end what they have begun in these partitions; see Window.close().

        Args:
            places: the partitions; all if None.

        Returns:
            Their windows, for is_drained() and settle().
        """
        wanted = self._windows if places is None else places
        found = [self._windows[place] for place in wanted if place in self._windows]
        for window in found:
            window.close()
        return found

    def settle(self, windows: Iterable[Window]) -> list[TopicPartition]:
        """Forget windows that were closed. What workers still do for them is late.

        Args:
            windows: the windows.

        Returns:
            The offsets to commit: all of them, because an earlier commit may not arrive.
        """
        self.collect()
        offsets = _positions(windows)
        for window in windows:
            self._forget(window)
        return offsets

    def positions(self) -> list[TopicPartition]:
        """Return the offsets to commit of all partitions."""
        return _positions(self._windows.values())

    def to_commit(self) -> list[TopicPartition]:
        """Return the offsets that have changed since the last call."""
        offsets = []
        for window in self._windows.values():
            position = window.position()
            if position is not None and position != window.committed:
                window.committed = position
                offsets.append(TopicPartition(*window.place, position))
        return offsets

    def not_committed(self, places: Iterable[Place]) -> None:
        """Let to_commit() return the offsets of partitions again, because a commit has failed.

        Args:
            places: the partitions.
        """
        for place in places:
            if (window := self._windows.get(place)) is not None:
                window.committed = None

    def _begin_again(self, window: Window) -> Window:
        """Return a new window for a partition whose offsets go back, as in a topic created again.

        The offsets of messages in flight mean other messages by now.
        """
        window.close()
        self._forget(window)
        self.assign([window.place])
        return self._windows[window.place]

    def _forget(self, window: Window) -> None:
        window.is_settled = True
        self.messages -= len(window.offsets)
        self.bytes -= sum(window.offsets.values())
        del self._windows[window.place]


def _positions(windows: Iterable[Window]) -> list[TopicPartition]:
    return [
        TopicPartition(*window.place, position)
        for window in windows
        if (position := window.position()) is not None
    ]
