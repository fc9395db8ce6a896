"""Encode columns of Spark's types as payloads."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

import pyarrow as pa

from confluent_kafka.columns import AvroEncoder, JSONEncoder, ProtobufEncoder, RowError

# Number of encoders that a process caches. A query has at most two.
_ENCODERS_LIMIT = 16


class Encoded(NamedTuple):
    """A column of payloads."""

    payloads: pa.Array
    """A payload for each row; null if the row was null or failed."""
    failures: list[RowError]
    """The rows that failed, in order."""


@dataclass(frozen=True)
class Name:
    """How messages name the schema with which they are written.

    Args:
        schema_id: the id of the schema in the registry, if it is written before each payload.
        mark: the name of the schema in a header of each message.
    """

    schema_id: int | None = None
    mark: bytes | None = None


class Encoder(Protocol):
    """Encodes columns. It can be pickled, because Spark sends it to the executors."""

    @property
    def name(self) -> Name:
        """How messages name the schema."""

    def __call__(self, values: pa.Array) -> Encoded:
        """Encode one column."""


@dataclass(frozen=True)
class AvroPayloads:
    """Encodes rows with an Avro schema of the registry.

    Args:
        schema: the schema.
        references: the schemas that it refers to, in order of dependency.
        name: how messages name the schema.
    """

    schema: str
    references: tuple[str, ...]
    name: Name

    def __call__(self, values: pa.Array) -> Encoded:
        """Encode one column: of structs if the schema is a record, of other values otherwise.

        Raises:
            TypeError: the schema does not accept the type of the column.
        """
        encoder, is_record = _avro_encoder(self)
        return _encoded(encoder, values, fields=is_record)


@lru_cache(_ENCODERS_LIMIT)
def _avro_encoder(payloads: AvroPayloads) -> tuple[AvroEncoder, bool]:
    """Return the encoder of a schema, and whether the schema is a record.

    Raises:
        AvroSchemaError: the schema is not valid.
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
        schema: a JSON Schema; or for plain JSON, the type of the column.
        name: how messages name the schema, if the registry has it.
    """

    schema: str | pa.DataType
    name: Name = Name()

    def __call__(self, values: pa.Array) -> Encoded:
        """Encode one column: structs for objects, or other values for another schema.

        Raises:
            TypeError: the schema does not accept the type of the column.
        """
        return _encoded(_json_encoder(self), values, fields=pa.types.is_struct(values.type))


@lru_cache(_ENCODERS_LIMIT)
def _json_encoder(payloads: JsonPayloads) -> JSONEncoder:
    """Return the encoder of a schema.

    Raises:
        ValueError: the schema is not valid, or JSON does not support a type.
    """
    return JSONEncoder(payloads.schema, schema_id=payloads.name.schema_id, decimals="number")


@dataclass(frozen=True)
class ProtobufPayloads:
    """Encodes rows as Protobuf messages of a schema of the registry.

    Args:
        files: the compiled schema: a FileDescriptorSet.
        message: the full name of the message.
        name: how messages name the schema.
    """

    files: bytes
    message: str
    name: Name

    def __call__(self, values: pa.Array) -> Encoded:
        """Encode one column of structs.

        Raises:
            TypeError: the message does not accept the type of the column.
        """
        return _encoded(_protobuf_encoder(self), values, fields=True)


@lru_cache(_ENCODERS_LIMIT)
def _protobuf_encoder(payloads: ProtobufPayloads) -> ProtobufEncoder:
    return ProtobufEncoder(payloads.files, payloads.message, schema_id=payloads.name.schema_id)


def _encoded(
    encoder: AvroEncoder | JSONEncoder | ProtobufEncoder, values: pa.Array, *, fields: bool
) -> Encoded:
    """Encode the fields of a column, or the column as a single field. Null is a tombstone."""
    if not fields:
        values = pa.StructArray.from_arrays([values], ["value"], mask=values.is_null())
    elif not pa.types.is_struct(values.type):
        raise TypeError(f"{values.type} cannot be written as a record")
    rows = encoder.encode(values)
    return Encoded(pa.array(rows), rows.errors)
