"""AvroEncoder writes rows of Arrow columns as payloads that other programs can read."""

from __future__ import annotations

import datetime as dt
import io
import json
import re
import uuid
from decimal import Decimal
from typing import Any

import pytest

pytest.importorskip("fastavro", reason="fastavro is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import fastavro  # noqa: E402

from confluent_kafka import cimpl  # noqa: E402
from confluent_kafka.columns import (  # noqa: E402
    AvroDecoder,
    AvroEncoder,
    AvroSchemaError,
    DecodedRows,
    EncodedRows,
    RowError,
)
from tests.support.arrow_structs import tampered  # noqa: E402
from tests.support.clients import empty_batch  # noqa: E402

ID = uuid.UUID("01234567-89ab-cdef-0123-456789abcdef")
TEXT = "longer than the twelve bytes that a view holds"
NULL_REASON = "a null, which the schema does not allow here"


def record(**fields: Any) -> dict[str, Any]:
    """A schema with these fields."""
    return {
        "type": "record",
        "name": "Row",
        "fields": [{"name": name, "type": kind} for name, kind in fields.items()],
    }


def logical(name: str, kind: Any, **more: Any) -> dict[str, Any]:
    """A logical type."""
    return {"type": kind, "logicalType": name, **more}


def fixed(size: int, name: str = "Fixed", **more: Any) -> dict[str, Any]:
    """A schema of a fixed."""
    return {"type": "fixed", "name": name, "size": size, **more}


def enum(*symbols: str) -> dict[str, Any]:
    """A schema of an enum."""
    return {"type": "enum", "name": "Enum", "symbols": list(symbols)}


def list_of(items: Any) -> dict[str, Any]:
    """A schema of an array."""
    return {"type": "array", "items": items}


def map_of(values: Any) -> dict[str, Any]:
    """A schema of a map."""
    return {"type": "map", "values": values}


def decimal(precision: int, scale: int) -> dict[str, Any]:
    """A schema of a decimal."""
    return logical("decimal", "bytes", precision=precision, scale=scale)


def rows_of(column: Any) -> Any:
    """A batch of one column, whose values are not records."""
    return pa.record_batch({"value": column})


def payloads(rows: EncodedRows) -> list[bytes | None]:
    """The payloads that an encoder writes."""
    array = pa.array(rows)
    array.validate(full=True)
    assert array.type == pa.binary()
    return array.to_pylist()


def encoded(schema: Any, batch: Any, **options: Any) -> list[bytes | None]:
    """The payloads of a batch without bad rows."""
    rows = AvroEncoder(schema, **options).encode(batch)
    assert rows.errors == []
    return payloads(rows)


def read(schema: Any, payload: bytes | None) -> Any:
    """The value that fastavro reads from a payload, which must be read completely."""
    if payload is None:
        return None
    stream = io.BytesIO(payload)
    value = fastavro.schemaless_reader(stream, schema, None)
    assert stream.read() == b""
    return value


def fastavro_payload(schema: Any, value: Any) -> bytes:
    """The payload that fastavro writes."""
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, schema, value)
    return stream.getvalue()


def written(schema: Any, column: Any) -> list[Any]:
    """The values that fastavro reads from the payloads of one column."""
    return [read(schema, payload) for payload in encoded(schema, rows_of(column))]


def bad_rows(schema: Any, column: Any) -> dict[int, str]:
    """The bad rows, each with its reason."""
    rows = AvroEncoder(schema).encode(rows_of(column))
    assert [row for row, payload in enumerate(payloads(rows)) if payload is None] == [
        error.row for error in rows.errors
    ]
    return {error.row: error.reason for error in rows.errors}


# ---- types -----------------------------------------------------------------------------------

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
TEXTS = [pa.string(), pa.large_string(), pa.string_view()]
BINARIES = [pa.binary(), pa.large_binary(), pa.binary_view()]


@pytest.mark.parametrize("kind", ["int", "long", "float", "double"])
@pytest.mark.parametrize("arrow", INTEGERS)
def test_integers(kind: str, arrow: str) -> None:
    """Integers of any width can be written as any of Avro's number types."""
    values = [0, 1, 100, *([-1, -100] if arrow[0] == "i" else [200])]
    assert written(kind, pa.array(values, arrow)) == values


@pytest.mark.parametrize("arrow", INTEGERS)
def test_limits_of_long(arrow: str) -> None:
    """The smallest and the largest value of each width are written.

    Only the upper half of uint64 is refused.
    """
    bits = int(re.sub(r"\D", "", arrow))
    values = [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] if arrow[0] == "i" else [0, 2**bits - 1]
    if arrow == "uint64":
        values = [0, 2**63 - 1]
    assert written("long", pa.array(values, arrow)) == values


@pytest.mark.parametrize("arrow", ["float16", "float32", "float64"])
@pytest.mark.parametrize("kind", ["float", "double"])
def test_real_numbers(kind: str, arrow: str) -> None:
    """Floats of any width are written, including their special values."""
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    values = numpy.array(
        [0.0, -0.0, 1.5, -2.25, 65504, 2.0**-24, 2.0**-14 + 2.0**-24, numpy.inf, -numpy.inf], arrow
    )
    result = written(kind, pa.array(values))
    assert result == [float(value) for value in values]
    assert str(result[1]) == "-0.0"
    [nan] = written(kind, pa.array(numpy.array([numpy.nan], arrow)))
    assert nan != nan


def test_double_as_float_is_rounded() -> None:
    """A double becomes the nearest float."""
    assert written("float", pa.array([0.1, 1e-60])) == [
        pa.scalar(0.1, pa.float32()).as_py(),
        0.0,
    ]


@pytest.mark.parametrize("arrow", [*TEXTS, *BINARIES], ids=str)
@pytest.mark.parametrize("kind", ["string", "bytes"])
def test_strings_and_bytes(kind: str, arrow: Any) -> None:
    """Strings and binary of any Arrow type are written as strings and bytes."""
    texts = ["", "a", "Grüße", TEXT, "twelve bytes"]
    values = texts if kind == "string" else [text.encode() for text in texts]
    column = pa.array([text.encode() for text in texts], pa.binary()).cast(arrow)
    assert written(kind, column) == values


@pytest.mark.parametrize("arrow", [pa.binary(3), *BINARIES, *TEXTS], ids=str)
def test_fixed(arrow: Any) -> None:
    """A fixed is written from binary of its size."""
    column = pa.array([b"abc", b"def"], pa.binary()).cast(arrow)
    assert written(fixed(3), column) == [b"abc", b"def"]


def test_fixed_size_binary_as_bytes_and_string() -> None:
    """Fixed-size binary is written as bytes, and as a string if it is UTF-8."""
    assert written("bytes", pa.array([b"ab", b"\xff\0"], pa.binary(2))) == [b"ab", b"\xff\0"]
    assert written("string", pa.array([b"ab"], pa.binary(2))) == ["ab"]
    assert written("bytes", pa.array([b""], pa.binary(0))) == [b""]


@pytest.mark.parametrize("arrow", [*TEXTS, pa.binary(), pa.dictionary(pa.int8(), pa.string())])
def test_enum(arrow: Any) -> None:
    """The strings of a column become the symbols of an enum, whatever the order and length of the
    symbols."""
    symbols = ["DIAMONDS", "A", "HEARTS", "AB", "CLUBS", "SPADES", "B"]
    values = [*symbols, "A"]
    column = pa.array(values, pa.string())
    column = column.dictionary_encode() if pa.types.is_dictionary(arrow) else column.cast(arrow)
    assert written(enum(*symbols), column) == values


@pytest.mark.parametrize("index", ["int8", "uint8", "int16", "uint32", "int64"])
def test_dictionaries(index: str) -> None:
    """Columns of any type may be dictionary-encoded, with nulls among the indices and the
    values."""
    indices = pa.array([1, 0, None, 2], index)
    column = pa.DictionaryArray.from_arrays(indices, pa.array(["a", "b", None]))
    assert written(["null", "string"], column) == ["b", "a", None, None]
    assert bad_rows("string", column) == {2: NULL_REASON, 3: NULL_REASON}
    numbers = pa.DictionaryArray.from_arrays(indices, pa.array([10, 20, 30]))
    assert written(["int", "null"], numbers) == [20, 10, None, 30]


@pytest.mark.parametrize(
    ("schema", "column"),
    [
        (list_of("int"), pa.array([[1], [2, 3]])),
        ([record(a="int")], pa.array([{"a": 1}, {"a": 2}])),
        (map_of("int"), pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int32()))),
    ],
)
def test_dictionaries_of_others(schema: Any, column: Any) -> None:
    """Columns of nested types may also be dictionary-encoded."""
    dictionary = pa.DictionaryArray.from_arrays(pa.array([1, 0, 1], "int8"), column)
    first, second = written(schema, column)
    assert written(schema, dictionary) == [second, first, second]


def test_dictionary_of_unions() -> None:
    """A dictionary of a union is refused."""
    column = pa.DictionaryArray.from_arrays(pa.array([0], "int8"), union_of("dense"))
    with pytest.raises(TypeError, match="'value' is dictionary of union, which cannot be written"):
        AvroEncoder(["long", "null", "string"]).encode(rows_of(column))


def test_dictionaries_below_nulls() -> None:
    """The index of a null row does not matter. Every other index must be within the dictionary."""
    indices = pa.array([0, 1, 9], "int8")
    column = pa.DictionaryArray.from_arrays(indices, pa.array(["a", "b"]), safe=False)
    nulls = pa.array([False, False, True])
    parent = pa.StructArray.from_arrays([column], ["a"], mask=nulls)
    assert written(["null", record(a="string")], parent) == [{"a": "a"}, {"a": "b"}, None]
    assert bad_rows("string", column) == {2: "an index that lies outside its dictionary"}
    assert bad_rows(["null", "string"], column) == {2: "an index that lies outside its dictionary"}
    lists = pa.array([None], pa.list_(pa.dictionary(pa.int8(), pa.string()), 2))
    assert written(["null", list_of("string")], lists) == [None]


def test_booleans() -> None:
    """Booleans are written from the bits of a column, also of a slice."""
    values = [True, False, True, True, False, False, True, True, True, False]
    column = pa.array([False, False, False, *values])
    assert written("boolean", column.slice(3)) == values


def test_null() -> None:
    """A column of nulls is written as Avro's null, which has no bytes."""
    assert encoded(record(a="null"), pa.record_batch({"a": pa.nulls(2)})) == [b"", b""]
    assert written(["int", "null"], pa.nulls(2)) == [None, None]


LISTS = [
    pa.list_,
    pa.large_list,
    pa.list_view,
    pa.large_list_view,
    lambda item: pa.list_(item, 2),
]


@pytest.mark.parametrize("arrow", LISTS)
def test_arrays(arrow: Any) -> None:
    """Lists of any kind are written as arrays, also from a slice."""
    values = [[1, 2], [3, 4], [5, 6]]
    column = pa.array(values, arrow(pa.int64()))
    assert written(list_of("long"), column) == values
    assert written(list_of("long"), column.slice(1)) == values[1:]


def test_arrays_of_many_and_few() -> None:
    """Lists may be empty, long, null and nested, and may have null items."""
    values = [[], [[]], [[1, None], [], [2]], [list(range(200))] * 70]
    column = pa.array([*values, None], pa.list_(pa.list_(pa.int32())))
    schema = ["null", list_of(list_of(["null", "int"]))]
    assert written(schema, column) == [*values, None]
    assert written(list_of("null"), pa.array([[None] * 3, []], pa.list_(pa.null()))) == [
        [None] * 3,
        [],
    ]


VIEWS = [(pa.ListViewArray, pa.int32()), (pa.LargeListViewArray, pa.int64())]


def views(
    kind: tuple[Any, pa.DataType], offsets: list[int], sizes: list[int], values: Any, **more: Any
) -> Any:
    """A column of list views."""
    array, width = kind
    return array.from_arrays(pa.array(offsets, width), pa.array(sizes, width), values, **more)


@pytest.mark.parametrize("kind", VIEWS)
def test_list_views(kind: Any) -> None:
    """Rows of list views may be in any order and overlap.

    The offset and size of a null row do not matter.
    """
    mask = pa.array([False, False, True, False, False])
    values = pa.array([7, 1, None, 3, 4, 9]).slice(1, 4)
    column = views(kind, [2, 0, 99, 4, 1], [2, 3, -1, 0, 3], values, mask=mask)
    schema = ["null", list_of(["null", "long"])]
    assert written(schema, column) == [[3, 4], [1, None, 3], None, [], [None, 3, 4]]
    for start in range(6):
        assert written(schema, column[start:]) == column[start:].to_pylist()
    structs = pa.StructArray.from_arrays([column], ["a"])
    assert written([record(a=schema)], structs[1:]) == structs[1:].to_pylist()
    assert bad_rows(list_of(["null", "long"]), column) == {2: NULL_REASON}


@pytest.mark.parametrize("kind", VIEWS)
def test_list_views_of_lists(kind: Any) -> None:
    """List views may be nested in list views, lists and dictionaries, and contain structs."""
    texts = pa.array(["a", TEXT, "", "b"], pa.string_view())
    inner = views(kind, [3, 0, 1], [1, 2, 3], pa.StructArray.from_arrays([texts], ["a"]))
    outer = views(kind, [1, 0, 2], [2, 3, 0], inner)
    schema: Any = list_of(list_of(record(a="string")))
    assert written(schema, outer) == outer.to_pylist()
    assert written(schema, outer[1:]) == outer.to_pylist()[1:]
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 3], pa.int32()), outer)
    assert written(list_of(schema), lists[1:]) == lists[1:].to_pylist()
    encoded_twice = pa.DictionaryArray.from_arrays(pa.array([2, 0, 2], pa.int8()), outer)
    assert written(schema, encoded_twice) == encoded_twice.to_pylist()
    assert written(schema, views(kind, [], [], inner)) == []


@pytest.mark.parametrize("kind", VIEWS)
@pytest.mark.parametrize(
    ("offset", "size", "problem"),
    [
        (-1, 1, "its offsets or sizes are negative"),
        (0, -1, "its offsets or sizes are negative"),
        (5, 0, "its offsets and sizes lie outside its values"),
        (4, 1, "its offsets and sizes lie outside its values"),
        (1, 2**31 - 1, "its offsets and sizes lie outside its values"),
        (2**31 - 1, 2**31 - 1, "its offsets and sizes lie outside its values"),
    ],
)
def test_list_views_of_what_is_not_there(kind: Any, offset: int, size: int, problem: str) -> None:
    """An item outside the values raises ValueError, also within a list.

    Rows before a slice are not checked.
    """
    column = views(kind, [offset, 1], [size, 2], pa.array([1, 2, 3, 4, 5, 6]).slice(1, 4))
    encoder = AvroEncoder(list_of("long"))
    with pytest.raises(ValueError, match=f"batch is not valid Arrow data: {problem}"):
        encoder.encode(rows_of(column))
    assert written(list_of("long"), column[1:]) == [[3, 4]]
    with pytest.raises(ValueError, match=problem):
        AvroEncoder(list_of(list_of("long"))).encode(rows_of(views(kind, [0], [2], column)))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda batch, column: batch.set(column, "n_buffers", 2), "buffers are missing"),
        (lambda batch, column: batch.set(column, "buffers", None), "buffers are missing"),
        (
            lambda batch, column: batch.clear_item(column.buffers, 1),
            "its offsets or sizes are missing",
        ),
        (
            lambda batch, column: batch.clear_item(column.buffers, 2),
            "its offsets or sizes are missing",
        ),
        (lambda batch, column: batch.set(column, "n_children", 0), "its children do not match"),
    ],
)
def test_broken_list_views(change: Any, problem: str) -> None:
    """A list view without a buffer or without its values raises ValueError."""
    source = pa.StructArray.from_arrays([pa.array([[1], [2]], pa.list_view(pa.int32()))], ["value"])
    with tampered(source) as batch:
        change(batch, batch.column(0))
        with pytest.raises(ValueError, match=f"batch is not valid Arrow data: {problem}"):
            AvroEncoder(list_of("int")).encode(batch)


def test_fixed_size_lists_of_none() -> None:
    """A fixed-size list of size 0 is written as an empty array."""
    column = pa.array([[], []], pa.list_(pa.int8(), 0))
    assert written(list_of("int"), column) == [[], []]


MAPS = [{"a": 1, "b": None}, {}, {TEXT: 3}]


def test_maps() -> None:
    """Maps are written from maps, and from lists of structs of key and value, which libraries
    without maps use."""
    column = pa.array([list(one.items()) for one in MAPS], pa.map_(pa.string(), pa.int32()))
    schema = map_of(["null", "int"])
    assert written(schema, column) == MAPS
    item = pa.struct([("value", pa.int32()), ("key", pa.string())])
    rows = [[{"key": key, "value": value} for key, value in one.items()] for one in MAPS]
    for arrow in (pa.list_, pa.list_view, pa.large_list_view):
        assert written(schema, pa.array(rows, arrow(item))) == MAPS


def test_struct_as_map() -> None:
    """The fields of a struct become the entries of a map. Fields that are null are left out."""
    column = pa.array([{"a": 1, "b": 2}, {"a": None, "b": 3}, {"a": None, "b": None}])
    expected = [{"a": 1, "b": 2}, {"b": 3}, {}]
    assert written(map_of("int"), column) == expected
    assert written(map_of(["null", "long"]), column) == expected
    assert written(map_of("int"), pa.array([{}, {}], pa.struct([]))) == [{}, {}]
    nulls = pa.array([{"a": None}], pa.struct([("a", pa.null())]))
    assert written(map_of("int"), nulls) == [{}]


def test_records() -> None:
    """Structs are written as records, at any depth. A null struct is written as null."""
    inner = {"type": "record", "name": "Inner", "fields": [{"name": "x", "type": "int"}]}
    schema = record(a=["null", {**record(b=inner, c="string"), "name": "Outer"}])
    values = [{"a": {"b": {"x": 1}, "c": "z"}}, {"a": None}, {"a": {"b": {"x": -1}, "c": ""}}]
    table = pa.RecordBatch.from_pylist(values)
    assert [read(schema, payload) for payload in encoded(schema, table)] == values
    sliced = encoded(schema, table.slice(1, 2))
    assert [read(schema, payload) for payload in sliced] == values[1:]


def test_record_without_fields() -> None:
    """A record without fields has an empty payload, which is not a tombstone."""
    batch = pa.array([{}, None, {}], pa.struct([]))
    assert encoded(record(), batch) == [b"", None, b""]


# ---- logical types ---------------------------------------------------------------------------

DAYS = [dt.date(1969, 12, 31), dt.date(1970, 1, 1), dt.date(2024, 2, 29)]


@pytest.mark.parametrize("arrow", [pa.date32(), pa.date64()], ids=str)
def test_dates(arrow: Any) -> None:
    """Dates of both widths are written."""
    assert written(logical("date", "int"), pa.array(DAYS, arrow)) == DAYS


@pytest.mark.parametrize(
    ("kind", "name", "arrow", "micros"),
    [
        ("int", "time-millis", pa.time32("s"), 45_000_000),
        ("int", "time-millis", pa.time32("ms"), 45_123_000),
        ("int", "time-millis", pa.time64("us"), 45_123_000),
        ("int", "time-millis", pa.time64("ns"), 45_123_000),
        ("long", "time-micros", pa.time32("s"), 45_000_000),
        ("long", "time-micros", pa.time32("ms"), 45_123_000),
        ("long", "time-micros", pa.time64("us"), 45_123_456),
        ("long", "time-micros", pa.time64("ns"), 45_123_456),
    ],
)
def test_times(kind: str, name: str, arrow: Any, micros: int) -> None:
    """Times of day of any unit are written; smaller units are rounded down."""
    day = dt.datetime(2024, 1, 1)
    column = pa.array([45_123_456_789], pa.int64()).cast(pa.time64("ns")).cast(arrow, safe=False)
    expected = (day + dt.timedelta(microseconds=micros)).time()
    assert written(logical(name, kind), column) == [expected]


@pytest.mark.parametrize("zone", [None, "UTC", "+02:00", "Europe/Berlin"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("name", ["millis", "micros", "nanos"])
def test_timestamps(name: str, unit: str, zone: str | None) -> None:
    """Timestamps of any unit and zone are written; smaller units are rounded down, also before
    1970."""
    scale = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
    target = {"millis": 10**6, "micros": 10**3, "nanos": 1}[name]
    nanos = [1_700_000_000_123_456_789, -1, 0, -1_000_000_001]
    values = [value // scale[unit] for value in nanos]
    column = pa.array(values, pa.int64()).cast(pa.timestamp(unit, zone))
    expected = [value * scale[unit] // target for value in values]
    schema = logical(f"timestamp-{name}", "long")
    result = encoded(schema, rows_of(column))
    assert [read("long", payload) for payload in result] == expected


@pytest.mark.parametrize("zone", [None, "UTC", "+00:00", "Etc/UTC"])
def test_local_timestamps(zone: str | None) -> None:
    """A local timestamp is written from timestamps without a zone, or of UTC."""
    times = [dt.datetime(2024, 1, 1, 12, 30, 1, 2000), dt.datetime(1960, 1, 1)]
    column = pa.array(times, pa.timestamp("us")).cast(pa.int64()).cast(pa.timestamp("us", zone))
    assert written(logical("local-timestamp-millis", "long"), column) == times
    assert written(logical("local-timestamp-micros", "long"), column) == times


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("int", "date"),
        ("int", "time-millis"),
        ("long", "time-micros"),
        ("long", "timestamp-millis"),
        ("long", "local-timestamp-nanos"),
    ],
)
def test_integers_of_logical_types(kind: str, name: str) -> None:
    """A column of integers is written to a logical type without a conversion."""
    for arrow in ("int32", "int64", "uint16"):
        [payload] = encoded(logical(name, kind), rows_of(pa.array([1234], arrow)))
        assert read(kind, payload) == 1234


DECIMALS = ["0", "1.25", "-1.25", "99999.99", "-99999.99", "0.01", "-0.01", "1.28", "-1.28"]


@pytest.mark.parametrize("width", ["decimal32", "decimal64", "decimal128", "decimal256"])
@pytest.mark.parametrize("kind", ["bytes", fixed(4), fixed(40)], ids=str)
def test_decimals(width: str, kind: Any) -> None:
    """Decimals of any width are written as the fewest bytes, or as a fixed of any size."""
    if not hasattr(pa, width):
        pytest.skip(f"this pyarrow has no {width}")
    values = [Decimal(text).quantize(Decimal("0.01")) for text in DECIMALS]
    column = pa.array(values, getattr(pa, width)(7, 2))
    more = {"logicalType": "decimal", "precision": 7, "scale": 2}
    schema = {"type": kind, **more} if kind == "bytes" else {**kind, **more}
    result = encoded(schema, rows_of(column))
    assert [read(schema, payload) for payload in result] == values
    if kind != "bytes":  # fastavro writes one byte more for -1.28
        assert result == [fastavro_payload(schema, value) for value in values]


def test_decimals_of_other_scales() -> None:
    """A decimal is rescaled if no digit is lost."""
    values = [Decimal("1.50"), Decimal("-20.00")]
    assert written(decimal(10, 4), pa.array(values, pa.decimal128(5, 2))) == values
    assert written(decimal(10, 1), pa.array(values, pa.decimal128(5, 2))) == values
    large = [Decimal(10**75), Decimal(-(10**75))]
    assert written(decimal(76, 0), pa.array(large, pa.decimal256(76, 0))) == large
    assert written(decimal(76, 40), pa.array([Decimal(7)], pa.decimal128(38, 0))) == [Decimal(7)]
    negative = pa.array([Decimal("1200")], pa.decimal128(5, -2))
    assert written(decimal(5, 0), negative) == [Decimal(1200)]


def test_uuids() -> None:
    """UUIDs of 16 bytes or of text are written as text or as a fixed."""
    text, fix = logical("uuid", "string"), fixed(16, logicalType="uuid")
    binary = pa.array([ID.bytes], pa.binary(16))
    columns = [binary, pa.array([str(ID)]), pa.array([str(ID)], pa.string_view())]
    if hasattr(pa, "uuid"):
        columns.append(pa.ExtensionArray.from_storage(pa.uuid(), binary))
    for column in columns:
        assert written(text, column) == [ID]
        [payload] = encoded(fix, rows_of(column))
        assert payload == ID.bytes
    upper = pa.array([str(ID).upper()])
    assert written(text, upper) == [ID]


def test_durations() -> None:
    """Intervals, and durations of any unit, are written in milliseconds, rounded down."""
    schema = fixed(12, logicalType="duration")
    interval = pa.array([(1, 2, 3_999_999), (2**31 - 1, 0, 0)], pa.month_day_nano_interval())
    assert encoded(schema, rows_of(interval)) == [
        b"\1\0\0\0\2\0\0\0\3\0\0\0",
        b"\xff\xff\xff\x7f" + bytes(8),
    ]
    for unit, count in (("s", 5), ("ms", 5_000), ("us", 5_000_999), ("ns", 5_000_999_999)):
        column = pa.array([count], pa.duration(unit))
        assert encoded(schema, rows_of(column)) == [bytes(8) + (5000).to_bytes(4, "little")]
    for kind in (pa.binary(12), pa.binary()):  # Spark's type for a duration
        assert encoded(schema, rows_of(pa.array([b"twelve bytes"], kind))) == [b"twelve bytes"]
    with pytest.raises(TypeError, match="string, which cannot be written as duration"):
        encoded(schema, rows_of(pa.array(["twelve bytes"])))


# ---- unions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("schema", [["null", "long"], ["long", "null"]])
def test_nullable(schema: Any) -> None:
    """A nullable column is written to a union with null, wherever the union has its null."""
    assert written(schema, pa.array([1, None, 3])) == [1, None, 3]


@pytest.mark.parametrize(
    ("schema", "column", "branch"),
    [
        (["null", "int", "long"], pa.array([1]), 2),
        (["null", "int", "long"], pa.array([1], "int16"), 1),
        (["int", "string"], pa.array(["a"]), 1),
        (["int", "string"], pa.array([1]), 0),
        (["bytes", "string"], pa.array(["a"]), 1),
        (["string", "bytes"], pa.array([b"a"]), 1),
        (["string", "bytes"], pa.array(["a"]).dictionary_encode(), 0),
        (["double", "int"], pa.array([1]), 1),
        (["float", "double"], pa.array([1.5]), 1),
        (["float", "double"], pa.array([1.5], "float32"), 0),
        ([enum("A"), "string"], pa.array(["A"]), 1),
        ([enum("A"), "long"], pa.array(["A"]), 0),
        (["long", logical("date", "int")], pa.array(DAYS[:1]), 1),
        (["int", list_of("int")], pa.array([[1]], pa.list_(pa.int8())), 1),
        ([map_of("int"), record(a="int")], pa.array([{"a": 1}]), 1),
        ([map_of("long"), record(b="int")], pa.array([{"a": 1}]), 0),
        ([record(a="long"), {**record(b="long"), "name": "Two"}], pa.array([{"b": 1}]), 1),
        (["string"], pa.array(["a"]), 0),
    ],
)
def test_which_branch(schema: Any, column: Any, branch: int) -> None:
    """A column is written to the first branch that loses nothing.

    If there is none, it is written to the first branch of its kind, or else to the first branch
    that accepts it.
    """
    [payload] = encoded(schema, rows_of(column))
    assert payload is not None
    assert payload[0] == branch * 2
    assert read(schema, payload) == column[0].as_py()


def union_of(mode: str) -> Any:
    """An Arrow union with values of two types, and with nulls."""
    ids = pa.array([0, 1, 0, 1, 1], pa.int8())
    names = ["string", "long"]
    if mode == "dense":
        children = [pa.array(["a", None]), pa.array([7, None, -9])]
        offsets = pa.array([0, 0, 1, 1, 2], pa.int32())
        return pa.UnionArray.from_dense(ids, offsets, children, names)
    children = [pa.array(["a", "x", None, "x", "x"]), pa.array([0, 7, 0, None, -9])]
    return pa.UnionArray.from_sparse(ids, children, names)


@pytest.mark.parametrize("mode", ["sparse", "dense"])
def test_arrow_unions(mode: str) -> None:
    """Arrow's unions are written as Avro's unions.

    A null of a child is written to the null branch, or is a bad row.
    """
    column = union_of(mode)
    assert written(["long", "null", "string"], column) == ["a", 7, None, None, -9]
    assert written(["long", "null", "string"], column.slice(1)) == [7, None, None, -9]
    assert bad_rows(["long", "string"], column) == {2: NULL_REASON, 3: NULL_REASON}
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 5], pa.int32()), column)
    assert written(list_of(["long", "null", "string"]), lists) == [["a", 7], [None, None, -9]]


@pytest.mark.parametrize("mode", ["sparse", "dense"])
def test_arrow_unions_by_name(mode: str) -> None:
    """A child of an Arrow union is written as the branch with its name, if that branch accepts
    it."""
    ids, offsets = pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32())
    count = 1 if mode == "dense" else 2
    children = [pa.array([{"a": 1}] * count), pa.array([{"a": 2}] * count)]
    names = ["Two", "Row"]
    column = (
        pa.UnionArray.from_dense(ids, offsets, children, names)
        if mode == "dense"
        else pa.UnionArray.from_sparse(ids, children, names)
    )
    schema = [record(a="int"), {**record(a="int"), "name": "Two", "namespace": "n"}]
    result = encoded(schema, rows_of(column))
    assert result == [b"\2\2", b"\0\4"]


def test_arrow_union_as_one_type() -> None:
    """An Arrow union can be written as one type that accepts all of its children."""
    ids = pa.array([0, 1], pa.int8())
    column = pa.UnionArray.from_sparse(ids, [pa.array([1, 2], "int8"), pa.array([3, 4], "int64")])
    assert written("long", column) == [1, 4]


def test_arrow_union_with_other_ids() -> None:
    """The encoder reads the type ids of an Arrow union from its type. They need not be 0, 1, 2."""
    ids = pa.array([5, 100, 5], pa.int8())
    children = [pa.array([1, 2, 3]), pa.array(["a", "b", "c"])]
    column = pa.UnionArray.from_sparse(ids, children, ["i", "s"], [5, 100])
    assert written(["long", "string"], column) == [1, "b", 3]


# ---- bad rows --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "column", "reason"),
    [
        ("int", pa.array([2**31]), "an integer of more than 32 bits"),
        ("int", pa.array([-(2**31) - 1]), "an integer of more than 32 bits"),
        ("int", pa.array([2**32 - 1], "uint32"), "an integer of more than 32 bits"),
        ("long", pa.array([2**63], "uint64"), "an integer of more than 64 bits"),
        ("double", pa.array([2**64 - 1], "uint64"), "an integer of more than 64 bits"),
        ("float", pa.array([1e39]), "a number that is too large for a float"),
        ("string", pa.array([b"\xff"]), "a string that is not UTF-8"),
        (fixed(2), pa.array([b"abc"]), "bytes whose size differs from the size of the fixed"),
        (enum("A", "B"), pa.array(["AB"]), "a symbol that the enum does not have"),
        (enum("A", "B"), pa.array([""]), "a symbol that the enum does not have"),
        (enum(), pa.array(["A"]), "a symbol that the enum does not have"),
        (
            logical("timestamp-nanos", "long"),
            pa.array([2**62], pa.timestamp("s")),
            "an integer of more than 64 bits",
        ),
        (
            logical("timestamp-micros", "long"),
            pa.array([-(2**62)], pa.timestamp("s")),
            "an integer of more than 64 bits",
        ),
        (
            logical("time-millis", "int"),
            pa.array([86_400_000]),
            "a time of day that is out of range",
        ),
        (logical("time-micros", "long"), pa.array([-1]), "a time of day that is out of range"),
        (
            logical("time-millis", "int"),
            pa.array([86_400], pa.int32()).view(pa.time32("s")),
            "a time of day that is out of range",
        ),
        (
            decimal(3, 0),
            pa.array([Decimal(1000)], pa.decimal128(38, 0)),
            "a decimal of more digits than its precision",
        ),
        (
            decimal(38, 30),
            pa.array([Decimal(10**8)], pa.decimal128(38, 0)),
            "a decimal of more digits than its precision",
        ),
        (
            decimal(76, 76),
            pa.array([Decimal(10**70)], pa.decimal256(76, 0)),
            "a decimal of more digits than its precision",
        ),
        (
            decimal(9, 1),
            pa.array([Decimal("1.01")], pa.decimal128(5, 2)),
            "a decimal of more digits after the point than its scale",
        ),
        (logical("uuid", "string"), pa.array(["no"]), "text that is not a UUID"),
        (logical("uuid", "string"), pa.array([str(ID)[:-1] + "g"]), "text that is not a UUID"),
        (fixed(16, logicalType="uuid"), pa.array([ID.hex]), "text that is not a UUID"),
        (
            fixed(12, logicalType="duration"),
            pa.array([(-1, 0, 0)], pa.month_day_nano_interval()),
            "a negative duration",
        ),
        (
            fixed(12, logicalType="duration"),
            pa.array([(0, 0, -1)], pa.month_day_nano_interval()),
            "a negative duration",
        ),
        (
            fixed(12, logicalType="duration"),
            pa.array([2**32], pa.duration("ms")),
            "a duration of more than 2^32-1 milliseconds",
        ),
        ("boolean", pa.array([None], pa.bool_()), NULL_REASON),
        ("int", pa.array([None], "int32"), NULL_REASON),
        ("long", pa.array([None], "int64"), NULL_REASON),
        ("long", pa.array([None], "int8"), NULL_REASON),
        ("double", pa.array([None], "float64"), NULL_REASON),
        ("float", pa.array([None], "float64"), NULL_REASON),
        ("float", pa.array([None], "int64"), NULL_REASON),
        ("string", pa.array([None], pa.string_view()), NULL_REASON),
        ("bytes", pa.array([None], pa.binary()), NULL_REASON),
        (fixed(2), pa.array([None], pa.binary(2)), NULL_REASON),
        (enum("A"), pa.array([None], pa.string()), NULL_REASON),
        (decimal(3, 0), pa.array([None], pa.decimal128(3)), NULL_REASON),
        (logical("uuid", "string"), pa.array([None], pa.string()), NULL_REASON),
        (logical("uuid", "string"), pa.array([None], pa.binary(16)), NULL_REASON),
        (fixed(16, logicalType="uuid"), pa.array([None], pa.string()), NULL_REASON),
        (
            fixed(12, logicalType="duration"),
            pa.array([None], pa.month_day_nano_interval()),
            NULL_REASON,
        ),
        (list_of("int"), pa.array([None], pa.list_(pa.int32())), NULL_REASON),
        (list_of("int"), pa.array([[1, None]], pa.list_(pa.int32())), NULL_REASON),
        (map_of("int"), pa.array([None], pa.map_(pa.string(), pa.int32())), NULL_REASON),
        (map_of("int"), pa.array([None], pa.struct([("a", pa.int32())])), NULL_REASON),
        (
            map_of("int"),
            pa.array([[("a", None)]], pa.map_(pa.string(), pa.int32())),
            NULL_REASON,
        ),
        ([record(a="int")], pa.array([None], pa.struct([("a", pa.int32())])), NULL_REASON),
    ],
)
def test_bad_rows(schema: Any, column: Any, reason: str) -> None:
    """A row with a value that the schema does not allow is bad. The other rows are written."""
    assert bad_rows(schema, column) == {0: reason}
    nullable = pa.concat_arrays([column, pa.nulls(1).cast(column.type)])
    union = schema if isinstance(schema, list) else [schema]
    rows = AvroEncoder(["null", *union]).encode(rows_of(nullable))
    assert payloads(rows)[1] == b"\0"


def test_where_rows_are_bad() -> None:
    """An error names the row, the field, and the length of the payload before the bad value.

    The other rows are complete.
    """
    schema = record(a="string", b=list_of(record(c="int") | {"name": "Item"}))
    batch = pa.RecordBatch.from_pylist(
        [
            {"a": "x", "b": [{"c": 1}]},
            {"a": "x", "b": [{"c": 1}, {"c": 2**40}]},
            {"a": None, "b": []},
            {"a": "y", "b": []},
        ]
    )
    rows = AvroEncoder(schema, schema_id=3).encode(batch)
    frame = b"\0\0\0\0\3"
    assert payloads(rows) == [frame + b"\2x\2\2\0", None, None, frame + b"\2y\0"]
    assert rows.errors == [
        RowError(1, 9, "b[].c", "an integer of more than 32 bits"),
        RowError(2, 5, "a", NULL_REASON),
    ]
    assert repr(rows) == "EncodedRows(4 rows, 2 of them bad)"
    errors = rows.error_column()
    assert isinstance(errors, DecodedRows)
    assert pa.array(errors).to_pylist() == [
        None,
        {"offset": 9, "field": "b[].c", "reason": "an integer of more than 32 bits"},
        {"offset": 5, "field": "a", "reason": NULL_REASON},
        None,
    ]


@pytest.mark.parametrize("schema_id", [None, 3])
@pytest.mark.parametrize("apart", [1, 2, 7, 300, 2000])
def test_runs_of_rows(schema_id: int | None, apart: int) -> None:
    """Rows between bad rows, and rows that need more memory than the rows before, are written
    correctly."""
    schema = record(a="string", b=list_of(record(c="int") | {"name": "Item"}))
    items: list[list[dict[str, Any]]] = [[{"c": n} for n in range(count)] for count in range(5)]
    rows: list[dict[str, Any]] = [
        {"a": "x" * (number % 40 * number // 50), "b": items[number % 5]} for number in range(1000)
    ]
    bad = range(apart, len(rows), apart)
    for number in bad:
        rows[number] = {"a": "bad", "b": [{"c": 1}, {"c": 2**40}]} if number % 2 else {"b": []}
    kind = pa.struct([("a", pa.string()), ("b", pa.list_(pa.struct([("c", pa.int64())])))])
    batch = pa.RecordBatch.from_struct_array(pa.array(rows, kind))
    encoder = AvroEncoder(schema, schema_id=schema_id)
    result = encoder.encode(batch)
    one_by_one = [encoder.encode(batch.slice(number, 1)) for number in range(len(rows))]
    assert payloads(result) == [payloads(one)[0] for one in one_by_one]
    assert [error.row for error in result.errors] == list(bad)
    assert [error._replace(row=0) for error in result.errors] == [
        one_by_one[number].errors[0] for number in bad
    ]
    whole = AvroEncoder(schema).encode(batch)
    for number in set(range(len(rows))) - set(bad):
        assert read(schema, payloads(whole)[number]) == rows[number]


# ---- names -----------------------------------------------------------------------------------


def test_columns_by_name() -> None:
    """Columns have the schema's names in any order."""
    batch = pa.record_batch({"b": pa.array(["x"]), "a": pa.array([1])})
    schema = record(a="long", b="string")
    assert [read(schema, payload) for payload in encoded(schema, batch)] == [{"a": 1, "b": "x"}]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ({"type": "int", "default": 7}, 7),
        ({"type": ["null", "int"]}, None),
        ({"type": ["int", "null"]}, None),
        ({"type": ["int", "null"], "default": 5}, 5),
        ({"type": "null"}, None),
        ({"type": list_of("int"), "default": [1, 2]}, [1, 2]),
        ({"type": record(x="string"), "default": {"x": "y"}}, {"x": "y"}),
    ],
)
def test_missing_columns(field: dict[str, Any], value: Any) -> None:
    """A field without a column gets its default.

    A field without a default gets null, if it may be null.
    """
    schema = {
        "type": "record",
        "name": "Outer",
        "fields": [{"name": "a", "type": "int"}, {"name": "b", **field}],
    }
    batch = pa.record_batch({"a": pa.array([1])})
    assert [read(schema, one) for one in encoded(schema, batch)] == [{"a": 1, "b": value}]


def test_lists_that_are_left_out() -> None:
    """The items of a list that is left out may have a type that no encoder can read."""
    items = pa.RunEndEncodedArray.from_arrays(pa.array([3, 4], pa.int32()), ["a", "b"])
    offsets, sizes = pa.array([0, 2], pa.int32()), pa.array([2, 2], pa.int32())
    batch = pa.record_batch(
        {
            "value": [1, 2],
            "list": pa.ListArray.from_arrays(pa.array([0, 2, 4], pa.int32()), items),
            "view": pa.ListViewArray.from_arrays(offsets, sizes, items),
            "pair": pa.FixedSizeListArray.from_arrays(items, 2),
        }
    )
    for start in range(3):
        rows = AvroEncoder("int", extra="ignore").encode(batch[start:])
        assert payloads(rows) == [b"\2", b"\4"][start:]
        assert rows.errors == []


def test_wrong_default() -> None:
    """A default that does not match its type is reported as an error of the schema."""
    schema = record(a="int")
    schema["fields"][0]["default"] = "text"
    with pytest.raises(AvroSchemaError, match="the default of the field 'a'"):
        AvroEncoder(schema).encode(pa.array([{}], pa.struct([])))


INNER = {**record(x="int"), "name": "Inner"}


@pytest.mark.parametrize(
    ("schema", "batch", "message"),
    [
        (
            record(a="int", b="int", c="int"),
            {"a": [1]},
            "batch: there is no column 'b', 'c', which the schema has without a default",
        ),
        (
            record(city="string"),
            {"City": ["x"]},
            "there is no column 'city', .*; did you mean 'City'?",
        ),
        (record(a=INNER), {"a": [{"y": 1}]}, "there is no column 'x' in 'a'"),
        (
            record(a="int"),
            {"a": [1], "b": [1], "c": [1]},
            "the schema has no field 'b', 'c'; extra=\"ignore\" leaves it out",
        ),
        (record(name="int"), {"name": [1], "names": [1]}, "no field 'names'; did you mean 'name'?"),
        (record(a=INNER), {"a": [{"x": 1, "y": 1}]}, "the schema has no field 'y' in 'a'"),
        ("int", {"a": [1]}, "there is no column 'value'"),
    ],
)
def test_wrong_names(schema: Any, batch: dict[str, Any], message: str) -> None:
    """Missing or unknown columns raise a TypeError that names them."""
    with pytest.raises(TypeError, match=message):
        AvroEncoder(schema).encode(pa.record_batch(batch))


def test_extra_are_ignored() -> None:
    """With extra="ignore", the encoder ignores columns of any type that the schema does not
    have."""
    item = {"x": 1, "more": [[1]]}
    batch = pa.record_batch(
        {"no": pa.array([b"\xff"]), "a": [item], "ree": pa.array([1]), "u": union_of("dense")[:1]}
    )
    schema = record(a=INNER)
    result = encoded(schema, batch, extra="ignore")
    assert [read(schema, payload) for payload in result] == [{"a": {"x": 1}}]


def test_the_same_name_twice() -> None:
    """Two columns with the same name raise TypeError."""
    batch = pa.RecordBatch.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])
    with pytest.raises(TypeError, match="there are 2 columns 'a'"):
        AvroEncoder(record(a="long")).encode(batch)


# ---- refusals --------------------------------------------------------------------------------

STAMP = pa.array([0], pa.timestamp("us", "Europe/Berlin"))


@pytest.mark.parametrize(
    ("schema", "column", "message"),
    [
        ("boolean", pa.array([1]), "'value' is int64, which cannot be written as boolean"),
        ("int", pa.array([1.5]), "'value' is float64, which cannot be written as int"),
        ("long", pa.array(["a"]), "string, which cannot be written as long"),
        ("long", pa.array(DAYS), "date32, which cannot be written as long"),
        ("long", STAMP, r"timestamp\[us, tz=Europe/Berlin\], which cannot be written as long"),
        ("long", pa.array([1], pa.duration("s")), "duration, which cannot be written as long"),
        ("double", pa.array([Decimal(1)]), "decimal, which cannot be written as double"),
        ("string", pa.array([1]), "int64, which cannot be written as string"),
        ("bytes", pa.array([1]), "int64, which cannot be written as bytes"),
        ("int", pa.nulls(1), "null, which cannot be written as int"),
        (["int", "string"], pa.nulls(1), "null, which cannot be written as any of int, string"),
        ("null", pa.array([1]), "int64, which cannot be written as null"),
        (fixed(3), pa.array([b"ab"], pa.binary(2)), "fixed_size_binary.* as fixed Fixed"),
        (enum("A"), pa.array([0]), "int64, which cannot be written as enum Enum"),
        (list_of("int"), pa.array([1]), "int64, which cannot be written as array"),
        (list_of("int"), pa.array([["a"]]), r"'value\[\]' is string, .* as int"),
        (map_of("int"), pa.array([[1]]), "list, which cannot be written as map"),
        (map_of("int"), pa.array([{"a": "x"}]), "'value.a' is string, .* as int"),
        (
            map_of("int"),
            pa.array([[(1, 2)]], pa.map_(pa.int32(), pa.int32())),
            "int32, which cannot be written as string",
        ),
        ([record(a="int")], pa.array([[1]]), "list, which cannot be written as record Row"),
        (logical("date", "int"), STAMP, r"cannot be written as date \(int\)"),
        (logical("time-millis", "int"), pa.array(DAYS), r"as time-millis \(int\)"),
        (logical("timestamp-millis", "long"), pa.array(DAYS), r"as timestamp-millis \(long\)"),
        (logical("local-timestamp-millis", "long"), STAMP, "tz=Europe/Berlin.* as local-"),
        (decimal(5, 2), pa.array([1]), r"int64, which cannot be written as decimal \(bytes\)"),
        (decimal(5, 2), pa.array([b"1"]), "binary, which cannot be written as decimal"),
        (logical("uuid", "string"), pa.array([b"1"]), "binary, which cannot be written as uuid"),
        (logical("uuid", "string"), pa.array([b"1"], pa.binary(1)), "cannot be written as uuid"),
        (fixed(12, logicalType="duration"), pa.array([1]), "cannot be written as duration"),
        (["null", "int"], pa.array(["a"]), "'value' is string, which cannot be written as int"),
        (
            ["null", "int", "boolean"],
            pa.array(["a"]),
            "string, which cannot be written as any of null, int, boolean",
        ),
        (["long", "string"], pa.array([1.5]).dictionary_encode(), "dictionary of float64"),
        ("long", union_of("sparse"), "'value' is string, which cannot be written as long"),
        (
            list_of("int"),
            pa.RunEndEncodedArray.from_arrays([1], [[1]]),
            "run_end_encoded, which cannot be written as array",
        ),
    ],
)
def test_wrong_types(schema: Any, column: Any, message: str) -> None:
    """A column that cannot have the schema's type raises a TypeError that names both types."""
    with pytest.raises(TypeError, match=message):
        AvroEncoder(schema).encode(rows_of(column))


def test_wrong_types_of_an_empty_table() -> None:
    """The types of a table without rows are checked, too."""
    table = pa.table({"a": pa.chunked_array([], pa.string())})
    with pytest.raises(TypeError, match="cannot be written as int"):
        AvroEncoder(record(a="int")).encode(table)
    assert encoded(record(a="string"), table) == []


@pytest.mark.parametrize("batch", [None, 1, [{"a": 1}], {"a": [1]}, b"x"])
def test_no_batch(batch: Any) -> None:
    """An object without the Arrow protocol raises a TypeError that names accepted objects."""
    with pytest.raises(TypeError, match="batch must be a record batch, table or data frame"):
        AvroEncoder(record(a="int")).encode(batch)


def test_array_of_no_structs() -> None:
    """An array that is not a struct has no columns, and raises TypeError."""
    with pytest.raises(TypeError, match="not an array of int64"):
        AvroEncoder("long").encode(pa.array([1]))


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((1,), {}, TypeError, "schema must be str"),
        (("{",), {}, AvroSchemaError, "schema is not JSON"),
        (({"type": "nothing"},), {}, AvroSchemaError, "there is no type 'nothing'"),
        (("int",), {"schema_id": "1"}, TypeError, "schema_id must be int, not str"),
        (("int",), {"schema_id": True}, TypeError, "schema_id must be int, not bool"),
        (("int",), {"schema_id": -1}, ValueError, "schema_id must be from 0"),
        (("int",), {"schema_id": 2**32}, ValueError, "schema_id must be from 0"),
        (("int",), {"extra": "drop"}, ValueError, "extra must be one of error"),
    ],
)
def test_wrong_arguments(
    arguments: tuple[Any, ...], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    """Wrong arguments raise errors that name the arguments."""
    with pytest.raises(error, match=message):
        AvroEncoder(*arguments, **options)


def test_recursive_schema() -> None:
    """A recursive record is written as deep as the columns are nested."""
    schema = record(v="int", next=["null", "Row"])
    rows = [{"v": 1, "next": {"v": 2, "next": {"v": 3}}}, {"v": 4, "next": None}]
    kind = pa.struct([("v", pa.int32()), ("next", pa.struct([("v", pa.int32())]))])
    batch = pa.table({"v": [1, 4], "next": pa.array([one["next"] for one in rows], kind)})
    found = AvroEncoder(schema).encode(batch)
    assert not found.errors
    assert [read(schema, one) for one in payloads(found)] == [
        {"v": 1, "next": {"v": 2, "next": {"v": 3, "next": None}}},
        {"v": 4, "next": None},
    ]


# ---- batches and results -----------------------------------------------------------------------

ROWS = [{"a": 1, "b": "x"}, {"a": 2, "b": None}, {"a": 3, "b": TEXT}]
SCHEMA = record(a="long", b=["null", "string"])
EXPECTED = [fastavro_payload(SCHEMA, row) for row in ROWS]


def test_sources_of_pyarrow() -> None:
    """Record batches, tables of many chunks, slices and struct arrays can be encoded."""
    batch = pa.RecordBatch.from_pylist(ROWS)
    assert encoded(SCHEMA, batch) == EXPECTED
    assert encoded(SCHEMA, pa.table(batch)) == EXPECTED
    chunks = pa.Table.from_batches([batch.slice(0, 1), batch.slice(1, 0), batch.slice(1)])
    assert encoded(SCHEMA, chunks) == EXPECTED
    assert encoded(SCHEMA, batch.slice(1, 1)) == EXPECTED[1:2]
    assert encoded(SCHEMA, batch.to_struct_array()) == EXPECTED
    assert encoded(SCHEMA, batch.slice(0, 0)) == []


def test_sources_of_polars() -> None:
    """Data frames of polars, whose strings are views, can be encoded, also with categories and
    enums."""
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.DataFrame(ROWS)
    assert encoded(SCHEMA, frame) == EXPECTED
    assert encoded(SCHEMA, polars.concat([frame, frame], rechunk=False)) == EXPECTED * 2
    for kind in (polars.Categorical, polars.Enum(["x", TEXT])):
        assert encoded(SCHEMA, frame.with_columns(polars.col("b").cast(kind))) == EXPECTED
    prices = polars.DataFrame({"value": ["1.5", "-2"]}).cast(polars.Decimal(10, 2))
    assert encoded(decimal(9, 1), prices) == [b"\2\x0f", b"\2\xec"]
    payload = polars.Series(AvroEncoder(SCHEMA).encode(frame))
    assert payload.to_list() == EXPECTED


def test_sources_of_pandas() -> None:
    """Data frames of pandas can be encoded."""
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(ROWS)
    assert encoded(SCHEMA, frame) == EXPECTED


def test_message_batch() -> None:
    """The columns of a consumed batch can be encoded like other columns."""
    schema = record(key=["null", "bytes"], offset="long")
    assert encoded(schema, empty_batch(), extra="ignore") == []
    with pytest.raises(TypeError, match="'offset' is int64, which cannot be written as string"):
        AvroEncoder(record(offset="string"), extra="ignore").encode(empty_batch())


def test_decoded_rows_and_tombstones() -> None:
    """Decoded rows can be encoded again; a null row becomes a null payload."""
    decoded = AvroDecoder(SCHEMA).decode(pa.array([*EXPECTED, None, b"bad"]))
    assert encoded(SCHEMA, decoded, schema_id=1) == [
        *(b"\0\0\0\0\1" + payload for payload in EXPECTED),
        None,
        None,
    ]


@pytest.mark.parametrize("schema_id", [0, 1, 258, 2**32 - 1])
def test_framing(schema_id: int) -> None:
    """With a schema id, each payload begins with a zero byte and the four bytes of the id."""
    frame = b"\0" + schema_id.to_bytes(4, "big")
    batch = pa.RecordBatch.from_pylist(ROWS)
    assert encoded(SCHEMA, batch, schema_id=schema_id) == [frame + one for one in EXPECTED]


def test_result() -> None:
    """The result converts to arrays and streams repeatedly; they stay valid without it."""
    rows = AvroEncoder(json.dumps(SCHEMA)).encode(pa.RecordBatch.from_pylist(ROWS))
    assert isinstance(rows, EncodedRows)
    assert len(rows) == 3
    assert repr(rows) == "EncodedRows(3 rows, 0 of them bad)"
    first, stream = pa.array(rows), pa.chunked_array(rows)
    assert pa.DataType._import_from_c_capsule(rows.__arrow_c_schema__()) == pa.binary()
    del rows
    assert first.to_pylist() == stream.to_pylist() == EXPECTED


def test_result_with_nulls_as_a_stream() -> None:
    """Nulls stay nulls in a stream."""
    rows = AvroEncoder("int").encode(rows_of(pa.array([1, None], "int32")))
    assert pa.chunked_array(rows).to_pylist() == [b"\2", None]


def test_many_rows() -> None:
    """The memory for payloads grows, and bad rows in between leave no bytes in it."""
    count = 20_000
    numbers = [2**40 if row % 7 == 3 else row for row in range(count)]
    texts = ["x" * (row % 300) for row in range(count)]
    batch = pa.record_batch({"b": texts, "a": numbers})
    schema = record(b="string", a="int")
    rows = AvroEncoder(schema).encode(batch)
    assert [error.row for error in rows.errors] == list(range(3, count, 7))
    for row, payload in enumerate(payloads(rows)):
        expected = None if row % 7 == 3 else {"b": texts[row], "a": row}
        assert read(schema, payload) == expected


def test_programs_are_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of one type share a compiled program, and another type gets its own. Only a few
    programs are kept."""
    made: list[object] = []
    encoder = AvroEncoder("long")
    compile_one = encoder._program_for

    def program_for(description: tuple[Any, ...]) -> Any:
        made.append(compile_one(description))
        return made[-1]

    monkeypatch.setattr(encoder, "_program_for", program_for)
    for arrow in ("int32", "int32", "int64", "int32"):
        encoder.encode(rows_of(pa.array([1], arrow)))
    assert made[0] is made[1] is made[3]
    assert made[2] is not made[0]
    schema = AvroEncoder(record(), extra="ignore")
    for number in range(100):
        schema.encode(pa.record_batch({f"c{number}": [1]}))
    assert len(schema._programs) <= 64


def test_deep_types() -> None:
    """Types may be nested as deep as schemas. Deeper types are refused."""
    schema: Any = "int"
    column = pa.array([7], pa.int32())
    for depth in range(1, 45):
        schema = ["null", list_of(schema)]
        column = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), column)
        if depth == 22:
            assert written(schema, column) == column.to_pylist()
            deep = schema, column
    with pytest.raises(AvroSchemaError, match="nested more than 48 deep"):
        AvroEncoder(schema)
    for _ in range(64 - 23):
        column = pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), column)
    with pytest.raises(ValueError, match="columns nested more than 64 deep"):
        AvroEncoder(deep[0]).encode(rows_of(column))


def test_many_unions_in_each_other() -> None:
    """The encoder finds the branch quickly, even in deeply nested unions."""
    schema: Any = {**record(a="long"), "name": "Deep0"}
    column: Any = pa.array([{"a": 7}])
    for depth in range(1, 11):
        first = {**record(a=schema), "name": f"First{depth}"}
        second = {**record(a=["null", schema["name"]]), "name": f"Second{depth}"}
        schema = {**record(a=[first, second]), "name": f"Deep{depth}"}
        for _ in range(2):
            column = pa.StructArray.from_arrays([column], ["a"])
    assert written([schema], column) == column.to_pylist()
    with pytest.raises(TypeError, match="cannot be written as any of"):
        AvroEncoder(json.loads(json.dumps(schema).replace('"long"', '"string"'))).encode(column)


# ---- the functions of C --------------------------------------------------------------------------

INT = ("i", "value", (), None, "int32", None)
STRUCT = ("+s", "", (INT,), None, "struct", None)


def test_too_many_rows() -> None:
    """An array without buffers cannot claim more rows than a column of payloads can have."""
    with tampered(pa.array([{}], pa.struct([]))) as batch:
        batch.set(batch.array, "length", 2**31)
        with pytest.raises(OverflowError, match="batch has more than 2147483647 rows"):
            AvroEncoder(record()).encode(batch)


def step(name: str, column: int = -1, **parts: Any) -> tuple[Any, ...]:
    """An instruction."""
    full = {"argument": 0, "target": 0, "table": (), "data": b"", "field": "", **parts}
    return (name, column, *full.values())


@pytest.mark.parametrize(
    ("types", "steps"),
    [
        (STRUCT, [step("long", 1)]),
        (STRUCT, [step("nothing", 1)]),
        (STRUCT, [step("int", 2)]),
        (STRUCT, [step("int", -1)]),
        (STRUCT, [step("string", 1)]),
        (STRUCT, [step("as-int", 1, argument=0)]),
        (STRUCT, [step("as-int", 1, argument=-(2**63))]),
        (STRUCT, [step("optional", 1, target=0, table=(1,))]),
        (STRUCT, [step("optional", 1, target=2, table=(1,))]),
        (STRUCT, [step("optional", 1, target=1)]),
        (STRUCT, [step("array", 1, target=1)]),
        (STRUCT, [step("case", 1, target=1)]),
        (STRUCT, [step("entries", 0, table=(2,))]),
        (("+s", "", (("+l", "", (INT,), None, "", None),), None, "", None), [step("int", 2)]),
        (
            ("+s", "", (("+l", "", (INT,), None, "", None), INT), None, "", None),
            [step("array", 1, target=2), step("int", 3)],
        ),
        (
            ("+s", "", (("+l", "", (INT,), None, "", None), INT), None, "", None),
            [step("array", 1, target=2), step("optional", 2, target=3, table=(1,)), step("int", 3)],
        ),
        (
            ("+s", "", (("+us:0", "", (INT,), None, "", None),), None, "", None),
            [step("union", 1, target=1)],
        ),
        (
            ("+s", "", (("+us:0", "", (INT,), None, "", None),), None, "", None),
            [step("union", 1, target=2), step("int", 2)],
        ),
        (
            ("+s", "", (("+ud:0,1", "", (INT, INT), None, "", None),), None, "", None),
            [step("union", 1, target=2), step("case", 2, target=2)],
        ),
        (
            ("+s", "", (("z", "", (), None, "", None),), None, "", None),
            [step("enum", 1, table=(0, 1, 0))],
        ),
        (
            ("+s", "", (("z", "", (), None, "", None),), None, "", None),
            [step("enum", 1, table=(-1, 1, 0))],
        ),
        (
            ("+s", "", (("w:7", "", (), None, "", None),), None, "", None),
            [step("uuid-of-bytes", 1)],
        ),
        (
            ("+s", "", (("w:7", "", (), None, "", None),), None, "", None),
            [step("decimal-bytes", 1, table=(0,), data=bytes(32))],
        ),
        (
            ("+s", "", (("d:5,2", "", (), None, "", None),), None, "", None),
            [step("decimal-bytes", 1, table=(0,), data=bytes(31))],
        ),
        (
            ("+s", "", (("d:5,2", "", (), None, "", None),), None, "", None),
            [step("decimal-fixed", 1, table=(0,), data=bytes(32), argument=-1)],
        ),
        (
            ("+s", "", (("+r", "", (INT, INT), None, "", None),), None, "", None),
            [step("optional", 1)],
        ),
        (("+l", "", (), None, "", None), []),
        (("i", "", (INT,), None, "", None), []),
    ],
)
def test_wrong_programs(types: tuple[Any, ...], steps: list[Any]) -> None:
    """A program that could access memory outside of its own is refused."""
    with pytest.raises(ValueError, match=r"instructions: '|cannot have \d children"):
        cimpl._PayloadProgram("avro", types, tuple(steps))


@pytest.mark.parametrize(
    "arguments",
    [
        ("avro", None, ()),
        ("avro", (), ()),
        ("avro", (1, "", (), None, "", None), ()),
        ("avro", ("+s", "", [], None, "", None), ()),
        ("avro", STRUCT, []),
        ("avro", STRUCT, (1,)),
        ("avro", STRUCT, (("int",),)),
        ("avro", STRUCT, (step("int", 1, table=None),)),
        ("avro", STRUCT, (step("int", 1, table=("x",)),)),
        ("avro", STRUCT, (step("int", 1, data="x"),)),
        ("avro", STRUCT, (step("int", 1, field=b"x"),)),
        ("avro", STRUCT, (step("int", 1, argument="x"),)),
        (1, STRUCT, ()),
    ],
)
def test_programs_of_wrong_shapes(arguments: tuple[Any, ...]) -> None:
    """A program of another shape raises TypeError."""
    with pytest.raises(TypeError):
        cimpl._PayloadProgram(*arguments)


def test_programs_of_wrong_values() -> None:
    """A program with an unknown format or with a number that is too large is refused."""
    with pytest.raises(ValueError, match="there is no payload_format 'xml'"):
        cimpl._PayloadProgram("xml", STRUCT, ())
    for steps in ((step("int", 2**31),), (step("int", 1, table=(2**31,)),)):
        with pytest.raises(ValueError, match="a number of more than 32 bits"):
            cimpl._PayloadProgram("avro", STRUCT, steps)
    with pytest.raises(OverflowError):
        cimpl._PayloadProgram("avro", STRUCT, (step("int", 1, argument=2**63),))


def test_wrong_program_for() -> None:
    """program_for must return a program for the given types, and its exceptions are raised."""
    batch = rows_of(pa.array([1], "int32"))
    with pytest.raises(TypeError, match="program_for must return a _PayloadProgram, not int"):
        cimpl._encode_rows(batch, lambda types: 1, b"")  # type: ignore[arg-type,return-value]
    program = cimpl._PayloadProgram("avro", STRUCT, (step("int", 1),))
    assert payloads(cimpl._encode_rows(batch, lambda types: program, b"ab")) == [b"ab\2"]
    other = rows_of(pa.array([1], "int64"))
    with pytest.raises(ValueError, match="program_for returned a program for rows of another type"):
        cimpl._encode_rows(other, lambda types: program, b"")
    with pytest.raises(ZeroDivisionError):
        cimpl._encode_rows(batch, lambda types: 1 // 0, b"")  # type: ignore[arg-type,return-value]
    with pytest.raises(TypeError, match="prefix"):
        cimpl._encode_rows(batch, lambda types: program, 1)  # type: ignore[arg-type]
