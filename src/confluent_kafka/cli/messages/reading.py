"""Reads messages until the end, alone or as a member of a group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition
from confluent_kafka.cli.messages.flow import Flow
from confluent_kafka.cli.messages.outputs import Resuming
from confluent_kafka.cli.topics.place import Place

# How many messages to take at once, and how many seconds to wait for the first one.
_BATCH = 1000
_SLICE = 0.2


class Reader:
    """Hands messages to a flow until all ends, or the count, are reached.

    Args:
        consumer: the consumer, whose partitions are assigned or subscribed.
        flow: what happens with the messages.
        count: how many messages to write; None is no limit.
        ends: the offset at which each partition ends; None if no partition does.

    Attributes:
        written (int): how many messages were written.
        tick: is called with `written` after each batch, and whenever no message came for a moment.
    """

    def __init__(
        self, consumer: Consumer, flow: Flow, count: int | None, ends: dict[Place, int] | None
    ) -> None:
        self.tick: Callable[[int], object] = int
        self.written = 0
        self._consumer = consumer
        self._flow = flow
        self._count = count
        self._ends = ends

    def run(self) -> None:
        """Read until count or ends are reached."""
        while not self._is_done():
            first = self._consumer.poll(_SLICE)
            if first is not None:
                self._take([first, *self._consumer.consume(self._size() - 1, 0)])
            self.tick(self.written)

    def _size(self) -> int:
        """Return how many messages to take at once: no more than are written, if all are."""
        if self._count is None or self._flow.filters:
            return _BATCH
        return min(_BATCH, self._count - self.written)

    def _is_done(self) -> bool:
        if self._count is not None and self.written >= self._count:
            return True
        return self._ends is not None and not self._ends

    def _take(self, messages: list[Message]) -> None:
        records = []
        failure = None
        for message in messages:
            error = message.error()
            if error is None:
                if self._is_wanted(message):
                    records.append(message)
            elif error.code() == KafkaError._PARTITION_EOF:
                self._reached(message, message.offset() or 0)
            elif not self._is_harmless(error):
                failure = KafkaException(error)
                break
        most = None if self._count is None else self._count - self.written
        taken = self._flow.take(records, most)
        self.written += taken.written
        self._wrote(records[: taken.done])
        if taken.failure is not None:
            raise taken.failure
        if failure is not None:
            raise failure

    def _is_harmless(self, error: KafkaError) -> bool:
        # An unpatched librdkafka looks for the coordinator of the group, although none is used.
        return error.code() == KafkaError.GROUP_AUTHORIZATION_FAILED

    def _is_wanted(self, message: Message) -> bool:
        offset = message.offset() or 0
        place = partition_of(message)
        if self._ends is None:
            return True
        wanted = place in self._ends and offset < self._ends[place]
        self._reached(message, offset + 1)
        return wanted

    def _reached(self, message: Message, offset: int) -> None:
        """Note that the next message of the partition would have `offset`, or a higher one."""
        place = partition_of(message)
        if self._ends is not None and place in self._ends and offset >= self._ends[place]:
            del self._ends[place]
            self._consumer.pause([TopicPartition(*place)])

    def _wrote(self, records: list[Message]) -> None:
        """Called with the messages after they have been written, or left out by a filter."""


class GroupReader(Reader):
    """The same for a member of a group, which commits the messages that were written."""

    def __init__(
        self, consumer: Consumer, flow: Flow, count: int | None, exit_at_end: bool
    ) -> None:
        super().__init__(consumer, flow, count, None)
        self._exit_at_end = exit_at_end
        self._assigned = False
        self._open: set[Place] = set()

    def on_assign(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        """Add partitions that this member reads from now on."""
        self._assigned = True
        self._open |= {(one.topic, one.partition) for one in partitions}

    def on_revoke(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        """Remove partitions that another member reads from now on."""
        self._open -= {(one.topic, one.partition) for one in partitions}

    def _is_done(self) -> bool:
        if self._exit_at_end and self._assigned and not self._open:
            return True
        return super()._is_done()

    def _is_harmless(self, error: KafkaError) -> bool:
        return False

    def _is_wanted(self, message: Message) -> bool:
        return True

    def _reached(self, message: Message, offset: int) -> None:
        self._open.discard(partition_of(message))

    def _wrote(self, records: list[Message]) -> None:
        ends: dict[Place, Any] = {partition_of(message): message for message in records}
        owned = {(one.topic, one.partition) for one in self._consumer.assignment()}
        for place, message in ends.items():
            if place in owned:
                self._consumer.store_offsets(message)


class ResumingReader(Reader):
    """Reads partitions for an output that stores positions.

    Args:
        consumer: the consumer.
        flow: filters the messages, and hands them to the output.
        output: the output.
        ends: the offset at which each partition ends; None if no partition does.
    """

    def __init__(
        self, consumer: Consumer, flow: Flow, output: Resuming, ends: dict[Place, int] | None
    ) -> None:
        super().__init__(consumer, flow, None, ends)
        self.tick = output.tick
        self._output = output

    def _wrote(self, records: list[Message]) -> None:
        self._output.reached(records)


def partition_of(message: Message) -> Place:
    """Return the topic and the partition of a message."""
    return message.topic() or "", message.partition() or 0
