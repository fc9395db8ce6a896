"""The input and output of AvroDecoder.decode(): arrays from any library, rows, and bad rows."""

from __future__ import annotations

import gc
import struct
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("fastavro", reason="fastavro is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from confluent_kafka.cimpl import (  # noqa: E402
    _add_header,
    _ColumnBatch,
    _decode_framed,
    _decode_rows,
    _RowProgram,
    _split_frames,
)
from confluent_kafka.columns import AvroDecoder, DecodedRows, RowError  # noqa: E402
from tests.support.arrow_structs import Exported, Nulls, columns_of, tampered  # noqa: E402
from tests.support.avro import encode, record, valid  # noqa: E402
from tests.support.columns import column_batch  # noqa: E402

SCHEMA = record(
    ("id", "long"),
    ("name", ["null", "string"]),
    ("tags", {"type": "array", "items": "string"}),
)
VALUES: list[dict[str, Any]] = [
    {"id": 1, "name": "one", "tags": []},
    {"id": -2, "name": None, "tags": ["a", "b"]},
    {"id": 2**40, "name": "a name of more than sixteen bytes", "tags": [""]},
]
PAYLOADS = encode(SCHEMA, VALUES)
DECODER = AvroDecoder(SCHEMA)
INT = AvroDecoder(record(("a", "int")))
LONG = b"\xfe\xff\xff\xff\x0f"  # 2**31 - 1
ROWS = [{"a": 1}, None, {"a": 2**31 - 1}]


# ---- payloads ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [
        pa.binary(),
        pa.large_binary(),
        pa.binary_view(),
        pa.dictionary(pa.int8(), pa.binary()),
        pa.dictionary(pa.uint64(), pa.large_binary()),
    ],
    ids=str,
)
def test_payloads_of_every_layout(kind: Any) -> None:
    """Payloads may be binary in any of Arrow's layouts, whole and sliced; null stays null."""
    values = [*PAYLOADS, None, PAYLOADS[0]]
    rows = [*VALUES, None, VALUES[0]]
    column = pa.array(values, pa.binary())
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type).dictionary_encode().cast(kind)
    else:
        column = column.cast(kind)
    assert column.type == kind
    assert valid(DECODER.decode(column)).to_pylist() == rows
    assert valid(DECODER.decode(column.slice(1, 3))).to_pylist() == rows[1:4]
    assert valid(DECODER.decode(column.slice(4))).to_pylist() == rows[4:]
    assert valid(DECODER.decode(column.slice(2, 0))).to_pylist() == []


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_payloads_that_are_text(kind: Any) -> None:
    """If a library has made a text column of the payloads, the decoder reads the bytes of the
    texts."""
    text = AvroDecoder("string")
    rows = text.decode(pa.array(["\x06abc", None, "\x04ü"], kind))
    assert valid(rows).to_pylist() == [{"value": "abc"}, None, {"value": "ü"}]


def test_payloads_of_a_fixed_size() -> None:
    """Payloads may be fixed-size binary, also of size 0."""
    column = pa.array([b"\x02", None, b"\x04"], pa.binary(1))
    assert valid(INT.decode(column)).to_pylist() == [{"a": 1}, None, {"a": 2}]
    assert valid(INT.decode(column.slice(2))).to_pylist() == [{"a": 2}]
    nothing = AvroDecoder("null").decode(pa.array([b"", None, b""], pa.binary(0)))
    assert valid(nothing).to_pylist() == [{"value": None}, None, {"value": None}]


def test_payloads_of_nulls() -> None:
    """Payloads of the null type, which libraries give to a column without values, become rows of
    null."""
    rows = DECODER.decode(pa.nulls(3))
    assert valid(rows).to_pylist() == [None] * 3
    assert rows.errors == []


def test_payloads_in_chunks() -> None:
    """All chunks of a stream are decoded, one after another.

    The row numbers in errors count from the first chunk.
    """
    chunks = pa.chunked_array([PAYLOADS[:1], [], [None, b"\xff", *PAYLOADS[1:]]], pa.binary())
    rows = DECODER.decode(chunks)
    assert valid(rows).to_pylist() == [VALUES[0], None, None, *VALUES[1:]]
    assert [error.row for error in rows.errors] == [2]


@pytest.mark.parametrize("payloads", [pa.array([], pa.binary()), pa.chunked_array([], pa.binary())])
def test_no_payloads(payloads: Any) -> None:
    """Without payloads, the result has all columns and no rows."""
    rows = DECODER.decode(payloads)
    assert len(rows) == 0
    assert valid(rows).to_pylist() == []
    assert pa.table(rows).schema.names == ["id", "name", "tags"]
    assert valid(rows.error_column()).to_pylist() == []


def test_payloads_of_polars() -> None:
    """A Series of polars, which is a stream of one array, can be decoded."""
    polars = pytest.importorskip("polars", reason="polars is not installed")
    rows = DECODER.decode(polars.Series([*PAYLOADS, None]))
    assert valid(rows).to_pylist() == [*VALUES, None]


@pytest.mark.parametrize(
    ("payloads", "found"),
    [
        (b"payload", "bytes"),
        ([b"payload"], "list"),
        (None, "NoneType"),
        (pa.array([1]), "int64"),
        (pa.array([[b"a"]]), "list"),
        (pa.array([{"a": b"a"}]), "struct"),
        (pa.table({"a": [b"a"]}), "struct"),
        (pa.array([1]).dictionary_encode(), "int64"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_payloads_of_another_type(payloads: Any, found: str) -> None:
    """A TypeError names the types that payloads may have, and the given type."""
    expected = f"payloads must be an array of binary or string values .* not {found}$"
    with pytest.raises(TypeError, match=expected):
        DECODER.decode(payloads)
    with pytest.raises(TypeError, match=expected):
        decode_framed(payloads, lambda *_: pytest.fail("there are no names"))


class Once:
    """A batch that returns the same capsules at each call."""

    def __init__(self, source: Any) -> None:
        self.capsules = source.__arrow_c_array__()

    def __arrow_c_array__(self, requested_schema: object = None) -> Any:
        return self.capsules


def test_a_capsule_that_was_used() -> None:
    """A capsule that another reader has used is refused."""
    once = Once(pa.array(PAYLOADS, pa.binary()))
    assert len(DECODER.decode(once)) == 3
    with pytest.raises(ValueError, match="payloads gave an Arrow capsule that was used before"):
        DECODER.decode(once)


def changed(field: str, value: Any, source: Any, *, of: str = "array") -> Any:
    """Decode a payload array with one wrong field. Checks that the array is released once."""
    with tampered(source) as exported:
        exported.set(getattr(exported, of), field, value)
        try:
            return valid(INT.decode(exported)).to_pylist()
        finally:
            assert exported.releases == 1


@pytest.mark.parametrize(
    ("field", "value", "of", "problem"),
    [
        ("format", None, "schema", "its format is missing"),
        ("length", -1, "array", "its length or offset is negative"),
        ("offset", -1, "array", "its length or offset is negative"),
        ("n_buffers", 1, "array", "buffers are missing"),
        ("buffers", None, "array", "buffers are missing"),
    ],
)
def test_broken_payloads(field: str, value: Any, of: str, problem: str) -> None:
    """Arrow data that is not valid raises ValueError."""
    source = pa.array([b"\x02", None], pa.binary())
    with pytest.raises(ValueError, match=f"payloads is not valid Arrow data: {problem}"):
        changed(field, value, source, of=of)


@pytest.mark.parametrize("indices", [b"f", b"g", b"w:3", b"u", b"tsm:", b"b", b"+s", b"nonsense"])
def test_dictionaries_of_other_indices(indices: bytes) -> None:
    """The indices of a dictionary-encoded array must be integers."""
    source = pa.array([b"\x02", b"\x04", b"\x02"], pa.binary()).dictionary_encode()
    assert changed("format", b"i", source, of="schema") == [{"a": 1}, {"a": 2}, {"a": 1}]
    with pytest.raises(ValueError, match="not valid Arrow data: its indices are not integers"):
        changed("format", indices, source, of="schema")


def test_dictionary_that_is_missing() -> None:
    """A dictionary-encoded array without its dictionary is refused."""
    source = pa.array([b"\x02"], pa.binary()).dictionary_encode()
    with pytest.raises(ValueError, match="its dictionary is missing"):
        changed("dictionary", None, source)


def test_rows_that_nobody_has() -> None:
    """An array without buffers can claim any number of rows.

    More than 2**31 - 1 rows are refused.
    """
    for rows in (2**31, 2**62, 2**63 - 1):
        with pytest.raises(OverflowError, match="payloads has more than 2147483647 rows"):
            INT.decode(Nulls(rows))
    reader = record({"name": "a", "type": "int", "default": 1})
    defaults = AvroDecoder(record(), reader)
    source = pa.array([b"", b""], pa.binary(0))
    with tampered(source) as exported:
        exported.array.length = 2**62
        with pytest.raises(OverflowError, match="decode fewer at a time"):
            defaults.decode(exported)


# ---- bad rows ----------------------------------------------------------------------------


INNER = record(("x", {"type": "array", "items": "int"}), name="Inner")
BAD: list[tuple[Any, bytes, tuple[int, str, str]]] = [
    ("int", b"", (0, "a", "the payload ends within a value")),
    ("int", b"\x80", (1, "a", "the payload ends within a value")),
    ("int", b"\x80\x80\x80\x80\x10", (5, "a", "an int of more than 32 bits")),
    ("long", b"\xff" * 10, (10, "a", "a number of more than 64 bits")),
    ("long", b"\xff" * 9 + b"\x02", (10, "a", "a number of more than 64 bits")),
    ("int", b"\x02\x02", (1, "", "bytes after the value")),
    ("float", b"\0\0\0", (0, "a", "the payload ends within a value")),
    ("double", b"\0" * 7, (0, "a", "the payload ends within a value")),
    ("boolean", b"", (0, "a", "the payload ends within a value")),
    ("boolean", b"\x02", (1, "a", "a boolean that is neither 0 nor 1")),
    ("bytes", b"\x06ab", (1, "a", "the payload ends within a value")),
    ("bytes", b"\x01", (1, "a", "a negative size")),
    ("string", b"\x04\xc3\x28", (3, "a", "a string that is not UTF-8")),
    ("string", b"\x28" + b"x" * 19 + b"\xff", (21, "a", "a string that is not UTF-8")),
    ("string", b"\x06\xed\xa0\x80", (4, "a", "a string that is not UTF-8")),
    (
        {"type": "fixed", "name": "F", "size": 4},
        b"abc",
        (0, "a", "the payload ends within a value"),
    ),
    (
        {"type": "enum", "name": "E", "symbols": ["X"]},
        b"\x02",
        (1, "a", "a number that no symbol of the enum has"),
    ),
    (
        {"type": "enum", "name": "E", "symbols": ["X"]},
        b"\x01",
        (1, "a", "a number that no symbol of the enum has"),
    ),
    (["null", "int"], b"\x04", (1, "a", "a branch that the union does not have")),
    (["null", "int", "string"], b"\x01", (1, "a", "a branch that the union does not have")),
    (
        {"type": "bytes", "logicalType": "decimal", "precision": 2},
        b"\x02\x64",
        (2, "a", "a decimal of more digits than its precision"),
    ),
    (
        {"type": "bytes", "logicalType": "decimal", "precision": 2},
        b"\x24\x01" + bytes(17),
        (19, "a", "a decimal of more digits than its precision"),
    ),
    (
        {"type": "string", "logicalType": "uuid"},
        b"\x48" + b"x" * 36,
        (37, "a", "text that is not a UUID"),
    ),
    (
        {"type": "int", "logicalType": "time-millis"},
        b"\x01",
        (1, "a", "a time of day that is out of range"),
    ),
    (
        {"type": "long", "logicalType": "time-micros"},
        b"\x80\xa0\xcb\xe6\xc3\x05",
        (6, "a", "a time of day that is out of range"),
    ),
    (
        {"type": "fixed", "name": "D", "size": 12, "logicalType": "duration"},
        b"\0\0\0\x80" + bytes(8),
        (12, "a", "a duration of more than 2^31-1 months or days"),
    ),
    ({"type": "array", "items": "int"}, b"\x06\x02", (1, "a", "the payload ends within a value")),
    ({"type": "array", "items": "int"}, b"\x02\x80", (2, "a[]", "the payload ends within a value")),
    ({"type": "array", "items": "int"}, b"\x01", (1, "a", "the payload ends within a value")),
    ({"type": "array", "items": "int"}, b"\x01\x01", (2, "a", "a negative size")),
    ({"type": "array", "items": "int"}, b"\x01\x06", (2, "a", "the payload ends within a value")),
    (
        {"type": "array", "items": "int"},
        b"\xff" * 9 + b"\x01",
        (10, "a", "a block of too many items"),
    ),
    (
        {"type": "map", "values": "int"},
        b"\x02\x02\xff\x00",
        (3, "a[]", "a string that is not UTF-8"),
    ),
    (INNER, b"\x02\x80", (2, "a.x[]", "the payload ends within a value")),
    (
        {"type": "array", "items": INNER},
        b"\x02\x02",
        (2, "a[].x", "the payload ends within a value"),
    ),
]


@pytest.mark.parametrize(("kind", "payload", "expected"), BAD, ids=lambda one: str(one)[:60])
def test_bad_rows(kind: Any, payload: bytes, expected: tuple[int, str, str]) -> None:
    """Each error has the row, the byte, the field and the reason."""
    decoder = AvroDecoder(record(("a", kind)))
    rows = decoder.decode(pa.array([payload, None, payload], pa.binary()))
    assert rows.errors == [RowError(0, *expected), RowError(2, *expected)]
    assert valid(rows).to_pylist() == [None] * 3


def test_bad_rows_between_good_ones() -> None:
    """A row that fails halfway leaves no values in any column."""
    schema = record(
        ("n", ["null", "long"]),
        ("s", "string"),
        ("l", {"type": "array", "items": {"type": "map", "values": ["null", "string"]}}),
        ("u", ["int", "string", record(("b", "boolean"), name="B")]),
        ("end", "int"),
    )
    values: list[dict[str, Any]] = [
        {"n": i, "s": "s" * i, "l": [{"k": "v" * i, "z": None}], "u": u, "end": i}
        for i, u in enumerate([1, "one", {"b": True}, 2, "two"])
    ]
    good = encode(schema, values)
    cut = [one[:-1] for one in good]
    mixed: list[bytes | None] = []
    expected: list[Any] = []
    for row, payload, less in zip(values, good, cut, strict=True):
        mixed += [less, payload, None, payload + b"\0"]
        row = row | {"l": [list(row["l"][0].items())]}
        expected += [None, row, None, None]
    rows = AvroDecoder(schema).decode(pa.array(mixed, pa.binary()))
    assert valid(rows).to_pylist() == expected
    assert [error.row for error in rows.errors] == [i for i in range(20) if i % 4 in (0, 3)]
    every = AvroDecoder(schema).decode(pa.array([b"\xff"] * 1000))
    assert valid(every).to_pylist() == [None] * 1000
    assert len(every.errors) == 1000


def test_every_cut_of_a_payload() -> None:
    """A payload that is cut short anywhere, or that has an additional byte, is a bad row."""
    for payload in PAYLOADS:
        ends = [payload[:end] for end in range(len(payload))]
        rows = DECODER.decode(pa.array([*ends, payload + b"\0"]))
        assert [error.row for error in rows.errors] == list(range(len(payload) + 1))
        assert rows.errors[-1].reason == "bytes after the value"
        assert all(0 <= error.offset <= len(payload) for error in rows.errors)


def test_errors_as_a_column() -> None:
    """error_column() has a slot for each row: a struct for a bad row, otherwise null."""
    rows = INT.decode(pa.array([b"\x02", None, b"\x80", LONG, b"\x02\0"]))
    assert rows.errors == [
        RowError(row=2, offset=1, field="a", reason="the payload ends within a value"),
        RowError(row=4, offset=1, field="", reason="bytes after the value"),
    ]
    errors = valid(rows.error_column())
    assert errors.type == pa.struct(
        {"offset": pa.int64(), "field": pa.string(), "reason": pa.string()}
    )
    assert errors.to_pylist() == [
        None,
        None,
        {"offset": 1, "field": "a", "reason": "the payload ends within a value"},
        None,
        {"offset": 1, "field": "", "reason": "bytes after the value"},
    ]
    assert rows.error_column().errors == []
    assert valid(INT.decode(pa.array([LONG])).error_column()).to_pylist() == [None]


# ---- rows --------------------------------------------------------------------------------


def decoded() -> DecodedRows:
    return INT.decode(pa.array([b"\x02", b"", LONG]))


def test_what_rows_are() -> None:
    """DecodedRows has a length and a repr(), and no constructor for users."""
    rows = decoded()
    assert isinstance(rows, DecodedRows)
    assert len(rows) == 3
    assert repr(rows) == "DecodedRows(3 rows, 1 of them bad)"
    assert repr(INT.decode(pa.array([LONG]))) == "DecodedRows(1 row, 0 of them bad)"
    with pytest.raises(TypeError, match="DecodedRows"):
        DecodedRows()


def test_readers_of_pyarrow() -> None:
    """pyarrow reads a struct array with null rows, or a table, where a null row is null in each
    column."""
    rows = decoded()
    array = valid(rows)
    assert array.type == pa.struct({"a": pa.int32()})
    assert array.to_pylist() == ROWS
    table = pa.table(rows)
    table.validate(full=True)
    assert table.to_pylist() == [{"a": 1}, {"a": None}, {"a": 2**31 - 1}]
    assert pa.schema(rows) == table.schema == pa.schema(INT)
    batches = list(pa.RecordBatchReader.from_stream(rows))
    assert [batch.num_rows for batch in batches] == [3]
    good = pa.record_batch(INT.decode(pa.array([LONG])))
    assert good.to_pylist() == [{"a": 2**31 - 1}]


READABLE = record(
    ("n", "long"),
    ("s", ["null", "string"]),
    ("b", "boolean"),
    ("d", {"type": "int", "logicalType": "date"}),
    ("t", {"type": "long", "logicalType": "timestamp-micros"}),
    ("m", {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}),
    ("l", {"type": "array", "items": "double"}),
    ("r", ["null", record(("x", "int"), name="X")]),
    ("e", {"type": "enum", "name": "E", "symbols": ["P", "Q"]}),
)


@pytest.fixture
def readable() -> tuple[DecodedRows, list[Any]]:
    """Rows whose types every library has, and their values in pyarrow."""
    from datetime import UTC, date, datetime
    from decimal import Decimal

    when = datetime(2026, 11, 23, 12, tzinfo=UTC)
    values = [
        {
            "n": i, "s": None if i % 2 else str(i), "b": i > 1, "d": date(2026, 1, 1 + i),
            "t": when, "m": Decimal(i) / 4, "l": [0.5] * i, "r": {"x": i} if i % 2 else None,
            "e": "PQ"[i % 2],
        }
        for i in range(5)
    ]  # fmt: skip
    rows = AvroDecoder(READABLE).decode(pa.array([*encode(READABLE, values), None, b""]))
    return rows, pa.table(rows).to_pylist()


def test_readers_of_polars(readable: tuple[DecodedRows, list[Any]]) -> None:
    """polars.DataFrame(rows) has the same values."""
    polars = pytest.importorskip("polars", reason="polars is not installed")
    rows, expected = readable
    frame = polars.DataFrame(rows)
    assert frame.to_dicts() == expected
    dictionary = AvroDecoder(READABLE, columns=["e"], enums="dictionary")
    encoded = dictionary.decode(pa.array(encode(READABLE, expected[:5])))
    assert polars.DataFrame(encoded)["e"].to_list() == [row["e"] for row in expected[:5]]


def test_readers_of_duckdb(readable: tuple[DecodedRows, list[Any]]) -> None:
    """DuckDB reads the stream, also from another thread."""
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    rows, expected = readable
    assert rows is not None
    with duckdb.connect(config={"threads": 1}) as connection:
        query = "SELECT n, s, b, d, m, l, r, e FROM rows ORDER BY n NULLS LAST"
        found = connection.execute(query).fetchall()
        wanted = [tuple(row[name] for name in "nsbdmlre") for row in expected]
        assert found == wanted
        unions = AvroDecoder(record(("u", ["int", "string"])))
        either = unions.decode(pa.array([b"\0\x02", b"\x02\x02a"]))
        assert either is not None
        assert connection.execute("SELECT u FROM either").fetchall() == [(1,), ("a",)]


def test_readers_of_pandas(readable: tuple[DecodedRows, list[Any]]) -> None:
    """pandas reads the same values through pyarrow."""
    pytest.importorskip("pandas", reason="pandas is not installed")
    rows, expected = readable
    frame = pa.table(rows).to_pandas()
    assert list(frame["s"][:5]) == [row["s"] for row in expected[:5]]
    assert list(frame["n"][:5]) == [0, 1, 2, 3, 4]
    assert len(frame) == 7


def test_exported_any_number_of_times() -> None:
    """Each export has its own reference to the same memory, and capsules may stay unread."""
    rows = decoded()
    arrays = [pa.array(rows) for _ in range(20)]
    assert {one.field("a").buffers()[1].address for one in arrays} == {
        arrays[0].field("a").buffers()[1].address
    }
    for _ in range(20):
        rows.__arrow_c_array__(), rows.__arrow_c_stream__(), rows.__arrow_c_schema__()
        rows.__arrow_c_array__(requested_schema=None)
    assert all(one.to_pylist() == ROWS for one in arrays)


def test_results_outlive_all_that_made_them() -> None:
    """Arrays, their children and their dictionaries stay valid after the rows, the decoder and the
    payloads are freed."""
    schema = record(
        ("s", "string"),
        ("e", {"type": "enum", "name": "E", "symbols": ["P", "Q"]}),
        ("l", {"type": "array", "items": "string"}),
    )
    decoder = AvroDecoder(schema, enums="dictionary")
    payloads = pa.array([*encode(schema, [{"s": "text" * 9, "e": "Q", "l": ["item"] * 3}]), b""])
    rows = decoder.decode(payloads)
    errors = rows.error_column()
    stream = pa.RecordBatchReader.from_stream(rows)
    array = pa.array(rows)
    texts = rows.errors
    del decoder, payloads, rows
    gc.collect()
    children = [array.field(name) for name in "sel"]
    del array
    gc.collect()
    assert [child.to_pylist()[0] for child in children] == ["text" * 9, "Q", ["item"] * 3]
    assert pa.array(errors).to_pylist()[1]["field"] == "s"
    assert texts[0].reason == "the payload ends within a value"
    assert stream.read_all().to_pylist()[0]["e"] == "Q"


def test_a_decoder_of_many_threads() -> None:
    """Several threads can use one decoder at the same time, and each gets its own rows."""
    payloads = pa.array([*PAYLOADS, None, b"\xff"] * 200)
    expected = [*VALUES, None, None] * 200
    start = threading.Barrier(4)

    def work(_: int) -> bool:
        start.wait()
        for _ in range(5):
            rows = DECODER.decode(payloads)
            if pa.array(rows).to_pylist() != expected or len(rows.errors) != 200:
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


# ---- programs by schema id ----------------------------------------------------------------


def framed(number: int, payload: bytes) -> bytes:
    return struct.pack(">bI", 0, number) + payload


def program_of(decoder: AvroDecoder) -> _RowProgram:
    return decoder._program


def named(schema_id: int) -> bytes:
    """The frame with a schema id."""
    return b"\0" + schema_id.to_bytes(4)


def decode_framed(payloads: Any, programs_for: Any, headers: Any = None) -> Any:
    batch = None if headers is None else pa.record_batch({"headers": headers})
    return _decode_framed(payloads, batch, "h", programs_for)


def test_programs_by_schema_id() -> None:
    """The program of the schema id reads each payload.

    The offsets in errors count from the first byte of the frame.
    """
    reader = record(("a", "long"), {"name": "b", "type": "string", "default": "none"})
    old = AvroDecoder(record(("a", "int")), reader)
    new = AvroDecoder(reader)
    payloads = pa.array(
        [
            framed(7, b"\x02"),
            framed(2**32 - 1, b"\x04\x02b"),
            framed(7, b"\x06"),
            framed(8, b"\x02"),
            framed(9, b"\x02"),
            b"\x01" + framed(7, b"\x02")[1:],
            b"\0\0\0\0",
            None,
            framed(7, b"\x80"),
        ]
    )
    programs: Any = {
        named(2**32 - 1): program_of(new),
        named(7): program_of(old),
        named(9): "why there is none",
    }
    asked = []

    def programs_for(frames: set[bytes], marks: set[bytes]) -> Any:
        asked.append((frames, marks))
        return program_of(new), programs, {}

    rows = decode_framed(payloads, programs_for)
    assert asked == [({named(one) for one in (7, 8, 9, 2**32 - 1)}, set())]
    assert valid(rows).to_pylist() == [
        {"a": 1, "b": "none"}, {"a": 2, "b": "b"}, {"a": 3, "b": "none"}, *[None] * 6
    ]  # fmt: skip
    unnamed = "no schema id or GUID at the start, and no headers to look in"
    assert rows.errors == [
        RowError(3, 0, "", "a schema that has no program"),
        RowError(4, 0, "", "why there is none"),
        RowError(5, 0, "", unnamed),
        RowError(6, 0, "", unnamed),
        RowError(8, 6, "a", "the payload ends within a value"),
    ]
    programs.clear()
    gc.collect()
    assert rows.errors[1].reason == "why there is none"
    empty = decode_framed(payloads, programs_for)
    assert len(empty.errors) == 8
    assert decode_framed(pa.nulls(3), programs_for).errors == []
    assert asked[-1] == (set(), set())


GUID = b"\1" + bytes(range(16))
HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


def test_programs_by_header() -> None:
    """A header with the right name takes precedence over the start of the payload.

    If there are several such headers, the last one counts.
    """
    own = program_of(INT)
    wide = AvroDecoder(record(("a", "int"), ("b", "int")), record(("a", "int")))
    payloads = pa.array(
        [
            b"\x02",
            b"\x04\x02",
            named(7) + b"\x06",
            GUID + b"\x08",
            *(b"\x0a", b"\x0c", None, b"\x80"),
        ]
    )
    mark, other = GUID + b"more", GUID
    headers = pa.array(
        [
            [("h", mark)],
            [("h", mark), ("other", b""), ("h", other)],
            [("other", mark)],
            None,
            [("h", mark), ("h", None)],
            [("h", b"")],
            [("h", b"of a null")],
            [("h", mark)],
        ],
        HEADERS,
    )
    asked = []

    def programs_for(frames: set[bytes], marks: set[bytes]) -> Any:
        asked.append((frames, marks))
        return own, {named(7): own, GUID: own}, {mark: own, other: program_of(wide), b"": "empty"}

    rows = decode_framed(payloads, programs_for, headers)
    assert asked == [({named(7), GUID}, {mark, other, b""})]
    assert [row and row["a"] for row in valid(rows).to_pylist()] == [
        1, 2, 3, 4, None, None, None, None
    ]  # fmt: skip
    assert rows.errors == [
        RowError(4, 0, "", "no schema id or GUID at the start, nor in a header"),
        RowError(5, 0, "", "empty"),
        RowError(7, 1, "a", "the payload ends within a value"),
    ]
    chunks = pa.chunked_array([payloads[:3], payloads[3:]])
    assert valid(decode_framed(chunks, programs_for, headers)).equals(valid(rows))
    for none in (pa.array([None] * 8, HEADERS), pa.nulls(8), pa.array([[]] * 8)):
        reasons = [one.reason for one in decode_framed(payloads, programs_for, none).errors]
        assert reasons.count("no schema id or GUID at the start, nor in a header") == 5


def test_wrong_headers() -> None:
    """Headers must be lists of structs, one list for each payload."""
    payloads = pa.array([b""])
    programs_for = lambda *_: (program_of(INT), {}, {})  # noqa: E731
    with pytest.raises(ValueError, match="headers must have as many rows as payloads"):
        decode_framed(payloads, programs_for, pa.nulls(2))
    with pytest.raises(TypeError, match="headers column 'headers' must be list"):
        decode_framed(payloads, programs_for, pa.array([1]))
    with pytest.raises(TypeError, match="name must be str"):
        _decode_framed(payloads, None, 1, programs_for)  # type: ignore[arg-type]


def test_programs_of_other_columns() -> None:
    """All programs must write the same columns, with the same types and symbols."""
    payloads = pa.array([framed(1, b"\x02")])
    kinds = ["int", "long", "string", {"type": "array", "items": "int"}, ["int", "string"]]
    decoders = [AvroDecoder(record(("a", kind))) for kind in kinds]
    decoders.append(AvroDecoder(record(("a", "int"), ("b", "int"))))
    suits = [["X"], ["Y"], ["X", "Y"]]
    decoders += [
        AvroDecoder(
            record(("a", {"type": "enum", "name": "E", "symbols": suit})), enums="dictionary"
        )
        for suit in suits
    ]

    def decode(one: AvroDecoder, frames: dict[bytes, Any], marks: dict[bytes, Any]) -> None:
        decode_framed(payloads, lambda *_: (program_of(one), frames, marks))

    for number, one in enumerate(decoders):
        decode(one, {named(1): program_of(one)}, {b"": program_of(one)})
        for other in decoders[:number]:
            with pytest.raises(ValueError, match="programs must have the same columns"):
                decode(one, {named(1): program_of(other)}, {})
            with pytest.raises(ValueError, match="programs must have the same columns"):
                decode(one, {}, {b"": program_of(other)})


def test_wrong_programs() -> None:
    """The names of schemas must be bytes, and the programs must be _RowProgram objects."""
    payloads = pa.array([b""])
    program = program_of(INT)
    wrong: list[tuple[Any, str]] = [
        ((program, {1: program}, {}), "a schema's name in programs must be bytes, not int"),
        ((program, {b"": INT}, {}), "one of programs must be a _RowProgram, not AvroDecoder"),
        ((program, {}, {b"": INT}), "one of programs must be a _RowProgram, not AvroDecoder"),
        ((INT, {}, {}), r"the first of programs_for\(\) must be a _RowProgram, not AvroDecoder"),
        *(
            (given, r"programs_for\(\) must return")
            for given in (program, (program, 1, {}), (program, {}, 1), (program, {}))
        ),
    ]
    for given, message in wrong:
        with pytest.raises(TypeError, match=message):
            decode_framed(payloads, lambda *_, given=given: given)
    with pytest.raises(ZeroDivisionError):
        decode_framed(payloads, lambda *_: 1 // 0)
    with pytest.raises(TypeError, match="program must be a _RowProgram, not AvroDecoder"):
        _decode_rows(payloads, INT)  # type: ignore[arg-type]


@pytest.mark.parametrize("with_headers", [False, True])
def test_payloads_without_their_frames(with_headers: bool) -> None:
    """The result has the name of each payload's schema, from its frame or header, and the rest of
    the payload. Rows with the same name share one object."""
    guid = b"\1" + bytes(range(16))
    payloads = [
        *(framed(7, b"a"), framed(7, b""), framed(8, b"b"), framed(7, b"c"), guid + b"d"),
        *(None, b"\0\0\0\0", b"\1short", b"", framed(7, b"e"), framed(7, b"f")),
    ]
    names: list[bytes | None] = [named(7), named(7), named(8), named(7), guid, *[None] * 4]
    bodies: list[bytes | None] = [b"a", b"", b"b", b"c", b"d", *[None] * 4]
    batch = None
    if with_headers:
        kind = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
        marks = [[("h", guid + b"x")] if row in (5, 9) else [("g", guid)] for row in range(11)]
        batch = pa.record_batch({"headers": pa.array(marks, kind)})
    names += [guid + b"x" if with_headers else named(7), named(7)]
    bodies += [framed(7, b"e") if with_headers else b"e", b"f"]
    column = pa.array([b"before", *payloads], pa.binary())[1:]
    found = _split_frames(column, batch, "h")
    assert found == (names, bodies)
    assert found[0][0] is found[0][1]
    chunks = pa.chunked_array([column[:6], column[6:6], column[6:]])
    assert _split_frames(chunks, batch, "h") == found
    assert _split_frames(pa.array([], pa.binary()), None, "h") == ([], [])


def test_headers_with_one_more() -> None:
    """The header is added to each row with a payload, after the other headers.

    It replaces headers with the same name.
    """
    kind = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))
    rows = [
        [("a", b"1"), ("h", b"old"), ("b", None), ("h", None)],
        [("h", b"kept"), ("a", b"")],
        None,
        [],
        [("hh", b"2")],
    ]
    payloads = pa.array([b"x", None, b"", None, b"y"])
    headers = pa.array([rows[0], *rows], kind)[1:]
    large = pa.large_list(pa.struct([("key", pa.large_string()), ("value", pa.large_binary())]))
    for column in (headers, headers.cast(large), pa.chunked_array([headers[:2], headers[2:]])):
        batch = pa.table({"headers": column})
        for values in (payloads, pa.chunked_array([payloads[:1], payloads[1:]])):
            found = pa.array(_add_header(values, batch, "h", b"new"))
            found.validate(full=True)
            assert found.type == kind
            assert [[tuple(one.values()) for one in row] for row in found.to_pylist()] == [
                [("a", b"1"), ("b", None), ("h", b"new")],
                rows[1],
                [("h", b"new")],
                [],
                [("hh", b"2"), ("h", b"new")],
            ]
    alone = pa.array(_add_header(payloads, None, "h", b""))
    assert [len(row) for row in alone.to_pylist()] == [1, 0, 1, 0, 1]
    with pytest.raises(ValueError, match="headers must have as many rows as payloads"):
        _add_header(payloads[:2], pa.table({"headers": headers}), "h", b"")


def test_exported_is_not_read_after_release() -> None:
    """Payloads are released once, after they have been decoded."""
    exported = Exported(pa.array(PAYLOADS, pa.binary()))
    rows = DECODER.decode(exported)
    assert exported.releases == 1
    exported.restore()
    gc.collect()
    assert valid(rows).to_pylist() == VALUES


def test_batches_that_are_not_one_chunk() -> None:
    """A batch has at most one chunk. A batch without a chunk has no rows."""
    chunk = pa.table({"a": [1]})
    with pytest.raises(ValueError, match="batch has more than one chunk: combine them"):
        _ColumnBatch(pa.concat_tables([chunk, chunk]))
    assert valid(_ColumnBatch(chunk.slice(0, 0))).to_pylist() == []
    assert valid(_ColumnBatch.of({"a": pa.chunked_array([], pa.int32())})).to_pylist() == []


ANY_TYPE = [
    pa.null(),
    pa.bool_(),
    pa.int8(),
    pa.float16(),
    pa.string(),
    pa.large_binary(),
    pa.string_view(),
    pa.binary(0),
    pa.binary(16),
    pa.uuid(),
    pa.decimal128(38, 9),
    pa.decimal256(76),
    pa.date64(),
    pa.time64("ns"),
    pa.timestamp("us", "Europe/Paris"),
    pa.duration("s"),
    pa.month_day_nano_interval(),
    pa.list_(pa.int32()),
    pa.large_list(pa.string()),
    pa.list_view(pa.int32()),
    pa.large_list_view(pa.int32()),
    pa.list_(pa.int32(), 3),
    pa.map_(pa.string(), pa.list_(pa.float64())),
    pa.struct({}),
    pa.struct({"a": pa.int32(), "b": pa.struct({"c": pa.string()})}),
    pa.dense_union([pa.field("a", pa.int32()), pa.field("b", pa.string())]),
    pa.sparse_union([pa.field("a", pa.int32()), pa.field("b", pa.string())]),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.int32(), pa.struct({"a": pa.dictionary(pa.int8(), pa.int64())})),
    pa.run_end_encoded(pa.int32(), pa.string()),
]


@pytest.mark.parametrize("kind", ANY_TYPE, ids=str)
def test_columns_of_no_chunk(kind: pa.DataType) -> None:
    """A stream without an array becomes a valid array without rows, whatever its type is."""
    reader = pa.RecordBatchReader.from_batches(pa.schema({"a": kind}), [])
    (chunk,) = _ColumnBatch.chunks_of(reader)
    assert len(chunk) == 0
    batch = pa.record_batch(chunk)
    batch.validate(full=True)
    assert batch.schema == pa.schema({"a": kind})
    assert batch.to_pylist() == []


def test_chunks_of_a_batch() -> None:
    """Each chunk becomes a batch with a type of its own. stream_of() puts the batches into a stream
    again."""
    schema = pa.schema({"a": pa.int64()})
    made = [pa.record_batch({"a": values}, schema) for values in ([1, 2], [3], [])]
    reader = pa.RecordBatchReader.from_batches(schema, made)
    first, second, third = _ColumnBatch.chunks_of(reader)
    del first
    gc.collect()
    assert valid(second).to_pylist() == [{"a": 3}]
    assert len(third) == 0
    capsule = _ColumnBatch.stream_of((second, third, second))
    del second, third
    gc.collect()
    batches = list(pa.RecordBatchReader._import_from_c_capsule(capsule))
    assert [batch.to_pydict()["a"] for batch in batches] == [[3], [], [3]]
    (alone,) = _ColumnBatch.chunks_of(pa.record_batch({"a": [1]}))
    assert valid(alone).to_pylist() == [{"a": 1}]
    (empty,) = _ColumnBatch.chunks_of(pa.Table.from_batches([], schema))
    assert valid(empty).type == pa.struct(schema)
    assert len(empty) == 0


@pytest.mark.parametrize("given", [(), (1,), [column_batch()], None])
def test_streams_of_no_batches(given: Any) -> None:
    """A stream needs at least one batch, and accepts only batches."""
    with pytest.raises(TypeError, match="batches must be a tuple of one or more _ColumnBatch"):
        _ColumnBatch.stream_of(given)


@pytest.mark.parametrize("position", [0, 1])
def test_a_stream_that_fails_between_chunks(position: int) -> None:
    """If a stream fails, the earlier chunks are released, and the error contains the stream's own
    error."""

    def batches() -> Iterator[pa.RecordBatch]:
        for _ in range(position):
            yield pa.record_batch({"a": [1]})
        raise ValueError("no more")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), batches())
    with pytest.raises(RuntimeError, match=r"batch: its Arrow stream failed: .*no more"):
        _ColumnBatch.chunks_of(reader)


def test_batches_whose_columns_have_no_names() -> None:
    """A column without a name gets an empty name."""
    with tampered(columns_of(a=[1, 2], b=[3, 4])) as exported:
        exported.set(exported.column_schema(0), "name", None)
        batch = _ColumnBatch(exported)
        assert batch.names() == ["", "b"]
        assert valid(batch.column("")).to_pylist() == [1, 2]
        with pytest.raises(KeyError, match="the batch has no column 'a'"):
            batch.column("a")
        replaced = batch.replaced({"b": pa.array([5, 6])})
        assert valid(replaced).to_pylist() == [{"": 1, "b": 5}, {"": 2, "b": 6}]
        del batch, replaced
        gc.collect()
