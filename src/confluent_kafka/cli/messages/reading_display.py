"""The progress of a command that reads partitions, in offsets."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from confluent_kafka import Consumer, Message, TopicPartition
from confluent_kafka.cli.messages.reading import partition_of
from confluent_kafka.cli.messages.sending_display import Display
from confluent_kafka.cli.topics.place import Place


class ReadingDisplay:
    """Shows how much of the partitions is read.

    Args:
        starts: the first offset of each partition.
        ends: the offset at which each partition ends; None if no partition does.
        count: returns how many messages are processed.
        done: what happens with messages, such as "copied".
    """

    def __init__(
        self,
        starts: Mapping[Place, int],
        ends: Mapping[Place, int] | None,
        count: Callable[[], int],
        done: str,
    ) -> None:
        self._starts = starts
        self._ends = ends
        self._count = count
        self._read: dict[Place, int] = {}
        total = None
        if ends is not None:
            total = sum(max(0, end - starts.get(place, 0)) for place, end in ends.items())
        self.display = Display(total, done)

    def update(self, records: list[Message]) -> None:
        """Show messages that are processed.

        Args:
            records: the messages.
        """
        for message in records:
            place = partition_of(message)
            self._read[place] = (message.offset() or 0) + 1 - self._starts.get(place, 0)
        self.display.update(self._count(), sum(self._read.values()))


def first_offsets(
    consumer: Consumer, starts: Mapping[Place, int], timeout: float
) -> dict[Place, int]:
    """Return the first offset to read of each partition, at or after its start.

    Args:
        consumer: the consumer.
        starts: where the partitions start; a negative number is the beginning.
        timeout: how many seconds to wait for the cluster.
    """
    lows = {
        place: consumer.get_watermark_offsets(TopicPartition(*place), timeout)[0]
        for place in starts
    }
    return {place: max(offset, lows[place]) for place, offset in starts.items()}
