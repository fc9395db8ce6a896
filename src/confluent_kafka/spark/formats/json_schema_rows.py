"""JSON with a JSON Schema in the registry."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from jsonschema import SchemaError
from jsonschema.protocols import Validator
from jsonschema.validators import validator_for
from pyspark.sql import types as t
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT7

from confluent_kafka.schema_registry import Schema, SchemaRegistryClient

from .json_rows import JsonDecoder
from .pieces import Decoded
from .registry import Unreadable

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
    others: dict[str, Any] = {}

    def add(one: Schema) -> Any:
        for reference in one.references:
            other = registry.get_version(reference.subject, reference.version).schema
            others[reference.name] = add(other)
        try:
            return json.loads(one.schema_str)
        except ValueError as error:
            raise Unreadable(f"not a JSON Schema: {error}") from None

    return Documents(add(schema), others)


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
            others = [one for one in schema[word] if one != {"type": "null"}]
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
class JsonSchemaReader:
    """Makes what decodes rows of one schema.

    Args:
        kind: the type of the column.
        validate: whether rows are checked against their schema, which costs more than decoding.
    """

    kind: pa.StructType
    validate: bool

    def __call__(
        self, schema: Schema, registry: SchemaRegistryClient
    ) -> Callable[[pa.Array], Decoded]:
        """Return what decodes payloads that a schema was written with."""
        decode = JsonDecoder(self.kind)
        if not self.validate:
            return decode
        validator = _validator(parse(schema, registry))

        def check_too(payloads: pa.Array) -> Decoded:
            column, failures = decode(payloads)
            failures.update(
                (row, why)
                for row, why in _invalid(validator, payloads.to_pylist())
                if row not in failures
            )
            return Decoded(column, failures)

        return check_too


def _validator(documents: Documents) -> Validator:
    resources = [
        (name, Resource.from_contents(one, default_specification=DRAFT7))
        for name, one in documents.others.items()
    ]
    kind = validator_for(documents.root)
    try:
        kind.check_schema(documents.root)
    except SchemaError as error:
        raise Unreadable(f"not a JSON Schema: {error.message}") from None
    return kind(documents.root, registry=Registry().with_resources(resources))


def _invalid(validator: Validator, payloads: list[bytes | None]) -> Iterator[tuple[int, str]]:
    for row, payload in enumerate(payloads):
        if payload is None:
            continue
        try:
            document = json.loads(payload)
        except ValueError as error:
            yield row, str(error)
            continue
        fault = next(validator.iter_errors(document), None)
        if fault is not None:
            yield row, f"{fault.json_path}: {fault.message}"
