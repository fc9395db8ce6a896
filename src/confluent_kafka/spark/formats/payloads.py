"""Columns of Spark's types as payloads: what encodes a column, and with which schema."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Protocol

import pyarrow as pa
from pyspark.sql.types import DataType

from confluent_kafka.columns import AvroEncoder, AvroSchemaError, RowError
from confluent_kafka.schema_registry import (
    RegisteredSchema,
    Schema,
    SchemaRegistryClient,
    SchemaRegistryError,
)
from confluent_kafka.spark.pyspark_internals import to_arrow_type

from .model import Payload, Registry
from .registry import NOT_FOUND, Unreadable, asking, client, latest, texts

# Encoders that a process keeps: a query has at most two.
_ENCODERS_LIMIT = 16


class Encoded(NamedTuple):
    """A column of payloads."""

    payloads: pa.Array
    """As many as there were rows; null where one was null or failed."""
    failures: list[RowError]
    """The rows that failed, in their order."""


class Encoder(Protocol):
    """Encodes columns; it goes to the executors, so it can be pickled."""

    def __call__(self, values: pa.Array) -> Encoded:
        """Encode one column."""


@dataclass(frozen=True)
class AvroPayloads:
    """Encodes rows by an Avro schema, in the registry's framing.

    Args:
        schema: the schema.
        references: those that it refers to, each after those that it needs itself.
        schema_id: its id in the registry.
    """

    schema: str
    references: tuple[str, ...]
    schema_id: int

    def __call__(self, values: pa.Array) -> Encoded:
        """Encode one column: of structs for a record, of other values for another schema.

        Raises:
            TypeError: it has a type that the schema does not take.
        """
        encoder, is_record = _avro_encoder(self)
        if not is_record:
            values = pa.StructArray.from_arrays([values], ["value"], mask=values.is_null())
        elif not pa.types.is_struct(values.type):
            raise TypeError(f"{values.type} cannot be written as a record")
        rows = encoder.encode(values)
        return Encoded(pa.array(rows), rows.errors)


@lru_cache(_ENCODERS_LIMIT)
def _avro_encoder(payloads: AvroPayloads) -> tuple[AvroEncoder, bool]:
    """Return what encodes rows of a schema, and whether it is a record.

    Raises:
        AvroSchemaError: it is no schema.
    """
    references = [json.loads(text) for text in payloads.references]
    text = payloads.schema
    encoder = AvroEncoder(text, schema_id=payloads.schema_id, references=references)
    return encoder, text.lstrip()[:1] == "{" and json.loads(text).get("type") == "record"


def choose_encoder(payload: Payload, registry: Registry, kind: DataType) -> Encoder:
    """Return what encodes a column.

    Args:
        payload: what it is written as.
        registry: where the schema is.
        kind: the type of the column.

    Raises:
        ValueError: the registry is not there or has no such schema, it is not valid, or the column
            cannot be written with it.
    """
    with asking():
        registry_client = client(registry)
        found = _registered(payload, registry, registry_client)
        *references, schema = texts(found.schema, registry_client)
    assert found.schema_id is not None
    encoder = AvroPayloads(schema, tuple(references), found.schema_id)
    try:
        encoder(pa.array([], to_arrow_type(kind)))
    except (TypeError, AvroSchemaError) as error:
        raise Unreadable(str(error).removeprefix("batch: ")) from None
    return encoder


def _registered(
    payload: Payload, registry: Registry, registry_client: SchemaRegistryClient
) -> RegisteredSchema:
    """Return the schema to write with, and its id.

    Raises:
        Unreadable: the subject does not have it, or it is of another format.
        SchemaRegistryError: the registry refuses or is not there.
    """
    if payload.schema is None:
        return latest(registry, payload.subject, "AVRO")
    schema = Schema(payload.schema, "AVRO")
    if payload.register:
        return registry_client.register_schema_full_response(payload.subject, schema)
    try:
        return registry_client.lookup_schema(payload.subject, schema)
    except SchemaRegistryError as error:
        if error.http_status_code != NOT_FOUND:
            raise
        raise Unreadable(
            f"the subject {payload.subject!r} does not have the schema that is given: register "
            "it, or set the option registerSchemas"
        ) from error
