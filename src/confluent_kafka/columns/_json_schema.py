"""JSON Schemas as what payloads of JSON have."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import unquote, urljoin

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

# Keywords whose values are no schemas, so that what looks like an identifier in them is none.
_DATA = frozenset({"const", "default", "enum", "examples"})
# Keywords whose values have schemas by name, where "const" or "$id" is a name like any other.
_BY_NAME = frozenset(
    {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
)


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
        schema = _loads(schema, "schema")
    return _Reader(schema, enums).value(schema, "")


def with_references(text: str, references: Mapping[str, str]) -> Any:
    """Return a document that has the documents within it that it refers to by name.

    Args:
        text: the document.
        references: other documents, by the names that stand for their URIs.

    Raises:
        JSONSchemaError: one of them is not JSON.
    """
    document = _loads(text, "schema")
    if not isinstance(document, Mapping):
        return document
    known = document.get("$defs")
    within = dict(known) if isinstance(known, Mapping) else {}
    for name, other in references.items():
        one = _loads(other, f"the schema of the reference {name!r}")
        # Its own "$id" may be another one: registries know it by the name.
        within[name] = {**one, "$id": name} if isinstance(one, Mapping) else one
    return {**document, "$defs": within} if references else document


def _loads(text: str, what: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise JSONSchemaError(f"{what} is not JSON: {error}") from error


class _Place(NamedTuple):
    """A schema within the document.

    Attributes:
        schema: what is there.
        base: the URI that its own `$id` is relative to.
    """

    schema: Any
    base: str


class _Reader:
    """Reads one document."""

    def __init__(self, document: Any, enums: str) -> None:
        self._document = document
        self._enums = enums
        self._base = ""  # what references are relative to, where it reads
        self._open: list[str] = []  # URIs of references that are being read
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
            raise self._error(path, f"{_short(schema)}, which says nothing of a type")
        outer, self._base = self._base, _base_within(schema, self._base)
        self._depth += 1
        try:
            return self._value(schema, path)
        finally:
            self._depth -= 1
            self._base = outer

    def _error(self, path: str, problem: str) -> JSONSchemaError:
        where = f"the field {path!r}" if path else "the value"
        return JSONSchemaError(f"schema cannot be made columns of: {where} is {problem}")

    def _value(self, schema: Mapping[str, Any], path: str) -> Value:
        if "$ref" in schema:
            return self._referred(schema["$ref"], path)
        for word in ("anyOf", "oneOf", "allOf"):
            if word in schema:
                return self._combined(word, schema, path)
        kind, nullable = self._type(schema, path)
        if kind == "array":
            value = Value(
                "array", "+l", fields={"item": self.value(self._items(schema, path), f"{path}[]")}
            )
        elif kind == "object":
            value = self._object(schema, path)
        else:
            value = self._plain(kind, schema, path)
        return value.optional(nullable)

    def _list(self, word: str, schema: Mapping[str, Any], path: str) -> Sequence[Any]:
        """Return what a keyword lists; nothing without the keyword."""
        listed = schema.get(word, ())
        if not isinstance(listed, (list, tuple)):
            raise self._error(path, f"one with {word!r} of {_short(listed)}, not of a list")
        return listed

    # --- schemas that are made of others

    def _referred(self, reference: Any, path: str) -> Value:
        if not isinstance(reference, str):
            raise self._error(path, f"a reference to {_short(reference)}, which is no text")
        uri = _joined(self._base, reference)
        if uri in self._open:
            raise self._error(
                path, f"recursive ({reference!r}), of which no columns can be made; leave it out"
            )
        schema, base = self._at(uri, reference, path)
        outer, self._base = self._base, base
        self._open.append(uri)
        try:
            return self.value(schema, path)
        finally:
            self._open.pop()
            self._base = outer

    def _at(self, uri: str, reference: str, path: str) -> _Place:
        """Return what a reference names."""
        found = self._find(uri)
        if found is None and reference.startswith("#"):
            # An `id` that is meant for people must not hide the document's definitions.
            found = self._find(reference)
        if found is not None:
            return found
        resource = uri.partition("#")[0]
        if resource in self._named:
            problem = "there; add it to the schema, or correct the reference"
        else:
            problem = f"within the schema; copy it into '$defs', with the '$id' {resource!r}"
        raise self._error(path, f"a reference to {reference!r}, which is not {problem}")

    def _find(self, uri: str) -> _Place | None:
        """Return what a URI names, by a JSON pointer or an anchor of a schema with an `$id`."""
        resource, _, fragment = uri.partition("#")
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            return self._named.get(f"{resource}#{fragment}")
        place = self._named.get(resource)
        return None if place is None else _pointed(place, fragment)

    @cached_property
    def _named(self) -> dict[str, _Place]:
        """What references can name, by its URI: schemas with an `$id`, or with an anchor."""
        named = {"": _Place(self._document, "")}
        seen: set[int] = set()  # what was made by hand may contain itself
        places = [(self._document, "", True)]
        while places:
            part, outer, is_schema = places.pop()
            if not isinstance(part, (Mapping, list, tuple)) or id(part) in seen:
                continue
            seen.add(id(part))
            if not isinstance(part, Mapping):
                places += [(one, outer, True) for one in part]
                continue
            base = _base_within(part, outer) if is_schema else outer
            for uri in _names(part, outer, base) if is_schema else ():
                named.setdefault(uri, _Place(part, outer))
            places += [
                (one, base, not (is_schema and word in _BY_NAME))
                for word, one in part.items()
                if not (is_schema and word in _DATA)
            ]
        return named

    def _combined(self, word: str, schema: Mapping[str, Any], path: str) -> Value:
        schemas = self._list(word, schema, path)
        others = [one for one in schemas if not is_null(one)]
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
        listed = given if isinstance(given, list) else [given]
        if not all(isinstance(one, str) and one in _TYPES for one in listed):
            raise self._error(path, f"of the type {_short(given)}")
        types = set(listed)
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
        if "enum" in schema:
            values = self._list("enum", schema, path)
        else:
            values = [schema["const"]] if "const" in schema else []
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
        required = self._list("required", schema, path)
        fields = {}
        for name, one in properties.items():
            if not isinstance(name, str):
                raise self._error(path, f"an object with the field {name!r}, which is no text")
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

    def _plain(self, kind: str, schema: Mapping[str, Any], path: str) -> Value:
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
        return self._text(schema, form, path)

    def _text(self, schema: Mapping[str, Any], form: str, path: str) -> Value:
        if schema.get("contentEncoding") == "base64":
            return Value("binary", "z")
        if "enum" in schema and self._enums == "dictionary":
            values = self._list("enum", schema, path)
            symbols = tuple(dict.fromkeys(one for one in values if isinstance(one, str)))
            return Value("symbol", "i", symbols=symbols)
        return _TEXTS.get(form, Value("string", "u"))


# --- references


def _joined(base: str, reference: str) -> str:
    """Return the URI of a reference; urljoin() knows no fragments of URNs."""
    if reference.startswith("#"):
        return base + reference
    try:
        return urljoin(base, reference)
    except ValueError:  # it is no URI, and names nothing but itself
        return reference


def _identifiers(schema: Mapping[str, Any], base: str) -> list[str]:
    """Return the URIs of `$id`, which drafts up to 4 call `id`."""
    words = (schema.get("$id"), schema.get("id"))
    return [_joined(base, one) for one in words if isinstance(one, str)]


def _base_within(schema: Mapping[str, Any], base: str) -> str:
    """Return what references in a schema are relative to."""
    uri = next(iter(_identifiers(schema, base)), base)
    return uri.partition("#")[0]


def _names(schema: Mapping[str, Any], outer: str, base: str) -> list[str]:
    """Return the URIs of a schema; drafts up to 7 have anchors as the fragment of `$id`."""
    anchors = (schema.get("$anchor"), schema.get("$dynamicAnchor"))
    names = [one.removesuffix("#") for one in _identifiers(schema, outer)]
    return names + [f"{base}#{one}" for one in anchors if isinstance(one, str)]


def _pointed(place: _Place, pointer: str) -> _Place | None:
    """Return what a JSON pointer (RFC 6901) names; None if it is not there."""
    found, base = place
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping):
            inside, base = found, _base_within(found, base)
        elif isinstance(found, (list, tuple)):
            inside = {str(index): one for index, one in enumerate(found)}
        else:
            return None
        if name not in inside:
            return None
        found = inside[name]
    return _Place(found, base)


# --- small parts


def is_null(schema: Any) -> bool:
    """Whether only null is of a schema, whatever its title and other annotations are."""
    if not isinstance(schema, Mapping):
        return False
    is_constant = "const" in schema and schema["const"] is None
    return is_constant or schema.get("type") in ("null", ["null"]) or schema.get("enum") == [None]


def _short(value: Any) -> str:
    """Return a value for a message: what is wrong may be long, and deep."""
    try:
        return repr(str(value)[:80])
    except RecursionError:
        return f"a {type(value).__name__} that is nested too deep"
