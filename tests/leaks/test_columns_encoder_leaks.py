"""Encoding columns frees all memory: of payloads, of bad rows, and after every error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

from confluent_kafka import cimpl  # noqa: E402
from confluent_kafka.columns import (  # noqa: E402
    AvroEncoder,
    JSONEncoder,
    ProtobufEncoder,
    encode_batch,
)
from tests.support.refcounts import assert_no_leaks  # noqa: E402

SCHEMA = {
    "type": "record",
    "name": "Row",
    "fields": [
        {"name": "id", "type": "int"},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["A", "B"]}},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9}},
        {"name": "tags", "type": {"type": "array", "items": ["null", "string"]}},
        {"name": "extra", "type": ["null", {"type": "map", "values": "long"}]},
        {"name": "new", "type": "string", "default": "text"},
    ],
}
BATCH = pa.record_batch(
    {
        "id": [1, 2**40, 3],
        "kind": pa.array(["A", "B", "C"]).dictionary_encode(),
        "price": pa.array([1, 2, 3]).cast(pa.decimal128(20)),
        "tags": [["a", None], [], ["b"]],
        "extra": [{"x": 1}, {"x": None}, None],
    }
)
ENCODER = AvroEncoder(SCHEMA, schema_id=1)
ENCODERS = [ENCODER, JSONEncoder(schema_id=1)]


def refuses(call: Callable[[], object]) -> bool:
    """Whether the call raises; pytest.raises() would keep memory for some time after each call."""
    try:
        call()
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        return True
    return False


@pytest.mark.parametrize("encoder", ENCODERS, ids=lambda one: type(one).__name__)
def test_rows(encoder: Any) -> None:
    """Payloads and bad rows of batches, tables and empty batches are freed, through every
    interface."""

    def work() -> None:
        for batch in (BATCH, pa.Table.from_batches([BATCH, BATCH[:1]]), BATCH[:0]):
            rows = encoder.encode(batch)
            repr(rows), len(rows), rows.errors, rows.error_column()
            rows.__arrow_c_schema__(), rows.__arrow_c_array__(), rows.__arrow_c_stream__()
            pa.array(rows), pa.chunked_array(rows), pa.array(rows.error_column())

    assert_no_leaks(work, repeat=30)


def test_chunks() -> None:
    """The chunks of a batch are freed, even if a later chunk has a bad row or is not a batch."""
    encoder = JSONEncoder(pa.schema([("id", pa.int64())]))
    good = pa.record_batch({"id": [1, 2]})
    several = pa.Table.from_batches([good, good])
    bad = pa.record_batch({"key": [1], "value": [pa.scalar({"id": 1.5})]})

    def work() -> None:
        encoded = encode_batch(several, value=encoder)
        assert len(encoded) == 4
        encoded.__arrow_c_schema__(), encoded.__arrow_c_stream__()
        assert pa.table(encoded).num_rows == 4
        assert refuses(lambda: encode_batch(pa.Table.from_batches([bad, bad]), value=encoder))
        assert pa.table(encode_batch(several[:0], value=encoder)).num_rows == 0
        (chunk,) = cimpl._ColumnBatch.chunks_of(good)
        assert refuses(lambda: cimpl._ColumnBatch.stream_of((chunk, good)))  # type: ignore[arg-type]

    assert_no_leaks(work, repeat=30)


def test_encoders() -> None:
    """Compiled schemas are freed, whether or not they fit a batch's types."""

    def work() -> None:
        AvroEncoder(SCHEMA, extra="ignore").encode(BATCH)
        assert refuses(lambda: AvroEncoder("int").encode(BATCH))
        assert refuses(lambda: AvroEncoder(SCHEMA).encode(BATCH.select(["id"])))
        JSONEncoder(BATCH.schema.remove(1), extra="ignore").encode(BATCH)
        assert refuses(lambda: JSONEncoder(pa.int8()).encode(BATCH))
        assert refuses(lambda: JSONEncoder(pa.schema([("id", pa.string())])).encode(BATCH))

    assert_no_leaks(work, repeat=30)


def test_protobuf() -> None:
    """Protobuf messages and bad rows are freed, whether or not the types fit the columns."""
    types = pytest.importorskip("google.protobuf.type_pb2", reason="protobuf is not installed")
    options = pa.array([[{"name": "a", "value": {"type_url": "x"}}], [None]])
    batch = pa.record_batch({"name": ["x", "y"], "kind": ["TYPE_BOOL"] * 2, "options": options})
    encoder = ProtobufEncoder(types.Field, schema_id=1)

    def work() -> None:
        rows = encoder.encode(batch)
        assert len(rows.errors) == 1
        rows.error_column(), pa.array(rows)
        ProtobufEncoder(types.Field).encode(batch)
        assert refuses(lambda: ProtobufEncoder(types.Enum).encode(batch))

    assert_no_leaks(work, repeat=30)


def test_batches_that_are_refused() -> None:
    """Nothing is leaked for wrong types, invalid data, no columns, or functions that return no
    program."""
    ENCODER.encode(BATCH)
    program = next(iter(ENCODER._programs.values()))
    memory = bytearray(8)
    offsets = [None, pa.py_buffer(memory)]
    items = pa.Array.from_buffers(pa.list_(pa.string()), 1, offsets, children=[pa.array(["a"])])
    broken = BATCH[:1].set_column(3, "tags", items)
    memory[:] = b"\xff" * 8  # pyarrow would not create this array
    wrong: list[Any] = [None, [1], pa.array([1]), pa.chunked_array([[1], [2]]), broken]

    def fails(types: object) -> Any:
        raise ZeroDivisionError

    def work() -> None:
        for batch in wrong:
            assert refuses(lambda batch=batch: ENCODER.encode(batch))
        for give in (None, fails, lambda types: 1, lambda types: program):
            other = BATCH.select(["id"])
            assert refuses(lambda give=give, other=other: cimpl._encode_rows(other, give, b""))

    assert_no_leaks(work, repeat=30)


def test_programs_that_are_refused() -> None:
    """Nothing is leaked if types and instructions have a wrong shape or do not fit each other."""
    union = ("+us:0", "", (("i", "", (), None, "", None),), None, "", None)
    struct = ("+s", "", (("i", "", (), None, "", None), union), None, "", None)
    right = ("int", 1, 0, 0, (1,), b"data", "field")
    wrong: list[tuple[Any, ...]] = [
        ("avro", struct, (right, ("long", 1, 0, 0, (), b"", ""))),
        ("avro", struct, (right, ("nothing", 1, 0, 0, (), b"", ""))),
        ("avro", struct, (right, ("int", 1, 0, 0, ("x",), b"", ""))),
        ("avro", struct, (right, ("int", 1, 0, 0, (), b"", None))),
        ("avro", struct, None),
        ("avro", ("+l", "", (struct, union), None, "", None), ()),
        ("avro", (1,), ()),
        ("xml", struct, ()),
    ]

    def work() -> None:
        cimpl._PayloadProgram("avro", struct, (right,))
        for arguments in wrong:
            assert refuses(lambda arguments=arguments: cimpl._PayloadProgram(*arguments))

    assert_no_leaks(work, repeat=50)
