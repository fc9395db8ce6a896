"""JSON Schemas as what payloads of JSON have."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from confluent_kafka.columns._json_layout import Value
from confluent_kafka.columns._layout import UUID_EXTENSION, extension

# Nested deeper than this, reading would need too much of the stack: csrc/columns/types.h.
DEPTH_LIMIT = 48
# What a schema of a few lines that refer to each other can grow to; none in use has a tenth.
VALUES_LIMIT = 100_000

_INTEGERS = {
    "int8": "c",
    "uint8": "C",
    "int16": "s",
    "uint16": "S",
    "int32": "i",
    "uint32": "I",
    "int64": "l",
    "uint64": "L",
}
_NUMBERS = {"float": ("float32", "f"), "double": ("float64", "g")}
_TEXTS = {
    "date-time": Value("timestamp", "tsu:UTC", argument=6, zoned=True),
    "date": Value("date", "tdD"),
    "time": Value("time64", "ttu", argument=6),
    "uuid": Value("uuid", "w:16", metadata=extension("w:16", UUID_EXTENSION).metadata),
}
_TYPES = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})


class JSONSchemaError(ValueError):
    """A JSON Schema is not valid, or has what columns cannot be made of."""


def from_json_schema(schema: str | Mapping[str, Any], enums: str) -> Value:
    """Return the values of a JSON Schema: JSON text, or what json.loads() makes of it.

    Args:
        schema: the schema.
        enums: "string" or "dictionary".

    Raises:
        JSONSchemaError: it is not valid, recursive, or has what cannot be a column.
    """
    if isinstance(schema, str):
        try:
            schema = json.loads(schema)
        except ValueError as error:
            raise JSONSchemaError(f"schema is not JSON: {error}") from error
    return _Reader(schema, enums).value(schema, "")


class _Reader:
    """Reads one document."""

    def __init__(self, document: Any, enums: str) -> None:
        self._document = document
        self._enums = enums
        self._open: list[str] = []  # references that are being read
        self._depth = 0
        self._count = 0

    def value(self, schema: Any, path: str) -> Value:
        """Return what a schema says, which may not be null unless it says so."""
        self._count += 1
        if self._count > VALUES_LIMIT or self._depth == DEPTH_LIMIT:
            raise self._error(
                path, f"more than {VALUES_LIMIT} values, or nested more than {DEPTH_LIMIT} deep"
            )
        if not isinstance(schema, Mapping):
            raise self._error(path, f"{str(schema)[:80]!r}, which says nothing of a type")
        self._depth += 1
        try:
            return self._value(schema, path)
        finally:
            self._depth -= 1

    def _error(self, path: str, problem: str) -> JSONSchemaError:
        where = f"the field {path!r}" if path else "the value"
        return JSONSchemaError(f"schema cannot be made columns of: {where} is {problem}")

    def _value(self, schema: Mapping[str, Any], path: str) -> Value:
        if "$ref" in schema:
            return self._referred(schema["$ref"], path)
        for word in ("anyOf", "oneOf", "allOf"):
            if word in schema:
                return self._combined(word, schema[word], path)
        kind, nullable = self._type(schema, path)
        if kind == "array":
            value = Value(
                "array", "+l", fields={"item": self.value(self._items(schema, path), f"{path}[]")}
            )
        elif kind == "object":
            value = self._object(schema, path)
        else:
            value = self._plain(kind, schema)
        return value.optional(nullable)

    # --- schemas that are made of others

    def _referred(self, reference: Any, path: str) -> Value:
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise self._error(path, f"{reference!r}, which is not within the schema")
        if reference in self._open:
            raise self._error(
                path, f"recursive ({reference!r}), of which no columns can be made; leave it out"
            )
        self._open.append(reference)
        try:
            return self.value(self._at(reference, path), path)
        finally:
            self._open.pop()

    def _at(self, reference: str, path: str) -> Any:
        """Return what a JSON pointer (RFC 6901) names."""
        found = self._document
        for part in unquote(reference).split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if isinstance(found, Mapping) and name in found:
                found = found[name]
            elif isinstance(found, list) and name.isdecimal() and int(name) < len(found):
                found = found[int(name)]
            else:
                raise self._error(path, f"{reference!r}, which is not there")
        return found

    def _combined(self, word: str, schemas: Any, path: str) -> Value:
        if not isinstance(schemas, list):
            raise self._error(path, f"{word} of {str(schemas)[:80]!r}, not of a list")
        others = [one for one in schemas if one != {"type": "null"}]
        if len(others) != 1:
            raise self._error(path, f"{word} of {len(others)} types, and a column has one")
        value = self.value(others[0], path)
        return value.optional() if len(others) < len(schemas) else value

    # --- one type

    def _type(self, schema: Mapping[str, Any], path: str) -> tuple[str, bool]:
        """Return the type, and whether it may be null."""
        given = schema.get("type")
        if given is None:
            return self._implied(schema, path)
        types = set(given) if isinstance(given, list) else {given}
        if not types <= _TYPES:
            raise self._error(path, f"of the type {given!r}")
        nullable = "null" in types
        if "number" in types:
            types.discard("integer")
        if len(types) > 1:
            types.discard("null")
        if len(types) != 1:
            raise self._error(path, f"of {len(types)} types, {given!r}, and a column has one")
        return types.pop(), nullable

    def _implied(self, schema: Mapping[str, Any], path: str) -> tuple[str, bool]:
        """The type of a schema without one."""
        values = schema.get("enum", [schema["const"]] if "const" in schema else [])
        if "properties" in schema:
            return "object", False
        if "items" in schema:
            return "array", False
        if values and all(one is None or isinstance(one, str) for one in values):
            return "string", None in values
        raise self._error(path, "without a type")

    def _items(self, schema: Mapping[str, Any], path: str) -> Any:
        if "prefixItems" in schema or not isinstance(schema.get("items"), Mapping):
            raise self._error(path, "an array without one schema for all its items")
        return schema["items"]

    def _object(self, schema: Mapping[str, Any], path: str) -> Value:
        properties = schema.get("properties") or {}
        others = schema.get("additionalProperties")
        if not properties and isinstance(others, Mapping):
            return Value("map", "+m", fields={"value": self.value(others, f"{path}[]")})
        if not properties or not isinstance(properties, Mapping):
            raise self._error(path, "an object without properties")
        required = schema.get("required", ())
        fields = {}
        for name, one in properties.items():
            if "\0" in name:
                raise self._error(path, f"an object with the field {name!r}, which has a NUL")
            value = self.value(one, f"{path}.{name}" if path else name)
            if name in required:
                fields[name] = replace(value, writes_null=True)
            else:
                # JSONDecoder reads a null there, too; but only some schemas allow to write it.
                writes_null = None if value.nullable else False
                fields[name] = replace(value, nullable=True, writes_null=writes_null)
        return Value("object", "+s", fields=fields)

    def _plain(self, kind: str, schema: Mapping[str, Any]) -> Value:
        form = str(schema.get("format"))
        if kind == "null":
            return Value("null", "n")
        if kind == "boolean":
            return Value("bool", "b")
        if kind == "integer":
            name = form if form in _INTEGERS else "int64"
            return Value(name, _INTEGERS[name])
        if kind == "number":
            return Value(*_NUMBERS.get(form, _NUMBERS["double"]))
        return self._text(schema, form)

    def _text(self, schema: Mapping[str, Any], form: str) -> Value:
        if schema.get("contentEncoding") == "base64":
            return Value("binary", "z")
        if "enum" in schema and self._enums == "dictionary":
            symbols = tuple(dict.fromkeys(one for one in schema["enum"] if isinstance(one, str)))
            return Value("symbol", "i", symbols=symbols)
        return _TEXTS.get(form, Value("string", "u"))
