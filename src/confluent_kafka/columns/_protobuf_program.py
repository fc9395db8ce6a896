"""Programs for csrc/columns/protobuf_steps.c: they define how to read the fields of a payload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from confluent_kafka.columns._layout import Column


class Wire(IntEnum):
    """The wire type of a value; the numbers are those in tags."""

    VARINT = 0
    FIXED_64 = 1
    SIZED = 2
    GROUP = 3
    FIXED_32 = 5


class Shape(IntEnum):
    """How many values a field has; C code uses the same numbers."""

    SINGLE = 0
    LIST = 1
    MAP = 2


# A flag in the argument of an enum: a number without a name is an unknown field.
CLOSED = 1

WIRES = {
    "varint32": Wire.VARINT,
    "varint64": Wire.VARINT,
    "zigzag32": Wire.VARINT,
    "zigzag64": Wire.VARINT,
    "bool": Wire.VARINT,
    "fixed32": Wire.FIXED_32,
    "fixed64": Wire.FIXED_64,
    "bytes": Wire.SIZED,
    "string": Wire.SIZED,
    "enum": Wire.VARINT,
    "enum-text": Wire.VARINT,
    "message": Wire.SIZED,
    "timestamp": Wire.SIZED,
    "duration": Wire.SIZED,
    "struct": Wire.SIZED,
    "value": Wire.SIZED,
    "list-value": Wire.SIZED,
}


@dataclass
class Field:
    """A field of a message.

    Attributes:
        path: the path of names, for errors.
        number: the number in tags.
        kind: the kind of its values, as in C. The prefix "wrapper-" means a message that wraps one
            such value.
        wire: the wire type of a value.
        column: its column; None for a member of a oneof that is not decoded.
        shape: how many values it has.
        argument: the argument of the kind.
        message: the message type, if the kind is "message".
        rivals: the columns of the other members of its oneof.
        symbols: for an enum: number -> the name or number that is put into the column.
        initial: the default, in the form of the column.
        optional: if the field is missing: True puts null, False puts the default.
    """

    path: str
    number: int
    kind: str
    wire: Wire
    column: Column | None
    shape: Shape = Shape.SINGLE
    argument: int = 0
    message: Message | None = None
    rivals: list[Column] = field(default_factory=list)
    symbols: dict[int, str | int] = field(default_factory=dict)
    initial: bytes = b""
    optional: bool = False


@dataclass
class Message:
    """A message type. It appears once for each place where the columns contain it."""

    column: Column
    path: str
    fields: list[Field] = field(default_factory=list)


def describe(root: Message, indexes: Sequence[int] | None) -> tuple[Any, ...]:
    """Return the program in the form that C reads. The columns must be numbered.

    Args:
        root: the message of a row.
        indexes: the message indexes before each payload: None means there are none, an empty
            sequence allows any indexes, and other sequences require these indexes.
    """
    messages = [root]
    for one in messages:  # the list grows in the loop
        messages += [each.message for each in one.fields if each.message is not None]
    places = {id(one): place for place, one in enumerate(messages)}
    described = tuple(
        (one.column.index, one.path, tuple(_field(each, places) for each in _in_order(one)))
        for one in messages
    )
    return (None if indexes is None else tuple(indexes), described)


def _in_order(message: Message) -> list[Field]:
    return sorted(message.fields, key=lambda one: one.number)


def _field(one: Field, places: dict[int, int]) -> tuple[Any, ...]:
    symbols, texts = _symbols(one.symbols)
    return (
        one.path,
        one.number,
        one.kind,
        int(one.wire),
        int(one.shape),
        -1 if one.column is None else one.column.index,
        one.argument,
        None if one.message is None else places[id(one.message)],
        tuple(column.index for column in one.rivals),
        symbols,
        texts,
        one.initial,
        one.optional,
    )


def _symbols(symbols: dict[int, str | int]) -> tuple[tuple[tuple[int, int, int], ...], bytes]:
    """Return (number, place, size) of each symbol, ordered by number, and the joined texts."""
    entries = []
    texts = bytearray()
    for number, symbol in sorted(symbols.items()):
        if isinstance(symbol, int):
            entries.append((number, symbol, 0))
        else:
            text = symbol.encode()
            entries.append((number, len(texts), len(text)))
            texts += text
    return tuple(entries), bytes(texts)
