"""Checks whether readers of one Protobuf schema can read the messages of another one.

Source: Confluent Schema Registry, "Protobuf compatibility rules"; Protocol Buffers, "Updating A
Message Type".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from confluent_kafka.schema_registry._protobuf_text import Field, File, Message, parsed_file

from .problem import Problem, SchemaError, Text

# Scalars with the same encoding; an enumeration is encoded as a number.
_ALIKE = (
    {"int32", "int64", "uint32", "uint64", "bool", "enum"},
    {"sint32", "sint64"},
    {"string", "bytes"},
    {"fixed32", "sfixed32"},
    {"fixed64", "sfixed64"},
    {"float"},
    {"double"},
)
_SCALARS = {name: place for place, names in enumerate(_ALIKE) for name in names}
_LENGTHS = _SCALARS["string"]  # repeated fields that are not packed


def problems(reader: Text, writer: Text) -> list[Problem]:
    """Return why a reader cannot read all messages of a writer's schema, or nothing.

    Raises:
        SchemaError, ImportError: as check().
    """
    return list(_Comparison(_Schema(writer), _Schema(reader)).compare())


class _Type(NamedTuple):
    """A type that a schema or one of its references defines."""

    message: Message | None
    """None for an enumeration."""
    full_name: str
    name: str
    """The name without the package."""
    is_own: bool
    """Whether the type is in the schema itself, not in a reference."""


class _Schema:
    """A file, and the types that its fields may have."""

    def __init__(self, text: Text) -> None:
        self.file = _file(text.schema)
        self._types: dict[str, _Type] = {}
        for one in text.references.values():
            file = _file(one)
            self._add(file, file.name, "", False)
        self._add(self.file, self.file.name, "", True)

    def _add(self, message: Message, scope: str, within: str, is_own: bool) -> None:
        for name in message.enums:
            full = _joined(scope, name)
            self._types[full] = _Type(None, full, _joined(within, name), is_own)
        for one in message.messages:
            full, name = _joined(scope, one.name), _joined(within, one.name)
            self._types[full] = _Type(one, full, name, is_own)
            self._add(one, full, name, is_own)

    def find(self, name: str, scope: str) -> _Type | None:
        """Return the type that a name has in a message, innermost first; None if it is unknown."""
        if name.startswith("."):
            return self._types.get(name[1:])
        while True:
            found = self._types.get(_joined(scope, name))
            if found is not None or not scope:
                return found
            scope = scope.rpartition(".")[0]


def _joined(scope: str, name: str) -> str:
    return f"{scope}.{name}" if scope else name


def check(text: Text) -> None:
    """Check that a text is a Protobuf schema.

    Raises:
        SchemaError: the text is not a Protobuf schema.
        ImportError: the text is a descriptor, and the package ``protobuf`` is missing.
    """
    _file(text.schema)


def _file(text: str) -> File:
    """Return the definitions of a schema, which is a text or a descriptor in base64."""
    if "{" in text or ";" in text:
        return parsed_file(text)
    from confluent_kafka.schema_registry._protobuf_messages import described_file

    found = described_file(text)
    if found is None:
        raise SchemaError("Invalid Protobuf schema: neither a text nor a descriptor in base64")
    return found


class _Comparison:
    def __init__(self, old: _Schema, new: _Schema) -> None:
        self._old = old
        self._new = new
        # Messages of references that were compared already: they may contain themselves.
        self._seen: set[tuple[int, int]] = set()

    def compare(self) -> Iterator[Problem]:
        was, now = self._old.file, self._new.file
        if was.name != now.name:
            yield Problem("PACKAGE_CHANGED", "#/", f"{was.name} became {now.name}")
        yield from self._compare_types(was, now, (was.name, now.name), "#")

    def _compare_types(
        self, old: Message, new: Message, scopes: tuple[str, str], path: str
    ) -> Iterator[Problem]:
        """Compare the messages within a file or a message."""
        known = {one.name: one for one in new.messages}
        for one in old.messages:
            where = f"{path}/{one.name}"
            if one.is_entry:
                continue
            if one.name not in known:
                yield Problem("MESSAGE_REMOVED", where, "the message is gone")
            else:
                within = _joined(scopes[0], one.name), _joined(scopes[1], one.name)
                yield from self._compare_messages(one, known[one.name], within, where)

    def _compare_messages(
        self, old: Message, new: Message, scopes: tuple[str, str], path: str
    ) -> Iterator[Problem]:
        was = {one.number: one for one in old.fields}
        now = {one.number: one for one in new.fields}
        for number in sorted({*was, *now}):
            where = f"{path}/{number}"
            before, after = was.get(number), now.get(number)
            if before and after:
                yield from self._compare_fields(before, after, scopes, where)
                if after.label == "required" != before.label:
                    yield Problem("REQUIRED_FIELD_ADDED", where, f"{after.name} is required now")
            elif before and before.label == "required":
                yield Problem("REQUIRED_FIELD_REMOVED", where, f"{before.name} was required")
            elif before and before.oneof:
                why = f"{before.name} is gone from {before.oneof}"
                yield Problem("ONEOF_FIELD_REMOVED", where, why)
            elif after and after.label == "required":
                yield Problem("REQUIRED_FIELD_ADDED", where, f"{after.name} is required")
        yield from _compare_oneofs(was, now, path)
        yield from self._compare_types(old, new, scopes, path)

    def _compare_fields(
        self, old: Field, new: Field, scopes: tuple[str, str], path: str
    ) -> Iterator[Problem]:
        change = f"{' to '.join(old.types)} became {' to '.join(new.types)}"
        if len(old.types) != len(new.types):
            yield Problem("FIELD_KIND_CHANGED", path, change)
            return
        for was, now in zip(old.types, new.types, strict=True):
            before, after = self._old.find(was, scopes[0]), self._new.find(now, scopes[1])
            scalar, other = _scalar(was, before), _scalar(now, after)
            if (scalar is None) != (other is None):
                yield Problem("FIELD_KIND_CHANGED", path, change)
            elif scalar is None:
                yield from self._compare_named(was, before, now, after, path)
            elif scalar != other:
                yield Problem("FIELD_SCALAR_KIND_CHANGED", path, change)
            elif scalar != _LENGTHS and (old.label == "repeated") != (new.label == "repeated"):
                why = "numbers are packed when they are repeated"
                yield Problem("FIELD_NUMERIC_LABEL_CHANGED", path, why)

    def _compare_named(
        self, was: str, old: _Type | None, now: str, new: _Type | None, path: str
    ) -> Iterator[Problem]:
        """Compare the messages of two fields."""
        if old and new:
            before, after = old.name, new.name
        else:  # types of Protobuf itself need not be references
            before = old.full_name if old else was.lstrip(".")
            after = new.full_name if new else now.lstrip(".")
        if before != after:
            yield Problem("FIELD_NAMED_TYPE_CHANGED", path, f"{before} became {after}")
        elif old and new and old.message and new.message and not (old.is_own and new.is_own):
            pair = (id(old.message), id(new.message))
            if pair not in self._seen:
                self._seen.add(pair)
                scopes = old.full_name, new.full_name
                yield from self._compare_messages(old.message, new.message, scopes, path)


def _scalar(name: str, found: _Type | None) -> int | None:
    """Return the group of scalars with the same encoding as a type; None for a message."""
    if found is None:
        return _SCALARS.get(name)
    return _SCALARS["enum"] if found.message is None else None


def _compare_oneofs(old: dict[int, Field], new: dict[int, Field], path: str) -> Iterator[Problem]:
    """Compare oneofs: two fields that could both be set must not exclude each other now."""
    for oneof in dict.fromkeys(one.oneof for one in new.values() if one.oneof):
        within = [
            old[one.number] for one in new.values() if one.oneof == oneof and one.number in old
        ]
        moved = [one for one in within if not one.oneof]
        if len(moved) > 1:
            why = f"{', '.join(one.name for one in moved)} exclude each other now"
            yield Problem("MULTIPLE_FIELDS_MOVED_TO_ONEOF", f"{path}/{oneof}", why)
        elif moved and len(within) > 1:
            why = f"{moved[0].name} excludes others now"
            yield Problem("FIELD_MOVED_TO_EXISTING_ONEOF", f"{path}/{oneof}", why)
