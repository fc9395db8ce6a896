"""A member of a share group that gets objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic

from confluent_kafka import Message, Messages, ShareConsumer
from confluent_kafka.error import KeyDeserializationError, ValueDeserializationError
from confluent_kafka.serialization import MessageField, SerializationContext
from confluent_kafka.serialization._clients import Deserializers, closing, cluster_id_of
from confluent_kafka.serialization._coroutines import run
from confluent_kafka.serialization._types import K, V

__all__ = [
    "DeserializingShareConsumer",
    "KeyDeserializationError",
    "MessageField",
    "SerializationContext",
    "ValueDeserializationError",
]


class DeserializingShareConsumer(ShareConsumer, Generic[K, V]):
    """A ShareConsumer whose keys and values are objects.

    Args:
        conf: the configuration of a ShareConsumer, and ``key.deserializer`` and
            ``value.deserializer``: callables that take bytes or None and a SerializationContext and
            return an object; or ``key.deserializer.builder`` and ``value.deserializer.builder``:
            DeserializerBuilder objects, whose deserializers are closed with the consumer.

    Raises:
        TypeError: a deserializer is not callable.
    """

    def __init__(self, conf: Mapping[str, Any]) -> None:
        serdes = self._serdes = Deserializers(conf)
        # Of a poll() that ended before all of it was deserialized, by Ctrl-C for example.
        self._batch = Messages()
        self._done = 0
        try:
            super().__init__(serdes.rest)
        except BaseException:
            serdes.close()
            raise
        serdes.set_cluster_id_resolver(cluster_id_of(self))

    def poll(self, timeout: float = -1) -> Messages:
        """Return the next records, whose ``key()`` and ``value()`` are objects.

        A record that cannot be deserialized does not affect the others: it keeps its bytes, and
        its ``error()`` is ``_KEY_DESERIALIZATION`` or ``_VALUE_DESERIALIZATION`` with the
        deserializer's message. Acknowledge it like the others; ``AcknowledgeType.REJECT`` is for
        records that nobody can read.

        Args:
            timeout: seconds to wait; -1 waits without limit.

        Returns:
            The records, as from ShareConsumer.poll().

        Raises:
            IllegalStateException, ConcurrentModificationException, KafkaException: as for
                ShareConsumer.poll().
        """
        if not self._batch:
            self._batch, self._done = super().poll(timeout), 0
        for message in self._batch[self._done :]:
            if message.error() is None:
                self._deserialize(message)
            self._done += 1
        batch, self._batch = self._batch, Messages()
        return batch

    def close(self) -> None:
        """Close the consumer, then the deserializers that it built; see ShareConsumer.close()."""
        with closing(self, self._serdes.close):
            super().close()

    def _deserialize(self, message: Message) -> None:
        try:
            run(self._serdes.deserialize(message))
        except (KeyDeserializationError, ValueDeserializationError) as failed:
            message.set_error(failed.kafka_error)
