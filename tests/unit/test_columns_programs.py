"""Programs that no schema produces. _RowProgram refuses a program, or the program's rows are
refused."""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from confluent_kafka.cimpl import _decode_rows, _RowProgram  # noqa: E402


def column(kind: str, *children: Any, name: str = "c", **more: Any) -> tuple[Any, ...]:
    return (kind, name, more.get("nullable", True), children, more.get("meta"), more.get("symbols"))


def root(*children: Any) -> tuple[Any, ...]:
    return column("+s", *children)


def step(name: Any, index: Any = -1, **more: Any) -> tuple[Any, ...]:
    values = {"argument": 0, "target": 0, "table": (), "data": b"", "field": "f"} | more
    return (name, index, *values.values())


INT = column("i")
RECORD = step("record", 0)


def make(columns: Any, *instructions: Any) -> _RowProgram:
    return _RowProgram("avro", columns, instructions)


def test_a_program_by_hand() -> None:
    """A correct program is accepted. Each test below changes one part of this program."""
    program = make(root(INT), RECORD, step("int", 1))
    rows = _decode_rows(pa.array([b"\x02", b"", b"\x04"]), program)
    assert pa.array(rows).to_pylist() == [{"c": 1}, None, {"c": 2}]
    assert pa.schema(program).names == ["c"]


META = struct.pack("=ii1si1s", 1, 1, b"k", 1, b"v")
COLUMNS: list[Any] = [
    (),
    ("+s",),
    ("+s", "c", True, [], None, None),
    ("+s", "c", True, (INT, 5), None, None),
    ("+s", "c", True, (INT,), None, None, None),
    column("i"),
    column("+l", INT),
    root(column("")),
    root(column("nonsense")),
    root(column("i\0")),
    root(column("\ud800")),
    root(column(5)),  # type: ignore[arg-type]
    root(column("i", name="\ud800")),
    root(column("i", name="a\0b")),
    root(column("i", name=b"a")),  # type: ignore[arg-type]
    root(column("i", INT)),
    root(column("u", INT)),
    root(column("+l")),
    root(column("+l", INT, INT)),
    root(column("+m", INT)),
    root(column("+m", column("+s", INT))),
    root(column("+m", column("+s", INT, INT, INT))),
    root(column("+us:")),
    root(column("+us:0")),
    root(column("+us:0,1", INT)),
    root(column("+us:1,0", INT, INT)),
    root(column("+us:0,2", INT, INT)),
    root(column("+us:0,", INT)),
    root(column("+us:0 ", INT)),
    root(column("+ud:0", INT)),
    root(column("+us:" + ",".join(map(str, range(129))), *[INT] * 129)),
    root(column("w:")),
    root(column("w:-1")),
    root(column("w: 3")),
    root(column("w:3x")),
    root(column("w:99999999999")),
    root(column("w:99999999999999999999999999")),
    root(column("d:")),
    root(column("d:5")),
    root(column("d:5,2,64")),
    root(column("d:5,2,7")),
    root(column("d:5,2,")),
    root(column("d:0,0")),
    root(column("d:x,2")),
    root(column("ts")),
    root(column("tsm")),
    root(column("tsx:")),
    root(column("i", meta="text")),
    root(column("i", meta=b"")),
    root(column("i", meta=META[:-1])),
    root(column("i", meta=META + b"x")),
    root(column("i", meta=struct.pack("=i", -1))),
    root(column("i", meta=struct.pack("=ii", 1, 2**31 - 1))),
    root(column("i", meta=struct.pack("=ii", 2**31 - 1, 0))),
    root(column("i", meta=struct.pack("=iii", 1, 0, -5))),
    root(column("i", symbols=["X"])),
    root(column("i", symbols=(1,))),
    root(column("i", symbols=("\ud800",))),
    root(column("u", symbols=("X",))),
    root(column("f", symbols=("X",))),
]


@pytest.mark.parametrize("columns", COLUMNS, ids=lambda one: ascii(one)[:60])
def test_columns_that_are_none(columns: Any) -> None:
    """A column is refused if its format, children, metadata or symbols would mislead a reader."""
    with pytest.raises((TypeError, ValueError)):
        make(columns)


def test_columns_that_are() -> None:
    """Columns with correct formats, children, metadata and symbols are accepted."""
    kinds = [
        column("w:0"), column("w:65536"), column("d:5,2"), column("d:76,0,256"),
        column("tsn:Europe/Berlin"), column("tss:"), column("i", meta=META),
        column("i", meta=struct.pack("=i", 0)), column("i", symbols=()),
        column("i", symbols=("", "X", "ü")), column("+us:0,1", INT, INT), column("+s"),
        column("+us:" + ",".join(map(str, range(128))), *[INT] * 128),
        column("+m", column("+s", column("u", nullable=False), INT)),
    ]  # fmt: skip
    for kind in kinds:
        program = make(root(kind), step("null", 0))
        array = pa.array(_decode_rows(pa.array([b"", None]), program))
        array.validate(full=True)
        assert array.to_pylist() == [None, None]


def test_columns_without_end() -> None:
    """A program is refused if its columns, as tuples that share their children, stand for too many
    columns."""
    columns = INT
    for _ in range(40):
        columns = column("+s", columns, columns)
    with pytest.raises(ValueError, match="there are more than 1000000 columns"):
        make(columns)
    columns = INT
    for _ in range(100):
        columns = column("+s", columns)
    with pytest.raises(ValueError, match="columns are nested more than 64 deep"):
        make(columns)


class Odd:
    """An object that raises when it is converted to an int."""

    def __index__(self) -> int:
        raise ZeroDivisionError

    def __repr__(self) -> str:
        return "Odd"


TYPES = root(
    INT,  # 1
    column("l"),  # 2
    column("u"),  # 3
    column("z"),  # 4
    column("b"),  # 5
    column("w:16"),  # 6
    column("d:5,2"),  # 7
    column("+l", INT),  # 8, 9
    column("+us:0,1", INT, column("u")),  # 10, 11, 12
    column("i", symbols=("X", "Y")),  # 13
    column("i", nullable=False),  # 14
    column("n"),  # 15
    column("tin"),  # 16
)
PROGRAMS: list[Any] = [
    5,
    (),
    ("int",),
    (*step("int", 1), None),
    list(step("int", 1)),
    step(5, 1),
    step("\ud800", 1),
    step("nonsense", 1),
    step("", 1),
    step("int\0", 1),
    step("int", -1),
    step("int", 17),
    step("int", 2**31),
    step("int", 2**32 + 1),
    step("int", 2**70),
    step("int", "1"),
    step("int", Odd()),
    step("int", 1, argument=2**63),
    step("int", 1, argument="0"),
    step("int", 1, target=2**70),
    step("int", 1, target=None),
    step("int", 1, table=[]),
    step("int", 1, table=(2**31,)),
    step("int", 1, table=("a",)),
    step("int", 1, data="text"),
    step("int", 1, field=b"f"),
    step("int", 1, field="\ud800"),
    *(step("int", index) for index in (0, 2, 3, 4, 5, 6, 7, 8, 10, 13, 15)),
    *(step("long", index) for index in (1, 3, 6)),
    *(step("float", index) for index in (2, 13)),
    *(step("bytes", index) for index in (1, 3)),
    step("string", 8),
    step("fixed", 6, argument=15),
    step("fixed", 6, argument=-1),
    step("fixed", 3),
    step("boolean", 1),
    step("uuid", 1),
    step("duration", 2),
    step("record", 1),
    step("record", 8),
    step("array", 0, target=1),
    step("array", 10, target=1),
    step("array", 8, target=0),
    step("array", 8, target=2),
    step("array", 8, target=-1),
    step("null", 14),
    step("null", -1),
    step("optional", 14, target=1),
    step("optional", 1, argument=2, target=1),
    step("optional", 1, argument=-(2**63), target=1),
    step("optional", 1, target=0),
    step("branch", 10, argument=2),
    step("branch", 10, argument=-1),
    step("branch", 8),
    step("union", table=(0,)),
    step("union", table=(-1,)),
    step("union", table=(2,)),
    step("union", table=(2**31 - 1,)),
    step("jump", target=0),
    step("jump", target=2),
    step("default", target=0),
    step("enum", 13, table=(2,)),
    step("enum", 1, table=(0,)),
    step("enum-text", 3, table=(0, 1)),
    step("enum-text", 3, table=(1, 1), data=b"X"),
    step("enum-text", 3, table=(-1, 1), data=b"X"),
    step("enum-text", 3, table=(2**31 - 1, 2**31 - 1), data=b"X"),
    step("enum-text", 3, table=(0, 1), data="ü".encode()),
    step("decimal-bytes", 7, data=b""),
    step("decimal-bytes", 7, data=bytes(15)),
    step("decimal-fixed", 7, data=bytes(16), argument=-1),
    step("decimal-bytes", 3, data=b""),
    step("decimal-bytes", 6, data=bytes(17)),
    step("skip-fixed", argument=-1),
    step("skip-array", target=0),
]


@pytest.mark.parametrize("instruction", PROGRAMS, ids=lambda one: ascii(one)[:60])
def test_instructions_that_are_none(instruction: Any) -> None:
    """The data of a step must fit the step and its column, and its target must be allowed."""
    with pytest.raises((TypeError, ValueError, OverflowError, ZeroDivisionError)):
        make(TYPES, instruction)
    with pytest.raises(TypeError, match="instructions must be a tuple, not"):
        _RowProgram("avro", TYPES, [])  # type: ignore[arg-type]


def test_wrong_row_formats() -> None:
    """An unknown name of a row format is refused."""
    with pytest.raises(ValueError, match="there is no row_format 'nonsense'"):
        _RowProgram("nonsense", root(), ())


def test_blocks_within_blocks() -> None:
    """The depth of nested calls is limited. The number of jumps is not limited."""
    lists = [step("skip-array", target=65 + 1) for _ in range(65)]
    with pytest.raises(ValueError, match="instructions are nested more than 64 deep"):
        make(root(), *lists, step("record", 0))
    make(root(), *[step("skip-array", target=64 + 1) for _ in range(64)], step("record", 0))
    # Blocks that overlap without nesting count as nested.
    crossed = [step("skip-array", target=100 + place) for place in range(65)]
    with pytest.raises(ValueError, match="nested more than 64 deep"):
        make(root(), *crossed, *[step("record", 0)] * 200)
    make(root(), *[step("jump", target=200)] * 199, step("record", 0))


ROW = (RECORD,)
UNEVEN: list[tuple[Any, tuple[Any, ...]]] = [
    (root(INT), ()),
    (root(INT), (RECORD, RECORD, step("int", 1))),
    (root(INT), (step("int", 1),)),
    (root(INT), ROW),
    (root(INT), (RECORD, step("int", 1), step("int", 1))),
    (root(INT, INT), (RECORD, step("int", 1), step("int", 1))),
    (root(column("u"), INT), (RECORD, step("string", 1))),
    (root(column("+l", INT)), (RECORD, step("int", 2))),
    (root(column("+l", INT)), (RECORD, step("array", 1, target=2), step("int", 2))),
    (root(column("+us:0,1", INT, INT)), (RECORD, step("branch", 1))),
    (root(column("+us:0,1", INT, INT)), (RECORD, step("branch", 1), step("int", 3))),
    (root(column("+us:0,1", INT, INT)), (RECORD, step("int", 2), step("int", 3))),
    (root(column("+s", INT)), (RECORD, step("record", 1))),
    (root(column("+s", INT)), (RECORD, step("null", 1), step("int", 2))),
]


@pytest.mark.parametrize(("columns", "instructions"), UNEVEN, ids=lambda one: str(one)[:60])
def test_columns_of_uneven_lengths(columns: Any, instructions: Any) -> None:
    """If a program does not write one value per row into each column, decoding fails.

    It never returns invalid arrays.
    """
    program = make(columns, *instructions)
    payloads = [
        b"\x02",
        b"\x00\x02",
        b"\x02\x02",
        b"\x02\x02\x00",
        b"\x00",
        b"",
        None,
        b"\x80",
        b"\x02\x04",
    ]
    refused = 0
    for count in (1, 2, 8):
        for one in payloads:
            column = pa.array([*payloads, *[one] * count] * 9, pa.binary())
            try:
                rows = _decode_rows(column, program)
            except ValueError:
                refused += 1
            else:
                pa.array(rows).validate(full=True)
    for one in payloads:
        with suppress(ValueError):
            pa.array(_decode_rows(pa.array([one] * 3, pa.binary()), program)).validate(full=True)
    assert refused > 0


@pytest.mark.parametrize("steps", [("string",), ("long",)], ids=" ".join)
@pytest.mark.parametrize("count", [2, 5000])
def test_entries_of_a_map_without_a_part(count: int, steps: tuple[str, ...]) -> None:
    """If a program does not write a key and a value for each entry of a map, decoding fails.

    The decoder compares the keys of each map, so it must not read keys that are not there.
    """
    key, value = column("u", nullable=False), column("l")
    entries = column("+s", key, value, nullable=False)
    reads = {"string": (step("string", 3), b"\x02k"), "long": (step("long", 4), b"\x02")}
    program = make(
        root(column("+m", entries)),
        RECORD,
        step("map", 1, argument=1, target=3 + len(steps)),
        step("record", 2),
        *(reads[name][0] for name in steps),
    )
    # The number of entries as a variable-length integer, the entries, and the end.
    head = bytes([count * 2 & 127 | 128, count * 2 >> 7])
    payload = head + b"".join(reads[name][1] for name in steps) * count + b"\0"
    with pytest.raises(ValueError, match="do not put one value into each column"):
        _decode_rows(pa.array([payload], pa.binary()), program)


def test_defaults_that_are_no_values() -> None:
    """An error in a program's own data is reported with the current place in the payload."""
    instructions = (RECORD, step("default", target=3, data=b"\x80"), step("int", 1))
    rows = _decode_rows(pa.array([b"", b"\x02"]), make(root(INT), *instructions))
    assert [(error.offset, error.field) for error in rows.errors] == [(0, "f"), (0, "f")]
