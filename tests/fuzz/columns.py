"""Hostile payloads, schemas and programs for columns."""

from __future__ import annotations

from contextlib import suppress
from random import Random
from typing import Any

import pyarrow as pa

from confluent_kafka.cimpl import _decode_rows, _RowProgram
from confluent_kafka.columns import AvroDecoder
from confluent_kafka.columns._avro_layout import layout
from confluent_kafka.columns._avro_program import compile_program
from confluent_kafka.columns._avro_schema import parse
from tests.fuzz.boundary import DOCUMENTED
from tests.support.avro_schemas import Schemas

_DAMAGE = (
    b"",
    b"\0",
    b"\1",
    b"\2",
    b"\x7f",
    b"\x80",
    b"\xff",
    b"\xff" * 9 + b"\1",
    b"\xfe\xff\x03",
)
_SCHEMAS = 50  # number of schemas, which are used repeatedly
# The limit for bytes of columns per byte of payload. One byte can mean that a record of many fields
# is null.
_FACTOR = 4096
# The limit for bytes of columns per item without bytes, such as a record with only default values.
_NOTHING = 256
_NUMBERS = (-(2**63), -(2**31), -2, -1, 0, 1, 2, 3, 7, 16, 2**31 - 1, 2**31, 2**63 - 1)
_FORMATS = (
    *("n", "b", "i", "l", "f", "g", "u", "z", "w:0", "w:3", "w:16", "tdD", "tsm:UTC", "tin"),
    *("d:5,2", "d:76,0,256", "+s", "+l", "+m", "+us:0", "+us:0,1", "", "x", "w:-1", "d:5", "+us:1"),
)


class Columns:
    """Decodes hostile payloads. The results must be valid rows or documented exceptions."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._known: list[tuple[Any, Any, Any, AvroDecoder]] = []
        self.last = ""

    def __enter__(self) -> Columns:
        return self

    def __exit__(self, *_: object) -> None:
        self._known.clear()

    def _one_in(self, count: int) -> bool:
        return self._random.randrange(count) == 0

    def step(self) -> Exception | None:
        try:
            self._hostile_program() if self._one_in(4) else self._hostile_payloads()
        except DOCUMENTED as error:
            return error
        return None

    # ---- payloads ------------------------------------------------------------------------

    def _hostile_payloads(self) -> None:
        schemas, writer, reader, decoder = self._schema()
        payloads = [self._payload(schemas, writer) for _ in range(self._random.randrange(1, 5))]
        self.last = f"{payloads} of {writer}, read as {reader}"
        rows = decoder.decode(pa.array(payloads, pa.binary()))
        array = look(rows, len(payloads))
        try:
            array.validate(full=True)
        except pa.ArrowInvalid as error:
            raise AssertionError from error
        given = sum(len(one) + 1 for one in payloads if one is not None) + len(payloads)
        assert array.nbytes <= _FACTOR * given + _NOTHING * 65_536 * len(payloads)

    def _schema(self) -> tuple[Schemas, Any, Any, AvroDecoder]:
        random = self._random
        if len(self._known) == _SCHEMAS and random.randrange(20):
            return random.choice(self._known)
        schemas = Schemas(random)
        writer = schemas.row()
        reader = schemas.reader(writer) if self._one_in(2) else None
        enums = random.choice(("string", "dictionary"))
        self.last = f"the schema {writer}, read as {reader}"
        made = schemas, writer, reader, AvroDecoder(writer, reader, enums=enums)
        if len(self._known) == _SCHEMAS:
            self._known.pop(random.randrange(_SCHEMAS))
        self._known.append(made)
        return made

    def _payload(self, schemas: Schemas, writer: Any) -> bytes | None:
        """Return a valid payload with a few changed bytes, or random bytes."""
        random = self._random
        match random.randrange(8):
            case 0:
                return None
            case 1:
                return random.randbytes(random.randrange(40))
        data = bytearray(schemas.payload(writer))
        for _ in range(random.randrange(4)):
            place = random.randrange(len(data) + 1)
            data[place : place + random.randrange(3)] = random.choice(_DAMAGE)
        return bytes(data)

    # ---- programs ------------------------------------------------------------------------

    def _hostile_program(self) -> None:
        """Run the program of a schema, in which some parts may be changed."""
        random = self._random
        schemas = Schemas(random)
        writer = schemas.row()
        tree = parse(writer, "writer_schema")
        root = layout(tree, None, enums=random.choice(("string", "dictionary")))
        columns: Any = root.description()
        steps: Any = [tuple(one) for one in compile_program(tree, tree, root)]
        if self._one_in(3):
            columns = self._changed(columns)
        for _ in range(random.randrange(3)):
            self._change_step(steps)
        self.last = f"the program {columns}, {steps}"
        program = _RowProgram("avro", columns, tuple(steps))
        payloads = [self._payload(schemas, writer) for _ in range(3)]
        self.last += f" of {payloads}"
        array = look(_decode_rows(pa.array(payloads, pa.binary()), program), 3)
        # Values may be invalid, such as 1,000 in a decimal of two digits, but reading them must be
        # safe.
        with suppress(Exception):
            array.to_pylist()

    def _changed(self, column: Any) -> Any:
        """Return a description of columns in which one part is changed."""
        random = self._random
        if column[3] and random.randrange(4):
            children = list(column[3])
            place = random.randrange(len(children))
            children[place] = self._changed(children[place])
            return (*column[:3], tuple(children), *column[4:])
        parts = list(column)
        place = random.randrange(6)
        parts[place] = random.choice(
            (
                _FORMATS,
                ("", "a\0", "\ud800", None, 5),
                (True, False, None, []),
                ((), column[3][:1], column[3] * 2, None, (column,)),
                (None, b"", b"\1\0\0\0", b"\xff\xff\xff\x7f", "text"),
                (None, (), ("X",), ("X", "Y"), (1,), ["X"]),
            )[place]
        )
        return tuple(parts)

    def _change_step(self, steps: list[Any]) -> None:
        random = self._random
        if not steps or self._one_in(8):
            steps.insert(
                random.randrange(len(steps) + 1), ("jump", -1, 0, len(steps) + 1, (), b"", "")
            )
            return
        place = random.randrange(len(steps))
        if self._one_in(5):
            steps[place] = steps[random.randrange(len(steps))]
            return
        if self._one_in(8):
            del steps[place]
            return
        step = list(steps[place])
        part = random.randrange(7)
        step[part] = random.choice(
            (
                ("int", "long", "string", "fixed", "array", "record", "null", "optional", "x", 5),
                _NUMBERS,
                _NUMBERS,
                (*_NUMBERS, len(steps), len(steps) + 1),
                ((), (0,), (1,), (1, 2), (-1, 2**31 - 1), (0, 1, 0, -1), (2**31,), None),
                # These defaults have few items, because a list in a default is read again for each
                # item of an outer list.
                (b"", b"\0", b"\xff", b"\x02\0", bytes(16), b"\xff" * 32, "text"),
                ("", "a.b[]", "\ud800", None),
            )[part]
        )
        steps[place] = tuple(step)


def look(rows: Any, count: int) -> Any:
    """Check the rows and the errors as Arrow data, and return the rows."""
    array = pa.array(rows)
    try:
        array.validate()
    except pa.ArrowInvalid as error:
        raise AssertionError from error
    assert len(array) == count
    errors = pa.array(rows.error_column())
    errors.validate(full=True)
    assert len(rows.errors) == count - errors.null_count
    assert all(error.offset >= 0 for error in rows.errors)
    return array
