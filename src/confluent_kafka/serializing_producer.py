"""A producer of objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic

from confluent_kafka.cimpl import KafkaError, Message, Producer
from confluent_kafka.error import KeySerializationError, ValueSerializationError
from confluent_kafka.serialization import MessageField, SerializationContext
from confluent_kafka.serialization._clients import Serializers, closing, cluster_id_of
from confluent_kafka.serialization._coroutines import run
from confluent_kafka.serialization._types import K, V

__all__ = [
    "KeySerializationError",
    "MessageField",
    "SerializationContext",
    "SerializingProducer",
    "ValueSerializationError",
]


class SerializingProducer(Producer, Generic[K, V]):
    """A Producer whose keys and values are objects.

    produce() takes objects; produce_batch() and produce_arrow() take bytes, as for a Producer.

    Args:
        conf: the configuration of a Producer, plus ``key.serializer`` and ``value.serializer``.
            Each is a callable that takes an object and a SerializationContext, and returns bytes
            or None. Instead of a serializer you can pass a SerializerBuilder, as
            ``key.serializer.builder`` or ``value.serializer.builder``; the producer's close()
            closes the serializer that it builds.

    Raises:
        TypeError: a serializer is not callable.
    """

    def __init__(self, conf: Mapping[str, Any]) -> None:
        serdes = self._serdes = Serializers(conf)
        try:
            super().__init__(serdes.rest)
        except BaseException:
            serdes.close()
            raise
        serdes.set_cluster_id_resolver(cluster_id_of(self))

    def produce(  # type: ignore[override]
        self,
        topic: str,
        key: K | None = None,
        value: V | None = None,
        partition: int = -1,
        on_delivery: Callable[[KafkaError | None, Message], object] | None = None,
        timestamp: int = 0,
        headers: Any = None,
        *,
        block: float = 0,
    ) -> None:
        """Serialize a message and put it into the queue.

        Serializers may add headers to the message; the object passed as ``headers`` is not changed.

        Args:
            topic: the topic.
            key: the message's key, as the key serializer takes it.
            value: the message's value, as the value serializer takes it.
            partition: -1 lets the partitioner choose.
            on_delivery: called with (error, message) by poll() or flush().
            timestamp: milliseconds since the epoch; 0 is now.
            headers: a list of (name, value) pairs or a dict.
            block: seconds to wait for room while the queue is full; 0 raises BufferError at once.

        Raises:
            KeySerializationError: the key serializer raised; ``kafka_message`` has the key and
                value that were given.
            ValueSerializationError: the value serializer raised.
            BufferError: the queue is full.
            KafkaException: any other error.
        """
        data_key, data, own = run(self._serdes.serialize(topic, key, value, headers))
        super().produce(
            topic,
            data,
            data_key,
            partition,
            on_delivery=on_delivery,
            timestamp=timestamp,
            headers=own,
            block=block,
        )

    def close(self, timeout: float = -1) -> bool:
        """Close the producer, then the serializers that it built; see Producer.close()."""
        with closing(self, self._serdes.close):
            return super().close(timeout)
