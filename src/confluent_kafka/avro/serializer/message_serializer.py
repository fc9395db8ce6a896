"""Converts records to messages and back."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

from confluent_kafka.error import SerializationError
from confluent_kafka.schema_registry import _avro, topic_subject_name_strategy
from confluent_kafka.schema_registry._both import both
from confluent_kafka.schema_registry._core import _ON_READ, _ON_WRITE, refuse_rules
from confluent_kafka.schema_registry.serde import SchemaId, read_varint, write_varint
from confluent_kafka.serialization import MessageField, SerializationContext

from .._schema import AvroSchema, as_schema
from ..error import ClientError
from . import KeySerializerError, SerializerError, ValueSerializerError

__all__ = ["MAGIC_BYTE", "ClientError", "ContextStringIO", "MessageSerializer"]

MAGIC_BYTE = 0
"""The first byte of a message, before the id of its schema."""
ContextStringIO = io.BytesIO
"""The former name of io.BytesIO with a with statement."""


class MessageSerializer:
    """Encodes records as Avro after the id of their schema, and decodes such messages.

    Args:
        registry_client: a CachedSchemaRegistryClient, or an object with its methods.
        reader_key_schema: the reader's schema of keys; None for the schema that they were written
            with.
        reader_value_schema: the reader's schema of values; None for the schema that they were
            written with.

    Raises:
        ClientError: a schema is not valid.
        TypeError: an argument has a wrong type.
    """

    def __init__(
        self,
        registry_client: Any,
        reader_key_schema: AvroSchema | str | None = None,
        reader_value_schema: AvroSchema | str | None = None,
    ) -> None:
        if not callable(getattr(registry_client, "get_by_id", None)):
            kind = type(registry_client).__name__
            raise TypeError(
                f"the schema registry must be a CachedSchemaRegistryClient of "
                f"confluent_kafka.avro, not {kind}"
            )
        self.registry_client = registry_client
        self.reader_key_schema: AvroSchema | None = _optional(
            reader_key_schema, "reader_key_schema"
        )
        self.reader_value_schema: AvroSchema | None = _optional(
            reader_value_schema, "reader_value_schema"
        )
        self.id_to_writers: dict[int, Callable[[Any], bytes]] = {}
        """Functions that encode records, by the id of their schema."""
        self.id_to_decoder_func: dict[tuple[int, bool], Callable[[bytes], Any]] = {}
        """Functions that decode payloads, by the id of their schema, for keys and for values."""

    def encode_record_with_schema(
        self, topic: str, schema: AvroSchema | str, record: Any, is_key: bool = False
    ) -> bytes:
        """Return the message of a record. Register the schema if it is not registered yet.

        If ``auto.register.schemas`` is False, the schema is only looked up.

        Args:
            topic: the topic of the message; the subject is ``<topic>-key`` or ``<topic>-value``.
            schema: the schema of the record.
            record: the record.
            is_key: True for a key, False for a value.

        Raises:
            ClientError: the registry refuses the request or cannot be reached, or the schema is
                not valid.
            KeySerializerError: the key does not fit the schema.
            TypeError: an argument has a wrong type.
            ValueSerializerError: the value does not fit the schema.
        """
        if not isinstance(topic, str) or not topic:
            raise TypeError(f"topic must be the name of a topic, not {topic!r:.100}")
        avro_schema = as_schema(schema, "schema")
        context = SerializationContext(topic, MessageField.KEY if is_key else MessageField.VALUE)
        subject = topic_subject_name_strategy(context, None)
        client = self.registry_client
        registers = getattr(client, "auto_register_schemas", True)
        find = client.register if registers else client.check_registration
        schema_id = find(subject, avro_schema)
        return self._encode(schema_id, lambda: avro_schema, record, is_key)

    def encode_record_with_schema_id(
        self, schema_id: int, record: Any, is_key: bool = False
    ) -> bytes:
        """Return the message of a record whose schema the registry has.

        Args:
            schema_id: the id of the schema.
            record: the record.
            is_key: True for a key, False for a value.

        Raises:
            ClientError: the registry refuses the request or cannot be reached.
            KeySerializerError: there is no such schema, or the key does not fit it.
            ValueSerializerError: there is no such schema, or the value does not fit it.
        """
        return self._encode(schema_id, lambda: self._written(schema_id), record, is_key)

    def decode_message(self, message: bytes | None, is_key: bool = False) -> Any:
        """Return the record of a message; None for None.

        Args:
            message: the message.
            is_key: True for a key, False for a value.

        Raises:
            ClientError: the registry refuses the request or cannot be reached.
            KeySerializerError: there is no such schema, or the key is not a message of it.
            TypeError: the message is not bytes.
            ValueSerializerError: there is no such schema, or the value is not a message of it.
        """
        if message is None:
            return None
        if not isinstance(message, bytes | bytearray | memoryview):
            raise TypeError(f"message must be bytes or None, not {type(message).__name__}")
        data, schema_id = bytes(message), SchemaId("AVRO")
        try:
            payload = data[schema_id.parse(data) :]
            if schema_id.id is None:
                raise SerializationError(
                    "the schema is named by a GUID: use AvroDeserializer of "
                    "confluent_kafka.schema_registry.avro"
                )
            return self._decoder(schema_id.id, is_key)(payload)
        except SerializationError as error:
            raise _error(error, is_key) from error

    def _encode(
        self, schema_id: int, schema: Callable[[], AvroSchema], record: Any, is_key: bool
    ) -> bytes:
        try:
            write = self.id_to_writers.get(schema_id)
            if write is None:
                write = self.id_to_writers[schema_id] = _writer(schema_id, schema())
            return write(record)
        except SerializationError as error:
            raise _error(error, is_key) from error

    def _decoder(self, schema_id: int, is_key: bool) -> Callable[[bytes], Any]:
        decode = self.id_to_decoder_func.get((schema_id, is_key))
        if decode is None:
            written = self._written(schema_id)
            wanted = self.reader_key_schema if is_key else self.reader_value_schema
            other = None if wanted is None or wanted == written else wanted.parsed
            where = f"schema {schema_id}"
            refuse_rules(written.definition, _ON_READ, where)
            decode = _avro.reader(written.parsed, other, where, with_names=False)
            if _avro.is_bytes(written.parsed):
                decode = _with_length(decode)
            self.id_to_decoder_func[schema_id, is_key] = decode
        return decode

    def _written(self, schema_id: int) -> AvroSchema:
        schema = self.registry_client.get_by_id(schema_id)
        if schema is None:
            raise SerializationError(f"the registry has no schema {schema_id}")
        return as_schema(schema, "what get_by_id() returns")


def _optional(schema: AvroSchema | str | None, argument: str) -> AvroSchema | None:
    return None if schema is None else as_schema(schema, argument)


def _writer(schema_id: int, schema: AvroSchema) -> Callable[[Any], bytes]:
    """Return a function that encodes records."""
    where = f"schema {schema_id}"
    refuse_rules(schema.definition, _ON_WRITE, where)
    write = _avro.writer(schema.parsed, where, strict=False, strict_allow_default=False)
    prefix = SchemaId("AVRO", schema_id).id_to_bytes()
    return lambda record: prefix + write(record)


def _with_length(decode: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    """Return a function that decodes bytes with or without a length before them.

    This serializer writes a length before a message that consists of bytes alone; AvroSerializer
    does not.
    """

    def work(payload: bytes) -> Any:
        try:
            size, start = read_varint(payload, 0)
        except SerializationError:
            size = start = 0
        fits = 0 < start == len(payload) - size
        return decode(payload if fits else write_varint(len(payload)) + payload)

    return work


def _error(error: SerializationError, is_key: bool) -> SerializerError:
    """Return the error for a key or value. A TypeError or ValueError of fastavro stays as it is."""
    kind: type[SerializerError] = KeySerializerError if is_key else ValueSerializerError
    for other in (TypeError, ValueError):
        if isinstance(error, other):
            kind = both(kind, other)
    return kind(f"{'key' if is_key else 'value'}: {error}")
