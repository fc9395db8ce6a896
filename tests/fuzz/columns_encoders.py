"""Hostile programs that write columns as payloads, and hostile text for Protobuf."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa
from google.protobuf.struct_pb2 import ListValue, Struct, Value
from google.protobuf.type_pb2 import Field

from confluent_kafka.cimpl import _encode_rows, _PayloadProgram
from confluent_kafka.columns import AvroEncoder, JSONEncoder, ProtobufEncoder
from tests.fuzz.boundary import DOCUMENTED

_ITEM = pa.struct([("key", pa.string()), ("value", pa.list_(pa.int32()))])
# A column of each layout in csrc/columns/input_types.h, with and without nulls.
_UNION = pa.UnionArray.from_dense(
    pa.array([0, 1, 0], pa.int8()),
    pa.array([0, 0, 1], pa.int32()),
    [pa.array([1, 2]), pa.array(["a"])],
    ["long", "string"],
)
_VIEWS = pa.ListViewArray.from_arrays(
    pa.array([1, -9, 0], pa.int32()),
    pa.array([2, 9, 2], pa.int32()),
    pa.array(["a", None, "b"]),
    mask=pa.array([False, True, False]),
)
_COLUMNS = pa.record_batch(
    {
        "text": pa.array(["a", None, 'longer "than" a view has'], pa.string_view()),
        "number": pa.array([1, -1, 2**40]),
        "small": pa.array([1, None, 255], pa.uint8()),
        "real": pa.array([1.5, None, -1e300]),
        "at": pa.array([0, None, -1], pa.timestamp("ms", "UTC")),
        "list": pa.array([[1, 2], None, [3]], pa.large_list(pa.int16())),
        "views": _VIEWS,
        "pair": pa.array([[1, 2], [3, 4], [5, 6]], pa.list_(pa.int64(), 2)),
        "map": pa.array([[{"key": "a", "value": [1]}], [], None], pa.list_(_ITEM)),
        "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
        "union": _UNION,
        "price": pa.array([Decimal("1.5"), None, Decimal(-2)], pa.decimal128(5, 2)),
        "fixed": pa.array([b"1234", None, b"abcd"], pa.binary(4)),
        "flag": pa.array([True, None, False]),
    }
)
_AVRO = {
    "type": "record",
    "name": "Row",
    "fields": [
        {"name": "text", "type": ["null", "string"]},
        {"name": "number", "type": "long"},
        {"name": "small", "type": ["null", "int"]},
        {"name": "at", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}]},
        {"name": "list", "type": ["null", {"type": "array", "items": "int"}]},
        {"name": "views", "type": ["null", {"type": "array", "items": ["null", "string"]}]},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["x", "y"]}},
        {"name": "union", "type": ["long", "string"]},
        {
            "name": "price",
            "type": [
                "null",
                {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 2},
            ],
        },
    ],
}
_OPTION = pa.struct([("name", pa.string()), ("value", pa.struct([("type_url", pa.string())]))])
_FIELD = pa.record_batch(
    {
        "kind": ["TYPE_BOOL", "77", "TYPE_STRING"],
        "cardinality": pa.array([1, 2, 0], pa.int64()),
        "number": pa.array([1, 2, None], pa.decimal128(10)),
        "packed": [True, None, False],
        "name": pa.array(["a", None, "x" * 300]).dictionary_encode(),
        "options": pa.array(
            [[{"name": "b", "value": {"type_url": "c"}}], [], None], pa.list_view(_OPTION)
        ),
    }
)

_NUMBERS = (-(2**63), -(2**31), -2, -1, 0, 1, 2, 3, 7, 16, 2**31 - 1, 2**31, 2**33, 2**63 - 1)
_STEPS = (
    *("constant", "record", "dictionary", "union", "case", "nullable", "optional", "entry"),
    *("long", "string", "fixed", "array", "enum", "decimal-bytes", "decimal-fixed", "entries"),
    *("whole", "double", "binary", "uuid", "decimal", "decimal-text", "date", "time", "timestamp"),
    *("object", "end-object", "map", "map-key", "end", "int64", "sint32", "fixed64", "bytes"),
    *("message", "repeated", "packed", "oneof", "struct", "value", "list-value", "enum-number"),
    *("duration", "bool", "float", "date-of-text", "time-of-text", "timestamp-of-text", "x", 5),
)
_TABLES: tuple[Any, ...] = (
    ((), (0,), (1,), (9,), (-400,), (1, 2, 3), (0, 1, 0), (0, 2, -1, 1, 1, 5), (-1, 2**31 - 1, 0)),
    (((2**31,), None, ("x",))),
)
_DATA = (b"", b"\0", b",", b'"a":', bytes(32), b"\xff" * 32 + b"k", b"\xff" * 40, "text")
_JSON = (
    *("{", "}", "[", "]", ",", ":", '"a"', '"\\u00e9\\ud83d\\ude00"', '"\\ud800"', "1", "-0.5e3"),
    *("1e999", "true", "null", " ", "\n", "\0", "é", '"', "\\", "{}", "[]", '{"a":[', "x" * 200),
)


def _with_column(kind: Any) -> Any:
    """A message type with a field of this type."""
    from google.protobuf.descriptor_pb2 import FileDescriptorProto
    from google.protobuf.descriptor_pool import DescriptorPool

    pool = DescriptorPool()
    known = FileDescriptorProto()
    kind.DESCRIPTOR.file.CopyToProto(known)
    pool.Add(known)
    name = f"holds_{kind.DESCRIPTOR.name}"
    file = FileDescriptorProto(name=f"{name}.proto", dependency=[known.name])
    field = file.message_type.add(name=name).field.add(name="json", number=1, type=11, label=1)
    field.type_name = f".{kind.DESCRIPTOR.full_name}"
    pool.Add(file)
    return pool.FindMessageTypeByName(name)


class Encoders:
    """Encodes hostile input. The results must be valid payloads or documented exceptions."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.last = ""
        self._encoders: list[tuple[str, Any, Any]] = [
            ("avro", AvroEncoder(_AVRO, extra="ignore"), _COLUMNS),
            ("json", JSONEncoder(), _COLUMNS),
            ("json", JSONEncoder(nulls="omit", decimals="number"), _COLUMNS),
            ("protobuf", ProtobufEncoder(Field), _FIELD),
        ]
        self._texts = [ProtobufEncoder(_with_column(one)) for one in (Struct, Value, ListValue)]

    def __enter__(self) -> Encoders:
        return self

    def __exit__(self, *_: object) -> None:
        self._encoders.clear()

    def step(self) -> Exception | None:
        try:
            self._hostile_program() if self._random.randrange(4) else self._hostile_text()
        except DOCUMENTED as error:
            return error
        return None

    def _hostile_program(self) -> None:
        """Run the program of an encoder with some changed instructions."""
        random = self._random
        name, encoder, batch = random.choice(self._encoders)
        batch = batch.slice(random.randrange(3))

        def program(types: Any) -> _PayloadProgram:
            from confluent_kafka.columns._input import read_input

            steps = [tuple(one) for one in encoder._compile(read_input(types))]
            for _ in range(random.randrange(1, 4)):
                self._change(steps)
            self.last = f"{name}: {steps}"
            return _PayloadProgram(name, types, tuple(steps))

        look(_encode_rows(batch, program, random.choice((b"", b"\0\0\0\0,"))), len(batch))

    def _change(self, steps: list[Any]) -> None:
        random = self._random
        if not steps:
            return
        place = random.randrange(len(steps))
        match random.randrange(8):
            case 0:
                del steps[place]
            case 1:
                steps.insert(place, random.choice(steps))
            case _:
                step = list(steps[place])
                part = random.randrange(7)
                step[part] = random.choice(
                    (
                        _STEPS,
                        _NUMBERS,
                        _NUMBERS,
                        (*_NUMBERS, len(steps), len(steps) + 1),
                        _TABLES[random.randrange(8) == 0],
                        _DATA,
                        ("", "a.b[]", "\ud800", None),
                    )[part]
                )
                steps[place] = tuple(step)

    def _hostile_text(self) -> None:
        """Encode text similar to JSON as one of Protobuf's types for JSON."""
        random = self._random
        texts = [
            "".join(random.choice(_JSON) for _ in range(random.randrange(12))),
            random.choice(("{}", "[]")),
            random.choice('{["') * random.randrange(200),
        ]
        self.last = f"{texts}"
        look(random.choice(self._texts).encode(pa.record_batch({"json": texts})), len(texts))


def look(rows: Any, count: int) -> None:
    """Check that the payloads are valid Arrow data, with a null for each bad row."""
    array = pa.array(rows)
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as error:
        raise AssertionError from error
    assert len(array) == count
    assert array.null_count == len(rows.errors)
    assert all(error.offset >= 0 for error in rows.errors)
