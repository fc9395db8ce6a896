"""Decoding into columns frees all memory: of rows, of bad rows, and after every error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastavro", reason="fastavro is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from confluent_kafka.cimpl import (  # noqa: E402
    _add_header,
    _decode_framed,
    _decode_rows,
    _RowProgram,
    _split_frames,
)
from confluent_kafka.columns import AvroDecoder  # noqa: E402
from tests.support.arrow_structs import Nulls  # noqa: E402
from tests.support.avro import encode, record  # noqa: E402
from tests.support.refcounts import assert_no_leaks  # noqa: E402
from tests.support.scripts import check_script  # noqa: E402

SCHEMA = record(
    ("id", "long"),
    ("name", ["null", "string"]),
    ("kind", {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}),
    ("price", {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}),
    ("tags", {"type": "array", "items": ["null", record(("x", "int"), name="Tag")]}),
    ("either", ["int", "string", {"type": "map", "values": "double"}]),
)
READER = record(*SCHEMA["fields"][:3], {"name": "new", "type": "string", "default": "text"})
VALUES: list[dict[str, Any]] = [
    {
        "id": i,
        "name": "n" * i,
        "kind": "B",
        "price": Decimal(i),
        "tags": [None, {"x": i}],
        "either": each,
    }
    for i, each in enumerate([1, "text", {"k": 0.5}])
]
DECODERS = [AvroDecoder(SCHEMA), AvroDecoder(SCHEMA, READER, enums="dictionary")]


def payloads() -> Any:
    good = encode(SCHEMA, VALUES)
    return pa.array([*good, None, b"", *(one[:-1] for one in good), good[0] + b"\0"] * 10)


PAYLOADS = payloads()


def look(rows: Any) -> None:
    """Use every interface of the rows, and leave some capsules unused."""
    repr(rows), len(rows), rows.errors
    for one in (rows, rows.error_column()):
        one.__arrow_c_schema__(), one.__arrow_c_array__(), one.__arrow_c_stream__()
        array = pa.array(one)
        pa.table(one), pa.schema(one)
        array.field(0)


def test_rows() -> None:
    """Good rows, bad rows and null rows are freed after reads through every interface."""

    def work() -> None:
        for decoder in DECODERS:
            look(decoder.decode(PAYLOADS))
            look(decoder.decode(pa.chunked_array([PAYLOADS[:3], PAYLOADS[5:9]])))
            look(decoder.decode(PAYLOADS[:0]))

    assert_no_leaks(work, repeat=30)


def test_decoders() -> None:
    """Compiled schemas with all kinds of instructions and types are freed."""

    def work() -> None:
        AvroDecoder(SCHEMA, columns=["tags", "name"]).__arrow_c_schema__()
        pa.schema(AvroDecoder(SCHEMA, READER, enums="dictionary"))

    assert_no_leaks(work, repeat=50)


def decode_framed(payloads: Any, programs_for: Any, headers: Any = None) -> Any:
    batch = None if headers is None else pa.record_batch({"headers": headers})
    return _decode_framed(payloads, batch, "h", programs_for)


def refuses(call: Callable[[], object]) -> bool:
    """Whether the call raises; pytest.raises() would keep memory for some time after each call."""
    try:
        call()
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        return True
    return False


class Wrong:
    """An object that returns no pair of capsules, or raises."""

    def __init__(self, gives: Any) -> None:
        self._gives = gives

    def __arrow_c_array__(self, requested_schema: object = None) -> Any:
        if self._gives is ZeroDivisionError:
            raise ZeroDivisionError
        return self._gives


def test_payloads_that_are_refused() -> None:
    """Nothing is leaked for wrong types, invalid data, a used capsule, or too many rows."""
    program = DECODERS[0]._program
    used = pa.array([b""]).__arrow_c_array__()
    pa.Array._import_from_c_capsule(*used)
    wrong: list[Any] = [
        None, [b""], pa.array([1]), pa.chunked_array([[1], [2]]), pa.table({"a": [b""]}),
        Wrong(None), Wrong((1, 2)), Wrong(used), Wrong(ZeroDivisionError),
    ]  # fmt: skip

    def work() -> None:
        for one in (*wrong, Nulls(2**40)):
            assert refuses(lambda one=one: _decode_rows(one, program))
            assert refuses(lambda one=one: decode_framed(one, lambda *_: (program, {}, {})))
            assert refuses(lambda one=one: _split_frames(one, None, "h"))
            assert refuses(lambda one=one: _add_header(one, None, "h", b""))
        assert refuses(lambda: _add_header(pa.array([b""]), pa.table({"headers": []}), "h", b""))
        _split_frames(pa.array([b"\0\0\0\0\1\2", b"", None]), None, "h")
        pa.array(_add_header(pa.array([b"a", None]), None, "h", b"mark"))

    assert_no_leaks(work, repeat=50)


def test_programs_by_schema_id() -> None:
    """Programs and error texts by schema id are freed, and so are wrong arguments."""
    program, other = (decoder._program for decoder in DECODERS)
    good = [b"\0\0\0\0\1" + one for one in encode(SCHEMA, VALUES)]
    column = pa.array([*good, b"\0\0\0\0\2", *encode(SCHEMA, VALUES[:1])])
    kind = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
    headers = pa.array([*[None] * (len(good) + 1), [("h", b"mark")]], kind)

    def work() -> None:
        programs: Any = {b"\0\0\0\0\1": program, b"\0\0\0\0\2": "a text", b"3": program}
        look(decode_framed(column, lambda *_: (program, programs, {})))
        look(decode_framed(column, lambda *_: (program, programs, {b"mark": program}), headers))
        name = b"\0\0\0\0\1"
        wrong: list[Any] = [{name: other}, {1: program}, {name: None}, {name: "\ud800"}, 5]
        for one in wrong:
            assert refuses(lambda one=one: decode_framed(column, lambda *_: (program, one, {})))
            assert refuses(lambda one=one: decode_framed(column, lambda *_: (program, {}, one)))
        for given in (None, (other,), (1, {}, {})):
            assert refuses(lambda given=given: decode_framed(column, lambda *_: given))
        assert refuses(lambda: decode_framed(column, lambda *_: 1 // 0))
        for one in (headers[:2], column, pa.nulls(2)):
            assert refuses(lambda one=one: decode_framed(column, lambda *_: 1, one))
        assert refuses(lambda: _decode_rows(column, None))  # type: ignore[arg-type]

    assert_no_leaks(work, repeat=50)


def descriptions() -> list[tuple[Any, Any, Any]]:
    """Programs with one wrong part each, from the first part to the last."""
    good = ("i", "c", True, (), b"\1\0\0\0\1\0\0\0k\1\0\0\0v", ("X", "Y"))
    columns = ("+s", "", True, (good, ("u", "t", True, (), None, None)), None, None)
    record_step = ("record", 0, 0, 0, (), b"", "")
    steps = (
        record_step,
        ("enum", 1, 0, 0, (1, 0), b"data", "path"),
        ("string", 2, 0, 0, (), b"", ""),
    )
    _RowProgram("avro", columns, steps)
    made: list[tuple[Any, Any, Any]] = [("none", columns, steps), (None, columns, steps)]
    for place in range(6):
        wrong = (*good[:place], "\ud800" if place < 2 else 5, *good[place + 1 :])
        children = (("u", "first", True, (), None, None), wrong)
        made.append(("avro", ("+s", "", True, children, None, None), steps))
    for place in range(7):
        step = (*steps[1][:place], None, *steps[1][place + 1 :])
        made.append(("avro", columns, (record_step, step)))
    made.append(("avro", columns, (*steps, ("enum", 2, 0, 0, (), b"", ""))))
    made.append(("avro", columns, (*steps, ("jump", -1, 0, 0, (1,), b"data", "path"))))
    made.append(("avro", columns, list(steps)))
    return made


def test_programs_that_are_refused() -> None:
    """If a program is refused, the parts that were already built are freed."""
    wrong = descriptions()

    def work() -> None:
        for arguments in wrong:
            with suppress(TypeError, ValueError):
                _RowProgram(*arguments)

    assert_no_leaks(work)


def test_schemas_that_are_refused() -> None:
    """Schemas that the Python code refuses leak nothing either."""

    def work() -> None:
        for arguments in (("nonsense",), (record(("a", "Row")),), ("int", "string")):
            with suppress(ValueError):
                AvroDecoder(*arguments)

    assert_no_leaks(work, repeat=50)


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(sys.platform != "linux", reason="the test reads /proc")
@pytest.mark.parametrize("which", ["rows", "bad", "refused"])
def test_memory_of_columns(which: str) -> None:
    """Memory outside Python's allocator is freed: 200 leaks of 2 MiB would exceed 100 MiB."""
    decoder = AvroDecoder("string")
    text = b"\x80\x80\x80\1" + b"x" * (1 << 20)
    column = pa.array([text, text] if which == "rows" else [text, text + b"\0", text[:-1]])
    uneven = _RowProgram(
        "avro",
        ("+s", "", True, (("u", "a", True, (), None, None),), None, None),
        (("record", 0, 0, 0, (), b"", ""), *[("string", 1, 0, 0, (), b"", "")] * 2),
    )
    twice = pa.array([text + text])
    work: Callable[[], object] = lambda: decoder.decode(column)  # noqa: E731
    if which == "refused":

        def work() -> None:
            with pytest.raises(ValueError, match="one value into each column"):
                _decode_rows(twice, uneven)

    for _ in range(5):
        work()
    before = resident()
    for _ in range(200):
        work()
    assert resident() - before < 100 << 20


def test_without_memory() -> None:
    """If any of Python's allocations fails, the call raises MemoryError and corrupts nothing."""
    pytest.importorskip("_testcapi", reason="this CPython was built without its test modules")
    failures = check_script(
        """
        from _testcapi import remove_mem_hooks, set_nomemory
        from confluent_kafka.cimpl import (
            _add_header, _decode_framed, _decode_rows, _RowProgram, _split_frames
        )
        from tests.support.columns import row_program
        import pyarrow as pa

        good = ("+s", "", True, (("i", "c", True, (), b"\\0\\0\\0\\0", ("X", "Y")),), None, None)
        steps = (("record", 0, 0, 0, (), b"", ""), ("enum", 1, 0, 0, (1, 0), b"data", "path"))
        program = row_program()
        column = pa.array([b"\\0\\0\\0\\0\\1\\2", b"\\0\\0\\0\\0\\3", b"", None])
        rows = _decode_rows(column, program)
        kind = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
        marks = pa.array([None, None, [("h", b"mark")], None], kind)
        headers = pa.record_batch({"headers": marks})
        frames = {b"\\0\\0\\0\\0\\1": program, b"\\0\\0\\0\\0\\3": "a text"}
        calls = [
            lambda: _RowProgram("avro", good, steps),
            lambda: _decode_rows(column, program),
            lambda: _decode_framed(
                column, headers, "h", lambda *_: (program, frames, {b"mark": program})
            ),
            lambda: _split_frames(column, headers, "h"),
            lambda: _add_header(column, headers, "h", b"mark"),
            lambda: rows.errors,
            lambda: rows.error_column(),
            lambda: rows.__arrow_c_array__(),
            lambda: rows.__arrow_c_stream__(),
            lambda: rows.__arrow_c_schema__(),
        ]
        failures = 0
        for call in calls:
            call()
            for allocation in range(60):
                set_nomemory(allocation, allocation + 1)
                try:
                    call()
                except MemoryError:
                    failures += 1
                finally:
                    remove_mem_hooks()
        assert pa.array(_decode_rows(column, program))[0].as_py() is None
        print(failures)
        """
    )
    assert int(failures) > 20
