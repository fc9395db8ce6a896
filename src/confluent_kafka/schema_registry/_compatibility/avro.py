"""Checks whether one Avro schema can read the data of another one.

Source: the Avro specification, "Schema Resolution", "Names" and "Aliases".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .problem import Problem, SchemaError, Text

_PRIMITIVES = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})
# The writer's types that a reader's type accepts besides itself.
_PROMOTED = {
    "long": {"int"},
    "float": {"int", "long"},
    "double": {"int", "long", "float"},
    "bytes": {"string"},
    "string": {"bytes"},
}
_NAMED = frozenset({"record", "error", "enum", "fixed"})


@dataclass(eq=False)
class _Type:
    """A type with resolved names."""

    kind: str
    name: str = ""
    aliases: frozenset[str] = frozenset()
    parts: list[_Type] = field(default_factory=list)
    """The branches of a union, the items of an array, the values of a map."""
    fields: list[_Field] = field(default_factory=list)
    symbols: list[str] = field(default_factory=list)
    has_default: bool = False
    """Whether an enum has a default symbol for unknown symbols."""
    size: int = 0

    def __str__(self) -> str:
        return self.name or self.kind


@dataclass(eq=False)
class _Field:
    name: str
    names: list[str]
    """Its name and its aliases."""
    type: _Type
    has_default: bool


def problems(reader: Text, writer: Text) -> list[Problem]:
    """Return the reasons why a reader's schema cannot read a writer's data, or nothing."""
    return list(_Resolution().compare(_parsed(reader), _parsed(writer), ""))


def check(text: Text) -> None:
    """Check that a text is an Avro schema.

    Raises:
        SchemaError: the text is not an Avro schema.
    """
    _parsed(text)


def _parsed(text: Text) -> _Type:
    names: dict[str, _Type] = {}
    for one in text.references.values():
        _parse(_document(one), "", names)
    return _parse(_document(text.schema), "", names)


def _document(text: str) -> Any:
    return text.strip() if text.strip().isalpha() else json.loads(text)


# --- from JSON ----------------------------------------------------------------------------


def _parse(schema: Any, namespace: str, names: dict[str, _Type]) -> _Type:
    if isinstance(schema, list):
        return _Type("union", parts=[_parse(one, namespace, names) for one in schema])
    if isinstance(schema, str):
        if schema in _PRIMITIVES:
            return _Type(schema)
        found = names.get(_full(schema, namespace)) or names.get(schema)
        if found is None:
            raise SchemaError(f"Invalid Avro schema: {schema!r} is not defined")
        return found
    kind = schema["type"]
    if isinstance(kind, str) and kind in _NAMED:
        return _parse_named(schema, kind, namespace, names)
    if kind == "array":
        return _Type(kind, parts=[_parse(schema["items"], namespace, names)])
    if kind == "map":
        return _Type(kind, parts=[_parse(schema["values"], namespace, names)])
    return _parse(kind, namespace, names)


def _parse_named(schema: Any, kind: str, namespace: str, names: dict[str, _Type]) -> _Type:
    full = _full(schema["name"], schema.get("namespace", namespace) or "")
    namespace = full.rpartition(".")[0]
    aliases = frozenset(_full(one, namespace) for one in schema.get("aliases") or ())
    found = _Type("record" if kind == "error" else kind, full, aliases)
    names[full] = found  # a record may contain itself
    if kind == "enum":
        found.symbols, found.has_default = list(schema["symbols"]), "default" in schema
    elif kind == "fixed":
        found.size = schema["size"]
    else:
        found.fields = [
            _Field(
                one["name"],
                [one["name"], *(one.get("aliases") or ())],
                _parse(one["type"], namespace, names),
                "default" in one,
            )
            for one in schema["fields"]
        ]
    return found


def _full(name: str, namespace: str) -> str:
    return name if "." in name or not namespace else f"{namespace}.{name}"


# --- resolution ---------------------------------------------------------------------------


class _Resolution:
    def __init__(self) -> None:
        # Pairs that were compared or are being compared: types may contain themselves.
        self._seen: set[tuple[int, int]] = set()

    def compare(self, reader: _Type, writer: _Type, path: str) -> Iterator[Problem]:
        if writer.kind == "union":
            for one in writer.parts:
                yield from self.compare(reader, one, path)
        elif reader.kind == "union":
            if not any(self._reads(one, writer, path) for one in reader.parts):
                why = f"no branch of the reader's union reads the writer's {writer}"
                yield Problem("MISSING_UNION_BRANCH", path or "/", why)
        elif reader.kind != writer.kind:
            if writer.kind not in _PROMOTED.get(reader.kind, ()):
                why = f"the reader has {reader}, the writer {writer}"
                yield Problem("TYPE_MISMATCH", path or "/", why)
        elif reader.parts:
            step = "items" if reader.kind == "array" else "values"
            yield from self.compare(reader.parts[0], writer.parts[0], f"{path}/{step}")
        elif reader.name:
            yield from self._compare_named(reader, writer, path)

    def _reads(self, reader: _Type, writer: _Type, path: str) -> bool:
        # Pairs found on the way to a branch that does not fit are valid only for this branch.
        seen = set(self._seen)
        reads = not any(True for _ in self.compare(reader, writer, path))
        if not reads:
            self._seen = seen
        return reads

    def _compare_named(self, reader: _Type, writer: _Type, path: str) -> Iterator[Problem]:
        pair = (id(reader), id(writer))
        if pair in self._seen:
            return
        self._seen.add(pair)
        if _simple(reader.name) != _simple(writer.name) and not (
            reader.aliases & {writer.name, _simple(writer.name)}
        ):
            why = f"the reader has {reader}, the writer {writer}"
            yield Problem("NAME_MISMATCH", f"{path}/name", why)
        if reader.kind == "record":
            yield from self._compare_fields(reader, writer, path)
        elif reader.kind == "enum":
            unknown = [one for one in writer.symbols if one not in reader.symbols]
            if unknown and not reader.has_default:
                why = f"the reader does not have {', '.join(unknown)}, and has no default"
                yield Problem("MISSING_ENUM_SYMBOLS", f"{path}/symbols", why)
        elif reader.size != writer.size:
            why = f"the reader has {reader.size} bytes, the writer {writer.size}"
            yield Problem("FIXED_SIZE_MISMATCH", f"{path}/size", why)

    def _compare_fields(self, reader: _Type, writer: _Type, path: str) -> Iterator[Problem]:
        written = {one.name: one for one in writer.fields}
        for place, one in enumerate(reader.fields):
            where = f"{path}/fields/{place}"
            found = next((written[name] for name in one.names if name in written), None)
            if found is not None:
                yield from self.compare(one.type, found.type, f"{where}/type")
            elif not one.has_default:
                why = f"the writer does not have the field {one.name}, which has no default"
                yield Problem("READER_FIELD_MISSING_DEFAULT_VALUE", where, why)


def _simple(name: str) -> str:
    return name.rpartition(".")[2]
