"""fastavro reads AvroEncoder's output for any types and values, and AvroEncoder refuses invalid
arrays."""

from __future__ import annotations

import ctypes
import datetime as dt
import io
import struct
import uuid
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import count
from random import Random
from typing import Any

import pytest

pytest.importorskip("hypothesis", reason="hypothesis is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

import fastavro  # noqa: E402
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from confluent_kafka.columns import AvroDecoder, AvroEncoder, JSONEncoder  # noqa: E402
from tests.support.arrow_structs import tampered  # noqa: E402

SETTINGS = settings(
    derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
)


@dataclass(repr=False)  # hypothesis would print every field
class Kind:
    """A type in Avro and Arrow, a strategy for pyarrow's values, and fastavro's form of a value."""

    avro: Any
    arrow: Any
    values: st.SearchStrategy[Any]
    read: Callable[[Any], Any] = lambda value: value
    is_nullable: bool = False


def kinds(avro: Any, arrows: list[Any], values: Any, **more: Any) -> list[Kind]:
    """Return a Kind for each Arrow type."""
    return [Kind(avro, arrow, values, **more) for arrow in arrows]


DAY = dt.timedelta(days=1)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
TEXTS = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())]
BINARIES = [pa.binary(), pa.large_binary(), pa.binary_view(), pa.dictionary(pa.int8(), pa.binary())]
INT, LONG = st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)
TIMES = st.datetimes(dt.datetime(1800, 1, 1), dt.datetime(2200, 1, 1))
AWARE = TIMES.map(lambda time: time.replace(tzinfo=dt.UTC))
UUIDS = st.uuids()


def digits(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    """Return decimals with at most this number of digits."""
    limit = 10**precision - 1
    return st.integers(-limit, limit).map(lambda number: Decimal(f"{number}E-{scale}"))


def whole(unit: int) -> Callable[[dt.datetime], dt.datetime]:
    """Return times without the digits that the unit cannot express."""
    return lambda time: time - dt.timedelta(microseconds=time.microsecond % unit)


def logical(name: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": name, **more}


PLAIN = [
    *kinds("boolean", [pa.bool_()], st.booleans()),
    *kinds("int", [pa.int32(), pa.int64(), pa.dictionary(pa.int16(), pa.int32())], INT),
    *kinds("int", [pa.int8(), pa.int16()], st.integers(-128, 127)),
    *kinds("long", [pa.int64()], LONG),
    *kinds("long", [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()], st.integers(0, 255)),
    *kinds("float", [pa.float32(), pa.float64()], st.floats(width=32, allow_nan=False)),
    *kinds("double", [pa.float64()], st.floats(allow_nan=False)),
    *kinds("string", TEXTS, TEXT),
    *kinds("bytes", [*BINARIES, pa.binary(3)], st.binary(min_size=3, max_size=3)),
    *kinds("bytes", BINARIES, st.binary(max_size=30)),
    *kinds(logical("date", "int"), [pa.date32(), pa.date64()], st.dates()),
    *kinds(
        logical("time-millis", "int"),
        [pa.time32("ms"), pa.time64("us"), pa.time64("ns")],
        st.integers(0, 86_399_999).map(
            lambda ms: (dt.datetime.min + dt.timedelta(milliseconds=ms)).time()
        ),
    ),
    *kinds(logical("time-micros", "long"), [pa.time64("us"), pa.time64("ns")], st.times()),
    *kinds(
        logical("timestamp-millis", "long"),
        [pa.timestamp("ms", "UTC"), pa.timestamp("us", "UTC"), pa.timestamp("ns", "Asia/Tokyo")],
        AWARE,
        read=whole(1000),
    ),
    *kinds(
        logical("timestamp-micros", "long"),
        [pa.timestamp("us", "UTC"), pa.timestamp("ns", "UTC")],
        AWARE,
    ),
    *kinds(
        logical("local-timestamp-micros", "long"), [pa.timestamp("us"), pa.timestamp("ns")], TIMES
    ),
    *kinds(
        logical("decimal", "bytes", precision=9, scale=3),
        [pa.decimal128(9, 3), pa.decimal256(20, 3)],
        digits(9, 3),
    ),
    *kinds(
        logical("decimal", "bytes", precision=76, scale=30), [pa.decimal256(50, 7)], digits(50, 7)
    ),
    *kinds(
        logical("uuid", "string"), [pa.string(), pa.string_view()], UUIDS.map(str), read=uuid.UUID
    ),
    *kinds(
        logical("uuid", "string"),
        [pa.binary(16)],
        UUIDS.map(lambda one: one.bytes),
        read=lambda value: uuid.UUID(bytes=value),
    ),
]
NAMES = ("a", "b", "c", "Ä", "key", "value", "n" * 70)


def array(item: Kind) -> Kind:
    lists = [pa.list_, pa.large_list, pa.list_view, pa.large_list_view]
    arrow = Random(str(item.arrow)).choice(lists)(item.arrow)
    values = st.lists(item.values, max_size=4)
    avro = {"type": "array", "items": item.avro}
    return Kind(avro, arrow, values, lambda value: [item.read(one) for one in value])


def fixed_array(item: Kind) -> Kind:
    values = st.lists(item.values, min_size=2, max_size=2)
    avro = {"type": "array", "items": item.avro}
    return Kind(
        avro, pa.list_(item.arrow, 2), values, lambda value: [item.read(one) for one in value]
    )


def mapping(item: Kind) -> Kind:
    values = st.dictionaries(TEXT, item.values, max_size=3).map(lambda value: list(value.items()))
    avro = {"type": "map", "values": item.avro}
    return Kind(
        avro,
        pa.map_(pa.string(), item.arrow),
        values,
        lambda value: {key: item.read(one) for key, one in value},
    )


def nullable(item: Kind) -> Kind:
    if item.is_nullable:
        return item
    return Kind(
        ["null", item.avro],
        item.arrow,
        st.none() | item.values,
        lambda value: None if value is None else item.read(value),
        is_nullable=True,
    )


def struct_of(fields: list[tuple[str, Kind]]) -> Kind:
    avro = {
        "type": "record",
        "name": "Record",
        "fields": [{"name": name, "type": kind.avro} for name, kind in fields],
    }
    return Kind(
        avro,
        pa.struct([(name, kind.arrow) for name, kind in fields]),
        st.fixed_dictionaries({name: kind.values for name, kind in fields}),
        lambda value: {name: kind.read(value[name]) for name, kind in fields},
    )


def records(item: st.SearchStrategy[Kind]) -> st.SearchStrategy[Kind]:
    fields = st.lists(
        st.tuples(st.sampled_from(NAMES), item), max_size=4, unique_by=lambda one: one[0]
    )
    return fields.map(struct_of)


def named(avro: Any, numbers: Any) -> Any:
    """Return the same schema, with a different name for each named type."""
    if isinstance(avro, list):
        return [named(branch, numbers) for branch in avro]
    if not isinstance(avro, dict):
        return avro
    changed = {key: named(value, numbers) for key, value in avro.items() if key != "fields"}
    if "fields" in avro:
        changed["name"] = f"Record{next(numbers)}"
        changed["fields"] = [
            {"name": one["name"], "type": named(one["type"], numbers)} for one in avro["fields"]
        ]
    return changed


KINDS: st.SearchStrategy[Kind] = st.recursive(
    st.sampled_from(PLAIN),
    lambda item: (
        item.map(array)
        | item.map(fixed_array)
        | item.map(mapping)
        | item.map(nullable)
        | records(item)
    ),
    max_leaves=6,
)


@settings(SETTINGS, max_examples=150)
@given(st.data())
def test_fastavro_reads_it(data: st.DataObject) -> None:
    """fastavro reads the same rows from the payloads, for any types, nulls and slices."""
    names = st.lists(
        st.tuples(st.sampled_from(NAMES), KINDS), max_size=4, unique_by=lambda one: one[0]
    )
    kind = struct_of(data.draw(names))
    rows = data.draw(st.lists(st.none() | kind.values, max_size=6))
    start = data.draw(st.integers(0, len(rows)))
    schema = named(kind.avro, count())
    batch = pa.array(rows, kind.arrow).slice(start)
    encoded = AvroEncoder(schema).encode(batch)
    assert encoded.errors == []
    payloads = pa.array(encoded).to_pylist()
    expected = [None if row is None else kind.read(row) for row in rows[start:]]
    parsed = fastavro.parse_schema(schema)
    assert [
        None if one is None else fastavro.schemaless_reader(io.BytesIO(one), parsed, None)
        for one in payloads
    ] == expected


@settings(SETTINGS, max_examples=60)
@given(st.data())
def test_the_decoder_reads_it(data: st.DataObject) -> None:
    """AvroEncoder writes AvroDecoder's rows as the same payloads again."""
    kind = struct_of([("a", nullable(data.draw(KINDS))), ("b", data.draw(KINDS))])
    rows = data.draw(st.lists(st.none() | kind.values, max_size=6))
    schema = named(kind.avro, count())
    encoder = AvroEncoder(schema)
    payloads = pa.array(encoder.encode(pa.array(rows, kind.arrow)))
    decoded = AvroDecoder(schema).decode(payloads)
    assert decoded.errors == []
    again = encoder.encode(decoded)
    assert again.errors == []
    assert pa.array(again).equals(payloads)


@settings(SETTINGS, max_examples=300)
@given(LONG | INT, st.integers(-1, 1), st.sampled_from(["int", "long", "float", "double"]))
def test_any_integer(number: int, more: int, kind: str) -> None:
    """An integer is written, or is a bad row if it does not fit."""
    number = min(max(number + more, -(2**63)), 2**63 - 1)
    rows = AvroEncoder(kind).encode(pa.record_batch({"value": pa.array([number])}))
    fits = kind != "int" or -(2**31) <= number < 2**31
    assert len(rows.errors) == (not fits)
    [payload] = pa.array(rows).to_pylist()
    if fits:
        value = fastavro.schemaless_reader(io.BytesIO(payload), kind, None)
        rounded = {"float": lambda: struct.unpack("f", struct.pack("f", number))[0]}
        assert value == rounded.get(kind, lambda: float(number) if kind == "double" else number)()


@settings(SETTINGS, max_examples=300)
@given(digits(30, 12), st.integers(1, 60), st.integers(-3, 30))
def test_any_decimal(number: Decimal, precision: int, scale: int) -> None:
    """A decimal is written if it fits the schema's precision and scale.

    Otherwise its row is bad.
    """
    scale = min(max(scale, 0), precision)
    schema = logical("decimal", "bytes", precision=precision, scale=scale)
    batch = pa.record_batch({"value": pa.array([number], pa.decimal128(30, 12))})
    rows = AvroEncoder(schema).encode(batch)
    shifted = Fraction(number) * 10**scale
    fits = shifted.denominator == 1 and abs(shifted) < 10**precision
    assert len(rows.errors) == (not fits)
    [payload] = pa.array(rows).to_pylist()
    if fits:
        assert fastavro.schemaless_reader(io.BytesIO(payload), schema, None) == number


# ---- arrays that no library would make ---------------------------------------------------------

LIES: list[tuple[str, tuple[int, ...]]] = [
    ("length", (-(2**63), -1, 0, 1)),
    ("offset", (-(2**63), -1, 2**63 - 1)),
    ("null_count", (-(2**63), -1, 0, 1, 2**63 - 1)),
    ("n_buffers", (-(2**63), -1, 0, 1)),
    ("n_children", (-(2**63), -1, 0)),
]
ITEM = pa.struct([("key", pa.string()), ("value", pa.list_(pa.int32()))])
UNION = pa.UnionArray.from_dense(
    pa.array([0, 1, 0], pa.int8()),
    pa.array([0, 0, 1], pa.int32()),
    [pa.array([1, 2]), pa.array(["a"])],
    ["long", "string"],
)
SAMPLE = pa.record_batch(
    {
        "text": pa.array(["a", None, "longer than a view has"], pa.string_view()),
        "list": pa.array([[1, 2], None, [3]], pa.large_list(pa.int16())),
        "views": pa.array([[1, 2], None, [3]], pa.list_view(pa.int16())),
        "pair": pa.array([[1, 2], [3, 4], [5, 6]], pa.list_(pa.int64(), 2)),
        "map": pa.array([[{"key": "a", "value": [1]}], [], None], pa.list_(ITEM)),
        "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
        "union": UNION,
        "price": pa.array([Decimal("1.5"), None, Decimal("-2")], pa.decimal128(5, 2)),
        "flag": pa.array([True, None, False]),
    }
)
SAMPLE_SCHEMA = {
    "type": "record",
    "name": "Sample",
    "fields": [
        {"name": "text", "type": ["null", "string"]},
        {"name": "list", "type": ["null", {"type": "array", "items": "int"}]},
        {"name": "views", "type": ["null", {"type": "array", "items": "int"}]},
        {"name": "pair", "type": {"type": "array", "items": "long"}},
        {
            "name": "map",
            "type": ["null", {"type": "map", "values": {"type": "array", "items": "int"}}],
        },
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["x", "y"]}},
        {"name": "union", "type": ["long", "string"]},
        {"name": "price", "type": ["null", logical("decimal", "bytes", precision=5, scale=2)]},
        {"name": "flag", "type": ["null", "boolean"]},
    ],
}
ENCODERS = [AvroEncoder(SAMPLE_SCHEMA), JSONEncoder()]


WRONG_TYPES = [b"", b"+", b"+l", b"+s", b"+ud:0", b"+us:0,0", b"+us:200", b"+w:", b"w:-1", b"d:"]
WRONG_TYPES += [b"d:5,2,7", b"\xff", b"tsx:", b"+r", b"+vl", None]


def below(array: Any) -> list[Any]:
    """Return the structs of the array and of all its children and dictionaries."""
    found = [array]
    for index in range(array.n_children):
        found += below(array.children[index].contents)
    if array.dictionary:
        found += below(array.dictionary.contents)
    return found


@settings(SETTINGS, max_examples=1_500)
@given(st.randoms(use_true_random=False), st.integers(1, 3), st.sampled_from(ENCODERS))
def test_structs_that_lie(rng: Random, times: int, encoder: Any) -> None:
    """Wrong lengths, offsets, counts and pointers raise an error or have no effect."""
    with tampered(SAMPLE) as batch:
        nodes = below(batch.array)
        for _ in range(times):
            node = rng.choice(nodes)
            match rng.randrange(4):
                case 0 if node.n_buffers > 0 and node.buffers:
                    batch.clear_item(node.buffers, rng.randrange(node.n_buffers))
                case 1 if node.n_children > 0 and node.children:
                    batch.clear_item(node.children, rng.randrange(node.n_children))
                case 2 if node.dictionary:
                    batch.set(node, "dictionary", ctypes.POINTER(type(node))())
                case _:
                    field, values = rng.choice(LIES)
                    batch.set(node, field, rng.choice(values))
        try:
            rows = encoder.encode(batch)
        except (ValueError, OverflowError, MemoryError):
            pass
        else:
            assert len(pa.array(rows)) <= len(SAMPLE)
        assert batch.releases == 1


@pytest.mark.parametrize("encoder", ENCODERS, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("kind", WRONG_TYPES)
def test_types_that_lie(kind: bytes | None, encoder: Any) -> None:
    """Invalid formats, and formats with other children, raise an error in every column.

    Only an encoder without a schema may accept such a format.
    """
    is_any = isinstance(encoder, JSONEncoder)
    for index in range(-1, len(SAMPLE.columns)):
        with tampered(SAMPLE) as batch:
            chosen = batch.schema if index < 0 else batch.column_schema(index)
            if chosen.format == kind:
                continue
            batch.set(chosen, "format", kind)
            errors = (TypeError, ValueError)
            with suppress(*errors) if is_any else pytest.raises(errors):
                encoder.encode(batch)
            assert batch.releases == 1


@pytest.mark.parametrize("kind", [b"ts", b"tsx:", b"td", b"tt", b"ttx", b"tD", b"tDx", b"tix"])
@pytest.mark.parametrize(
    "schema",
    [
        logical("timestamp-millis", "long"),
        logical("local-timestamp-nanos", "long"),
        logical("date", "int"),
        logical("time-micros", "long"),
        {"type": "fixed", "name": "F", "size": 12, "logicalType": "duration"},
        logical("decimal", "bytes", precision=3),
    ],
    ids=lambda schema: schema["logicalType"],
)
def test_times_that_lie(kind: bytes, schema: Any) -> None:
    """Unknown units of times raise an error."""
    with tampered(pa.record_batch({"value": pa.array([1])})) as batch:
        batch.set(batch.column_schema(0), "format", kind)
        with pytest.raises(TypeError, match="cannot be written as"):
            AvroEncoder(schema).encode(batch)


OFFSETS = (-(2**31), -1, 0, 1, 2, 3, 4, 2**31 - 1)


@settings(SETTINGS, max_examples=1_000)
@given(st.randoms(use_true_random=False))
def test_contents_that_lie(rng: Random) -> None:
    """The encoder checks offsets, indices, type ids and views, and never reads outside of the
    data."""
    memory = bytearray(64)
    items = pa.array([1, 2, 3], pa.int32())

    def buffers(*parts: bytes) -> list[Any]:
        for place, part in enumerate(parts):
            memory[place * 32 : place * 32 + len(part)] = part
        return [pa.py_buffer(memory)[place * 32 : place * 32 + 32] for place in range(len(parts))]

    def int32s(size: int) -> bytes:
        return struct.pack(f"={size}i", *(rng.choice(OFFSETS) for _ in range(size)))

    rows = 3
    match rng.randrange(6):
        case 0:
            kind, schema = pa.list_(pa.int32()), {"type": "array", "items": "int"}
            parts, content = [bytes(16)], [int32s(4)]
            children = [items]
        case 1:
            kind, schema, children = pa.dictionary(pa.int32(), pa.int32()), "int", []
            parts, content = [bytes(12)], [int32s(3)]
        case 2:
            fields = [pa.field("long", pa.int32()), pa.field("b", pa.int32())]
            kind, schema = pa.dense_union(fields), "long"
            parts, content = [bytes(3), bytes(12)], [rng.randbytes(3), int32s(3)]
            children = [items, items]
        case 3:
            fields = [pa.field("long", pa.int32()), pa.field("b", pa.int32())]
            kind, schema = pa.sparse_union(fields), "long"
            parts, content = [bytes(3)], [rng.choice([b"\0\1\2", b"\1\0\1", b"\xff\0\0"])]
            children = [items, items]
        case 4:
            kind, schema = pa.list_view(pa.int32()), {"type": "array", "items": "int"}
            parts, content = [bytes(12), bytes(12)], [int32s(3), int32s(3)]
            children = [items]
        case _:
            kind, schema, children = pa.binary_view(), "bytes", []
            sizes = (-1, 0, 5, 12, 13, 20, 2**31 - 1)
            views = struct.pack(
                "=i4sii", rng.choice(sizes), b"abcd", rng.choice((-1, 0, 1)), rng.choice(OFFSETS)
            )
            parts, content, rows = [bytes(16), bytes(20)], [views, b"x" * 20], 1
    made = buffers(*parts)
    if pa.types.is_dictionary(kind):
        indices = pa.Array.from_buffers(pa.int32(), rows, [None, made[0]])
        column = pa.DictionaryArray.from_arrays(indices, items)
    else:
        column = pa.Array.from_buffers(kind, rows, [None, *made], children=children)
    batch = pa.record_batch({"value": column})
    buffers(*content)
    try:
        encoded = rng.choice([AvroEncoder(schema), JSONEncoder()]).encode(batch)
    except ValueError as error:
        assert "batch is not valid Arrow data" in str(error)  # noqa: PT017
    else:
        assert len(encoded) == rows
        reasons = {error.reason for error in encoded.errors}
        assert reasons <= {
            "an index that lies outside its dictionary",
            "a type id or offset that the union does not have",
        }
