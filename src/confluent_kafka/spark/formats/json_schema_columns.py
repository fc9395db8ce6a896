"""JSON with a JSON Schema in the registry."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import types as t

from confluent_kafka.columns import JSONColumns
from confluent_kafka.columns._json_schema import is_null
from confluent_kafka.columns.registry import RegistryColumns
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry._json import decode
from confluent_kafka.schema_registry._json_validation import Check, checker
from confluent_kafka.schema_registry._json_validation import parse as parse_valid
from confluent_kafka.schema_registry.error import SchemaParseException
from confluent_kafka.serialization import SerializationError

from .model import Registry
from .pieces import Decoded
from .registry import Framed, Unreadable, client

_SIMPLE: dict[str, t.DataType] = {
    "boolean": t.BooleanType(),
    "integer": t.LongType(),
    "number": t.DoubleType(),
    "string": t.StringType(),
}


@dataclass(frozen=True)
class Documents:
    """A JSON Schema, and those that it refers to, by name."""

    root: Any
    others: Mapping[str, Any]


def parse(schema: Schema, registry: SchemaRegistryClient) -> Documents:
    """Return a registry's JSON Schema.

    Raises:
        Unreadable: it is none.
    """
    try:
        others = referenced(schema, registry).items()
        return Documents(
            json.loads(schema.schema_str),
            {name: json.loads(one.schema_str) for name, one in others},
        )
    except ValueError as error:
        raise Unreadable(f"not a JSON Schema: {error}") from None


def referenced(schema: Schema, registry: SchemaRegistryClient) -> dict[str, Schema]:
    """Return the schemas that one refers to, and those that they do, by name."""
    found: dict[str, Schema] = {}
    for reference in schema.references:
        one = registry.get_version(reference.subject, reference.version).schema
        found |= {reference.name: one, **referenced(one, registry)}
    return found


def spark_type(documents: Documents) -> t.DataType:
    """Return the type that Spark has for documents of a schema.

    Raises:
        Unreadable: it has none; the key ``schema`` of the source can say what to read.
    """
    return _type(documents, documents.root, documents.root, "#", ())


def _type(
    documents: Documents, schema: Any, base: Any, place: str, inside: tuple[str, ...]
) -> t.DataType:
    """Return the type of a part of the document ``base``; ``inside`` are references on the way."""
    if isinstance(schema, dict) and (reference := schema.get("$ref")):
        if reference in inside:
            raise Unreadable(f"{reference} contains itself; Spark has no recursive types")
        name, _, pointer = reference.partition("#")
        base = documents.others.get(name) if name else base
        return _type(documents, _at(base, pointer, place), base, place, (*inside, reference))
    kinds = _kinds(schema)
    if len(kinds) == 1:
        [kind] = kinds
        if kind == "string" and schema.get("contentEncoding") == "base64":
            return t.BinaryType()
        if kind in _SIMPLE:
            return _SIMPLE[kind]
        if kind == "array" and isinstance(schema.get("items"), dict):
            return t.ArrayType(_type(documents, schema["items"], base, f"{place}/items", inside))
        if kind == "object" and schema.get("properties"):
            fields = [
                t.StructField(name, _type(documents, one, base, f"{place}/{name}", inside))
                for name, one in schema["properties"].items()
            ]
            return t.StructType(fields)
    for word in ("oneOf", "anyOf"):
        if isinstance(schema, dict) and not kinds and word in schema:
            others = [one for one in schema[word] if not is_null(one)]
            if len(others) == 1:
                return _type(documents, others[0], base, place, inside)
    raise Unreadable(
        f"the JSON Schema has no single type at {place}: name the columns to read in the key "
        "'schema', as Spark's DDL"
    )


def _kinds(schema: Any) -> list[str]:
    given = schema.get("type", []) if isinstance(schema, dict) else []
    return [one for one in ([given] if isinstance(given, str) else given) if one != "null"]


def _at(document: Any, pointer: str, place: str) -> Any:
    for part in filter(None, pointer.split("/")):
        document = document.get(part) if isinstance(document, dict) else None
    if document is None:
        raise Unreadable(f"the JSON Schema has a reference without a target at {place}")
    return document


@dataclass(frozen=True)
class JsonReader:
    """Makes what decodes documents of all schemas into columns of one type.

    Args:
        documents: the type of the documents, with what must not be null.
    """

    documents: pa.StructType

    def __call__(self, registry: SchemaRegistryClient) -> RegistryColumns:
        """Return the decoder, for a process."""
        return JSONColumns(registry, schema=self.documents)


@dataclass(frozen=True)
class Validated:
    """Decodes rows, and checks each against its schema, which costs more than decoding.

    Args:
        framed: what decodes them.
    """

    framed: Framed

    def __call__(self, values: pa.Array, headers: pa.Array | None = None) -> Decoded:
        """Decode one column of framed rows.

        Raises:
            SchemaRegistryError: the registry refuses or is not there.
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
            if mark is not last:  # which it is in most rows
                last = mark
                check = checks.get(mark) or checks.setdefault(mark, self._check(decoder, mark))
            if (why := check(payload)) is not None:
                failures[row] = why
        return Decoded(column, failures)

    def _check(self, decoder: RegistryColumns, mark: bytes) -> _RowCheck:
        """Return what says why a document does not fit the schema that a mark names."""
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

# Each belongs to a process, as what it was made of.
_checks: dict[tuple[int, Registry, bytes], _RowCheck] = {}


def _row_check(check: Check) -> _RowCheck:
    def invalid(payload: bytes) -> str | None:
        try:
            check(decode(payload))
        except (SerializationError, ValueError, RecursionError) as error:
            return str(error)
        return None

    return invalid
