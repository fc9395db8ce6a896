"""What to do with the fields of a payload: programs for csrc/columns/protobuf_steps.c."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from confluent_kafka.columns._layout import Column


class Wire(IntEnum):
    """How a value is written; the numbers are those of tags."""

    VARINT = 0
    FIXED_64 = 1
    SIZED = 2
    GROUP = 3
    FIXED_32 = 5


class Shape(IntEnum):
    """How many values a field has; the numbers are C's."""

    SINGLE = 0
    LIST = 1
    MAP = 2


# Of the argument of an enum: a number that it does not have is an unknown field.
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
        path: of names, for errors.
        number: in tags.
        kind: of its values, one of C's; "wrapper-" before it for a message that has one of them.
        wire: how a value is written.
        column: where it goes; None for a member of a oneof that nobody asked for.
        shape: how many values it has.
        argument: of the kind.
        message: of kind "message".
        rivals: the columns of the other members of its oneof.
        symbols: of an enum, number -> what is put for it: a name, or a number.
        initial: the default, as the column has it.
        optional: whether null is put if it does not come, and not the default.
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
    """A message type, as often as there are columns of it."""

    column: Column
    path: str
    fields: list[Field] = field(default_factory=list)


def describe(root: Message, indexes: Sequence[int] | None) -> tuple[Any, ...]:
    """Return the program as C reads it; the columns must have their numbers.

    Args:
        root: the message of a row.
        indexes: what payloads begin with: None, nothing; of no length, any message indexes;
            else these.
    """
    messages = [root]
    for one in messages:  # which grows
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
    """Return (number, place, size) in the order of numbers, and the texts one after the other."""
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
