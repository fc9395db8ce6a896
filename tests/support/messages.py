"""Makes messages of Kafka's protocol with random values in all fields of a version."""

from __future__ import annotations

import string
from collections.abc import Iterator
from random import Random
from typing import Any

from confluent_kafka import Uuid, protocol
from confluent_kafka.protocol._schema import Field, Struct, Table
from confluent_kafka.protocol._tables import TABLES

_INTEGERS = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
}
_LETTERS = string.ascii_letters + "ü☃\N{GRINNING FACE}"
UNKNOWN_TAG = 10_000


def every_version() -> Iterator[tuple[str, int]]:
    """The name of each message with each of its versions."""
    for name in TABLES:
        for version in protocol.message_class(name).valid_versions:
            yield name, version


def random_message(name: str, version: int, rng: Random, defaults: float = 0.2) -> protocol.Message:
    """A message with values that this version can encode.

    `defaults` is the fraction of fields that keep their defaults.
    """
    message = protocol.message_class(name)
    return Filler(Table(name, TABLES[name]), message, version, rng, defaults).message()


class Filler:
    def __init__(
        self, table: Table, message: Any, version: int, rng: Random, defaults: float
    ) -> None:
        self._table = table
        self._message = message
        self._version = version
        self._rng = rng
        self._defaults = defaults

    def message(self) -> Any:
        return self._message(**self._fields(self._table.root))

    def _fields(self, struct: Struct) -> dict[str, Any]:
        fields = {
            field.name: self._value(field)
            for field in struct.fields
            # The default of records is null, even if the field is not nullable, so records always
            # get a value.
            if self._version in field.versions
            and (field.type == "records" or self._rng.random() > self._defaults)
        }
        some = 0.25 * (1 - self._defaults)
        if self._version in self._table.flexible and self._rng.random() < some:
            tags = [(UNKNOWN_TAG + number, self._rng.randbytes(3)) for number in range(2)]
            fields["unknown_tagged_fields"] = tags
        return fields

    def _value(self, field: Field) -> Any:
        if self._version in field.nullable and self._rng.random() < 0.25:
            return None
        if not field.is_array:
            return self._single(field)
        # Arrays of small items sometimes have a length that needs two bytes.
        long = not field.is_struct and self._rng.random() < 0.1
        size = self._rng.randrange(100, 200) if long else self._rng.randrange(4)
        return [self._single(field) for _ in range(size)]

    def _single(self, field: Field) -> Any:
        rng = self._rng
        if field.is_struct:
            struct = getattr(self._message, field.type)
            return struct(**self._fields(self._table.structs[field.type]))
        if field.type in _INTEGERS:
            return rng.randint(*_INTEGERS[field.type])
        size = 150 if rng.random() < 0.1 else rng.randrange(9)
        return {
            "bool": lambda: rng.random() < 0.5,
            "float64": lambda: rng.gauss(0, 1),
            "string": lambda: "".join(rng.choices(_LETTERS, k=size)),
            "bytes": lambda: rng.randbytes(size),
            "records": lambda: rng.randbytes(size),
            "uuid": lambda: Uuid(rng.randint(-(2**63), 2**63 - 1), rng.randint(-(2**63), -1)),
        }[field.type]()
