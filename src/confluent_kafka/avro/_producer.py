"""A producer of Avro records."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

from confluent_kafka import KafkaError, Message, Producer
from confluent_kafka.serialization._clients import closing

from ._registry import ClientRegistry
from ._schema import AvroSchema, as_schema
from .error import ClientError
from .serializer import KeySerializerError, ValueSerializerError
from .serializer.message_serializer import MessageSerializer

_DEPRECATED = (
    "AvroProducer is deprecated: use confluent_kafka.SerializingProducer with "
    "confluent_kafka.schema_registry.avro.AvroSerializer"
)


class AvroProducer(Producer):
    """A Producer whose keys and values are Avro records. Deprecated: use SerializingProducer.

    produce() takes records; produce_batch() and produce_arrow() take bytes, as for a Producer.

    Args:
        config: the configuration of a Producer, plus ``schema.registry.url`` and other keys of
            CachedSchemaRegistryClient with the prefix ``schema.registry.``.
        default_key_schema: the schema of keys, if produce() gets none.
        default_value_schema: the schema of values, if produce() gets none.
        schema_registry: a CachedSchemaRegistryClient, instead of the keys in the configuration.
            The producer does not close it.
        **kwargs: more configuration, as for a Producer.

    Raises:
        ClientError: a schema is not valid.
        TypeError: an argument has a wrong type.
        ValueError: there is no registry, there are two, or the registry's configuration is wrong.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        default_key_schema: AvroSchema | str | None = None,
        default_value_schema: AvroSchema | str | None = None,
        schema_registry: Any = None,
        **kwargs: Any,
    ) -> None:
        warnings.warn(_DEPRECATED, DeprecationWarning, stacklevel=2)
        self._key_schema = self._value_schema = None
        if default_key_schema is not None:
            self._key_schema = as_schema(default_key_schema, "default_key_schema")
        if default_value_schema is not None:
            self._value_schema = as_schema(default_value_schema, "default_value_schema")
        self._registry = ClientRegistry(config, schema_registry)
        try:
            self._serializer = MessageSerializer(self._registry.client)
            super().__init__(self._registry.rest, **kwargs)
        except BaseException:
            self._registry.close()
            raise

    def produce(  # type: ignore[override]
        self,
        *,
        topic: str | None = None,
        value: Any = None,
        value_schema: AvroSchema | str | None = None,
        key: Any = None,
        key_schema: AvroSchema | str | None = None,
        partition: int = -1,
        callback: Callable[[KafkaError | None, Message], object] | None = None,
        on_delivery: Callable[[KafkaError | None, Message], object] | None = None,
        timestamp: int = 0,
        headers: Any = None,
        block: float = 0,
    ) -> None:
        """Encode a message and put it into the queue. A None key or value is not encoded.

        Args:
            topic: the topic.
            value: the value of the message.
            value_schema: the schema of the value; None for the default.
            key: the key of the message.
            key_schema: the schema of the key; None for the default.
            partition: -1 lets the partitioner choose.
            callback: the same as ``on_delivery``.
            on_delivery: called with (error, message) by poll() or flush().
            timestamp: milliseconds since the epoch; 0 is now.
            headers: a list of (name, value) pairs or a dict.
            block: seconds to wait for room while the queue is full; 0 raises BufferError at once.

        Raises:
            BufferError: the queue is full.
            ClientError: there is no topic, or a schema is not valid; the registry refuses the
                request or cannot be reached.
            KafkaException: any other error.
            KeySerializerError: there is no schema for the key, or the key does not fit it.
            ValueSerializerError: there is no schema for the value, or the value does not fit it.
        """
        if topic is None or topic == "":
            raise ClientError("topic is missing: the topic to produce to")
        encode = self._serializer.encode_record_with_schema
        data = data_key = None
        value_schema = self._value_schema if value_schema is None else value_schema
        key_schema = self._key_schema if key_schema is None else key_schema
        # The value is encoded first: if both are wrong, programs expect the value's error.
        if value is not None and value_schema is None:
            raise ValueSerializerError(_no_schema("value"))
        if key is not None and key_schema is None:
            raise KeySerializerError(_no_schema("key"))
        if value is not None and value_schema is not None:
            data = encode(topic, value_schema, value)
        if key is not None and key_schema is not None:
            data_key = encode(topic, key_schema, key, True)
        super().produce(
            topic,
            data,
            data_key,
            partition,
            callback,
            on_delivery,
            timestamp,
            headers,
            block=block,
        )

    def close(self, timeout: float = -1) -> bool:
        """Close the producer, and the registry's client if the producer made it."""
        with closing(self, self._registry.close):
            return super().close(timeout)


def _no_schema(field: str) -> str:
    return f"there is no schema for the {field}: give {field}_schema, or default_{field}_schema"
