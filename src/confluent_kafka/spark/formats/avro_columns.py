"""Decode Avro: fastavro parses the schemas, confluent_kafka.columns decodes the payloads."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import fastavro
from fastavro.schema import SchemaParseException
from pyspark.sql import types as t

from confluent_kafka.cimpl import _RowProgram
from confluent_kafka.columns import AvroColumns
from confluent_kafka.columns._avro_layout import NARROW_PRECISION
from confluent_kafka.columns.registry import RegistryColumns
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient

from .registry import Unreadable, texts

_SIMPLE: dict[str, t.DataType] = {
    "null": t.NullType(),
    "boolean": t.BooleanType(),
    "int": t.IntegerType(),
    "long": t.LongType(),
    "float": t.FloatType(),
    "double": t.DoubleType(),
    "bytes": t.BinaryType(),
    "string": t.StringType(),
    "enum": t.StringType(),
    "fixed": t.BinaryType(),
}
_LOGICAL: dict[str, t.DataType] = {
    "date": t.DateType(),
    "timestamp-millis": t.TimestampType(),
    "timestamp-micros": t.TimestampType(),
    "local-timestamp-millis": t.TimestampNTZType(),
    "local-timestamp-micros": t.TimestampNTZType(),
}
# Spark has no type for these. They are read as the number or text in which they are stored.
_AS_STORED = {"time-millis", "time-micros", "uuid", "duration", "timestamp-nanos"}


def parse(text: str, named: dict[str, Any]) -> Any:
    """Return a schema that fastavro can use.

    Args:
        text: the schema, as JSON.
        named: the types to which it can refer. Its own types are added.

    Raises:
        Unreadable: the text is not an Avro schema.
    """
    try:
        document = _without_unknown(json.loads(text))
        return fastavro.parse_schema(document, named_schemas=named)
    except (SchemaParseException, ValueError) as error:
        raise Unreadable(f"not an Avro schema: {error}") from None


def parse_registered(schema: Schema, registry: SchemaRegistryClient) -> tuple[Any, dict[str, Any]]:
    """Return a schema of a registry, and all types to which it refers."""
    named: dict[str, Any] = {}
    for text in texts(schema, registry):
        parsed = parse(text, named)
    return parsed, named


def spark_type(schema: Any, named: dict[str, Any], inside: tuple[str, ...] = ()) -> t.DataType:
    """Return the Spark type for a parsed Avro schema.

    Raises:
        Unreadable: there is no such type for a union of several types, or for a type that contains
            itself.
    """
    if isinstance(schema, list):
        return _union(schema, named, inside)
    kind = schema["type"] if isinstance(schema, dict) else schema
    if isinstance(kind, dict | list):
        return spark_type(kind, named, inside)
    if logical := schema.get("logicalType") if isinstance(schema, dict) else None:
        if logical == "decimal":
            return _decimal(schema["precision"], schema.get("scale", 0))
        if logical in _LOGICAL:
            return _LOGICAL[logical]
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if kind == "array":
        return t.ArrayType(spark_type(schema["items"], named, inside))
    if kind == "map":
        return t.MapType(t.StringType(), spark_type(schema["values"], named, inside))
    if kind in named and kind != "record":
        return spark_type(named[kind], named, inside)
    name = schema["name"]
    if name in inside:
        raise Unreadable(f"the Avro type {name!r} contains itself; Spark has no recursive types")
    fields = [
        t.StructField(one["name"], spark_type(one["type"], named, (*inside, name)))
        for one in schema["fields"]
    ]
    return t.StructType(fields)


def _decimal(precision: int, scale: int) -> t.DecimalType:
    """Return the Spark type. Rows with values of more digits fail."""
    if scale > NARROW_PRECISION:
        raise Unreadable(
            f"a decimal of a scale of {scale} has no counterpart in Spark, whose decimals have at "
            f"most {NARROW_PRECISION} digits"
        )
    return t.DecimalType(min(precision, NARROW_PRECISION), scale)


def _union(branches: list[Any], named: dict[str, Any], inside: tuple[str, ...]) -> t.DataType:
    others = [one for one in branches if one != "null"]
    if set(map(str, others)) == {"int", "long"}:
        return t.LongType()
    if set(map(str, others)) == {"float", "double"}:
        return t.DoubleType()
    if len(others) != 1:
        raise Unreadable(f"an Avro union of {len(others)} types has no counterpart in Spark")
    return spark_type(others[0], named, inside)


def _logical(schema: Any, named: dict[str, Any], place: str = "") -> Iterator[tuple[str, str]]:
    """Yield the logical type, or an empty text, of each number and bytes value of a schema."""
    if isinstance(schema, str) and schema in named:
        schema = named[schema]
    if isinstance(schema, list):
        for one in schema:
            if one != "null":
                yield from _logical(one, named, place)
    elif not isinstance(schema, dict):
        yield place, ""
    elif schema["type"] == "record":
        for field in schema["fields"]:
            yield from _logical(field["type"], named, f"{place}.{field['name']}".lstrip("."))
    elif schema["type"] in ("array", "map"):
        yield from _logical(schema.get("items", schema.get("values")), named, f"{place}[]")
    elif isinstance(schema["type"], dict | list):
        yield from _logical(schema["type"], named, place)
    else:
        # Types that differ only in their unit are converted.
        yield place, schema.get("logicalType", "").removesuffix("-millis").removesuffix("-micros")


def _compare(written: dict[str, str], wanted: dict[str, str]) -> None:
    """Refuse numbers that would be read with another meaning."""
    for place in written.keys() & wanted.keys():
        if written[place] != wanted[place]:
            raise Unreadable(
                f"{place or 'the row'} is written as {written[place] or 'no logical type'}, "
                f"but to be read as {wanted[place] or 'no logical type'}"
            )


def _without_unknown(schema: Any) -> Any:
    """Return a schema without the logical types that Spark does not have."""
    if isinstance(schema, list):
        return [_without_unknown(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: _without_unknown(one) if name in ("type", "items", "values", "fields") else one
        for name, one in schema.items()
        if not (name == "logicalType" and one in _AS_STORED)
    }


def _without_wide_unions(schema: Any) -> Any:
    """Return a schema in which a union of numbers is one type, as in spark_type()."""
    if isinstance(schema, dict):
        return {
            name: _without_wide_unions(one)
            if name in ("type", "items", "values", "fields")
            else one
            for name, one in schema.items()
        }
    if not isinstance(schema, list):
        return schema
    for narrow, wide in (("int", "long"), ("float", "double")):
        if narrow in schema and wide in schema:
            return [one for one in schema if one != narrow]
    return [_without_wide_unions(one) for one in schema]


@dataclass(frozen=True)
class AvroReader:
    """Makes the decoder of rows into columns of one schema.

    Args:
        schema: the schema of the column.
    """

    schema: Schema

    def __call__(self, registry: SchemaRegistryClient) -> RegistryColumns:
        """Return the decoder for this process."""
        return _SparkColumns(registry, schema=self.schema, decimals="decimal128")


class _SparkColumns(AvroColumns):
    """AvroColumns with the types that Spark supports."""

    _refusals = (*AvroColumns._refusals, Unreadable)

    def _program(self, name: bytes, schema: Schema) -> _RowProgram:
        if schema != self._schema:
            pairs = (parse_registered(one, self._registry) for one in (schema, self._schema))
            _compare(*(dict(_logical(*pair)) for pair in pairs))
        return super()._program(name, schema)

    def _documents(self, schema: Schema, *, is_reader: bool) -> list[Any]:
        documents = super()._documents(schema, is_reader=is_reader)
        known = [_without_unknown(one) for one in documents]
        return [_without_wide_unions(one) for one in known] if is_reader else known
