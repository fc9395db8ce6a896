"""A producer that chooses partitions by keys."""

from __future__ import annotations

from typing import Any

from ..partitioner import HashedPartitioner
from ..partitioner.base import Partitioner
from ..util import kafka_bytestring
from .base import Producer

__all__ = ["KeyedProducer"]


class KeyedProducer(Producer):
    """Sends messages with a key, each to the partition that a partitioner chooses.

    Args:
        args: as those of Producer.
        kwargs: the same; and ``partitioner``: a class, HashedPartitioner if it is left out.
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
        """Send messages to a key's partition.

        Args:
            topic: its name.
            key: of each of the messages.
            msg: the messages.

        Returns:
            As Producer.send_messages().

        Raises:
            UnknownTopicOrPartitionError, LeaderNotAvailableError: there is no such topic, or the
                broker creates it just now: call ensure_topic_exists() before.
            TypeError, KafkaError: as Producer.send_messages().
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
