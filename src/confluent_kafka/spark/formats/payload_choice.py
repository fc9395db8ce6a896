"""The encoder of a column.

The libraries of the registry are imported only if a write uses it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.types import ArrayType, DataType, MapType, StructType, VariantType

from confluent_kafka.spark.pyspark_internals import to_arrow_type

from .model import Payload, Registry
from .payloads import AvroPayloads, Encoder, JsonPayloads, Name, ProtobufPayloads

if TYPE_CHECKING:
    from confluent_kafka.schema_registry import RegisteredSchema, Schema, SchemaRegistryClient

# The names of the formats in the registry.
_SCHEMA_TYPES = {"avro": "AVRO", "json-schema": "JSON", "protobuf": "PROTOBUF"}


def choose_encoder(payload: Payload, registry: Registry | None, kind: DataType) -> Encoder:
    """Return the encoder of a column.

    Args:
        payload: the form in which the column is written.
        registry: the registry with the schema; None for plain JSON.
        kind: the type of the column.

    Raises:
        ValueError: the registry cannot be reached or does not have the schema, the schema is not
            valid, or the column cannot be written with it.
    """
    if _has_variant(kind):
        raise ValueError("a VARIANT has no type that could be written: cast it, or use to_json()")
    column = to_arrow_type(kind)
    encoder = JsonPayloads(column) if registry is None else _of_registry(payload, registry)
    try:
        encoder(pa.array([], column))
    except TypeError as error:
        raise ValueError(str(error).removeprefix("batch: ")) from None
    return encoder


def _has_variant(kind: DataType) -> bool:
    """Whether a type contains a VARIANT, whose Arrow type is the internal form of Spark."""
    if isinstance(kind, StructType):
        return any(_has_variant(one.dataType) for one in kind)
    if isinstance(kind, ArrayType):
        return _has_variant(kind.elementType)
    if isinstance(kind, MapType):
        return _has_variant(kind.valueType)
    return isinstance(kind, VariantType)


def _of_registry(payload: Payload, registry: Registry) -> Encoder:
    """Return the encoder for a schema of the registry."""
    from .registry import asking, client, texts, written

    with asking():
        found = written(registry, payload, _SCHEMA_TYPES[payload.format])
        *references, schema = texts(found.schema, client(registry))
    if payload.format == "protobuf":
        return _protobuf(payload, found, client(registry))
    name = _name(payload, found, client(registry))
    if payload.format == "avro":
        return AvroPayloads(schema, tuple(references), name)
    return JsonPayloads(_with_references(found.schema, client(registry)), name)


def _with_references(schema: Schema, registry: SchemaRegistryClient) -> str:
    """Return a JSON Schema that contains the schemas to which it refers."""
    from confluent_kafka.columns._json_references import with_references

    from .json_schema_columns import referenced
    from .registry import asking

    with asking():
        others = {name: one.schema_str for name, one in referenced(schema, registry).items()}
    return json.dumps(with_references(schema.schema_str, others)) if others else schema.schema_str


def _name(
    payload: Payload,
    found: RegisteredSchema,
    registry: SchemaRegistryClient,
    indexes: list[int] | None = None,
) -> Name:
    """Return how messages name a schema of the registry.

    Args:
        payload: the form in which the column is written.
        found: the schema.
        registry: the client of its registry.
        indexes: for Protobuf, the place of the message in the schema.

    Raises:
        Unreadable: a header must name the schema, but the registry has no GUIDs.
    """
    from confluent_kafka.columns.registry import mark_of
    from confluent_kafka.serialization import SerializationError

    from .registry import Unreadable, asking

    assert payload.subject is not None
    if not payload.in_header:
        return Name(schema_id=found.schema_id)
    try:
        with asking():
            return Name(mark=mark_of(registry, payload.subject, found, indexes))
    except SerializationError as error:
        raise Unreadable(str(error)) from None


def _protobuf(
    payload: Payload, found: RegisteredSchema, registry: SchemaRegistryClient
) -> ProtobufPayloads:
    from confluent_kafka.schema_registry.protobuf import message_indexes

    from .protobuf_columns import compile_schema
    from .registry import asking

    with asking():
        compiled = compile_schema(found.schema, registry)
    message = compiled.message(payload.message)
    name = _name(payload, found, registry, message_indexes(message))
    return ProtobufPayloads(compiled.files.SerializeToString(), message.full_name, name)
