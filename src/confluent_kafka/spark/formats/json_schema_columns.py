"""Decode JSON with a JSON Schema from the registry."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import types as t

from confluent_kafka.columns import JSONColumns
from confluent_kafka.columns._json_alternatives import FLOAT_KINDS, NUMBER_KINDS, TEXT_KINDS
from confluent_kafka.columns._json_layout import JSONSchemaError, Value
from confluent_kafka.columns._json_references import with_references
from confluent_kafka.columns._json_schema import from_json_schema
from confluent_kafka.columns.registry import RegistryColumns
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry._json import decode
from confluent_kafka.schema_registry._json_validation import Check, checker
from confluent_kafka.schema_registry._json_validation import parse as parse_valid
from confluent_kafka.schema_registry.error import SchemaParseException
from confluent_kafka.serialization import SerializationError
from confluent_kafka.spark.pyspark_internals import to_arrow_type

from .model import Registry
from .pieces import Decoded
from .registry import Framed, Unreadable, client

# Spark has one type for text, whatever the format of the text is.
_SIMPLE: dict[str, t.DataType] = {
    "null": t.NullType(),
    "bool": t.BooleanType(),
    "binary": t.BinaryType(),
    "json": t.StringType(),
}
_SIMPLE |= dict.fromkeys(TEXT_KINDS - {"binary"}, t.StringType())
_SIMPLE |= dict.fromkeys(FLOAT_KINDS, t.DoubleType())
_SIMPLE |= dict.fromkeys(NUMBER_KINDS - FLOAT_KINDS, t.LongType())
# With this, JSONDecoder reads a value of any type as JSON text.
_JSON_TEXT = {"ARROW:extension:name": "arrow.json", "ARROW:extension:metadata": ""}


def parse(schema: Schema, registry: SchemaRegistryClient) -> Value:
    """Return the structure of the documents of a JSON Schema.

    Raises:
        Unreadable: the schema is not valid, or cannot become a column.
    """
    try:
        others = referenced(schema, registry).items()
        texts = {name: one.schema_str for name, one in others}
        return from_json_schema(with_references(schema.schema_str, texts), "string")
    except JSONSchemaError as error:
        raise _unreadable(str(error)) from None


def _unreadable(problem: str) -> Unreadable:
    return Unreadable(f"{problem}; name the columns to read in the key 'schema', as Spark's DDL")


def referenced(schema: Schema, registry: SchemaRegistryClient) -> dict[str, Schema]:
    """Return all schemas that a schema refers to, directly or indirectly, by name."""
    found: dict[str, Schema] = {}
    for reference in schema.references:
        one = registry.get_version(reference.subject, reference.version).schema
        found |= {reference.name: one, **referenced(one, registry)}
    return found


def spark_type(value: Value) -> t.DataType:
    """Return the Spark type for values of a schema.

    Raises:
        Unreadable: there is no such type. The key ``schema`` of the source can declare one.
    """
    if value.kind == "refused":
        raise _unreadable(value.refusal)
    if value.kind == "object":
        fields = [t.StructField(name, spark_type(one)) for name, one in value.fields.items()]
        return t.StructType(fields)
    if value.kind == "array":
        return t.ArrayType(spark_type(value.within()))
    if value.kind == "map":
        return t.MapType(t.StringType(), spark_type(value.within()))
    return _SIMPLE[value.kind]


def read_field(value: Value, name: str = "") -> pa.Field:
    """Return the field that JSONDecoder reads for a value, in a type that Spark supports."""
    metadata = None
    if value.kind == "object":
        kind = pa.struct([read_field(one, name) for name, one in value.fields.items()])
    elif value.kind == "array":
        kind = pa.list_(read_field(value.within(), "element"))
    elif value.kind == "map":
        kind = pa.map_(pa.string(), read_field(value.within(), "value"))
    else:
        kind = to_arrow_type(_SIMPLE[value.kind])
        metadata = _JSON_TEXT if value.kind == "json" else None
    return pa.field(name, kind, metadata=metadata)


@dataclass(frozen=True)
class JsonReader:
    """Makes the decoder of documents of all schemas into columns of one type.

    Args:
        documents: the type of the documents, including NOT NULL.
    """

    documents: pa.DataType | pa.Field

    def __call__(self, registry: SchemaRegistryClient) -> RegistryColumns:
        """Return the decoder for this process."""
        return JSONColumns(registry, schema=self.documents)


@dataclass(frozen=True)
class Validated:
    """Decodes rows and validates each row with its schema, which takes longer than decoding.

    Args:
        framed: the decoder of the rows.
    """

    framed: Framed

    def __call__(self, values: pa.Array, headers: pa.Array | None = None) -> Decoded:
        """Decode one column of framed rows.

        Raises:
            SchemaRegistryError: the registry refuses the request or cannot be reached.
        """
        column, failures = self.framed(values, headers)
        decoder = self.framed.decoder()
        marks, payloads = decoder._split(values, headers, part=self.framed.part)
        for row in failures:
            marks[row] = None
        checks: dict[bytes, _RowCheck] = {}
        last = None
        for row, mark, payload in zip(range(len(marks)), marks, payloads, strict=True):
            if mark is None or payload is None:
                continue
            if mark is not last:  # most rows have the mark of the row before
                last = mark
                check = checks.get(mark) or checks.setdefault(mark, self._check(decoder, mark))
            if (why := check(payload)) is not None:
                failures[row] = why
        return Decoded(column, failures)

    def _check(self, decoder: RegistryColumns, mark: bytes) -> _RowCheck:
        """Return a function that checks documents with the schema that a mark names."""
        key = (os.getpid(), self.framed.registry, mark)
        if key not in _checks:
            schema = decoder._named(mark)
            try:
                root = parse_valid(schema.schema_str, "it")
                others = referenced(schema, client(self.framed.registry))
                _checks[key] = _row_check(checker(root, others, "its schema"))
            except SchemaParseException as error:
                why = f"not a JSON Schema: {error}"
                _checks[key] = lambda _: why
        return _checks[key]


_RowCheck = Callable[[bytes], str | None]

# Each check belongs to a process, like the client that it uses.
_checks: dict[tuple[int, Registry, bytes], _RowCheck] = {}


def _row_check(check: Check) -> _RowCheck:
    def invalid(payload: bytes) -> str | None:
        try:
            check(decode(payload))
        except (SerializationError, ValueError, RecursionError) as error:
            return str(error)
        return None

    return invalid
