"""Avro schemas as objects."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

from confluent_kafka.schema_registry import Schema, _avro
from confluent_kafka.schema_registry.error import SchemaParseException

from .error import ClientError


class AvroSchema:
    """An Avro schema, as load(), loads() and CachedSchemaRegistryClient return it.

    ``str(schema)`` is its JSON. Schemas with the same JSON are equal.

    Args:
        definition: the schema as the registry stores it, with its references.
        parsed: the schema as the codec uses it.
    """

    def __init__(self, definition: Schema, parsed: _avro.ParsedSchema) -> None:
        self.definition = definition
        self.parsed = parsed
        references = tuple(definition.references or ())
        self._key = (json.dumps(parsed.document, sort_keys=True), references)

    @property
    def type(self) -> str:
        """The kind of the schema, such as ``record``, ``union`` or ``string``."""
        document = self.parsed.document
        if isinstance(document, list):
            return "union"
        return str(document["type"] if isinstance(document, dict) else document)

    @property
    def fullname(self) -> str | None:
        """The name of its type, with the namespace; None for a union."""
        return self.parsed.name

    @property
    def name(self) -> str | None:
        """The name of its type, without the namespace; None for a union."""
        return self.fullname and self.fullname.rpartition(".")[2]

    @property
    def namespace(self) -> str | None:
        """The namespace of its type; None if it has none."""
        return (self.fullname or "").rpartition(".")[0] or None

    def to_json(self) -> Any:
        """Return the schema as new dicts, lists and strings."""
        return json.loads(str(self))

    def __str__(self) -> str:
        return self.definition.schema_str

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.fullname or self.type}>"

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, AvroSchema) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)


# A cache: producers get the same few schema texts with every message.
@functools.lru_cache(maxsize=1000)
def parse(text: str) -> AvroSchema:
    """Return the schema that a text defines.

    Raises:
        ClientError: it is not an Avro schema.
    """
    parsed = _parsed(Schema(text, "AVRO"), {}, "the schema")
    return AvroSchema(Schema(json.dumps(parsed.document), "AVRO"), parsed)


def from_registry(definition: Schema, referenced: Mapping[str, Schema], name: str) -> AvroSchema:
    """Return a schema from the registry.

    Args:
        definition: the schema.
        referenced: the schemas that it refers to, as a dict by the names in its references.
        name: the name of the schema for error texts.

    Raises:
        ClientError: it is not an Avro schema.
    """
    if (definition.schema_type or "AVRO") != "AVRO":
        raise ClientError(f"{name} is {definition.schema_type}, not AVRO")
    return AvroSchema(definition, _parsed(definition, referenced, name))


def _parsed(definition: Schema, referenced: Mapping[str, Schema], name: str) -> _avro.ParsedSchema:
    try:
        return _avro.parse(definition, referenced, name)
    except SchemaParseException as error:
        raise ClientError(str(error)) from error


def as_schema(value: object, argument: str) -> AvroSchema:
    """Return an argument as a schema.

    Args:
        value: an AvroSchema, its JSON, or a schema of the package ``avro``.
        argument: the name of the argument for error texts.

    Raises:
        ClientError: it is not an Avro schema.
        TypeError: it is something else.
    """
    if isinstance(value, AvroSchema):
        return value
    # Programs that parse schemas with the package `avro` pass its objects; their str() is JSON.
    if isinstance(value, str) or callable(getattr(value, "to_json", None)):
        return parse(str(value))
    kind = type(value).__name__
    raise TypeError(f"{argument} must be what load() or loads() returned, or its JSON, not {kind}")
