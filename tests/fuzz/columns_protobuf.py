"""Hostile Protobuf payloads for columns, and hostile programs that read them."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

import pyarrow as pa

from confluent_kafka.cimpl import _decode_rows, _RowProgram
from confluent_kafka.columns import ProtobufDecoder
from confluent_kafka.columns._protobuf_layout import UNITS, layout
from confluent_kafka.columns._protobuf_program import describe
from tests.fuzz.boundary import DOCUMENTED
from tests.fuzz.columns import look
from tests.support.protobuf import random_payload
from tests.support.protobuf_types import random_type

_DAMAGE = (b"", b"\0", b"\1", b"\x7f", b"\xff", b"\x0a\x00", b"\xff\xff\xff\xff\x0f")
_TYPES = 30  # number of message types, which are used repeatedly
_ENUMS = ("string", "dictionary", "number")
_NUMBERS = (-(2**31), -2, -1, 0, 1, 2, 3, 5, 7, 1000, 10**9, 2**29, 2**31, 2**63 - 1)
# The values that can replace each part of a field's description.
_PARTS: tuple[tuple[Any, ...], ...] = (
    ("", "a\0", "\ud800", None),
    _NUMBERS,
    (
        "varint32",
        "string",
        "enum",
        "message",
        "struct",
        "wrapper-bool",
        "wrapper-rival",
        "rival",
        5,
    ),
    _NUMBERS,
    _NUMBERS,
    _NUMBERS,
    _NUMBERS,
    (None, *_NUMBERS),
    ((), (1,), (2, 3), (-1,), (2**31,), None),
    ((), ((0, 0, 0),), ((0, 1, 2**31 - 1),), ((1, 0, 0), (0, 0, 0)), (5,), None),
    (b"", b"\0" * 8, b"text", "text"),
    (b"", b"\0" * 8, b"\xff" * 8, "text"),
    (True, False),
)


def spoilt(random: Random, payload: bytes) -> bytes:
    """A payload with a few changed bytes, or without changes."""
    data = bytearray(payload)
    for _ in range(random.randrange(4)):
        place = random.randrange(len(data) + 1)
        data[place : place + random.randrange(3)] = random.choice(_DAMAGE)
    return bytes(data)


class ProtobufColumns:
    """Decodes hostile Protobuf payloads.

    The results must be valid rows or documented exceptions.
    """

    def __init__(self, random: Random) -> None:
        self._random = random
        self._known: list[tuple[Any, ProtobufDecoder]] = []
        self.last = ""

    def __enter__(self) -> ProtobufColumns:
        return self

    def __exit__(self, *_: object) -> None:
        self._known.clear()

    def step(self) -> Exception | None:
        try:
            if self._random.randrange(3):
                self._hostile_payloads()
            else:
                self._hostile_program()
        except DOCUMENTED as error:
            return error
        return None

    def _type(self) -> tuple[Any, ProtobufDecoder]:
        random = self._random
        if len(self._known) == _TYPES and random.randrange(50):
            return random.choice(self._known)
        descriptors, kind, name = random_type(random)
        made = kind.DESCRIPTOR, ProtobufDecoder(descriptors, name, enums=random.choice(_ENUMS))
        if len(self._known) == _TYPES:
            self._known.pop(random.randrange(_TYPES))
        self._known.append(made)
        return made

    def _payloads(self, descriptor: Any) -> list[bytes | None]:
        random = self._random
        good = [random_payload(random, descriptor) for _ in range(random.randrange(1, 4))]
        return [
            None,
            random.randbytes(random.randrange(30)),
            *(spoilt(random, one) for one in good),
        ]

    def _hostile_payloads(self) -> None:
        descriptor, decoder = self._type()
        payloads = self._payloads(descriptor)
        self.last = f"{payloads} of {descriptor.full_name}"
        rows = decoder.decode(pa.array(payloads, pa.binary()))
        try:
            look(rows, len(payloads)).validate(full=True)
        except pa.ArrowInvalid as error:
            raise AssertionError from error

    def _hostile_program(self) -> None:
        """Run the program of a message type with up to two changed fields."""
        random = self._random
        descriptor, _ = self._type()
        root = layout(
            descriptor, None, enums=random.choice(_ENUMS), unit=random.choice(tuple(UNITS))
        )
        indexes, messages = describe(root, random.choice((None, (), (0,))))
        messages = [list(message) for message in messages]
        for _ in range(random.randrange(3)):
            self._change(random.choice(messages), len(messages))
        description = (indexes, tuple(map(tuple, messages)))
        self.last = f"the program {description}"
        program = _RowProgram("protobuf", root.column.description(), description)
        payloads = self._payloads(descriptor)
        self.last += f" of {payloads}"
        array = look(_decode_rows(pa.array(payloads, pa.binary()), program), len(payloads))
        # Values may be invalid, such as text that is not UTF-8, but reading them must be safe.
        with suppress(Exception):
            array.to_pylist()

    def _change(self, message: list[Any], count: int) -> None:
        random = self._random
        fields = list(message[2])
        if not fields or random.randrange(8) == 0:
            message[0] = random.choice((*_NUMBERS, count))
            return
        place = random.randrange(len(fields))
        match random.randrange(6):
            case 0:
                del fields[place]
            case 1:
                fields.insert(place, random.choice(fields))
            case _:
                parts = list(fields[place])
                part = random.randrange(len(parts))
                parts[part] = random.choice(_PARTS[part])
                fields[place] = tuple(parts)
        message[2] = tuple(fields)
