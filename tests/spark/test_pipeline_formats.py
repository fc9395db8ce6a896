"""Keys and values are decoded one Arrow column at a time, and bad rows are found one by one."""

from __future__ import annotations

import base64
import io
import json
import pickle
import struct
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, cast

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")
pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("jsonschema", reason="jsonschema is not installed")

import fastavro
import pyarrow as pa
from google.protobuf.api_pb2 import Api, Method
from google.protobuf.timestamp_pb2 import Timestamp

from confluent_kafka.schema_registry import (
    SchemaRegistryClient,
    SchemaRegistryError,
    header_schema_id_serializer,
)
from confluent_kafka.schema_registry._memory import MemoryRegistry
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.schema_registry.serde import SchemaId
from confluent_kafka.serialization import MessageField, SerializationContext
from confluent_kafka.spark.formats import Decoder
from confluent_kafka.spark.formats.choice import choose
from confluent_kafka.spark.formats.protobuf_columns import compile_schema
from confluent_kafka.spark.pipeline import Decoding, Registry
from tests.support.schema_registry import FakeRegistry, running_registry

FLIGHT = {
    "type": "record",
    "name": "Flight",
    "fields": [
        {"name": "carrier", "type": "string"},
        {"name": "delay", "type": ["null", "int"], "default": None},
    ],
}


@pytest.fixture
def registry() -> Iterator[FakeRegistry]:
    """An empty registry that accepts any new version of a subject without compatibility checks."""
    with running_registry() as one:
        one.memory.answer("PUT", "/config", (), {"compatibility": "NONE"})
        yield one


def framed(schema_id: int, payload: bytes) -> bytes:
    """A row with the schema id in front, as the registry's serializers write it."""
    return struct.pack(">bI", 0, schema_id) + payload


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        ('"bytes"', [b"\x04\xd2", b"\x02\x41", b""]),
        (
            '{"type": "bytes", "logicalType": "decimal", "precision": 6, "scale": 2}',
            [Decimal("12.34"), Decimal("5.77"), Decimal("0.00")],
        ),
    ],
)
def test_avro_rows_of_bytes_alone(
    decode: Decode, registry: FakeRegistry, schema: str, wanted: list[Any]
) -> None:
    """If the schema is just bytes, the registry's serializers write no length in front of them."""
    known = registry.register("s", schema)
    serialize = AvroSerializer(SchemaRegistryClient({"url": registry.url}), schema)
    rows = [b"\x04\xd2", b"\x02\x41", b""]
    messages = [serialize(row, SerializationContext("s", MessageField.VALUE)) for row in rows]
    assert messages == [framed(known, row) for row in rows]
    assert decode(Decoding(format="avro"), *messages) == (wanted, {})


def avro(schema: Any, row: Any) -> bytes:
    """A row in Avro."""
    file = io.BytesIO()
    fastavro.schemaless_writer(file, fastavro.parse_schema(schema), row)
    return file.getvalue()


VALUE = SerializationContext("t", MessageField.VALUE)
Decode = Callable[..., tuple[list[Any], dict[int, str]]]


@pytest.fixture
def decode(registry: FakeRegistry) -> Decode:
    """Decode rows by the latest schema of the subject "s"; pickle the decoder, as for executors."""

    def run(
        decoding: Decoding, *rows: bytes | None, headers: Any = None
    ) -> tuple[list[Any], dict[int, str]]:
        _, decoder = choose(decoding, "value", "s", Registry(url=registry.url))
        decoder = pickle.loads(pickle.dumps(decoder))
        column, failures = decoder(pa.array(rows, pa.binary()), headers)
        assert len(column) == len(rows)
        return column.to_pylist(), failures

    return run


def json_decoder(columns: str) -> Decoder:
    """The decoder of plain JSON, pickled as for executors."""
    _, decoder = choose(Decoding(format="json", schema=columns), "value", None, None)
    return cast(Decoder, pickle.loads(pickle.dumps(decoder)))


JSON = json_decoder(
    "i INT, s STRING, t TIMESTAMP, d DATE, m DECIMAL(10, 2), l ARRAY<STRUCT<x: DOUBLE>>, "
    "b BINARY, p MAP<STRING, INT>"
)


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        (b'{"i": 1, "more": [{}]}', {"i": 1}),
        (b' {"s": "\xc3\xa4"}\n', {"s": "ä"}),
        (
            b'{"t": "2013-01-01T10:00:00.5+02:00"}',
            {"t": datetime(2013, 1, 1, 8, 0, 0, 500000, UTC)},
        ),
        (b'{"d": "2013-01-02", "m": "1.25"}', {"d": date(2013, 1, 2), "m": Decimal("1.25")}),
        (b'{"l": [{"x": 1}]}', {"l": [{"x": 1.0}]}),
        (b'{"b": "AAE=", "p": {"a": 1}}', {"b": b"\0\1", "p": [("a", 1)]}),
        (b'{"i": 1, "i": 2.0}', {"i": 2}),
        (b"{}", {}),
    ],
)
def test_json(row: bytes, wanted: dict[str, Any]) -> None:
    """Fields are matched by name; missing fields are null, and other fields are left out."""
    column, failures = JSON(pa.array([row], pa.binary()))
    [found] = column.to_pylist()
    assert {name: value for name, value in found.items() if value is not None} == wanted
    assert failures == {}


BAD_JSON = [
    (b"", "ends within a value, at byte 0"),
    (b"nonsense", ", at byte 0"),
    (b'{"i": 1', "ends within a value, at byte 7"),
    (b'{"i": 1}}\n{"v": {"i": 2}', "bytes after the value, at byte 8"),
    (b'{"i": 1.5}', "a number with a fraction, or out of the range of its column, at byte 6 of i"),
    (b'{"i": 3000000000}', "out of the range of its column, at byte 6 of i"),
    (b'{"i": "1"}', "not a number, at byte 6 of i"),
    (b'{"s": 1}', "not a string, at byte 6 of s"),
    (b'{"s": "\xff"}', "not UTF-8, at byte 7 of s"),
    (b'{"l": [{}, {"x": "1"}]}', "not a number, at byte 17 of l[].x"),
    (b"[1]", "not an object, at byte 0"),
    (b"7", "not an object, at byte 0"),
    (b'{"d": "soon"}', "of d"),
    (b'{"t": "2013-01-01T10:00:00"}', "a time without an offset"),
]


@pytest.mark.parametrize(("row", "wanted"), BAD_JSON)
def test_json_that_does_not_decode(row: bytes, wanted: str) -> None:
    """Each bad row is found among good rows, with the reason; the good rows are not affected."""
    column, failures = JSON(pa.array([b'{"i": 1}', None, row, b'{"i": 2}'], pa.binary()))
    assert list(failures) == [2]
    assert wanted in failures[2]
    found = column.to_pylist()
    assert (found[0]["i"], found[1], found[2], found[3]["i"]) == (1, None, None, 2)


def test_json_that_must_be_there() -> None:
    """With NOT NULL, a row without a value is bad; the column itself can contain nulls."""
    kind, decoder = choose(
        Decoding(format="json", schema="s STRING NOT NULL, l ARRAY<STRUCT<x: INT NOT NULL>>"),
        "value",
        None,
        None,
    )
    assert kind.simpleString() == "struct<s:string,l:array<struct<x:int>>>"
    assert kind["s"].nullable  # type: ignore[index]
    rows = [b'{"s": "a", "l": [{"x": 1}]}', b"{}", b'{"s": null}', b'{"s": "a", "l": [{}]}']
    column, failures = decoder(pa.array(rows, pa.binary()))
    assert column.to_pylist() == [{"s": "a", "l": [{"x": 1}]}, None, None, None]
    assert sorted(failures) == [1, 2, 3]
    assert failures[3] == "a field that is missing, at byte 19 of l[].x"


def test_all_rows_can_be_bad() -> None:
    """The decoder accepts a column without any good row, and a column without rows."""
    rows = pa.array([row for row, _ in BAD_JSON], pa.binary())
    assert sorted(JSON(rows).failures) == list(range(len(BAD_JSON)))
    assert JSON(rows.slice(0, 0)).column.to_pylist() == []


def test_avro_by_schema_id(decode: Decode, registry: FakeRegistry) -> None:
    """Rows of an older and a newer schema in one column have the fields of the latest schema."""
    old = {**FLIGHT, "fields": FLIGHT["fields"][:1]}
    first = registry.register("s", json.dumps(old))
    second = registry.register("s", json.dumps(FLIGHT))
    rows = [
        framed(second, avro(FLIGHT, {"carrier": "UA", "delay": 7})),
        None,
        framed(first, avro(old, {"carrier": "AA"})),
        framed(second, avro(FLIGHT, {"carrier": "DL", "delay": None})),
    ]
    found, failures = decode(Decoding(format="avro"), *rows)
    assert found == [
        {"carrier": "UA", "delay": 7},
        None,
        {"carrier": "AA", "delay": None},
        {"carrier": "DL", "delay": None},
    ]
    assert failures == {}
    # One request is for the column's type, one for the older schema and one for the newer schema.
    assert len([path for path in registry.requests if "ids" in path]) == 2


def test_corrupt_avro(decode: Decode, registry: FakeRegistry) -> None:
    """Rows may be cut, too long, or unframed, or have an unknown or another schema.

    The error contains the reason for each row.
    """
    known = registry.register("s", json.dumps(FLIGHT))
    foreign = registry.register("other", '{"type": "object"}', "JSON")
    number = registry.register("number", '"int"')
    good = avro(FLIGHT, {"carrier": "UA", "delay": 7})
    found, failures = decode(
        Decoding(format="avro"),
        framed(known, good),
        framed(known, good[:-1]),
        framed(known, good + b"x"),
        framed(known, b"\x08\xff\xff\xff\xff\x00"),
        framed(99, good),
        framed(foreign, good),
        framed(number, b"\x02"),
        b'{"carrier": "UA"}',
        b"",
        framed(known, good),
    )
    assert found == [{"carrier": "UA", "delay": 7}, *[None] * 8, {"carrier": "UA", "delay": 7}]
    wanted = [
        "corrupt Avro: the payload ends within a value, at byte 9 of delay",
        "corrupt Avro: bytes after the value, at byte 10",
        "corrupt Avro: a string that is not UTF-8, at byte 10 of carrier",
        "the registry has no schema 99",
        f"schema {foreign} is JSON, not AVRO",
        f"schema {number}: the value was written as int, and is to be read as Flight",
        "no schema id or GUID at the start, and no headers to look in",
        "no schema id or GUID at the start, and no headers to look in",
    ]
    assert sorted(failures) == list(range(1, 9))
    for row, text in enumerate(wanted, 1):
        assert text in failures[row]


HEADERS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))


def guid_of(registry: FakeRegistry, schema_id: int) -> bytes:
    """The value of a header, as serializers write it."""
    _, document = registry.memory.answer("GET", f"/schemas/ids/{schema_id}", (), None)
    return b"\1" + uuid.UUID(document["guid"]).bytes


def test_schemas_named_by_a_header(decode: Decode, registry: FakeRegistry) -> None:
    """A row has the schema's GUID in a header, or the schema's id; the header takes precedence."""
    old = {**FLIGHT, "fields": FLIGHT["fields"][:1]}
    first = registry.register("s", json.dumps(old))
    second = registry.register("s", json.dumps(FLIGHT))
    older, newer = (guid_of(registry, one) for one in (first, second))
    rows: list[tuple[bytes | None, Any]] = [
        (avro(FLIGHT, {"carrier": "UA", "delay": 7}), [("a", b""), ("__value_schema_id", newer)]),
        (framed(first, avro(old, {"carrier": "AA"})), None),
        (avro(old, {"carrier": "DL"}), [("__value_schema_id", older), ("b", None)]),
        (None, [("__value_schema_id", older)]),
        (None, []),
        # The last header of the value counts; the header of the key does not.
        (
            avro(old, {"carrier": "B6"}),
            [("__value_schema_id", newer), ("__value_schema_id", older), ("__key_schema_id", b"x")],
        ),
        (newer + avro(FLIGHT, {"carrier": "WN", "delay": 1}), []),
        (avro(old, {"carrier": "F9"}), [("__value_schema_id", b"\1short")]),
        (avro(old, {"carrier": "F9"}), [("__value_schema_id", b"\1" + b"x" * 16)]),
        (avro(old, {"carrier": "F9"}), [("__key_schema_id", older)]),
    ]
    # A slice, because Arrow passes parts of a batch as slices.
    headers = pa.array([[], *(one for _, one in rows)], HEADERS).slice(1)
    payloads = [payload for payload, _ in rows]
    found, failures = decode(Decoding(format="avro"), *payloads, headers=headers)
    assert [row and (row["carrier"], row["delay"]) for row in found] == [
        *[("UA", 7), ("AA", None), ("DL", None), None, None],
        *[("B6", None), ("WN", 1), None, None, None],
    ]
    # With Spark's setting useLargeVarTypes, these are the types.
    _, decoder = choose(Decoding(format="avro"), "value", "s", Registry(url=registry.url))
    large = headers.cast(
        pa.list_(pa.struct([("key", pa.large_string()), ("value", pa.large_binary())]))
    )
    again = decoder(pa.array(payloads, pa.large_binary()), large)
    assert (again.column.to_pylist(), again.failures) == (found, failures)
    assert sorted(failures) == [7, 8, 9]
    assert failures[7] == "its header has no schema's GUID: 6 bytes 01 73 68 6f 72 74"
    assert "the registry has no schema 78787878-7878" in failures[8]
    assert failures[9] == "no schema id or GUID at the start, nor in a header"


def test_what_our_serializers_write_with_a_header(registry: FakeRegistry) -> None:
    """The value is the payload alone, and the header contains the GUID of its schema."""
    client = SchemaRegistryClient({"url": registry.url})
    conf = {"schema.id.serializer": header_schema_id_serializer}
    schema = '{"type": "object", "properties": {"carrier": {"type": "string"}}}'
    row = {"carrier": "UA"}
    only = {**FLIGHT, "fields": FLIGHT["fields"][:1]}
    serializers: dict[Any, Any] = {
        "avro": AvroSerializer(client, json.dumps(only), conf=conf),
        "json-schema": JSONSerializer(schema, client, conf=conf),
    }
    for kind, serialize in serializers.items():
        for part in ("key", "value"):
            context = SerializationContext(kind, MessageField(part), headers=[])
            rows = pa.array([serialize(row, context)], pa.binary())
            subject, place = f"{kind}-{part}", Registry(url=registry.url)
            _, decoder = choose(Decoding(format=kind), part, subject, place)
            found = decoder(rows, pa.array([context.headers], HEADERS))
            assert (found.column.to_pylist(), found.failures) == ([row], {})


def test_protobuf_named_by_a_header(decode: Decode, registry: FakeRegistry) -> None:
    """The header also contains the index of the message in the schema."""
    known = registry.register("s", PROTO.replace('import "place.proto";', PLACE_ENUM), "PROTOBUF")
    guid = uuid.UUID(bytes=guid_of(registry, known)[1:])
    marks = [SchemaId("PROTOBUF", None, guid, [index]).guid_to_bytes() for index in (0, 1)]
    headers = pa.array([[("__value_schema_id", mark)] for mark in marks], HEADERS)
    payload = b"\x0a\x02UA"
    other = Decoding(format="protobuf", message="x.Other")
    found, failures = decode(other, payload, payload, headers=headers)
    assert found == [None, {"carrier": "UA"}]
    assert failures == {0: "message indexes of another message in its header"}


def test_avro_types(decode: Decode, registry: FakeRegistry) -> None:
    """Logical types, nested types and references are decoded, also with a reader's schema."""
    registry.register("place", '{"type": "enum", "name": "x.Place", "symbols": ["JFK", "LGA"]}')
    schema = {
        "type": "record",
        "name": "x.All",
        "fields": [
            {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
            {"name": "day", "type": {"type": "int", "logicalType": "date"}},
            {
                "name": "price",
                "type": {"type": "bytes", "logicalType": "decimal", "precision": 6, "scale": 2},
            },
            {"name": "id", "type": {"type": "string", "logicalType": "uuid"}},
            {"name": "from", "type": "x.Place"},
            {"name": "tags", "type": {"type": "map", "values": {"type": "array", "items": "long"}}},
            {"name": "number", "type": ["int", "null", "long"]},
        ],
    }
    reference = {"name": "x.Place", "subject": "place", "version": 1}
    known = registry.register("s", json.dumps(schema), references=[reference])
    at = datetime(2013, 1, 1, 10, tzinfo=UTC)
    row = {
        "at": at,
        "day": at.date(),
        "price": Decimal("12.50"),
        "id": "c7a1",
        "from": "LGA",
        "tags": {"a": [1, 2]},
        "number": 1 << 40,
    }
    place = {"type": "enum", "name": "x.Place", "symbols": ["JFK", "LGA"]}
    fields = [
        {**one, "type": place if one["name"] == "from" else one["type"]}
        for one in schema["fields"]  # type: ignore[attr-defined]
    ]
    del fields[3]["type"]["logicalType"]  # without it, the text is unchanged
    payload = framed(known, avro({**schema, "fields": fields}, row))
    assert decode(Decoding(format="avro"), payload) == ([{**row, "tags": [("a", [1, 2])]}], {})
    only = '{"type": "record", "name": "x.All", "fields": [{"name": "at", "type": %s}]}'
    micros = {"type": "long", "logicalType": "timestamp-micros"}
    same = Decoding(format="avro", schema=only % json.dumps(micros))
    assert decode(same, payload) == ([{"at": at}], {})
    only = '{"type": "record", "name": "x.All", "fields": [{"name": "day", "type": %s}]}'
    day = Decoding(format="avro", schema=only % json.dumps(schema["fields"][1]["type"]))  # type: ignore[index]
    assert decode(day, payload) == ([{"day": at.date()}], {})
    _, failures = decode(Decoding(format="avro", schema=only % '"int"'), payload)
    assert failures == {
        0: f"schema {known}: day is written as date, but to be read as no logical type"
    }


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        ('{"type": "record"', "not an Avro schema"),
        ('["int", "string"]', "union of 2 types"),
        (
            '{"type": "record", "name": "R", "fields": [{"name": "r", "type": ["null", "R"]}]}',
            "contains itself",
        ),
    ],
)
def test_avro_schemas_that_spark_cannot_have(
    decode: Decode, registry: FakeRegistry, schema: str, wanted: str
) -> None:
    """Schemas that Spark does not support are refused when the pipeline is planned, and not row by
    row."""
    registry.register("s", schema)
    with pytest.raises(ValueError, match=wanted):
        decode(Decoding(format="avro"))


def test_avro_as_connect_writes_it(decode: Decode, registry: FakeRegistry) -> None:
    """Decimals of 64 digits are decoded, and so is a type that two referenced schemas share."""
    amount = {"type": "bytes", "logicalType": "decimal", "precision": 64, "scale": 2}
    common = {"type": "record", "name": "Common", "fields": [{"name": "amount", "type": amount}]}
    registry.register("common", json.dumps(common))
    refer = {"name": "Common", "subject": "common", "version": 1}
    for name in ("Left", "Right"):
        fields = [{"name": "common", "type": "Common"}]
        side = {"type": "record", "name": name, "fields": fields}
        registry.register(name, json.dumps(side), references=[refer])
    sides = [{"name": name, "subject": name, "version": 1} for name in ("Left", "Right")]
    fields = [{"name": "left", "type": "Left"}, {"name": "right", "type": "Right"}]
    top = {"type": "record", "name": "Top", "fields": fields}
    known = registry.register("s", json.dumps(top), references=sides)
    rows = [framed(known, b"\x02\x05\x02\x07"), framed(known, b"\x02\x05\x26\x7f" + bytes(18))]
    found, failures = decode(Decoding(format="avro"), *rows)
    good = {
        "left": {"common": {"amount": Decimal("0.05")}},
        "right": {"common": {"amount": Decimal("0.07")}},
    }
    assert found == [good, None]
    assert "more than 38 digits" in failures[1]
    amount["scale"] = 50
    registry.register("s", json.dumps({**common, "name": "Other"}))
    with pytest.raises(ValueError, match="a scale of 50 has no counterpart in Spark"):
        decode(Decoding(format="avro"))


def test_a_registry_that_is_not_there(decode: Decode, registry: FakeRegistry) -> None:
    """An unreachable registry ends the task; its rows are not called bad."""
    known = registry.register("s", json.dumps(FLIGHT))
    _, decoder = choose(Decoding(format="avro"), "value", "s", Registry(url=registry.url))
    registry.user = "somebody:else"
    with pytest.raises(SchemaRegistryError, match="401"):
        decoder(pa.array([framed(known, b"")], pa.binary()))
    with pytest.raises(ValueError, match="HTTP status code 401"):
        decode(Decoding(format="avro"))


def test_json_schema(decode: Decode, registry: FakeRegistry) -> None:
    """The schema's properties become columns, and each row is checked against the schema."""
    schema = {
        "type": "object",
        "properties": {
            "carrier": {"type": "string", "maxLength": 2},
            "delay": {"oneOf": [{"type": "null"}, {"type": "integer"}]},
            "legs": {"type": "array", "items": {"$ref": "#/definitions/leg"}},
        },
        "required": ["carrier"],
        "definitions": {"leg": {"type": "object", "properties": {"km": {"type": "number"}}}},
    }
    known = registry.register("s", json.dumps(schema), "JSON")
    rows = [
        framed(known, b'{"carrier": "UA", "delay": 3, "legs": [{"km": 1.5}]}'),
        framed(known, b'{"carrier": "UAL"}'),
        framed(known, b'{"delay": 3}'),
        framed(known, b"{"),
    ]
    found, failures = decode(Decoding(format="json-schema"), *rows)
    assert found[0] == {"carrier": "UA", "delay": 3, "legs": [{"km": 1.5}]}
    assert failures[1] == "its schema (no title): carrier: 'UAL' is too long"
    assert failures[2] == "its schema (no title): the whole: 'carrier' is a required property"
    assert failures[3] == "the payload ends within a value, at byte 6"
    _, failures = decode(Decoding(format="json-schema", validate=False), *rows)
    assert list(failures) == [3]
    # Each row is checked against its own schema, which its frame or a header names.
    looser = registry.register("other", '{"type": "object"}', "JSON")
    long, guid = b'{"carrier": "UAL"}', guid_of(registry, looser)
    both = [framed(known, long), framed(looser, long), framed(known, long), long, framed(99, long)]
    headers = pa.array([[], [], [], [("__value_schema_id", guid)], []], HEADERS)
    found, failures = decode(Decoding(format="json-schema"), *both, headers=headers)
    assert [one and one["carrier"] for one in found] == [*["UAL"] * 4, None]
    assert sorted(failures) == [0, 2, 4]
    registry.register("s", '{"$ref": "other"}', "JSON")
    with pytest.raises(ValueError, match=r"'other', which is not within .*; name the columns"):
        decode(Decoding(format="json-schema"))
    found, _ = decode(Decoding(format="json-schema", schema="delay INT"), rows[0])
    assert found == [{"delay": 3}]


def test_json_of_any_type(decode: Decode, registry: FakeRegistry) -> None:
    """Keywords next to `$ref` apply, as in JSONDecoder; a value without a single type is JSON
    text."""
    schema = {
        "$ref": "#/$defs/base",
        "properties": {
            "any": {},
            "more": {"type": "array"},
            "by_name": {"additionalProperties": {"type": ["integer", "string"]}},
            "next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
            "at": {"type": "string", "format": "date-time"},
        },
        "$defs": {"base": {"properties": {"id": {"type": "integer"}}}},
        "$schema": "https://json-schema.org/draft/2020-12/schema",
    }
    known = registry.register("s", json.dumps(schema), "JSON")
    text = (
        b'{"id": 1, "any": {"a": 1}, "more": [1, "x"], "by_name": {"k": "v"}, "at": "noon", '
        b'"next": {}}'
    )
    decoding = Decoding(format="json-schema", validate=False)
    found, failures = decode(decoding, framed(known, text))
    assert (found, failures) == (
        [
            {
                "id": 1,
                "any": '{"a": 1}',
                "more": ["1", '"x"'],
                "by_name": [("k", '"v"')],
                "next": "{}",
                "at": "noon",
            }
        ],
        {},
    )
    known = registry.register("s", '{"type": "object"}', "JSON")
    assert decode(decoding, framed(known, b'{"a": 1}')) == (['{"a": 1}'], {})


PROTO = """
syntax = "proto3";
package x;
import "google/protobuf/timestamp.proto";
import "place.proto";
message Flight {
  string carrier = 1;
  optional int32 delay = 2;
  google.protobuf.Timestamp at = 3;
  repeated Leg legs = 4;
  map<string, uint64> counts = 5;
  Place from = 6;
  message Leg { double km = 1; }
}
message Other { string carrier = 1; }
"""
PROTO_TYPES = """
syntax = "proto3";
package x;
import "google/protobuf/duration.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
message Types {
  google.protobuf.Timestamp at = 1;
  google.protobuf.Duration took = 2;
  google.protobuf.Int64Value number = 3;
  google.protobuf.Struct more = 4;
  repeated uint32 counts = 5;
  bytes raw = 6;
}
"""
PLACE_ENUM = "enum Place { UNKNOWN = 0; JFK = 1; }"
PLACE = 'syntax = "proto3"; package x; enum Place { UNKNOWN = 0; JFK = 1; }'


@pytest.mark.parametrize("described", [["s"], ["place"], ["s", "place"]])
def test_protobuf_descriptors(decode: Decode, registry: FakeRegistry, described: list[str]) -> None:
    """A schema, or its import, may be a descriptor in base64, as serializers register them."""
    reference = {"name": "place.proto", "subject": "place", "version": 1}
    registry.register("place", PLACE, "PROTOBUF")
    number = registry.register("text", PROTO, "PROTOBUF", [reference])
    with SchemaRegistryClient({"url": registry.url}) as client:
        compiled = compile_schema(client.get_schema(number), client).files
    files = {file.name: file.SerializeToString() for file in compiled.file}
    texts = {"s": PROTO, "place": PLACE}
    for subject, name in (("s", "the schema.proto"), ("place", "place.proto")):
        if subject in described:
            texts[subject] = base64.b64encode(files[name]).decode()
    registry.memory = MemoryRegistry()
    registry.memory = MemoryRegistry()
    registry.register("place", texts["place"], "PROTOBUF")
    known = registry.register("s", texts["s"], "PROTOBUF", [reference])
    found, failures = decode(
        Decoding(format="protobuf"), framed(known, b"\0\x0a\x02UA\x1a\x02\x08\x01\x30\x01")
    )
    assert not failures
    at = datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert (found[0]["carrier"], found[0]["at"], found[0]["from"]) == ("UA", at, "JFK")


def test_protobuf_of_a_serializer(decode: Decode, registry: FakeRegistry) -> None:
    """Pipelines decode the output of ProtobufSerializer by the schema that it registers."""
    with SchemaRegistryClient({"url": registry.url}) as client:
        serialize = ProtobufSerializer(Api, client, {"subject.name.strategy": lambda *_: "s"})
        row = serialize(Api(name="a", methods=[Method(name="m")]), VALUE)
    found, failures = decode(Decoding(format="protobuf"), row)
    assert not failures
    assert (found[0]["name"], found[0]["methods"][0]["name"]) == ("a", "m")


def test_protobuf(decode: Decode, registry: FakeRegistry) -> None:
    """The registry's schema text is compiled; a row selects its message by index."""
    registry.register("place", PLACE, "PROTOBUF")
    reference = {"name": "place.proto", "subject": "place", "version": 1}
    known = registry.register("s", PROTO, "PROTOBUF", [reference])
    # carrier UA, delay 7, at 1 s, a leg of 1.5 km, counts {a: 2**64-1}, from JFK
    payload = (
        b"\x0a\x02UA\x10\x07\x1a\x02\x08\x01"
        b"\x22\x09\x09" + struct.pack("<d", 1.5) + b"\x2a\x0e\x0a\x01a\x10" + b"\xff" * 9 + b"\x01"
        b"\x30\x01"
    )
    found, failures = decode(
        Decoding(format="protobuf"),
        framed(known, b"\0" + payload),
        framed(known, b"\0"),
        framed(known, b"\x02\x02\x0a\x02UA"),
        framed(known, b"\0\x0a\x05UA"),
        framed(known, b""),
        framed(known, b"\x02\x14"),
        None,
    )
    assert found[0] == {
        "carrier": "UA",
        "delay": 7,
        "at": datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC),
        "legs": [{"km": 1.5}],
        "counts": [("a", Decimal(2**64 - 1))],
        "from": "JFK",
    }
    assert found[1] == {
        "carrier": "", "delay": None, "at": None, "legs": [], "counts": [], "from": "UNKNOWN",
    }  # fmt: skip
    assert sorted(failures) == [2, 3, 4, 5]
    assert failures[2] == "corrupt Protobuf: message indexes of another message, at byte 7"
    assert "the payload ends within a value, at byte 5" in failures[4]
    other = Decoding(format="protobuf", message="x.Other")
    assert decode(other, framed(known, b"\x02\x02\x0a\x02UA"))[0] == [{"carrier": "UA"}]
    with pytest.raises(ValueError, match=r"no message x\.Nothing"):
        decode(Decoding(format="protobuf", message="x.Nothing"))
    registry.register("s", "messag A {}", "PROTOBUF")
    with pytest.raises(ValueError, match=r"not a Protobuf schema: the schema\.proto:1:1: Expected"):
        decode(Decoding(format="protobuf"))


def test_protobuf_types(decode: Decode, registry: FakeRegistry) -> None:
    """Each well-known type has its type in Spark; a year may be beyond the range of nanoseconds."""
    known = registry.register("s", PROTO_TYPES, "PROTOBUF")
    kind, _ = choose(Decoding(format="protobuf"), "value", "s", Registry(url=registry.url))
    assert kind.simpleString() == (
        "struct<at:timestamp,took:interval day to second,number:bigint,more:string,"
        "counts:array<bigint>,raw:binary>"
    )
    the_end = datetime(9999, 12, 31, 23, 59, 59, 999999, UTC)
    at = Timestamp(seconds=253402300799, nanos=999999999).SerializeToString()
    payload = (
        b"\x0a" + bytes([len(at)]) + at + b"\x12\x04\x08\x01\x10\x01\x1a\x02\x08\x07"
        b"\x22\x05\x0a\x03\x0a\x01a\x2a\x05\xff\xff\xff\xff\x0f\x32\x01x"
    )
    found, failures = decode(Decoding(format="protobuf"), framed(known, b"\0" + payload))
    assert failures == {}
    assert found == [
        {
            "at": the_end,
            "took": timedelta(seconds=1),
            "number": 7,
            "more": '{"a":null}',
            "counts": [2**32 - 1],
            "raw": b"x",
        }
    ]


def test_protobuf_of_an_older_schema(decode: Decode, registry: FakeRegistry) -> None:
    """Fields are matched by number, and the message by name, wherever the schema defines it."""
    older = 'syntax = "proto3"; package x; message Other {} message F { string a = 1; }'
    newer = 'syntax = "proto3"; package x; message F { string b = 1; optional int32 c = 2; }'
    first = registry.register("s", older, "PROTOBUF")
    registry.register("s", newer, "PROTOBUF")
    other = registry.register("s", 'syntax = "proto3"; message G {}', "PROTOBUF")
    registry.register("s", newer.replace("package", "/**/ package"), "PROTOBUF")
    found, failures = decode(
        Decoding(format="protobuf"), framed(first, b"\x02\x02\x0a\x01x"), framed(other, b"\0")
    )
    assert found == [{"b": "x", "c": None}, None]
    assert failures == {1: f"schema {other}: the schema has no message x.F"}
