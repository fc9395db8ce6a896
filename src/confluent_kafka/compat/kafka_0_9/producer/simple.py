"""A producer that uses the partitions in turn."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import cycle
from typing import Any

from ..util import kafka_bytestring
from .base import Producer

__all__ = ["SimpleProducer"]


class SimpleProducer(Producer):
    """Sends messages without a key. The messages of each call go to the next partition.

    Args:
        args: the same as for Producer.
        kwargs: the same as for Producer, and ``random_start``: whether a topic begins with a random
            partition instead of the first one. The default is True.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.partition_cycles: dict[bytes, Iterator[int]] = {}
        self.random_start = kwargs.pop("random_start", True)
        super().__init__(*args, **kwargs)

    def send_messages(  # type: ignore[override]
        self, topic: str | bytes, *msg: bytes | None
    ) -> list[Any]:
        """Send messages to the next partition.

        Args:
            topic: the name of the topic.
            msg: the messages.

        Returns:
            The same as Producer.send_messages().

        Raises:
            UnknownTopicOrPartitionError, LeaderNotAvailableError: there is no such topic, or the
                broker is just creating it. Call ensure_topic_exists() first.
            TypeError, KafkaError: the same errors as in Producer.send_messages().
        """
        name = kafka_bytestring(topic)
        return self._send_messages(name, self._next_partition(name), *msg)

    def _next_partition(self, topic: bytes) -> int:
        if topic not in self.partition_cycles:
            self.partition_cycles[topic] = self._turns(topic)
        return next(self.partition_cycles[topic])

    def _turns(self, topic: bytes) -> Iterator[int]:
        if not self.client.has_metadata_for_topic(topic):
            self.client.load_metadata_for_topics(topic)
        partitions = self.client.get_partition_ids_for_topic(topic)
        start = random.randrange(len(partitions)) if self.random_start else 0
        return cycle(partitions[start:] + partitions[:start])
