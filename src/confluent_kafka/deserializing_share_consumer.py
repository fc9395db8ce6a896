"""A share consumer whose keys and values are objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic

from confluent_kafka import KafkaError, Message, Messages, ShareConsumer
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
        conf: the configuration of a ShareConsumer, plus ``key.deserializer`` and
            ``value.deserializer``. Each is a callable that takes the bytes (or None) and a
            SerializationContext, and returns an object. Instead of a deserializer you can pass a
            DeserializerBuilder, as ``key.deserializer.builder`` or ``value.deserializer.builder``;
            the consumer's close() closes the deserializer that it builds.

    Raises:
        TypeError: a deserializer is not callable.
    """

    def __init__(self, conf: Mapping[str, Any]) -> None:
        serdes = self._serdes = Deserializers(conf)
        try:
            super().__init__(serdes.rest)
        except BaseException:
            serdes.close()
            raise
        serdes.set_cluster_id_resolver(cluster_id_of(self))

    def poll(self, timeout: float = -1) -> Messages:
        """Return the next records, whose ``key()`` and ``value()`` are objects.

        If a record cannot be deserialized, the other records are not affected. The record keeps its
        bytes, and its ``error()`` is ``_KEY_DESERIALIZATION`` or ``_VALUE_DESERIALIZATION`` with
        the deserializer's message. Acknowledge it like every other record;
        ``AcknowledgeType.REJECT`` is for records that nobody can read.

        Args:
            timeout: seconds to wait; -1 waits without limit.

        Returns:
            The records, as from ShareConsumer.poll().

        Raises:
            IllegalStateException, ConcurrentModificationException, KafkaException: as for
                ShareConsumer.poll().
        """
        # If Ctrl-C interrupts a deserializer, the next call takes the same records, still as bytes.
        records = self._take(timeout)
        return self._hand_out([self._outcome(record) for record in records])

    def close(self) -> None:
        """Close the consumer, then the deserializers that it built; see ShareConsumer.close()."""
        with closing(self, self._serdes.close):
            super().close()

    def _outcome(self, message: Message) -> tuple[Any, Any, KafkaError | None]:
        """Return the key and the value that the application gets, and the error of the record."""
        key, value, error = message.key(), message.value(), message.error()
        topic: Any = message.topic()
        if error is None:
            pair: list[Any] = [key, value]
            try:
                run(self._serdes.convert(topic, pair, message.headers(), lambda: message))
            except (KeyDeserializationError, ValueDeserializationError) as failed:
                error = failed.kafka_error
            else:
                key, value = pair
        return key, value, error
