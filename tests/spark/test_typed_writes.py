"""keyFormat and valueFormat of a write: columns are encoded with their schemas."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")
pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")

import fastavro
import pyarrow as pa
from pyspark.sql.types import (
    ArrayType,
    DataType,
    MapType,
    StringType,
    StructField,
    StructType,
    VariantType,
)

from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.spark.encoding import RowEncoder, UnencodableRow
from confluent_kafka.spark.formats.choice import choose
from confluent_kafka.spark.formats.ddl import parse_ddl
from confluent_kafka.spark.formats.model import Decoding, Registry, SourceFormat
from confluent_kafka.spark.pyspark_internals import to_arrow_type
from confluent_kafka.spark.write_options import write_options
from confluent_kafka.spark.writer import RdKafkaWriter
from confluent_kafka.testing import MockCluster
from tests.support.documents import block_with, run
from tests.support.protobuf import compiled, message_class
from tests.support.schema_registry import FakeRegistry, running_registry
from tests.support.waiting import TIMEOUT

from .test_pipeline_formats import FLIGHT, avro, framed, guid_of
from .topics import messages

pytestmark = pytest.mark.spark

FLIGHTS = parse_ddl("value STRUCT<carrier: STRING, delay: BIGINT>")


@pytest.fixture
def registry() -> Iterator[FakeRegistry]:
    with running_registry() as one:
        yield one


@pytest.fixture
def encoder(registry: FakeRegistry) -> Callable[..., RowEncoder]:
    """Return a function that makes the encoder for rows of a topic "t", with options."""

    def make(schema: StructType = FLIGHTS, **options: str) -> RowEncoder:
        given = {"kafka.bootstrap.servers": "localhost:1", "topic": "t", "valueformat": "avro"}
        given["schema.registry.url"] = registry.url
        given |= {name.lower(): text for name, text in options.items()}
        writer = RdKafkaWriter(write_options(given, streaming=False), schema)
        return writer._encoded

    return make


def payloads(encode: RowEncoder, rows: list[Any], kind: pa.DataType) -> list[bytes | None]:
    """The encoded values of one batch of rows."""
    [batch] = encode(iter([pa.record_batch({"value": pa.array(rows, kind)})]))
    found: list[bytes | None] = batch.column("value").to_pylist()
    return found


def read(payload: bytes, schema: Any = FLIGHT) -> Any:
    """The row that fastavro decodes from the bytes after the framing."""
    return fastavro.schemaless_reader(io.BytesIO(payload[5:]), fastavro.parse_schema(schema))


PROTO = """
syntax = "proto3";
package x;
import "google/protobuf/timestamp.proto";
message Flight {
  string carrier = 1;
  optional int32 delay = 2;
  message Leg { double km = 1; google.protobuf.Timestamp at = 2; }
}
"""
KIND = pa.struct([("carrier", pa.string()), ("delay", pa.int64())])


def test_rows_are_written_with_the_latest_schema(
    encoder: Callable[..., RowEncoder], registry: FakeRegistry
) -> None:
    """The payload is the id of the subject's latest schema, then the row in Avro.

    A null is a tombstone.
    """
    registry.register("t-value", json.dumps({**FLIGHT, "fields": FLIGHT["fields"][:1]}))
    latest = registry.register("t-value", json.dumps(FLIGHT))
    rows = [{"carrier": "UA", "delay": 7}, None, {"carrier": "DL", "delay": None}]
    first, tombstone, third = payloads(encoder(), rows, KIND)
    assert tombstone is None
    for payload, row in ((first, rows[0]), (third, rows[2])):
        assert payload is not None
        assert payload[:5] == framed(latest, b"")
        assert read(payload) == row


def test_schemas_that_refer_to_others(
    encoder: Callable[..., RowEncoder], registry: FakeRegistry
) -> None:
    """The registry also has the referenced schemas."""
    place = {"type": "enum", "name": "x.Place", "symbols": ["JFK", "LGA"]}
    registry.register("place", json.dumps(place))
    schema = {"type": "record", "name": "F", "fields": [{"name": "from", "type": "x.Place"}]}
    reference = {"name": "x.Place", "subject": "place", "version": 1}
    registry.register("t-value", json.dumps(schema), references=[reference])
    encode = encoder(parse_ddl("value STRUCT<from: STRING>"))
    [payload] = payloads(encode, [{"from": "LGA"}], pa.struct([("from", pa.string())]))
    assert payload is not None
    assert payload[5:] == b"\x02"


def test_a_schema_that_is_no_record(
    encoder: Callable[..., RowEncoder], registry: FakeRegistry
) -> None:
    """If the schema is not a record, the column itself is encoded, for example a key."""
    known = registry.register("t-value", '"string"')
    encode = encoder(parse_ddl("value STRING"))
    assert payloads(encode, ["a", None], pa.string()) == [framed(known, b"\x02a"), None]


def test_a_schema_of_the_users_own(
    encoder: Callable[..., RowEncoder], registry: FakeRegistry
) -> None:
    """The write uses the id of the user's schema, even if it is not the latest; an option registers
    it."""
    own = json.dumps(FLIGHT)
    with pytest.raises(ValueError, match="column value: the subject 't-value' does not have the"):
        encoder(valueSchema=own)
    first, again = (encoder(valueSchema=own, registerSchemas="true") for _ in range(2))
    assert first == again
    registry.register("t-value", json.dumps({**FLIGHT, "fields": FLIGHT["fields"][:1]}))
    assert encoder(valueSchema=own) == first
    elsewhere = encoder(valueSchema=own, valueSubject="other", registerSchemas="true")
    [row] = payloads(elsewhere, [{"carrier": "UA", "delay": 7}], KIND)
    assert row is not None
    assert read(row) == {"carrier": "UA", "delay": 7}
    assert any(path.startswith("/subjects/other/versions") for path in registry.requests)


@pytest.mark.parametrize(
    ("row", "wanted"),
    [
        ({"carrier": None, "delay": 1}, "value.carrier: a null, which the schema does not allow"),
        ({"carrier": "UA", "delay": 1 << 40}, "value.delay: an integer of more than 32 bits"),
    ],
)
def test_a_row_that_does_not_fit(
    encoder: Callable[..., RowEncoder], registry: FakeRegistry, row: Any, wanted: str
) -> None:
    """The task fails; the error names the row, the topic, the field and the reason."""
    registry.register("t-value", json.dumps(FLIGHT))
    with pytest.raises(UnencodableRow, match=r"row 1 \(topic 't'\) cannot be encoded, ") as raised:
        payloads(encoder(), [{"carrier": "UA", "delay": 1}, row], KIND)
    assert wanted in str(raised.value)


@pytest.mark.parametrize(
    ("schema", "columns", "wanted"),
    [
        (FLIGHT, "value STRUCT<carrier: STRING, more: INT>", "column value: .*no field 'more'"),
        (FLIGHT, "value STRUCT<delay: INT>", "column value: there is no column 'carrier'"),
        (FLIGHT, "value STRUCT<carrier: INT>", "'carrier' is int32, which cannot be written as"),
        (FLIGHT, "value STRING", "column value: string cannot be written as a record"),
        (FLIGHT, "carrier STRING", r"no column value .*with struct\('\*'\)\.alias\('value'\)"),
        (None, "value STRUCT<carrier: STRING>", "column value: .*40401"),
    ],
)
def test_columns_that_do_not_fit(
    encoder: Callable[..., RowEncoder],
    registry: FakeRegistry,
    schema: Any,
    columns: str,
    wanted: str,
) -> None:
    """Before any task starts, the write refuses columns that do not fit the schema."""
    if schema is not None:
        registry.register("t-value", json.dumps(schema))
    with pytest.raises(ValueError, match=wanted):
        encoder(parse_ddl(columns))


def test_json_schemas(encoder: Callable[..., RowEncoder], registry: FakeRegistry) -> None:
    """Properties come in the schema's order after its id; unknown properties are refused."""
    schema = {
        "type": "object",
        "properties": {"delay": {"type": "integer"}, "carrier": {"type": "string"}},
        "required": ["carrier"],
    }
    known = registry.register("t-value", json.dumps(schema), "JSON")
    encode = encoder(valueFormat="json-schema")
    rows = [{"carrier": "UA", "delay": 7}, None, {"carrier": "DL", "delay": None}]
    assert payloads(encode, rows, KIND) == [
        framed(known, b'{"delay":7,"carrier":"UA"}'),
        None,
        framed(known, b'{"carrier":"DL"}'),
    ]
    with pytest.raises(UnencodableRow, match=r"row 0 .* value.carrier: a null"):
        payloads(encode, [{"carrier": None, "delay": 7}], KIND)
    with pytest.raises(ValueError, match=r"column value: .*no field 'more'"):
        encoder(parse_ddl("value STRUCT<carrier: STRING, more: INT>"), valueFormat="json-schema")


def test_protobuf(encoder: Callable[..., RowEncoder], registry: FakeRegistry) -> None:
    """A payload is the schema's id, the message's index and the message; the default is the first
    message."""
    known = registry.register("t-value", PROTO, "PROTOBUF")
    rows = [{"carrier": "UA", "delay": 7}, None, {"carrier": "DL", "delay": None}]
    assert payloads(encoder(valueFormat="protobuf"), rows, KIND) == [
        framed(known, b"\0\x0a\x02UA\x10\x07"),
        None,
        framed(known, b"\0\x0a\x02DL"),
    ]
    leg = parse_ddl("value STRUCT<km: DOUBLE, at: TIMESTAMP>")
    encode = encoder(leg, valueFormat="protobuf", valueMessage="x.Flight.Leg")
    row = {"km": 0.0, "at": datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)}
    kind = pa.struct([("km", pa.float64()), ("at", pa.timestamp("us", "UTC"))])
    assert payloads(encode, [row], kind) == [framed(known, b"\x04\0\0\x12\x02\x08\x01")]
    with pytest.raises(UnencodableRow, match=r"row 0 .* value.delay: "):
        payloads(encoder(valueFormat="protobuf"), [{"carrier": "UA", "delay": 1 << 40}], KIND)
    with pytest.raises(ValueError, match=r"column value: the schema has no message x\.Nothing"):
        encoder(valueFormat="protobuf", valueMessage="x.Nothing")
    with pytest.raises(ValueError, match="column value: string cannot be written as a record"):
        encoder(parse_ddl("value STRING"), valueFormat="protobuf")


def avro_type(kind: str, logical: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": logical, **more}


AVRO_VALUES: list[tuple[Any, Any]] = [
    ("boolean", True),
    ("int", -1),
    ("long", 1 << 62),
    ("float", 0.5),
    ("double", 0.1),
    ("bytes", b"\xff"),
    ("string", "\u00e9"),
    ({"type": "enum", "name": "E", "symbols": ["A", "B"]}, "B"),
    ({"type": "fixed", "name": "F", "size": 2}, b"ab"),
    ({"type": "array", "items": "int"}, [1, 2]),
    ({"type": "map", "values": "long"}, {"a": 1}),
    (["null", "string"], "x"),
    (["int", "null", "long"], 1 << 40),
    (["float", "double"], 0.1),
    (avro_type("bytes", "decimal", precision=9, scale=2), Decimal("-1.50")),
    (avro_type("fixed", "decimal", name="D", size=8, precision=9, scale=2), Decimal("1.50")),
    (avro_type("int", "date"), date(2026, 11, 24)),
    (avro_type("int", "time-millis"), time(1, 2, 3, 4000)),
    (avro_type("long", "time-micros"), time(1, 2, 3, 4)),
    (avro_type("long", "timestamp-millis"), datetime(2026, 11, 24, 1, 2, 3, 4000, UTC)),
    (avro_type("long", "timestamp-micros"), datetime(2026, 11, 24, 1, 2, 3, 4, UTC)),
    (avro_type("long", "timestamp-nanos"), 1_789_000_000_123_456_789),
    (avro_type("long", "local-timestamp-millis"), datetime(2026, 11, 24, 1, 2, 3, 4000)),
    (avro_type("long", "local-timestamp-micros"), datetime(2026, 11, 24, 1, 2, 3, 4)),
    (avro_type("string", "uuid"), UUID(int=7)),
    (avro_type("fixed", "uuid", name="U", size=16), UUID(int=7).bytes),
    (avro_type("fixed", "duration", name="P", size=12), bytes(range(12))),
]


def test_avro_that_was_read_is_written_as_it_was(
    encoder: Callable[..., RowEncoder], registry: FakeRegistry
) -> None:
    """Each type that a read returns is accepted by a write with the same schema."""
    fields = [{"name": f"f{i}", "type": kind} for i, (kind, _) in enumerate(AVRO_VALUES)]
    schema = {"type": "record", "name": "All", "fields": fields}
    payload = io.BytesIO()
    row = {f"f{i}": value for i, (_, value) in enumerate(AVRO_VALUES)}
    fastavro.schemaless_writer(payload, fastavro.parse_schema(schema), row)
    known = registry.register("t-value", json.dumps(schema))
    assert_comes_back(encoder, registry, "avro", [framed(known, payload.getvalue())])


PROTO_TYPES = """
syntax = "proto3";
import "google/protobuf/any.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
enum E { A = 0; B = 1; }
message Numbers {
  double a = 1; float b = 2; int32 c = 3; int64 d = 4; uint32 e = 5; uint64 f = 6; sint32 g = 7;
  sint64 h = 8; fixed32 i = 9; fixed64 j = 10; sfixed32 k = 11; sfixed64 l = 12; bool m = 13;
}
message All {
  Numbers numbers = 1;
  repeated uint64 list = 2;
  map<uint64, uint32> entries = 3;
  oneof one { uint64 member = 4; string other = 5; }
  bytes data = 6;
  E symbol = 7;
  google.protobuf.UInt64Value whole = 8;
  google.protobuf.Timestamp at = 9;
  google.protobuf.Duration took = 10;
  google.protobuf.Struct more = 11;
  google.protobuf.Value value = 12;
  google.protobuf.Any any = 13;
}
"""
LARGEST = {"f": 2**64 - 1, "j": 2**64 - 1, "e": 2**32 - 1, "i": 2**32 - 1}
LARGEST |= {"a": 0.1, "b": 0.5, "c": -(2**31), "d": -(2**63), "g": -1, "h": -1, "k": -1, "l": -1}
PROTO_ROWS: list[dict[str, Any]] = [
    {
        "numbers": LARGEST | {"m": True},
        "list": [0, 2**64 - 1],
        "entries": {2**64 - 1: 1},
        "member": 2**64 - 1,
        "data": b"\xff",
        "symbol": 1,
        "whole": {"value": 2**64 - 1},
        "at": {"seconds": 1, "nanos": 1000},
        "took": {"seconds": -1, "nanos": -1000},
        "more": {"fields": {"a": {"number_value": 0.5}}},
        "value": {"string_value": "x"},
        "any": {"type_url": "x/y", "value": b"z"},
    },
    {},
]


def test_protobuf_that_was_read_is_written_as_it_was(
    encoder: Callable[..., RowEncoder], registry: FakeRegistry
) -> None:
    """Each type can be read and written again; uint64 is a DECIMAL(20, 0)."""
    message = message_class(compiled(PROTO_TYPES), "All")
    known = registry.register("t-value", PROTO_TYPES, "PROTOBUF")
    rows = [framed(known, b"\2\2" + message(**row).SerializeToString()) for row in PROTO_ROWS]
    assert_comes_back(encoder, registry, "protobuf", rows, message="All")
    with pytest.raises(UnencodableRow, match=r"value\.f: an integer that is out of the range"):
        payloads(
            encoder(
                parse_ddl("value STRUCT<f: DECIMAL(20)>"),
                valueFormat="protobuf",
                valueMessage="Numbers",
            ),
            [{"f": Decimal(2**64)}],
            pa.struct({"f": pa.decimal128(20)}),
        )


JSON_TYPES = {
    "flag": {"type": "boolean"},
    "number": {"type": "number"},
    "whole": {"type": "integer"},
    "small": {"type": "integer", "format": "uint8"},
    "text": {"type": "string"},
    "symbol": {"type": "string", "enum": ["A", "B"]},
    "id": {"type": "string", "format": "uuid"},
    "day": {"type": "string", "format": "date"},
    "clock": {"type": "string", "format": "time"},
    "at": {"type": "string", "format": "date-time"},
    "data": {"type": "string", "contentEncoding": "base64"},
    "list": {"type": "array", "items": {"type": "string", "format": "date"}},
}
JSON_ROW = (
    b'{"flag":true,"number":0.1,"whole":-1,"small":255,"text":"\xc3\xa9","symbol":"B",'
    b'"id":"01234567-89ab-cdef-0123-456789abcdef","day":"2026-11-24","clock":"01:02:03.5Z",'
    b'"at":"2026-11-24T01:02:03+01:00","data":"/w==","list":["2026-11-24"]}'
)


def test_json_that_was_read_is_written_as_it_was(
    encoder: Callable[..., RowEncoder], registry: FakeRegistry
) -> None:
    """Each type can be read and written again; dates and times are text, and base64 is binary."""
    schema = {"type": "object", "properties": JSON_TYPES}
    known = registry.register("t-value", json.dumps(schema), "JSON")
    assert_comes_back(encoder, registry, "json-schema", [framed(known, JSON_ROW)])


def test_json_schemas_with_references(
    encoder: Callable[..., RowEncoder], registry: FakeRegistry
) -> None:
    """Referenced schemas are found, read and written; a null type with a title is a null."""
    city = {"oneOf": [{"type": "null", "title": "Nowhere"}, {"type": "string"}]}
    home = {"type": "object", "properties": {"city": city}}
    registry.register("home", json.dumps(home), "JSON")
    schema = {"type": "object", "properties": {"home": {"$ref": "home.json"}}}
    reference = {"name": "home.json", "subject": "home", "version": 1}
    known = registry.register("t-value", json.dumps(schema), "JSON", references=[reference])
    rows = [framed(known, b'{"home":{"city":"Bonn"}}'), framed(known, b'{"home":{"city":null}}')]
    assert_comes_back(encoder, registry, "json-schema", rows)


def assert_comes_back(
    encoder: Callable[..., RowEncoder],
    registry: FakeRegistry,
    form: SourceFormat,
    rows: list[bytes],
    message: str | None = None,
) -> None:
    """Read rows of a format by the latest schema, and write them with it."""
    decoding = Decoding(format=form, message=message)
    kind, decode = choose(decoding, "value", "t-value", Registry(url=registry.url))
    column, failures = decode(pa.array(rows, pa.binary()))
    assert not failures
    options = {"valueMessage": message} if message else {}
    encode = encoder(StructType([StructField("value", kind)]), valueFormat=form, **options)
    [batch] = encode(iter([pa.record_batch({"value": column})]))
    assert batch.column("value").to_pylist() == rows


@pytest.mark.parametrize(
    ("columns", "rows", "wanted"),
    [
        (
            "STRUCT<a: INT, t: TIMESTAMP, d: DECIMAL(5, 2), b: BINARY, m: MAP<STRING, INT>>",
            [
                {
                    "a": None,
                    "t": datetime(2013, 1, 1, 10, 0, 0, 1, UTC),
                    "d": Decimal("1.50"),
                    "b": b"\0\1",
                    "m": [("k", 1)],
                }
            ],
            [b'{"a":null,"t":"2013-01-01T10:00:00.000001Z","d":1.50,"b":"AAE=","m":{"k":1}}'],
        ),
        ("STRING", ["a", None], [b'"a"', None]),
        ("ARRAY<INT>", [[1, 2]], [b"[1,2]"]),
    ],
)
def test_plain_json(
    encoder: Callable[..., RowEncoder], columns: str, rows: list[Any], wanted: list[bytes | None]
) -> None:
    """Columns are written as JSON without a registry and without framing."""
    schema = parse_ddl(f"value {columns}")
    encode = encoder(schema, valueFormat="json")
    assert payloads(encode, rows, to_arrow_type(schema[0].dataType)) == wanted


@pytest.mark.parametrize(
    ("columns", "wanted"),
    [
        ("STRUCT<m: MAP<INT, INT>>", "column value: .* a map whose keys are not strings"),
        ("STRUCT<x: STRUCT<y: MAP<INT, INT>>>", "'x.y'"),
    ],
)
def test_columns_that_json_has_not(
    encoder: Callable[..., RowEncoder], columns: str, wanted: str
) -> None:
    """Before any task starts, the write refuses columns that JSON cannot represent."""
    with pytest.raises(ValueError, match=wanted):
        encoder(parse_ddl(f"value {columns}"), valueFormat="json")


@pytest.mark.parametrize(
    "kind",
    [
        VariantType(),
        ArrayType(VariantType()),
        MapType(StringType(), StructType([StructField("x", VariantType())])),
    ],
)
def test_variants(encoder: Callable[..., RowEncoder], kind: DataType) -> None:
    """The write refuses a VARIANT, because Arrow returns bytes that only Spark itself can read."""
    with pytest.raises(ValueError, match="column value: a VARIANT has no type"):
        encoder(StructType([StructField("value", kind)]), valueFormat="json")


def test_a_schema_of_another_format(
    encoder: Callable[..., RowEncoder], registry: FakeRegistry
) -> None:
    """The subject has JSON Schemas, so nothing is written."""
    registry.register("t-value", '{"type": "object"}', "JSON")
    with pytest.raises(ValueError, match="subject 't-value' is JSON, not AVRO"):
        encoder()


JSON_SCHEMA = {
    "type": "object",
    "properties": {"carrier": {"type": "string"}, "delay": {"type": "integer"}},
}


@pytest.mark.parametrize(
    ("value_format", "kind", "schema"),
    [
        ("avro", "AVRO", json.dumps(FLIGHT)),
        ("json-schema", "JSON", json.dumps(JSON_SCHEMA)),
        ("protobuf", "PROTOBUF", PROTO),
    ],
)
def test_keys_and_values(
    spark: Any,
    cluster: MockCluster,
    registry: FakeRegistry,
    new_topic: Callable[..., str],
    value_format: str,
    kind: str,
    schema: str,
) -> None:
    """If a query writes both, another query reads the same columns."""
    topic = new_topic()
    registry.register(f"{topic}-key", '"string"')
    registry.register(f"{topic}-value", schema, kind)
    options = {
        "kafka.bootstrap.servers": cluster.bootstrap_servers,
        "keyFormat": "avro",
        "valueFormat": value_format,
        "schema.registry.url": registry.url,
    }
    rows = [("a", ("UA", 7)), ("b", ("DL", None)), (None, None)]
    frame = spark.createDataFrame(rows, "key STRING, value STRUCT<carrier: STRING, delay: INT>")
    frame.write.format("rdkafka").options(**options, topic=topic).mode("append").save()
    back = spark.read.format("rdkafka").options(**options, subscribe=topic).load()
    found = {(row.key, row.value and tuple(row.value)) for row in back.collect()}
    assert found == set(rows)


def test_guids_in_headers(
    spark: Any, cluster: MockCluster, registry: FakeRegistry, new_topic: Callable[..., str]
) -> None:
    """Headers name the schemas of keys and values, next to the row's own headers; both are read."""
    topic = new_topic(partitions=1)
    key = guid_of(registry, registry.register(f"{topic}-key", '"string"'))
    value = guid_of(registry, registry.register(f"{topic}-value", json.dumps(FLIGHT)))
    options = {
        "kafka.bootstrap.servers": cluster.bootstrap_servers,
        "keyFormat": "avro",
        "valueFormat": "avro",
        "schema.registry.url": registry.url,
    }
    own = [("trace", b"7"), ("__value_schema_id", b"old")]
    rows = [("a", ("UA", 7), own), (None, None, None)]
    frame = spark.createDataFrame(
        rows,
        "key STRING, value STRUCT<carrier: STRING, delay: INT>, "
        "headers ARRAY<STRUCT<key: STRING, value: BINARY>>",
    ).coalesce(1)
    write = frame.write.format("rdkafka").options(**options, topic=topic).mode("append")
    write.option("schema.id.serializer", "header").save()
    plain = frame.drop("headers").write.format("rdkafka").options(**options, topic=topic)
    plain.option("schema.id.serializer", "header").mode("append").save()
    found = [(one.key(), sorted(one.headers() or [])) for one in messages(cluster, topic, 4)]
    marks = [("__key_schema_id", key), ("__value_schema_id", value)]
    assert sorted(found, key=str) == sorted(
        [
            (b"\2a", sorted([*marks, ("trace", b"7")])),
            (b"\2a", marks),
            *[(None, [])] * 2,
        ],
        key=str,
    )
    back = spark.read.format("rdkafka").options(**options, subscribe=topic).load()
    assert {(row.key, row.value and tuple(row.value)) for row in back.collect()} == {
        (row[0], row[1]) for row in rows
    }


@pytest.mark.parametrize(
    ("form", "kind", "schema", "body", "indexes"),
    [
        ("avro", "AVRO", json.dumps(FLIGHT), avro(FLIGHT, {"carrier": "UA", "delay": 7}), b""),
        ("protobuf", "PROTOBUF", PROTO, b"\x0a\x02UA\x10\x07", b"\0"),
        (
            "json-schema",
            "JSON",
            '{"type":"object","properties":{"carrier":{"type":"string"},"delay":{"type":"integer"}}}',
            b'{"carrier":"UA","delay":7}',
            b"",
        ),
    ],
)
def test_a_header_of_each_format(
    encoder: Callable[..., RowEncoder],
    registry: FakeRegistry,
    form: str,
    kind: str,
    schema: str,
    body: bytes,
    indexes: bytes,
) -> None:
    """The value is the payload alone; Protobuf's header also selects the message."""
    guid = guid_of(registry, registry.register("t-value", schema, kind))
    encode = encoder(valueFormat=form, **{"schema.id.serializer": "header"})
    values = pa.array([{"carrier": "UA", "delay": 7}, None], KIND)
    [batch] = encode(iter([pa.record_batch({"value": values})]))
    mark = {"key": "__value_schema_id", "value": guid + indexes}
    assert batch.to_pylist() == [
        {"value": body, "headers": [mark]},
        {"value": None, "headers": []},
    ]


def test_a_bad_row_ends_the_write(
    spark: Any, cluster: MockCluster, registry: FakeRegistry, new_topic: Callable[..., str]
) -> None:
    """Spark's error names the field and the row; no row of its batch is sent."""
    topic = new_topic()
    registry.register(f"{topic}-value", json.dumps(FLIGHT))
    rows = [(("UA", 1),), ((None, 2),)]
    frame = spark.createDataFrame(rows, "value STRUCT<carrier: STRING, delay: INT>").coalesce(1)
    writer = frame.write.format("rdkafka").option("topic", topic).option("valueFormat", "avro")
    writer = writer.option("kafka.bootstrap.servers", cluster.bootstrap_servers)
    wanted = rf"row 1 \(topic '{topic}'\) cannot be encoded, value.carrier: a null"
    with pytest.raises(Exception, match=wanted):
        writer.option("schema.registry.url", registry.url).mode("append").save()
    with Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "g"}) as consumer:
        for partition in range(2):
            place = TopicPartition(topic, partition)
            assert consumer.get_watermark_offsets(place, timeout=TIMEOUT) == (0, 0)


@pytest.mark.parametrize("guarantee", ["at-least-once", "exactly-once"])
def test_a_stream(
    spark: Any,
    cluster: MockCluster,
    registry: FakeRegistry,
    new_topic: Callable[..., str],
    tmp_path: Any,
    guarantee: str,
) -> None:
    """Micro-batches are encoded, with both delivery guarantees."""
    source, target = new_topic(), new_topic()
    known = registry.register(f"{target}-value", json.dumps(FLIGHT))
    spark.createDataFrame([("UA",), ("DL",)], "value STRING").write.format("rdkafka").option(
        "kafka.bootstrap.servers", cluster.bootstrap_servers
    ).option("topic", source).mode("append").save()
    stream = (
        spark.readStream.format("rdkafka")
        .option("kafka.bootstrap.servers", cluster.bootstrap_servers)
        .option("subscribe", source)
        .option("startingOffsets", "earliest")
        .load()
    )
    query = (
        stream.selectExpr("struct(string(value) AS carrier, partition AS delay) AS value")
        .writeStream.format("rdkafka")
        .option("kafka.bootstrap.servers", cluster.bootstrap_servers)
        .option("topic", target)
        .option("valueFormat", "avro")
        .option("schema.registry.url", registry.url)
        .option("deliveryGuarantee", guarantee)
        .option("checkpointLocation", str(tmp_path))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    values = [message.value() or b"" for message in messages(cluster, target, 2)]
    assert {value[:5] for value in values} == {framed(known, b"")}
    assert {read(value)["carrier"] for value in values} == {"UA", "DL"}


def test_the_guide(
    spark: Any, cluster: MockCluster, registry: FakeRegistry, new_topic: Callable[..., str]
) -> None:
    """The code in docs/guides/spark-writing.md writes Avro."""
    topic = new_topic(partitions=1)
    registry.register(f"{topic}-value", json.dumps(FLIGHT))
    text = block_with("docs/guides/spark-writing.md", '.option("valueFormat", "avro")')
    for shown, here in (
        ('"localhost:9092"', repr(cluster.bootstrap_servers)),
        ('"http://localhost:8081"', repr(registry.url)),
        ('"flights"', repr(topic)),
    ):
        assert shown in text
        text = text.replace(shown, here)
    run(text, flights=spark.createDataFrame([("UA", 7)], "carrier STRING, delay INT"))
    [message] = messages(cluster, topic, 1)
    assert read(message.value() or b"") == {"carrier": "UA", "delay": 7}


BROKERS = {"kafka.bootstrap.servers": "localhost:1", "topic": "t"}
REGISTRY = {"schema.registry.url": "http://localhost:1"}


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"valueformat": "xml"}, "option valueFormat: 'xml' is none of raw, json, avro"),
        ({"valueformat": "avro"}, "option valueFormat avro needs schema.registry.url"),
        ({"valueschema": "{}"}, "option valueSchema needs a valueFormat other than raw"),
        (
            {"topic": "", "keyformat": "avro", **REGISTRY},
            "option keySubject is required where a column names the topics",
        ),
        (
            {"valueformat": "avro", "valuemessage": "m", **REGISTRY},
            "option valueMessage: the format avro does not take it",
        ),
        (
            {"valueformat": "avro", "registerschemas": "true", **REGISTRY},
            "option registerSchemas: there is no schema, give valueSchema or keySchema",
        ),
        (
            {"valueformat": "json", "valueschema": "a INT"},
            "option valueSchema: the format json does not take it",
        ),
        ({"mode": "PERMISSIVE"}, "unknown option 'mode'"),
        (
            {"valueformat": "avro", "schema.id.serializer": "body", **REGISTRY},
            "option schema.id.serializer: 'body' is none of prefix, header",
        ),
        (
            {"valueformat": "json", "schema.id.serializer": "header"},
            "option schema.id.serializer: there is no schema of a registry",
        ),
    ],
)
def test_wrong_options(options: dict[str, str], wanted: str) -> None:
    """Each wrong option is refused by name, without a request to a registry."""
    with pytest.raises(ValueError, match=wanted.replace(".", r"\.")):
        write_options(BROKERS | options, streaming=False)


def test_a_key_that_is_not_there() -> None:
    """keyFormat needs the key column."""
    options = write_options(BROKERS | {"keyformat": "avro", **REGISTRY}, streaming=False)
    with pytest.raises(ValueError, match="option keyFormat: there is no column key to encode"):
        RdKafkaWriter(options, parse_ddl("value STRING"))
