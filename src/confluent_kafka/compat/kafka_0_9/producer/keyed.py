"""A producer that chooses partitions by keys."""

from __future__ import annotations

from typing import Any

from ..partitioner import HashedPartitioner
from ..partitioner.base import Partitioner
from ..util import kafka_bytestring
from .base import Producer

__all__ = ["KeyedProducer"]


class KeyedProducer(Producer):
    """Sends messages with a key. A partitioner chooses the partition of each message.

    Args:
        args: the same as for Producer.
        kwargs: the same as for Producer, and ``partitioner``: a class; the default is
            HashedPartitioner.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.partitioner_class: type[Partitioner] = (
            kwargs.pop("partitioner", None) or HashedPartitioner
        )
        self.partitioners: dict[bytes, Partitioner] = {}
        super().__init__(*args, **kwargs)

    def send_messages(  # type: ignore[override]
        self, topic: str | bytes, key: bytes | None, *msg: bytes | None
    ) -> list[Any]:
        """Send messages to the partition of a key.

        Args:
            topic: the name of the topic.
            key: the key of all the messages.
            msg: the messages.

        Returns:
            The same as Producer.send_messages().

        Raises:
            UnknownTopicOrPartitionError, LeaderNotAvailableError: there is no such topic, or the
                broker is just creating it. Call ensure_topic_exists() first.
            TypeError, KafkaError: the same errors as in Producer.send_messages().
        """
        name = kafka_bytestring(topic)
        return self._send_messages(name, self._next_partition(name, key), *msg, key=key)

    def send(self, topic: str | bytes, key: bytes | None, msg: bytes | None) -> list[Any]:
        """Send one message; see send_messages()."""
        return self.send_messages(topic, key, msg)

    def _next_partition(self, topic: bytes, key: bytes | None) -> int:
        if topic not in self.partitioners:
            if not self.client.has_metadata_for_topic(topic):
                self.client.load_metadata_for_topics(topic)
            partitions = self.client.get_partition_ids_for_topic(topic)
            self.partitioners[topic] = self.partitioner_class(partitions)
        return self.partitioners[topic].partition(key)
