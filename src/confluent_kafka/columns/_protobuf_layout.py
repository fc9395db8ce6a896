"""The columns for a Protobuf message type."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

from confluent_kafka.columns._layout import Column, Wanted, chosen_fields
from confluent_kafka.columns._protobuf_program import CLOSED, WIRES, Field, Message, Shape, Wire

# The maximum number of fields: message types that refer to each other can grow exponentially.
FIELD_LIMIT = 20_000

# FieldDescriptorProto.Type -> the kind of its values, and the type of their column.
GROUP, MESSAGE, ENUM = 10, 11, 14
_SCALARS = {
    1: ("fixed64", "g"),
    2: ("fixed32", "f"),
    3: ("varint64", "l"),
    4: ("varint64", "L"),
    5: ("varint32", "i"),
    6: ("fixed64", "L"),
    7: ("fixed32", "I"),
    8: ("bool", "b"),
    9: ("string", "u"),
    12: ("bytes", "z"),
    13: ("varint32", "I"),
    15: ("fixed32", "i"),
    16: ("fixed64", "l"),
    17: ("zigzag32", "i"),
    18: ("zigzag64", "l"),
}
_INITIAL = {"b": b"\0", "u": b"", "z": b""} | dict.fromkeys(("i", "I", "f"), bytes(4))
_INITIAL |= dict.fromkeys(("l", "L", "g"), bytes(8))

WRAPPERS = {
    f"google.protobuf.{name}Value"
    for name in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
}


class _Leaf(NamedTuple):
    """A kind of values without nested fields."""

    kind: str
    format: str
    argument: int = 0
    symbols: dict[int, str | int] | None = None
    dictionary: tuple[str, ...] | None = None
    initial: bytes = b""


# The units of times -> the letter in Arrow's formats, and the number of units in a second.
UNITS = {"ns": ("n", 10**9), "us": ("u", 10**6)}
KNOWN = {
    "google.protobuf.Timestamp": _Leaf("timestamp", "tsn:UTC", 10**9, initial=bytes(8)),
    "google.protobuf.Duration": _Leaf("duration", "tDn", 10**9, initial=bytes(8)),
    "google.protobuf.Struct": _Leaf("struct", "u", initial=b"{}"),
    "google.protobuf.Value": _Leaf("value", "u", initial=b"null"),
    "google.protobuf.ListValue": _Leaf("list-value", "u", initial=b"[]"),
}


def check_unit(unit: str) -> None:
    """Raise a ValueError unless `unit` is one of UNITS."""
    if unit not in UNITS:
        raise ValueError(f"unit must be one of {', '.join(UNITS)}, not {unit!r}")


def layout(descriptor: Any, wanted: Wanted | None, *, enums: str, unit: str) -> Message:
    """Return the layout of a row's message, with numbered columns.

    Args:
        descriptor: the descriptor of the message type.
        wanted: the fields to decode; None for all.
        enums: "string", "dictionary" or "number".
        unit: the unit of times, one of UNITS.

    Raises:
        ValueError: a field does not exist, or a type is recursive.
    """
    root = _LayoutMaker(enums, unit).message(descriptor, wanted, "", Column("+s"))
    root.column.number()
    return root


def is_repeated(descriptor: Any) -> bool:
    """Return whether a field is a list or a map."""
    # protobuf 7 has no `label`; protobuf 6.30 has no `is_repeated`.
    if hasattr(descriptor, "is_repeated"):
        return bool(descriptor.is_repeated)
    return bool(descriptor.label == descriptor.LABEL_REPEATED)


def is_map(descriptor: Any) -> bool:
    """Return whether a repeated field is a map."""
    if descriptor.type != MESSAGE or not descriptor.message_type.has_options:
        return False
    return bool(descriptor.message_type.GetOptions().map_entry)


class _LayoutMaker:
    def __init__(self, enums: str, unit: str) -> None:
        self._enums = enums
        self._unit, self._per_second = UNITS[unit]
        self._open: list[str] = []  # the message types from the row's type to the current one
        self._count = 0

    # --- messages

    def message(
        self,
        descriptor: Any,
        wanted: Wanted | None,
        path: str,
        column: Column,
        *,
        entry: bool = False,
    ) -> Message:
        """Add the children of a struct column.

        Args:
            descriptor: the descriptor of the message type.
            wanted: the fields to decode; None for all.
            path: the path of the field that has this type.
            column: the column of the structs.
            entry: whether it is an entry of a map, whose key and value are never missing.
        """
        if descriptor.full_name in self._open:
            raise ValueError(
                f"the message {descriptor.full_name} is recursive at {path!r} and cannot "
                "become columns: name the other fields in columns"
            )
        self._open.append(descriptor.full_name)
        made = Message(column, path)
        fields = {one.name: one for one in descriptor.fields}
        column.children = children = []
        for name, full, inner in chosen_fields(fields, wanted, path):
            one = self._field(fields[name], inner, path if entry else full, always=entry)
            made.fields.append(one)
            assert one.column is not None
            children.append(one.column)
        self._set_rivals(descriptor, made)
        self._open.pop()
        return made

    def _set_rivals(self, descriptor: Any, made: Message) -> None:
        """Record the other members, also those without a column, in each member of a oneof."""
        by_number = {one.number: one for one in made.fields}
        for oneof in descriptor.oneofs:
            members = [one.number for one in oneof.fields]
            columns = {
                number: by_number[number].column for number in members if number in by_number
            }
            if not columns or len(members) == 1:
                continue
            for one in oneof.fields:
                if one.number not in columns:
                    made.fields.append(self._rival(one, made.path))
                    by_number[one.number] = made.fields[-1]
                by_number[one.number].rivals = [
                    column
                    for number, column in columns.items()
                    if number != one.number and column is not None
                ]

    def _rival(self, descriptor: Any, path: str) -> Field:
        full = f"{path}.{descriptor.name}" if path else descriptor.name
        if descriptor.type == ENUM and descriptor.enum_type.is_closed:
            numbers: dict[int, str | int] = {one.number: 0 for one in descriptor.enum_type.values}
            return Field(
                full,
                descriptor.number,
                "rival-enum",
                Wire.VARINT,
                None,
                symbols=numbers,
            )
        return Field(full, descriptor.number, "rival", wire_of(descriptor), None)

    # --- fields

    def _field(self, descriptor: Any, wanted: Wanted | None, path: str, *, always: bool) -> Field:
        self._count += 1
        if self._count > FIELD_LIMIT:
            raise ValueError(f"a message of more than {FIELD_LIMIT} fields within each other")
        if wanted is not None and (is_repeated(descriptor) or not has_fields(descriptor)):
            inner = ", ".join(f"{path}.{name}" for name in wanted)
            raise ValueError(f"columns: {path!r} is not a message and has no field {inner!r}")
        if is_map(descriptor):
            return self._map(descriptor, path)
        if is_repeated(descriptor):
            item = self._value(descriptor, None, f"{path}[]", "item", always=True)
            assert item.column is not None
            item.shape = Shape.LIST
            item.column = Column("+l", descriptor.name, children=[item.column])
            return item
        return self._value(descriptor, wanted, path, descriptor.name, always=always)

    def _map(self, descriptor: Any, path: str) -> Field:
        entries = Column("+s", "entries", nullable=False)
        entry = descriptor.message_type
        message = self.message(entry, None, f"{path}[]", entries, entry=True)
        key, value = entries.children
        key.name, key.nullable, value.name = "key", False, "value"
        column = Column("+m", descriptor.name, children=[entries])
        values = entry.fields_by_name["value"]
        closed = values.type == ENUM and values.enum_type.is_closed
        return Field(
            f"{path}[]",
            descriptor.number,
            "message",
            wire_of(descriptor),
            column,
            Shape.MAP,
            CLOSED if closed else 0,
            message,
        )

    def _value(
        self, descriptor: Any, wanted: Wanted | None, path: str, name: str, *, always: bool
    ) -> Field:
        """Return a value of a field; with `always`, a missing value is the default, not null."""
        optional = descriptor.has_presence and not always
        number, wire = descriptor.number, wire_of(descriptor)
        if has_fields(descriptor):
            column = Column("+s", name)
            message = self.message(descriptor.message_type, wanted, path, column)
            return Field(path, number, "message", wire, column, message=message, optional=optional)
        leaf = self._leaf(descriptor)
        return Field(
            path,
            number,
            leaf.kind,
            wire,
            Column(leaf.format, name, symbols=leaf.dictionary),
            argument=leaf.argument,
            symbols=leaf.symbols or {},
            initial=leaf.initial,
            optional=optional,
        )

    def _leaf(self, descriptor: Any) -> _Leaf:
        if descriptor.type == ENUM:
            return self._enum(descriptor)
        if descriptor.type in _SCALARS:
            kind, column = _SCALARS[descriptor.type]
            return _Leaf(kind, column, initial=_INITIAL[column])
        name = descriptor.message_type.full_name
        if name in WRAPPERS:
            value = self._leaf(descriptor.message_type.fields_by_name["value"])
            return value._replace(kind=f"wrapper-{value.kind}")
        leaf = KNOWN[name]
        if leaf.argument:  # the values are times
            form = f"{leaf.format[:2]}{self._unit}{leaf.format[3:]}"
            leaf = leaf._replace(format=form, argument=self._per_second)
        return leaf

    def _enum(self, descriptor: Any) -> _Leaf:
        enum = descriptor.enum_type
        # The first name of each number; other names are aliases.
        names = {one.number: one.name for one in reversed(enum.values)}
        names = {one.number: names[one.number] for one in enum.values}
        closed = CLOSED if enum.is_closed else 0
        # The items of lists have no presence.
        default: int = 0 if is_repeated(descriptor) else descriptor.default_value
        if self._enums == "string":
            text = names.get(default, str(default)).encode()
            return _Leaf("enum-text", "u", closed, dict(names), initial=text)
        if self._enums == "number":
            if not closed:
                return _Leaf("varint32", "i", initial=struct.pack("=i", default))
            numbers: dict[int, str | int] = {number: number for number in names}
            return _Leaf("enum", "i", closed, numbers, initial=struct.pack("=i", default))
        places: dict[int, str | int] = {number: place for place, number in enumerate(names)}
        return _Leaf(
            "enum",
            "i",
            closed,
            places,
            tuple(names.values()),
            struct.pack("=i", places.get(default, 0)),
        )


def has_fields(descriptor: Any) -> bool:
    """Return whether the column of this field is a struct."""
    if descriptor.type not in (MESSAGE, GROUP):
        return False
    name = descriptor.message_type.full_name
    return name not in WRAPPERS and name not in KNOWN


def wire_of(descriptor: Any) -> Wire:
    """Return the wire type of a field."""
    if descriptor.type == GROUP:
        return Wire.GROUP
    if descriptor.type == ENUM:
        return Wire.VARINT
    return WIRES[_SCALARS[descriptor.type][0]] if descriptor.type in _SCALARS else Wire.SIZED
