"""Avro messages have the same bytes as in confluent-kafka-python 2.16.1.

The tables contain the bytes that confluent-kafka-python wrote after the five bytes of the schema's
id, and the values that it read from these bytes. If two clients differ in one byte, they cannot
read each other's messages.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")

from confluent_kafka.avro import loads
from confluent_kafka.avro.serializer.message_serializer import MessageSerializer
from confluent_kafka.error import SerializationError
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

VALUE = SerializationContext("t", MessageField.VALUE)
HEADER = b"\0\0\0\0\1"


def logical(kind: str, of: str, **more: Any) -> dict[str, Any]:
    """A logical type."""
    return {"type": kind, "logicalType": of, **more}


ANY = ["null", "boolean", "int", "long", "float", "double", "bytes", "string"]
DECIMAL = logical("bytes", "decimal", precision=6, scale=2)
FIXED_DECIMAL = logical("fixed", "decimal", precision=6, scale=2, name="F", size=4)
UUID_TEXT = logical("string", "uuid")
DATE = logical("int", "date")
TIME_MILLIS = logical("int", "time-millis")
TIME_MICROS = logical("long", "time-micros")
TIMESTAMP_MILLIS = logical("long", "timestamp-millis")
TIMESTAMP_MICROS = logical("long", "timestamp-micros")
TIMESTAMP_NANOS = logical("long", "timestamp-nanos")
LOCAL_MILLIS = logical("long", "local-timestamp-millis")
LOCAL_MICROS = logical("long", "local-timestamp-micros")
LOCAL_NANOS = logical("long", "local-timestamp-nanos")
DURATION = logical("fixed", "duration", name="D", size=12)

FIVE = UUID(int=5)
FIVE_HEX = "48" + b"00000000-0000-0000-0000-000000000005".hex()
LEAP_DAY = datetime.date(2020, 2, 29)
BEFORE_1970 = datetime.datetime(1969, 12, 31, 23, 59, 59, 999000, datetime.UTC)
MILLIS = datetime.datetime(2020, 2, 29, 1, 2, 3, 4000, datetime.UTC)
MICROS = datetime.datetime(2020, 2, 29, 1, 2, 3, 4, datetime.UTC)

# Schema, object, payload in hexadecimal, and the value that is read if it differs from the object.
PLAIN: list[tuple[Any, ...]] = [
    ("boolean", True, "01"),
    ("boolean", False, "00"),
    ("int", 0, "00"),
    ("int", -1, "01"),
    ("int", 1, "02"),
    ("int", 64, "8001"),
    ("int", 2**31 - 1, "feffffff0f"),
    ("int", -(2**31), "ffffffff0f"),
    ("long", -1, "01"),
    ("long", 2**63 - 1, "feffffffffffffffff01"),
    ("long", -(2**63), "ffffffffffffffffff01"),
    ("float", 1.5, "0000c03f"),
    ("float", -0.0, "00000080"),
    ("float", float("inf"), "0000807f"),
    ("double", 1.5, "000000000000f83f"),
    ("double", -0.0, "0000000000000080"),
    ("double", 1, "000000000000f03f", 1.0),
    ("string", "", "00"),
    ("string", "ab", "046162"),
    ("string", "☃", "06e29883"),
    ({"type": "int"}, 1, "02"),
    ({"type": "string"}, "ab", "046162"),
    ({"type": "fixed", "name": "F", "size": 2}, b"ab", "6162"),
    ({"type": "enum", "name": "E", "symbols": ["A", "B"]}, "B", "02"),
]
# The payload of these objects consists of the bytes themselves, without Avro's length before them.
RAW: list[tuple[Any, ...]] = [
    ("bytes", b"", ""),
    ("bytes", b"\0", "00"),
    ("bytes", b"ab", "6162"),
    ("bytes", b"\x04ab", "046162"),
    ("bytes", "ab☃", "6162e29883", "ab☃".encode()),
    ({"type": "bytes"}, b"ab", "6162"),
    ({"type": "bytes", "doc": "x"}, b"ab", "6162"),
    ({"type": "bytes", "connect.name": "x"}, b"ab", "6162"),
    (DECIMAL, b"ab", "6162"),
    (logical("bytes", "big-decimal"), b"ab", "6162"),
    (logical("bytes", "unknown"), b"ab", "6162"),
]
# Bytes that are part of another value have a length before them.
PARTS: list[tuple[Any, ...]] = [
    (["bytes"], b"ab", "00046162"),
    (["bytes", "null"], b"ab", "00046162"),
    (["null", "bytes"], b"ab", "02046162"),
    (["null", "string"], "ab", "02046162"),
    (ANY, True, "0201"),
    (ANY, 1, "0402"),
    (ANY, 2**40, "06808080808040"),
    (ANY, 1.5, "0a000000000000f83f"),
    (ANY, b"ab", "0c046162"),
    (ANY, "ab", "0e046162"),
    ({"type": "array", "items": "bytes"}, [b"ab", b""], "040461620000"),
    ({"type": "map", "values": "bytes"}, {"k": b"ab"}, "02026b04616200"),
]
# Each row is tested alone, as a branch of a union and as the field of a record.
LOGICAL: list[tuple[Any, ...]] = [
    (FIXED_DECIMAL, Decimal("12.34"), "000004d2"),
    (FIXED_DECIMAL, Decimal("-12.34"), "fffffb2e"),
    (UUID_TEXT, FIVE, FIVE_HEX),
    (UUID_TEXT, str(FIVE), FIVE_HEX, FIVE),
    (DATE, LEAP_DAY, "a29e02"),
    (DATE, datetime.date(1969, 12, 31), "01"),
    (DATE, 5, "0a", datetime.date(1970, 1, 6)),
    (TIME_MILLIS, datetime.time(1, 2, 3, 4000), "f8bbc603"),
    (TIME_MICROS, datetime.time(1, 2, 3, 4), "88e3c3de1b"),
    (TIMESTAMP_MILLIS, MILLIS, "f8abb7e7915c"),
    (TIMESTAMP_MILLIS, BEFORE_1970, "01"),
    (TIMESTAMP_MILLIS, 5, "0a", datetime.datetime(1970, 1, 1, 0, 0, 0, 5000, datetime.UTC)),
    (TIMESTAMP_MICROS, MICROS, "88e3ae8890ebcf05"),
    (TIMESTAMP_NANOS, 5, "0a"),
    (LOCAL_MILLIS, MILLIS.replace(tzinfo=None), "f8abb7e7915c"),
    (LOCAL_MICROS, MICROS.replace(tzinfo=None), "88e3ae8890ebcf05"),
    (LOCAL_NANOS, 5, "0a"),
    (DURATION, bytes([1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]), "010000000200000003000000"),
    (logical("string", "unknown"), "ab", "046162"),
]
# These rows are tested as branches and fields. Alone, their types are in the table of raw bytes.
LOGICAL_BYTES: list[tuple[Any, ...]] = [
    (DECIMAL, Decimal("12.34"), "0404d2"),
    (DECIMAL, Decimal("-0.01"), "02ff"),
    (DECIMAL, Decimal("0"), "0200", Decimal("0.00")),
    (DECIMAL, Decimal("1.28"), "040080"),
    (DECIMAL, b"ab", "046162", Decimal("249.30")),
    (logical("bytes", "big-decimal"), b"ab", "046162"),
    (logical("bytes", "unknown"), b"ab", "046162"),
]


def in_union(schema: Any, obj: Any, payload: str, *read: Any) -> tuple[Any, ...]:
    """The row for the same value in a union with null."""
    return (["null", schema], obj, "02" + payload, *read)


def in_record(schema: Any, obj: Any, payload: str, *read: Any) -> tuple[Any, ...]:
    """The row for the same value in a record with one field."""
    record = {"type": "record", "name": "R", "fields": [{"name": "f", "type": schema}]}
    return (record, {"f": obj}, payload, *({"f": one} for one in read))


WRAPPED = [wrap(*row) for row in LOGICAL + LOGICAL_BYTES for wrap in (in_union, in_record)]
FACTS = [*PLAIN, *RAW, *PARTS, *LOGICAL, *WRAPPED]


def _names(rows: list[tuple[Any, ...]]) -> list[str]:
    return [f"{json.dumps(row[0])}-{row[1]!r}" for row in rows]


@pytest.fixture
def client() -> Iterator[SchemaRegistryClient]:
    """A client of a registry in memory."""
    with SchemaRegistryClient({"url": "mock://"}) as one:
        yield one


@pytest.mark.parametrize("row", FACTS, ids=_names(FACTS))
def test_bytes_of_every_type(client: SchemaRegistryClient, row: tuple[Any, ...]) -> None:
    """Every primitive and logical type is written and read, alone, in a union and in a record."""
    schema, obj, payload, *read = row
    message = HEADER + bytes.fromhex(payload)
    assert AvroSerializer(client, json.dumps(schema))(obj, VALUE) == message
    found = AvroDeserializer(client)(message, VALUE)
    assert repr(found) == repr(read[0] if read else obj)  # -0.0 == 0.0, 1 == 1.0 == True


def test_null_is_no_message(client: SchemaRegistryClient) -> None:
    """None is a tombstone, whatever the schema."""
    for schema in ("null", ["null", "bytes"], "bytes"):
        assert AvroSerializer(client, json.dumps(schema))(None, VALUE) is None


@pytest.mark.parametrize("obj", [bytearray(b"ab"), memoryview(b"ab"), memoryview(b"a-b-")[::2]])
def test_buffers_as_bytes(client: SchemaRegistryClient, obj: Any) -> None:
    """Objects with a buffer are written by their bytes, without a conversion."""
    expected = HEADER + bytes(obj)
    assert AvroSerializer(client, '"bytes"')(obj, VALUE) == expected


@pytest.mark.parametrize("obj", [5, [1], Decimal("1.00"), {"f": b"ab"}])
def test_what_has_no_bytes(client: SchemaRegistryClient, obj: Any) -> None:
    """The error names the types that a schema of bytes accepts.

    An int is refused, because bytes(5) would be five zeros.
    """
    for schema in ('"bytes"', json.dumps(DECIMAL)):
        serialize = AvroSerializer(client, schema)
        with pytest.raises(SerializationError, match="takes bytes or a str, not") as raised:
            serialize(obj, VALUE)
        assert "'t-value'" in str(raised.value)
    with pytest.raises(SerializationError, match="put the type into a record or a union"):
        AvroSerializer(client, json.dumps(DECIMAL))(Decimal("1.00"), VALUE)
    with pytest.raises(SerializationError, match="surrogates"):
        AvroSerializer(client, '"bytes"')("\ud800", VALUE)


@pytest.mark.parametrize(
    "reader", ["bytes", "string", ["null", "bytes"], ["null", "string"], DECIMAL, "int"]
)
def test_raw_bytes_stay_bytes(client: SchemaRegistryClient, reader: Any) -> None:
    """Raw bytes are not decoded, whatever the reader's schema is, and also if it is the latest
    one."""
    message = AvroSerializer(client, '"bytes"')(b"\x04\xff", VALUE)
    assert AvroDeserializer(client, json.dumps(reader))(message, VALUE) == b"\x04\xff"
    client.set_compatibility("t-value", "NONE")
    client.register_schema("t-value", Schema(json.dumps(reader)))
    latest = AvroDeserializer(client, conf={"use.latest.version": True})
    assert latest(message, VALUE) == b"\x04\xff"


@pytest.mark.parametrize("writer", ["string", ["null", "string"], ["null", "bytes"]])
def test_read_as_bytes(client: SchemaRegistryClient, writer: Any) -> None:
    """A reader's schema of bytes reads values that have a length, and removes the length."""
    obj = b"ab" if "bytes" in writer else "ab"
    message = AvroSerializer(client, json.dumps(writer))(obj, VALUE)
    assert AvroDeserializer(client, '"bytes"')(message, VALUE) == b"ab"


class OneSchema:
    """A registry for the former serializer."""

    def __init__(self, schema: Any) -> None:
        self._schema = loads(json.dumps(schema))

    def register(self, subject: str, schema: Any) -> int:
        """Return the id of the schema."""
        return 1

    def get_by_id(self, schema_id: int) -> Any:
        """The schema."""
        return self._schema


@pytest.mark.parametrize("kind", ["bytes", {"type": "bytes"}, logical("bytes", "unknown")])
@pytest.mark.parametrize(
    ("payload", "read"),
    [
        # These payloads have a length, as from AvroProducer.
        (b"\0", b""),
        (b"\x04ab", b"ab"),
        # These payloads have no length, as from AvroSerializer. The first byte may look like a
        # wrong length.
        (b"", b""),
        (b"\x04a", b"\x04a"),
        (b"\x02ab", b"\x02ab"),
        (b"ab", b"ab"),
        (b"\x01ab", b"\x01ab"),
        (b"\xff" * 12, b"\xff" * 12),
    ],
)
def test_former_serializer_reads_both(kind: Any, payload: bytes, read: bytes) -> None:
    """AvroProducer writes a length before bytes; AvroConsumer reads values with and without a
    length."""
    serializer = MessageSerializer(OneSchema(kind))
    assert serializer.decode_message(HEADER + payload) == read
    written = serializer.encode_record_with_schema("t", loads(json.dumps(kind)), b"ab")
    assert written == HEADER + b"\x04ab"


def test_former_serializer_resolves_raw_bytes() -> None:
    """The reader's schema applies to bytes with a length and to bytes without a length."""
    serializer = MessageSerializer(OneSchema("bytes"), reader_value_schema='"string"')
    assert serializer.decode_message(HEADER + b"\x04ab") == "ab"
    assert serializer.decode_message(HEADER + b"ab") == "ab"
