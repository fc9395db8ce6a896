"""Short and long values of Avro, near every limit of the fast loops."""

from __future__ import annotations

import random
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")

from confluent_kafka.columns import AvroDecoder, AvroEncoder  # noqa: E402
from tests.support.avro import encode, read, record  # noqa: E402

LINE = record(("sku", "string"), ("count", "int"), name="Line")
SCHEMA = record(
    ("id", "long"),
    ("text", "string"),
    ("maybe", ["string", "null"]),
    ("lines", {"type": "array", "items": LINE}),
    ("by_name", {"type": "map", "values": ["null", "string"]}),
    ("ok", "boolean"),
    ("single", "float"),
    ("double", "double"),
    ("last", "string"),
)
LENGTHS = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 63, 64, 65, 200)


def texts() -> list[str]:
    """Texts of all lengths. The short texts have a letter that is not ASCII at every place."""
    found = ["x" * length for length in LENGTHS]
    for length in LENGTHS[1:12]:
        found += ["y" * place + "é" + "y" * (length - place - 1) for place in range(length)]
    return found


def rows() -> list[dict[str, Any]]:
    """Rows that have their values at varying places in the payload."""
    draw = random.Random(5)
    every = texts()
    return [
        {
            "id": draw.choice((0, -1, 63, 64, -65, 8191, 8192, 2**40, -(2**63), 2**63 - 1)),
            "text": text,
            "maybe": draw.choice((None, *every)),
            "lines": [
                {"sku": draw.choice(every), "count": draw.choice((0, -(2**31), 70))}
                for _ in range(draw.choice((0, 1, 2, 70)))
            ],
            "by_name": {draw.choice(every): draw.choice((None, *every)) for _ in range(3)},
            "ok": draw.random() < 0.5,
            "single": draw.choice((0.0, 1.5, -2.25)),
            "double": draw.choice((0.1, -1e300)),
            "last": draw.choice(every),
        }
        for text in every
    ]


def test_rows_there_and_back() -> None:
    """The loops write the same bytes as fastavro, and read the same values from them, also from
    slices."""
    values = rows()
    wanted = encode(SCHEMA, values)
    decoded = read(AvroDecoder(SCHEMA), wanted)
    batch = pa.RecordBatch.from_struct_array(decoded)
    encoder = AvroEncoder(SCHEMA)
    for start, size in ((0, len(values)), (1, 5), (13, 40), (len(values) - 1, 1)):
        found = encoder.encode(batch.slice(start, size))
        assert not found.errors
        assert pa.array(found).to_pylist() == wanted[start : start + size]
    # Each text is decoded alone, so that it is at the end of the payload's memory.
    for one in (0, 3, len(values) // 2):
        [alone] = read(AvroDecoder(SCHEMA), [wanted[one]]).to_pylist()
        assert alone == decoded[one].as_py()


@pytest.mark.parametrize("length", LENGTHS)
def test_texts_that_are_cut_off(length: int) -> None:
    """A payload that ends within a text is bad, wherever it ends."""
    schema = record(("a", "string"), ("b", "string"))
    [payload] = encode(schema, [{"a": "x", "b": "y" * length}])
    cut = [payload[:size] for size in range(len(payload))]
    found = AvroDecoder(schema).decode(pa.array([*cut, payload]))
    assert [error.row for error in found.errors] == list(range(len(cut)))
    assert pa.array(found).to_pylist()[-1] == {"a": "x", "b": "y" * length}


@pytest.mark.parametrize("length", [1, 3, 4, 8, 16, 17, 40])
def test_texts_that_are_no_utf8(length: int) -> None:
    """Bytes that are not UTF-8 are bad rows when they are written and when they are read, at every
    place."""
    schema = record(("a", "string"))
    good = b"z" * length
    values = [good[:place] + b"\xff" + good[place + 1 :] for place in range(length)]
    column = pa.array([*values, good], pa.binary())
    found = AvroEncoder(schema).encode(pa.table({"a": column.cast(pa.binary()).view(pa.string())}))
    assert [error.row for error in found.errors] == list(range(length))
    [header] = encode(schema, [{"a": good.decode()}])
    frame = header[: len(header) - length]
    rows = AvroDecoder(schema).decode(pa.array([frame + one for one in (*values, good)]))
    assert [error.row for error in rows.errors] == list(range(length))


def test_nulls_that_may_not_be() -> None:
    """A null in any column of the loops makes a bad row.

    The error names the field, at any depth.
    """
    schema = record(("id", "long"), ("lines", {"type": "array", "items": LINE}))
    lines = pa.array(
        [[{"sku": "a", "count": 1}], None, [None], [{"sku": None, "count": 1}], []],
        pa.list_(pa.struct([("sku", pa.string()), ("count", pa.int32())])),
    )
    batch = pa.table({"id": [1, 2, 3, 4, None], "lines": lines})
    found = AvroEncoder(schema).encode(batch)
    assert [(error.row, error.field) for error in found.errors] == [
        (1, "lines"),
        (2, "lines[]"),
        (3, "lines[].sku"),
        (4, "id"),
    ]
    assert len(pa.array(found).to_pylist()[0]) > 0


@pytest.mark.parametrize("size", [30, 31, 32, 33, 62, 63, 64, 65, 66, 95, 96, 97])
def test_payloads_that_fill_their_memory(size: int) -> None:
    """If the items of an array fill all reserved memory, its end is still written."""
    schema = record(("items", {"type": "array", "items": "boolean"}))
    for lists in ([[True] * size], [[True] * size, [False] * size, []], [[]] * size):
        batch = pa.table({"items": pa.array(lists, pa.list_(pa.bool_()))})
        found = AvroEncoder(schema).encode(batch)
        assert pa.array(found).to_pylist() == encode(schema, [{"items": one} for one in lists])


UNEVEN = record(
    ("id", "int"),
    ("text", "string"),
    ("maybe", ["null", "long"]),
    ("flags", {"type": "array", "items": "boolean"}),
    ("either", ["string", "int"]),
    ("lines", {"type": "array", "items": LINE}),
)


def uneven(number: int, size: int) -> dict[str, Any]:
    """A row whose strings and lists have this size."""
    return {
        "id": number,
        "text": "t" * size,
        "maybe": number if size else None,
        "flags": [bool(item % 3) for item in range(size)],
        "either": "e" * size if number % 2 else size,
        "lines": [{"sku": "s" * item, "count": item} for item in range(size)],
    }


@pytest.mark.parametrize("sizes", [(0, 40), (40, 0), (3, 3)], ids=str)
@pytest.mark.parametrize("first", [255, 256, 257])
def test_rows_that_are_not_as_those_before(first: int, sizes: tuple[int, int]) -> None:
    """The memory that is reserved from the size of the first rows is also enough for other rows."""
    rows = [uneven(number, sizes[number >= first]) for number in range(700)]
    payloads = list(encode(UNEVEN, rows))
    broken = [*payloads[:256], b"\x80", *payloads[257:]]
    decoder = AvroDecoder(UNEVEN)
    assert read(decoder, payloads).to_pylist() == rows
    found = decoder.decode(pa.array(broken, pa.binary()))
    assert [row for row, *_ in found.errors] == [256]
    values = pa.array(found).to_pylist()
    assert [*values[:256], *values[257:]] == [*rows[:256], *rows[257:]]
    encoded = AvroEncoder(UNEVEN).encode(read(decoder, payloads))
    assert pa.array(encoded).to_pylist() == payloads


def test_many_large_rows() -> None:
    """Columns that are too large for one block have memory of their own."""
    rows = [{"text": "x" * 1000, "last": "y" * (number % 3)} for number in range(9)] * 2000
    schema = record(("text", "string"), ("last", "string"))
    payloads = list(encode(schema, rows[:9])) * 2000
    columns = read(AvroDecoder(schema), payloads)
    assert columns.to_pylist() == rows
    assert pa.array(AvroEncoder(schema).encode(columns)).to_pylist() == payloads
