"""The messages of delay topics, which wait until they are due."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from confluent_kafka import Message, TopicPartition

from ._dispatch import Place

# A partition that waits fetches again afterwards, so it waits for some messages to become due.
_LEAST_WAIT = 0.1  # seconds


class Delays:
    """The partitions of delay topics that wait.

    All messages of a delay topic wait for the same time, so the messages of a partition are due in
    the order of its log. A partition whose next message is not due is paused.

    Args:
        delays: each delay topic, and its delay in seconds.
    """

    def __init__(self, delays: Mapping[str, int]) -> None:
        self._delays = delays
        self._waiting: dict[Place, float] = {}

    def split(
        self, messages: list[Message], now: float
    ) -> tuple[list[Message], list[TopicPartition]]:
        """Separate the messages that are due.

        Args:
            messages: the messages.
            now: the time in seconds since 1970.

        Returns:
            The messages that are due, and the position of each partition to pause and seek to.
        """
        if not self._delays:
            return messages, []
        due: list[Message] = []
        early: list[TopicPartition] = []
        for message in messages:
            topic, partition, offset = message.topic(), message.partition(), message.offset()
            delay = self._delays.get(topic or "")
            if delay is None or topic is None or partition is None or offset is None:
                due.append(message)
                continue
            if (topic, partition) in self._waiting:
                continue  # it comes again, after the message that the partition waits for
            # A timestamp in the future must not make the partition wait for longer.
            time = min(message.timestamp()[1] / 1000, now) + delay
            if time <= now:
                due.append(message)
            else:
                self._waiting[topic, partition] = max(time, now + _LEAST_WAIT)
                early.append(TopicPartition(topic, partition, offset))
        return due, early

    def now_due(self, now: float) -> list[TopicPartition]:
        """Return the partitions to resume, and forget them.

        Args:
            now: the time in seconds since 1970.
        """
        places = [place for place, time in self._waiting.items() if time <= now]
        for place in places:
            del self._waiting[place]
        return [TopicPartition(*place) for place in places]

    def seconds_left(self, now: float) -> float | None:
        """Return the seconds until a partition is due; None if none waits.

        Args:
            now: the time in seconds since 1970.
        """
        return max(0.0, min(self._waiting.values()) - now) if self._waiting else None

    def is_waiting(self, place: Place) -> bool:
        """Return whether a partition waits."""
        return place in self._waiting

    def forget(self, places: Iterable[Place]) -> None:
        """Forget partitions that are no longer assigned."""
        for place in places:
            self._waiting.pop(place, None)
