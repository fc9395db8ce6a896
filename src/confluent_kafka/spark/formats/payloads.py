"""Columns of Spark's types as payloads: what encodes a column, and with which schema."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

import pyarrow as pa

from confluent_kafka.columns import AvroEncoder, JSONEncoder, ProtobufEncoder, RowError

# Encoders that a process keeps: a query has at most two.
_ENCODERS_LIMIT = 16


class Encoded(NamedTuple):
    """A column of payloads."""

    payloads: pa.Array
    """As many as there were rows; null where one was null or failed."""
    failures: list[RowError]
    """The rows that failed, in their order."""


@dataclass(frozen=True)
class Name:
    """How messages name the schema that they are written with.

    Args:
        schema_id: its id in the registry, whose framing payloads then have.
        mark: what a header of each message names it by.
    """

    schema_id: int | None = None
    mark: bytes | None = None


class Encoder(Protocol):
    """Encodes columns; it goes to the executors, so it can be pickled."""

    @property
    def name(self) -> Name:
        """How messages name the schema."""

    def __call__(self, values: pa.Array) -> Encoded:
        """Encode one column."""


@dataclass(frozen=True)
class AvroPayloads:
    """Encodes rows by an Avro schema of the registry.

    Args:
        schema: the schema.
        references: those that it refers to, each after those that it needs itself.
        name: how messages name it.
    """

    schema: str
    references: tuple[str, ...]
    name: Name

    def __call__(self, values: pa.Array) -> Encoded:
        """Encode one column: of structs for a record, of other values for another schema.

        Raises:
            TypeError: it has a type that the schema does not take.
        """
        encoder, is_record = _avro_encoder(self)
        return _encoded(encoder, values, fields=is_record)


@lru_cache(_ENCODERS_LIMIT)
def _avro_encoder(payloads: AvroPayloads) -> tuple[AvroEncoder, bool]:
    """Return what encodes rows of a schema, and whether it is a record.

    Raises:
        AvroSchemaError: it is no schema.
    """
    references = [json.loads(text) for text in payloads.references]
    text = payloads.schema
    encoder = AvroEncoder(
        text, schema_id=payloads.name.schema_id, references=references, registered=True
    )
    return encoder, text.lstrip()[:1] == "{" and json.loads(text).get("type") == "record"


@dataclass(frozen=True)
class JsonPayloads:
    """Encodes rows as JSON texts.

    Args:
        schema: a JSON Schema; or the type of the column, of what is plain JSON.
        name: how messages name it, if the registry has it.
    """

    schema: str | pa.DataType
    name: Name = Name()

    def __call__(self, values: pa.Array) -> Encoded:
        """Encode one column: of structs for objects, of other values for another schema.

        Raises:
            TypeError: it has a type that the schema does not take.
        """
        return _encoded(_json_encoder(self), values, fields=pa.types.is_struct(values.type))


@lru_cache(_ENCODERS_LIMIT)
def _json_encoder(payloads: JsonPayloads) -> JSONEncoder:
    """Return what encodes rows of a schema.

    Raises:
        ValueError: it is no schema, or JSON has no text for a type.
    """
    return JSONEncoder(payloads.schema, schema_id=payloads.name.schema_id, decimals="number")


@dataclass(frozen=True)
class ProtobufPayloads:
    """Encodes rows as messages of a schema of the registry.

    Args:
        files: the schema, compiled: a FileDescriptorSet.
        message: the full name of the message.
        name: how messages name the schema.
    """

    files: bytes
    message: str
    name: Name

    def __call__(self, values: pa.Array) -> Encoded:
        """Encode one column, of structs.

        Raises:
            TypeError: it has a type that the message does not take.
        """
        return _encoded(_protobuf_encoder(self), values, fields=True)


@lru_cache(_ENCODERS_LIMIT)
def _protobuf_encoder(payloads: ProtobufPayloads) -> ProtobufEncoder:
    return ProtobufEncoder(payloads.files, payloads.message, schema_id=payloads.name.schema_id)


def _encoded(
    encoder: AvroEncoder | JSONEncoder | ProtobufEncoder, values: pa.Array, *, fields: bool
) -> Encoded:
    """Encode a column: its fields, or as the only one of them. Null is a tombstone."""
    if not fields:
        values = pa.StructArray.from_arrays([values], ["value"], mask=values.is_null())
    elif not pa.types.is_struct(values.type):
        raise TypeError(f"{values.type} cannot be written as a record")
    rows = encoder.encode(values)
    return Encoded(pa.array(rows), rows.errors)
