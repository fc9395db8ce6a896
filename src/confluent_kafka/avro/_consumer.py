"""A consumer of Avro records."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message
from confluent_kafka.serialization._clients import closing, take_deserialized

from ._registry import ClientRegistry
from ._schema import AvroSchema
from .error import ClientError
from .serializer import SerializerError
from .serializer.message_serializer import MessageSerializer

_DEPRECATED = (
    "AvroConsumer is deprecated: use confluent_kafka.DeserializingConsumer with "
    "confluent_kafka.schema_registry.avro.AvroDeserializer"
)


class AvroConsumer(Consumer):
    """A Consumer of Avro records. Deprecated: use DeserializingConsumer.

    poll() and iteration return records; consume() and consume_arrow() return bytes, as a Consumer
    does.

    Args:
        config: the configuration of a Consumer, plus ``schema.registry.url`` and other keys of
            CachedSchemaRegistryClient with the prefix ``schema.registry.``.
        schema_registry: a CachedSchemaRegistryClient, instead of the keys in the configuration.
            The consumer does not close it.
        reader_key_schema: the reader's schema of keys; None for the schema that they were written
            with.
        reader_value_schema: the reader's schema of values; None for the schema that they were
            written with.
        **kwargs: more configuration, as for a Consumer.

    Raises:
        ClientError: a schema is not valid.
        TypeError: an argument has a wrong type.
        ValueError: there is no registry, there are two, or the registry's configuration is wrong.
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        schema_registry: Any = None,
        reader_key_schema: AvroSchema | str | None = None,
        reader_value_schema: AvroSchema | str | None = None,
        **kwargs: Any,
    ) -> None:
        warnings.warn(_DEPRECATED, DeprecationWarning, stacklevel=2)
        self._registry = ClientRegistry(config, schema_registry)
        try:
            self._serializer = MessageSerializer(
                self._registry.client, reader_key_schema, reader_value_schema
            )
            super().__init__(self._registry.rest, **kwargs)
        except BaseException:
            self._registry.close()
            raise

    def poll(self, timeout: float | None = None) -> Message | None:
        """Return the next message, whose ``key()`` and ``value()`` are records.

        A message that cannot be decoded is skipped: the next call returns the message after it.

        Args:
            timeout: seconds to wait; None and -1 wait without limit.

        Returns:
            The message. A message with an ``error()`` is returned as it was received. None if no
            message arrived in time, or if wakeup() ended the wait.

        Raises:
            ClientError: the registry refuses the request or cannot be reached.
            SerializerError: the key or the value is not an Avro message, or the registry does not
                know its schema.
        """
        failures = (ClientError, SerializerError)
        return take_deserialized(self, -1 if timeout is None else timeout, self._decode, failures)

    def __next__(self) -> Message:
        message = self.poll()
        if message is None:  # wakeup() ended the wait
            raise StopIteration
        error = message.error()
        if error is not None and error.code() != KafkaError._PARTITION_EOF:
            raise KafkaException(error)
        return message

    def close(self) -> None:
        """Close the consumer, and the registry's client if the consumer made it."""
        with closing(self, self._registry.close):
            super().close()

    def _decode(self, message: Message) -> Message:
        if message.error() is not None:
            return message
        decode = self._serializer.decode_message
        try:
            key: Any = decode(message.key(), is_key=True)
            value: Any = decode(message.value())
        except SerializerError as error:
            raise type(error)(f"{_place(message)}: {error}") from error
        except ClientError as error:
            raise ClientError(f"{_place(message)}: {error}", error.http_code) from error
        message.set_key(key)
        message.set_value(value)
        return message


def _place(message: Message) -> str:
    """Return the partition and offset of a message as text, so that users can seek to it."""
    return f"topic {message.topic()!r}, partition {message.partition()}, offset {message.offset()}"
