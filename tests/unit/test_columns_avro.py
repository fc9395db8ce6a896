"""AvroDecoder turns each type of Avro into a column."""

from __future__ import annotations

import datetime
import uuid
from decimal import Decimal
from typing import Any

import pytest

pytest.importorskip("fastavro", reason="fastavro is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from confluent_kafka.columns import AvroDecoder, AvroSchemaError  # noqa: E402
from tests.support.avro import column, encode, read, record, through, valid  # noqa: E402

UTC = datetime.UTC
NOON = datetime.datetime(2026, 11, 23, 12, 0, 0, 123456, UTC)
SUITS = ["SPADES", "HEARTS", "CLUBS_1"]
EPOCH = datetime.datetime(1970, 1, 1)


def logical(kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": name, **more}


def fixed(size: int, **more: Any) -> dict[str, Any]:
    return {"type": "fixed", "name": f"F{size}", "size": size, **more}


def enum(*symbols: str, **more: Any) -> dict[str, Any]:
    return {"type": "enum", "name": "Suit", "symbols": list(symbols), **more}


PLAIN: list[tuple[Any, Any, list[Any]]] = [
    ("null", pa.null(), [None, None]),
    ("boolean", pa.bool_(), [True, False, True]),
    ("int", pa.int32(), [0, 1, -1, 63, 64, -65, 2**31 - 1, -(2**31)]),
    ("long", pa.int64(), [0, -1, 2**31, 2**55, 2**56, -(2**56) - 1, 2**63 - 1, -(2**63)]),
    ("float", pa.float32(), [0.0, 1.5, -2.25, float("inf")]),
    ("double", pa.float64(), [0.0, 1e300, -1e-300, float("-inf")]),
    ("bytes", pa.binary(), [b"", b"\x00\xff", b"x" * 1000]),
    ("string", pa.string(), ["", "short", "exactly sixteen!", "seventeen letters", "ü€😀" * 99]),
    (fixed(3), pa.binary(3), [b"abc", b"\0\0\0"]),
    (fixed(0), pa.binary(0), [b"", b""]),
    (enum(*SUITS), pa.string(), ["HEARTS", "CLUBS_1", "SPADES"]),
    ({"type": "array", "items": "int"}, pa.list_(pa.int32()), [[], [1, 2], [3]]),
    ({"type": "array", "items": "null"}, pa.list_(pa.null()), [[None] * 3, []]),
    (["null", "int"], pa.int32(), [None, 1, None]),
    (["string", "null"], pa.string(), ["a", None, ""]),
    (["long"], pa.int64(), [1, 2]),
    (["null"], pa.null(), [None]),
]


@pytest.mark.parametrize(("kind", "arrow", "values"), PLAIN, ids=str)
def test_plain_types(kind: Any, arrow: Any, values: list[Any]) -> None:
    """Each type becomes the expected Arrow type, and its smallest and largest values are read."""
    result = column(kind, values)
    assert result.type == arrow
    assert result.to_pylist() == values


@pytest.mark.parametrize(("kind", "arrow", "values"), PLAIN, ids=str)
def test_plain_types_in_lists(kind: Any, arrow: Any, values: list[Any]) -> None:
    """The smallest and largest values are also read as items of lists, which may be null."""
    item = kind if isinstance(kind, list) else ["null", kind] if kind != "null" else kind
    result = column({"type": "array", "items": item}, [values, [], values[:1]])
    assert result.type == pa.list_(arrow)
    assert result.to_pylist() == [values, [], values[:1]]


def test_floating_point() -> None:
    """NaN stays NaN, and a float has no more digits than 32 bits hold."""
    [nan, third] = column("float", [float("nan"), 1 / 3]).to_pylist()
    assert nan != nan
    assert third == pytest.approx(1 / 3, rel=1e-7)
    assert third != 1 / 3


def test_enums_as_dictionaries() -> None:
    """With an option, an enum becomes a dictionary of all its symbols, in their order."""
    suit = enum(*SUITS)
    result = column(["null", suit], ["HEARTS", None, "CLUBS_1", "HEARTS"], enums="dictionary")
    assert result.type == pa.dictionary(pa.int32(), pa.string())
    assert result.dictionary.to_pylist() == SUITS
    assert result.to_pylist() == ["HEARTS", None, "CLUBS_1", "HEARTS"]
    result = column({"type": "array", "items": suit}, [["SPADES"], []], enums="dictionary")
    assert result.to_pylist() == [["SPADES"], []]


def test_maps() -> None:
    """A map has string keys, and values of any type."""
    result = column({"type": "map", "values": ["null", "long"]}, [{"a": 1, "ü": None}, {}])
    assert result.type == pa.map_(pa.string(), pa.int64())
    assert result.to_pylist() == [[("a", 1), ("ü", None)], []]


def test_records() -> None:
    """A record becomes a struct, even without fields.

    If the record is null, all of its fields are null.
    """
    inner = record(("x", "int"), ("empty", record(name="Empty")), name="Inner")
    values = [{"x": 1, "empty": {}}, None, {"x": 2, "empty": {}}]
    result = column(["null", inner], values)
    assert result.type == pa.struct({"x": pa.int32(), "empty": pa.struct([])})
    assert result.to_pylist() == values
    assert result.field("x").to_pylist() == [1, None, 2]


def test_nested_lists() -> None:
    """Lists of maps of lists of records are read."""
    kind = {
        "type": "array",
        "items": {
            "type": "map",
            "values": {"type": "array", "items": record(("x", ["null", "string"]), name="In")},
        },
    }
    values: list[Any] = [
        [],
        [{}, {"a": []}, {"b": [{"x": "1"}, {"x": None}], "c": [{"x": ""}]}],
        [{"d": [{"x": "2"}]}],
    ]
    result = column(kind, values)
    assert [[dict(one) for one in row] for row in result.to_pylist()] == values


def test_unions() -> None:
    """A union that is more than an optional type is a sparse union of Arrow, whose children have
    the names of their types."""
    kind = ["null", "string", record(("x", "int"), name="Point"), {"type": "array", "items": "int"}]
    values = ["a", None, {"x": 1}, [1, 2], "b", []]
    result = column(kind, values)
    assert result.type == pa.sparse_union(
        [
            pa.field("null", pa.null()),
            pa.field("string", pa.string()),
            pa.field("Point", pa.struct({"x": pa.int32()})),
            pa.field("array", pa.list_(pa.int32())),
        ]
    )
    assert result.to_pylist() == values
    nested = column({"type": "array", "items": ["int", "string"]}, [[1, "a"], [], ["b"]])
    assert nested.to_pylist() == [[1, "a"], [], ["b"]]


def test_unions_of_many_types() -> None:
    """A union may have 128 types, as many as Arrow can distinguish. A larger union cannot be a
    column, but it can be skipped."""
    kind = [record(("x", "int"), name=f"R{number}") for number in range(128)]
    result = column(kind, [("R0", {"x": 1}), ("R127", {"x": 2}), ("R64", {"x": 3})])
    assert result.to_pylist() == [{"x": 1}, {"x": 2}, {"x": 3}]
    kind.append(record(name="R128"))
    with pytest.raises(AvroSchemaError, match=r"'a' is a union of 129 types; .* at most 128"):
        AvroDecoder(record(("a", kind)))
    schema = record(("a", kind), ("b", "int"))
    rows = through(schema, [{"a": ("R128", {}), "b": 1}], columns=["b"])
    assert rows.to_pylist() == [{"b": 1}]


DAY = datetime.date(2026, 11, 23)
TIME = datetime.time(12, 34, 56, 789000)
LOGICAL: list[tuple[Any, Any, list[Any]]] = [
    (logical("int", "date"), pa.date32(), [DAY, datetime.date(1900, 1, 1)]),
    (logical("int", "time-millis"), pa.time32("ms"), [TIME, datetime.time(0)]),
    (logical("long", "time-micros"), pa.time64("us"), [TIME.replace(microsecond=1)]),
    (
        logical("long", "timestamp-millis"),
        pa.timestamp("ms", "UTC"),
        [NOON.replace(microsecond=123000), EPOCH.replace(tzinfo=UTC)],
    ),
    (logical("long", "timestamp-micros"), pa.timestamp("us", "UTC"), [NOON]),
    (
        logical("long", "local-timestamp-millis"),
        pa.timestamp("ms"),
        [NOON.replace(microsecond=0, tzinfo=None)],
    ),
    (logical("long", "local-timestamp-micros"), pa.timestamp("us"), [NOON.replace(tzinfo=None)]),
    (logical("string", "uuid"), pa.uuid(), [uuid.UUID(int=2**127 + 5), uuid.UUID(int=0)]),
    (
        logical("bytes", "decimal", precision=38, scale=2),
        pa.decimal128(38, 2),
        [Decimal("1.23"), Decimal("-0.01"), Decimal(10**36 - 1), Decimal(1 - 10**36)],
    ),
    (
        logical("bytes", "decimal", precision=76, scale=76),
        pa.decimal256(76, 76),
        [Decimal("0." + "9" * 76).copy_negate(), Decimal(0)],
    ),
    (
        fixed(5, logicalType="decimal", precision=4),
        pa.decimal128(4, 0),
        [Decimal(9999), Decimal(-9999), Decimal(0)],
    ),
    (
        fixed(33, logicalType="decimal", precision=50, scale=10),
        pa.decimal256(50, 10),
        [Decimal("12345678.0123456789"), Decimal("-0.0000000001")],
    ),
]


@pytest.mark.parametrize(("kind", "arrow", "values"), LOGICAL, ids=str)
def test_logical_types(kind: Any, arrow: Any, values: list[Any]) -> None:
    """A logical type becomes the Arrow type that has the same meaning."""
    result = column(kind, values)
    assert result.type == arrow
    assert result.to_pylist() == values
    nullable = column(["null", kind], [None, *values])
    assert nullable.to_pylist() == [None, *values]


@pytest.mark.parametrize("local", ["", "local-"])
def test_nanoseconds(local: str) -> None:
    """Timestamps of nanoseconds are read, although Python's datetime does not have nanoseconds."""
    schema = record(("a", logical("long", f"{local}timestamp-nanos")))
    payloads = encode(record(("a", "long")), [{"a": 1_700_000_000_123_456_789}, {"a": -1}])
    result = read(AvroDecoder(schema), list(payloads)).field("a")
    assert result.type == pa.timestamp("ns", None if local else "UTC")
    assert result.cast(pa.int64()).to_pylist() == [1_700_000_000_123_456_789, -1]


def test_uuid_of_fixed() -> None:
    """The bytes of a fixed with the type uuid are the bytes of the UUID."""
    schema = record(("a", fixed(16, logicalType="uuid")))
    value = uuid.UUID(int=7)
    result = read(AvroDecoder(schema), [value.bytes]).field("a")
    assert result.type == pa.uuid()
    assert result.to_pylist() == [value]


def test_duration() -> None:
    """A duration, which is months, days and milliseconds in little-endian, becomes Arrow's interval
    of all three."""
    schema = record(("a", fixed(12, logicalType="duration")))
    parts = [(1, 2, 3), (2**31 - 1, 0, 2**32 - 1)]
    payloads = [b"".join(part.to_bytes(4, "little") for part in row) for row in parts]
    result = read(AvroDecoder(schema), list(payloads)).field("a")
    assert result.type == pa.month_day_nano_interval()
    assert [tuple(one) for one in result.to_pylist()] == [
        (months, days, millis * 1_000_000) for months, days, millis in parts
    ]


@pytest.mark.parametrize(
    ("kind", "arrow"),
    [
        (logical("int", "timestamp-millis"), pa.int32()),
        (logical("string", "decimal", precision=2), pa.string()),
        (logical("bytes", "decimal"), pa.binary()),
        (logical("bytes", "decimal", precision=0), pa.binary()),
        (logical("bytes", "decimal", precision=2, scale=3), pa.binary()),
        (logical("bytes", "decimal", precision="2"), pa.binary()),
        (fixed(1, logicalType="decimal", precision=3), pa.binary(1)),
        (fixed(0, logicalType="decimal", precision=1), pa.binary(0)),
        (fixed(2**31 - 1, logicalType="decimal", precision=76, scale=77), pa.binary(2**31 - 1)),
        (fixed(15, logicalType="uuid"), pa.binary(15)),
        (fixed(13, logicalType="duration"), pa.binary(13)),
        (logical("long", "nonsense"), pa.int64()),
        (logical("long", 5), pa.int64()),  # type: ignore[arg-type]
        ({"type": "map", "values": "int", "logicalType": "date"}, pa.map_(pa.string(), pa.int32())),
    ],
    ids=str,
)
def test_logical_types_that_are_not_valid(kind: Any, arrow: Any) -> None:
    """Logical types that are not valid are ignored, as the specification requires, and the column
    has the underlying type."""
    assert pa.schema(AvroDecoder(record(("a", kind)))).field("a").type == arrow


def test_decimals_of_any_fixed() -> None:
    """A fixed of any size can be a decimal, and the decoder computes the maximum number of digits
    quickly."""
    kind = fixed(2**31 - 1, logicalType="decimal", precision=76)
    assert pa.schema(AvroDecoder(record(("a", kind)))).field("a").type == pa.decimal256(76, 0)
    with pytest.raises(AvroSchemaError, match="a decimal of 77 digits; Arrow's have at most 76"):
        AvroDecoder(fixed(33, logicalType="decimal", precision=77))
    with pytest.raises(AvroSchemaError, match="a decimal of 77 digits"):
        AvroDecoder(logical("bytes", "decimal", precision=77))


def test_values_that_are_no_records() -> None:
    """If the schema is not a record, each row has one field."""
    for kind, values in (("int", [1, 2]), (["null", "string"], ["a", None]), ("null", [None])):
        result = through(kind, values)
        assert [field.name for field in result.type] == ["value"]
        assert result.field("value").to_pylist() == values


def test_schemas_as_text() -> None:
    """A schema is JSON text, the parsed JSON, or the name of a primitive type."""
    for schema in ("int", '"int"', '{"type": "int"}', {"type": "int"}, {"type": {"type": "int"}}):
        assert read(AvroDecoder(schema), [b"\x02"]).to_pylist() == [{"value": 1}]
    assert read(AvroDecoder('["null", "int"]'), [b"\x02\x02"]).to_pylist() == [{"value": 1}]


def test_names_and_namespaces() -> None:
    """A type is found by its full name, in its own namespace, or without any."""
    schema = {
        "type": "record",
        "name": "a.b.Row",
        "fields": [
            {"name": "first", "type": {"type": "fixed", "name": "F", "size": 1}},
            {"name": "second", "type": "F"},
            {"name": "third", "type": "a.b.F"},
            {
                "name": "fourth",
                "type": {"type": "enum", "name": "E", "namespace": "c", "symbols": ["X"]},
            },
            {"name": "fifth", "type": "c.E"},
            {
                "name": "sixth",
                "type": {"type": "error", "name": "Err", "namespace": "c", "fields": []},
            },
        ],
    }
    row = read(AvroDecoder(schema), [b"123\0\0"]).to_pylist()[0]
    assert row == {
        "first": b"1", "second": b"2", "third": b"3", "fourth": "X", "fifth": "X", "sixth": {},
    }  # fmt: skip


def test_blocks_with_their_sizes() -> None:
    """A block may begin with a negative count and its size in bytes, which lets readers skip it."""
    schema = record(("a", {"type": "array", "items": "int"}), ("b", "int"))
    # A block of 2 items with its size of 2 bytes, a block of 1 item without a size, the end; then
    # b.
    payload = b"\x03\x04\x02\x04" + b"\x02\x06" + b"\x00" + b"\x0e"
    assert read(AvroDecoder(schema), [payload]).to_pylist() == [{"a": [1, 2, 3], "b": 7}]
    assert read(AvroDecoder(schema, columns=["b"]), [payload]).to_pylist() == [{"b": 7}]
    maps = record(("a", {"type": "map", "values": "int"}))
    assert read(AvroDecoder(maps), [b"\x01\x06\x02k\x02\x00"]).to_pylist() == [{"a": [("k", 1)]}]


def number(value: int) -> bytes:
    """Encode a number as Avro does: zigzag, then 7 bits in each byte."""
    value = value << 1 ^ value >> 63
    result = bytearray()
    while value > 127:
        result.append(value & 127 | 128)
        value >>= 7
    return bytes([*result, value])


def test_items_of_no_bytes() -> None:
    """A payload may have at most 65,536 items of no bytes, because a few bytes could claim any
    number of them."""
    kind = {"type": "array", "items": "null"}
    schema = record(("a", kind), ("b", kind))
    half, one = number(32768) + b"\0", number(1) + b"\0"
    rows = AvroDecoder(schema).decode(
        pa.array([half + half, half + number(32769) + b"\0", one * 2])
    )
    assert [error.row for error in rows.errors] == [1]
    assert rows.errors[0].reason == "more than 65536 items of no bytes"
    assert rows.errors[0].field == "b"
    lengths = [row and len(row["a"]) + len(row["b"]) for row in valid(rows).to_pylist()]
    assert lengths == [65536, None, 2]
    # Too large a number of items is also an error in a field that is not selected.
    rows = AvroDecoder(record(("a", kind)), columns=None).decode(
        pa.array([number(2**40) + b"\0", number(-(2**62)) + b"\0\0"])
    )
    assert [error.row for error in rows.errors] == [0, 1]


def test_many_rows() -> None:
    """Columns of nulls, of text and of lists grow while they are filled."""
    schema = record(
        ("number", "long"),
        ("text", ["null", "string"]),
        ("list", {"type": "array", "items": ["null", "int"]}),
        ("inner", ["null", record(("flag", "boolean"), name="Inner")]),
    )
    values = [
        {
            "number": i * 7919,
            "text": None if i % 3 == 0 else "x" * (i % 41),
            "list": [j if j % 2 else None for j in range(i % 11)],
            "inner": None if i % 1000 == 999 else {"flag": i % 2 == 0},
        }
        for i in range(5000)
    ]
    assert through(schema, values).to_pylist() == values
