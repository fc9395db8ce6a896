"""Topics with a schema registry as typed columns: consume_arrow(key=, value=) and AvroColumns."""

from __future__ import annotations

import asyncio
import base64
import datetime
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest

pytest.importorskip("polars", reason="polars is not installed")
pytest.importorskip("httpx", reason="httpx is not installed")
pytest.importorskip("fastavro", reason="fastavro is not installed")

import polars

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.aio import AIOConsumer, AIOProducer
from confluent_kafka.columns import (
    AvroColumns,
    AvroDecoder,
    AvroEncoder,
    AvroSchemaError,
    DecodedBatch,
    JSONColumns,
    ProtobufColumns,
    RowError,
    decode_batch,
    encode_batch,
    read_topic,
)
from confluent_kafka.columns._protobuf_registered import compile_registered
from confluent_kafka.schema_registry import (
    Schema,
    SchemaReference,
    SchemaRegistryClient,
    header_schema_id_serializer,
    prefix_schema_id_serializer,
)
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.schema_registry.error import SchemaRegistryError
from confluent_kafka.serialization import (
    MessageField,
    SerializationContext,
    SerializationError,
)
from confluent_kafka.testing import MockCluster
from tests.support.schema_registry import Fault, running_registry
from tests.support.waiting import TIMEOUT

FIRST = {
    "type": "record",
    "name": "Order",
    "fields": [{"name": "id", "type": "int"}, {"name": "city", "type": "string"}],
}
SECOND = {
    "type": "record",
    "name": "Order",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "note", "type": ["null", "string"], "default": None},
    ],
}
ORDERS = [{"id": 1, "city": "Bonn"}, {"id": 2, "note": "gift"}]
# As columns of the second schema.
ROWS = [{"id": 1, "note": None}, {"id": 2, "note": "gift"}]


@pytest.fixture
def registry() -> Iterator[SchemaRegistryClient]:
    with SchemaRegistryClient({"url": "mock://"}) as client:
        yield client


def payloads(registry: SchemaRegistryClient, topic: str) -> list[bytes]:
    """Two orders, each with its own schema; the second schema is the latest."""
    context = SerializationContext(topic, MessageField.VALUE)
    serializers = [AvroSerializer(registry, json.dumps(schema)) for schema in (FIRST, SECOND)]
    return [
        serializer(order, context) for serializer, order in zip(serializers, ORDERS, strict=True)
    ]


def produced(producer: Producer, topic: str, values: list[bytes | None]) -> None:
    for value in values:
        producer.produce(topic, value, key=b"k", partition=0)
    assert producer.flush(TIMEOUT) == 0


def consumed(consumer: Consumer, topic: str, count: int, **decoders: Any) -> DecodedBatch:
    consumer.assign([TopicPartition(topic, 0, 0)])
    return consumer.consume_arrow(count, TIMEOUT, **decoders)


# ---- consume_arrow(value=) ----


def test_versions_of_a_schema_become_one(
    kafka_topic: str, producer: Producer, consumer: Consumer, registry: SchemaRegistryClient
) -> None:
    """Values of two versions are columns of the latest; the other columns stay as they are."""
    produced(producer, kafka_topic, payloads(registry, kafka_topic))
    batch = consumed(consumer, kafka_topic, 2, value=AvroColumns(registry, f"{kafka_topic}-value"))
    assert len(batch) == 2
    frame = polars.DataFrame(batch)
    assert frame["value"].to_list() == ROWS
    assert frame["key"].to_list() == [b"k", b"k"]
    assert frame["offset"].to_list() == [0, 1]
    assert batch.errors == {"value": []}
    assert repr(batch) == "DecodedBatch(2 messages, 0 bad payloads)"


def test_bad_payloads_are_errors_of_their_rows(
    kafka_topic: str, producer: Producer, consumer: Consumer, registry: SchemaRegistryClient
) -> None:
    """Values that cannot be decoded are null, and `raw` has their bytes; a tombstone is not an
    error."""
    good = payloads(registry, kafka_topic)
    unknown, cut, text = b"\0\0\0\3\xe7\2", good[0][:-1], b"hello"
    produced(producer, kafka_topic, [good[0], unknown, None, cut, text, good[1]])
    columns = AvroColumns(registry, f"{kafka_topic}-value")
    batch = consumed(consumer, kafka_topic, 6, value=columns)
    assert polars.DataFrame(batch)["value"].to_list() == [
        ROWS[0],
        *[None] * 4,
        ROWS[1],
    ]
    assert batch.errors["value"] == [
        RowError(1, 0, "", "the registry has no schema 999"),
        RowError(3, 7, "city", "the payload ends within a value"),
        RowError(4, 0, "", "no schema id or GUID at the start, nor in a header"),
    ]
    raw = polars.DataFrame(batch.raw)["value"].to_list()
    assert [raw[error.row] for error in batch.errors["value"]] == [unknown, cut, text]


def test_a_registry_that_is_down_loses_nothing(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """The error is raised, and the next call returns the same messages."""
    with running_registry() as fake:
        url = {"url": fake.url, "max.retries": 0}
        with SchemaRegistryClient(url) as registry:
            produced(producer, kafka_topic, payloads(registry, kafka_topic))
        with SchemaRegistryClient(url) as registry:
            columns = AvroColumns(registry, schema=SECOND)
            fake.faults.append(Fault(status=500))
            with pytest.raises(SchemaRegistryError):
                consumed(consumer, kafka_topic, 2, value=columns)
            batch = consumer.consume_arrow(2, TIMEOUT, value=columns)
    assert polars.DataFrame(batch)["value"].to_list() == ROWS


def test_keys_and_values(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """Keys and values are decoded, by decoders that need no registry."""
    text = AvroDecoder('"string"')
    producer.produce(kafka_topic, b"\6abc", key=b"\2k", partition=0)
    assert producer.flush(TIMEOUT) == 0
    batch = consumed(consumer, kafka_topic, 1, key=text, value=text)
    frame = polars.DataFrame(batch)
    assert frame["key"].to_list() == [{"value": "k"}]
    assert frame["value"].to_list() == [{"value": "abc"}]
    assert batch.errors == {"key": [], "value": []}


def test_wrong_decoders_are_refused(consumer: Consumer) -> None:
    """An object without the methods of a decoder raises a TypeError, and a missing column a
    ValueError."""
    with pytest.raises(TypeError, match=r"value must be AvroColumns .* not dict"):
        consumer.consume_arrow(1, 0, value={})  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="key is to be decoded, but columns does not name it"):
        consumer.consume_arrow(1, 0, columns=["value"], key=AvroDecoder('"int"'))
    frame = polars.DataFrame({"value": [b"a"]})
    with pytest.raises(TypeError, match=r"batch must be a MessageBatch, .* not DataFrame"):
        decode_batch(frame, value=AvroDecoder('"int"'))
    with pytest.raises(
        TypeError, match=r"value must have encode\(\), which AvroDecoder does not have"
    ):
        encode_batch(frame, value=AvroDecoder('"int"'))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"key must have decode\(\), which str does not have"):
        decode_batch(consumer.consume_arrow(1, 0), key="avro")


def test_no_messages(consumer: Consumer) -> None:
    """A batch without messages has the same columns."""
    batch = consumer.consume_arrow(1, 0, value=AvroDecoder(FIRST))
    assert len(batch) == 0
    assert polars.DataFrame(batch).schema["value"] == polars.Struct(
        {"id": polars.Int32, "city": polars.String}
    )


def test_a_batch_is_decoded_afterwards(
    kafka_topic: str, producer: Producer, consumer: Consumer, registry: SchemaRegistryClient
) -> None:
    """decode_batch() decodes a batch that consume_arrow() has returned, with the same result."""
    produced(producer, kafka_topic, payloads(registry, kafka_topic))
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    raw = consumer.consume_arrow(2, TIMEOUT)
    batch = decode_batch(raw, value=AvroColumns(registry, f"{kafka_topic}-value"))
    assert batch.raw is raw
    assert batch.eof is raw.eof
    assert polars.DataFrame(batch)["value"].to_list() == ROWS


# ---- GUIDs in headers ----


def with_guids(registry: SchemaRegistryClient, topic: str, part: str = "value") -> list[Any]:
    """The same orders as payloads and headers: the GUID of the schema is in a header."""
    conf = {"schema.id.serializer": header_schema_id_serializer}
    found = []
    for schema, order in zip((FIRST, SECOND), ORDERS, strict=True):
        headers: list[Any] = [("trace", b"7")]
        context = SerializationContext(topic, MessageField(part), headers)
        found.append(
            (AvroSerializer(registry, json.dumps(schema), conf=conf)(order, context), headers)
        )
    return found


def produced_with_headers(producer: Producer, topic: str, messages: list[Any]) -> None:
    for value, headers in messages:
        producer.produce(topic, value, key=value, headers=headers, partition=0)
    assert producer.flush(TIMEOUT) == 0


GUID_OF_NONE = b"\1" + bytes(15) + b"\7"


def test_guids_in_headers(
    kafka_topic: str, producer: Producer, consumer: Consumer, registry: SchemaRegistryClient
) -> None:
    """A topic can mix rows with a GUID in their header and rows that begin with an id."""
    [first, second] = with_guids(registry, kafka_topic)
    framed = payloads(registry, kafka_topic)
    unknown = (second[0], [("__value_schema_id", GUID_OF_NONE)])
    cut = (second[0], [("__value_schema_id", b"\1\2")])
    bare = (second[0], [("__key_schema_id", second[1][-1][1])])
    messages = [first, (framed[0], None), second, unknown, cut, bare, (None, first[1]), first]
    produced_with_headers(producer, kafka_topic, messages)
    columns = AvroColumns(registry, f"{kafka_topic}-value")
    batch = consumed(consumer, kafka_topic, 8, value=columns)
    frame = polars.DataFrame(batch)
    assert frame["value"].to_list() == [ROWS[0], ROWS[0], ROWS[1], *[None] * 4, ROWS[0]]
    assert batch.errors["value"] == [
        RowError(3, 0, "", "the registry has no schema 00000000-0000-0000-0000-000000000007"),
        RowError(4, 0, "", "its header has no schema's GUID: 2 bytes 01 02"),
        RowError(5, 0, "", "no schema id or GUID at the start, nor in a header"),
    ]
    # The caller did not request the headers, but the decoder needs them for the GUIDs.
    assert "headers" not in frame.columns
    assert polars.DataFrame(batch.raw)["headers"][0].to_list() == [
        {"key": key, "value": value} for key, value in first[1]
    ]


def test_guids_of_keys(
    kafka_topic: str, producer: Producer, consumer: Consumer, registry: SchemaRegistryClient
) -> None:
    """Keys have their own header; the headers are a column if the caller requests it."""
    produced_with_headers(producer, kafka_topic, with_guids(registry, kafka_topic, "key"))
    columns = AvroColumns(registry, schema=SECOND)
    batch = consumed(consumer, kafka_topic, 2, key=columns, value=columns, headers=True)
    frame = polars.DataFrame(batch)
    assert frame["key"].to_list() == ROWS
    assert [error.row for error in batch.errors["value"]] == [0, 1]
    assert frame["headers"][0].to_list()[0] == {"key": "trace", "value": b"7"}
    batch = consumed(consumer, kafka_topic, 2, key=columns, columns=["key", "headers"])
    assert polars.DataFrame(batch).columns == ["key", "headers"]
    batch = consumed(consumer, kafka_topic, 2, key=columns, columns=["key"])
    assert polars.DataFrame(batch).to_dict(as_series=False) == {"key": ROWS}


def test_guids_of_a_batch(
    kafka_topic: str, producer: Producer, consumer: Consumer, registry: SchemaRegistryClient
) -> None:
    """decode_batch() uses the headers of a batch. If the batch has no headers, the errors report
    this."""
    produced_with_headers(producer, kafka_topic, with_guids(registry, kafka_topic))
    columns = AvroColumns(registry, f"{kafka_topic}-value")
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    batch = decode_batch(consumer.consume_arrow(2, TIMEOUT, headers=True), value=columns)
    assert polars.DataFrame(batch)["value"].to_list() == ROWS
    assert "headers" in polars.DataFrame(batch).columns
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    batch = decode_batch(consumer.consume_arrow(2, TIMEOUT), value=columns)
    assert [error.reason for error in batch.errors["value"]] == [
        "no schema id or GUID at the start, and no headers to look in"
    ] * 2


def test_guids_of_a_topic_that_is_read(
    kafka_topic: str,
    producer: Producer,
    registry: SchemaRegistryClient,
    kafka_cluster: MockCluster,
) -> None:
    """read_topic() and asyncio consumers also decode rows with GUIDs in headers."""
    produced_with_headers(producer, kafka_topic, with_guids(registry, kafka_topic))
    columns = AvroColumns(registry, f"{kafka_topic}-value")
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    for headers in (False, True):
        with read_topic(config, kafka_topic, value=columns, headers=headers) as reader:
            frame = polars.concat(polars.DataFrame(batch) for batch in reader)
        assert frame["value"].to_list() == ROWS
        assert ("headers" in frame.columns) == headers

    async def read() -> list[Any]:
        async with AIOConsumer({**config, "group.id": "guids"}) as consumer:
            await consumer.assign([TopicPartition(kafka_topic, 0, 0)])
            batch = await consumer.consume_arrow(2, TIMEOUT, columns=["value"], value=columns)
            found: list[Any] = polars.DataFrame(batch).to_dicts()
            return found

    assert asyncio.run(read()) == [{"value": row} for row in ROWS]


def test_a_guid_is_asked_for_again_until_it_is_known(registry: SchemaRegistryClient) -> None:
    """A known GUID is requested only once, as is a known id."""
    with running_registry() as fake, SchemaRegistryClient({"url": fake.url}) as client:
        columns = AvroColumns(client, schema=SECOND)
        headers = header_column([[("__value_schema_id", GUID_OF_NONE)], None])
        for _ in range(2):
            asked = len(fake.requests)
            assert len(columns.decode(binary([b"\2\0", None]), headers).errors) == 1
            assert len(fake.requests) == asked + 1
        [(payload, marks), _] = with_guids(client, "orders")
        known = header_column([marks, [("__key_schema_id", marks[-1][1])]])
        values = binary([payload, None])
        assert columns.decode(values, known).errors == []
        asked = len(fake.requests)
        assert columns.decode(values, known).errors == []
        assert len(fake.requests) == asked
        # The GUID may also be before the payload, instead of in a header.
        guid = marks[-1][1]
        assert columns.decode(binary([guid + payload])).errors == []
        with pytest.raises(ValueError, match="part must be 'key' or 'value', not 'headers'"):
            columns.decode(values, known, part="headers")


def header_column(rows: list[Any]) -> Any:
    kind = polars.List(polars.Struct({"key": polars.String, "value": polars.Binary}))
    return polars.Series(
        [row and [{"key": key, "value": value} for key, value in row] for row in rows], dtype=kind
    )


# ---- AIOConsumer ----


class Waiting(AvroDecoder):
    """A decoder whose registry answers only when the test allows it."""

    def __init__(self, schema: Any) -> None:
        super().__init__(schema)
        self.asked, self.answer = threading.Event(), threading.Event()

    def decode(self, payloads: Any) -> Any:
        self.asked.set()
        assert self.answer.wait(TIMEOUT)
        return super().decode(payloads)


def test_an_event_loop_goes_on(
    kafka_topic: str, producer: Producer, kafka_cluster: MockCluster
) -> None:
    """Decoding waits in a thread. After a cancelled call, the next call returns its messages."""
    produced(producer, kafka_topic, [b"\2", b"\4"])

    async def read() -> list[Any]:
        config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "columns"}
        decoder = Waiting('"int"')
        async with AIOConsumer(config) as consumer:
            await consumer.assign([TopicPartition(kafka_topic, 0, 0)])
            call = asyncio.create_task(consumer.consume_arrow(2, TIMEOUT, value=decoder))
            while not decoder.asked.is_set():
                await asyncio.sleep(0.01)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            decoder.answer.set()
            batch = await consumer.consume_arrow(2, TIMEOUT, value=decoder)
            frame: list[Any] = polars.DataFrame(batch)["value"].to_list()
            return frame

    assert asyncio.run(read()) == [{"value": 1}, {"value": 2}]


# ---- produce_arrow(value=) ----


def test_rows_become_payloads_of_the_registry(
    kafka_topic: str, producer: Producer, consumer: Consumer, registry: SchemaRegistryClient
) -> None:
    """Rows are written with the subject's latest schema; a registry's deserializers read them."""
    registry.register_schema(f"{kafka_topic}-value", Schema(json.dumps(SECOND)))
    columns = AvroColumns(registry, f"{kafka_topic}-value")
    frame = polars.DataFrame({"note": [None, "gift"], "id": [1, 2]})
    assert producer.produce_arrow(frame, kafka_topic, value=columns) == 2
    assert producer.flush(TIMEOUT) == 0
    batch = consumed(consumer, kafka_topic, 2, value=columns)
    assert polars.DataFrame(batch)["value"].to_list() == ROWS
    deserialize = AvroDeserializer(registry)
    context = SerializationContext(kafka_topic, MessageField.VALUE)
    raw = polars.DataFrame(batch.raw)["value"].to_list()
    assert [deserialize(payload, context) for payload in raw] == ROWS


def test_an_event_loop_encodes(
    kafka_topic: str, consumer: Consumer, kafka_cluster: MockCluster, registry: SchemaRegistryClient
) -> None:
    """AIOProducer encodes rows, too. If a row cannot be encoded, the call raises and enqueues
    nothing."""
    registry.register_schema(f"{kafka_topic}-value", Schema(json.dumps(SECOND)))
    columns = AvroColumns(registry, f"{kafka_topic}-value")
    frame = polars.DataFrame({"note": [None, "gift"], "id": [1, 2]})

    async def write() -> None:
        config = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
        async with AIOProducer(config) as producer:
            assert await producer.produce_arrow(frame, kafka_topic, value=columns) == 2
            with pytest.raises(TypeError, match=r"value must be AvroColumns .* not AvroDecoder"):
                await producer.produce_arrow(frame, kafka_topic, value=AvroDecoder(FIRST))  # type: ignore[arg-type]
            bad = polars.DataFrame({"id": [1 << 40], "city": ["Bonn"]})
            with pytest.raises(ValueError, match=r"^row 0: value\.id: "):
                await producer.produce_arrow(bad, kafka_topic, value=AvroEncoder(FIRST))

    asyncio.run(write())
    batch = consumed(consumer, kafka_topic, 2, value=columns)
    assert polars.DataFrame(batch)["value"].to_list() == ROWS


def test_columns_of_messages_are_encoded(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """`key` and `value` of a batch are encoded; its other columns stay the same."""
    text, order = AvroEncoder('"string"'), AvroEncoder(FIRST)
    frame = polars.DataFrame(
        {
            "key": [{"value": "k"}, {"value": "l"}],
            "value": [ORDERS[0], None],
            "topic": [kafka_topic] * 2,
            "partition": [0, 0],
        }
    )
    assert producer.produce_arrow(frame, key=text, value=order) == 2
    assert producer.flush(TIMEOUT) == 0
    batch = consumed(consumer, kafka_topic, 2)
    found = polars.DataFrame(batch)
    assert found["key"].to_list() == [b"\2k", b"\2l"]
    assert found["value"].to_list() == [b"\2\x08Bonn", None]


def test_a_batch_goes_on_as_it_came(
    kafka_topic: str,
    producer: Producer,
    consumer: Consumer,
    kafka_cluster: MockCluster,
    registry: SchemaRegistryClient,
) -> None:
    """Decoded rows are encoded again, with their keys."""
    values = payloads(registry, kafka_topic)
    produced(producer, kafka_topic, values[1:])
    columns = AvroColumns(registry, f"{kafka_topic}-value")
    batch = consumed(consumer, kafka_topic, 1, value=columns)
    kafka_cluster.create_topic(f"{kafka_topic}-copy")
    assert producer.produce_arrow(batch, f"{kafka_topic}-copy", value=columns) == 1
    assert producer.flush(TIMEOUT) == 0
    copy = polars.DataFrame(consumed(consumer, f"{kafka_topic}-copy", 1))
    assert copy["value"].to_list() == values[1:]
    assert copy["key"].to_list() == [b"k"]


def test_batches_of_several_chunks_are_encoded(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """All chunks of a data frame are written, with keys and partitions; if a row is bad, none
    is."""
    text, order = AvroEncoder('"string"'), AvroEncoder(FIRST)
    one = polars.DataFrame({"key": [{"value": "k"}], "value": [ORDERS[0]], "partition": [0]})
    two = polars.DataFrame({"key": [{"value": "l"}], "value": [None], "partition": [0]})
    frame = polars.concat([one, two.cast(one.schema)], rechunk=False)
    assert frame.n_chunks() == 2
    assert producer.produce_arrow(frame, kafka_topic, key=text, value=order) == 2
    rows = frame["value"].struct.unnest()[:1]
    whole = polars.concat([rows, rows], rechunk=False)
    assert producer.produce_arrow(whole, kafka_topic, value=order) == 2
    bad = polars.concat([rows, rows, rows.with_columns(id=polars.lit(1 << 40))], rechunk=False)
    with pytest.raises(ValueError, match=r"^row 2: value\.id: "):
        producer.produce_arrow(bad, kafka_topic, value=order)
    assert producer.flush(TIMEOUT) == 0
    found = polars.DataFrame(consumed(consumer, kafka_topic, 4))
    assert found["key"].to_list() == [b"\2k", b"\2l", None, None]
    payload = b"\2\x08Bonn"
    assert found["value"].to_list() == [payload, None, payload, payload]


def test_batches_without_a_chunk_are_encoded(kafka_topic: str, producer: Producer) -> None:
    """For a batch without chunks, nothing is encoded, but the types are checked. The result has
    the usual columns."""
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    text, order = AvroEncoder('"string"'), AvroEncoder(FIRST)
    columns = {"value": pa.array([ORDERS[0]]), "key": pa.array([{"value": "k"}])}
    whole = pa.table({**columns, "partition": [0]})
    assert whole[:0].to_batches() == []
    encoded = encode_batch(whole[:0], key=text, value=order)
    assert len(encoded) == 0
    assert pa.table(encoded) == pa.table(encode_batch(whole, key=text, value=order))[:0]
    assert producer.produce_arrow(whole[:0], kafka_topic, key=text, value=order) == 0
    assert len(encode_batch(pa.table({"id": [1], "city": ["Bonn"]})[:0], value=order)) == 0
    with pytest.raises(TypeError, match="'city' is int64, which cannot be written as string"):
        encode_batch(pa.table({"id": [1], "city": [2]})[:0], value=order)


def test_rows_that_cannot_be_encoded(kafka_topic: str, producer: Producer) -> None:
    """Nothing is enqueued, and the error names the row and the field."""
    frame = polars.DataFrame({"id": [1, 1 << 40], "city": ["Bonn", "Berlin"]})
    with pytest.raises(ValueError, match=r"^row 1: value\.id: "):
        producer.produce_arrow(frame, kafka_topic, value=AvroEncoder(FIRST))
    assert len(producer) == 0
    with pytest.raises(TypeError, match=r"value must be AvroColumns .* not AvroDecoder"):
        producer.produce_arrow(frame, kafka_topic, value=AvroDecoder(FIRST))  # type: ignore[arg-type]
    with pytest.raises(KeyError, match="the batch has no column 'key'"):
        producer.produce_arrow(frame, kafka_topic, key=AvroEncoder(FIRST))


HEADER = {"schema_id_serializer": header_schema_id_serializer}


def mark_of(registry: SchemaRegistryClient, subject: str) -> bytes:
    """The GUID of a subject's latest schema, in the form that headers contain."""
    return b"\1" + UUID(registry.get_latest_version(subject).guid).bytes


def test_guids_are_written(
    kafka_topic: str, producer: Producer, consumer: Consumer, registry: SchemaRegistryClient
) -> None:
    """A row is encoded with a GUID as a serializer would do it; a tombstone has no schema."""
    [(payload, headers), _] = with_guids(registry, kafka_topic)
    registry.register_schema(f"{kafka_topic}-rows", Schema(json.dumps(FIRST)))
    columns = AvroColumns(registry, f"{kafka_topic}-rows", **HEADER)
    rows = polars.DataFrame(
        {
            "value": [ORDERS[0], None, ORDERS[0]],
            "partition": [0, 0, 0],
            "headers": header_column([headers[:1], headers[:1], None]),
        }
    )
    assert producer.produce_arrow(rows, kafka_topic, value=columns) == 3
    assert producer.produce_arrow(polars.DataFrame([ORDERS[0]]), kafka_topic, value=columns) == 1
    assert producer.flush(TIMEOUT) == 0
    consumer.assign([TopicPartition(kafka_topic, 0, 0)])
    found = [(one.value(), one.headers()) for one in consumer.consume(4, TIMEOUT)]
    assert found == [
        (payload, headers),
        (None, headers[:1]),
        (payload, headers[1:]),
        (payload, headers[1:]),
    ]
    batch = consumed(consumer, kafka_topic, 4, value=columns)
    assert polars.DataFrame(batch)["value"].to_list() == [*rows["value"].to_list(), ORDERS[0]]


def test_guids_of_keys_and_values_are_written(
    kafka_topic: str, producer: Producer, consumer: Consumer, registry: SchemaRegistryClient
) -> None:
    """Keys and values have their own headers, which replace headers of the same name in the row."""
    registry.register_schema("k", Schema('"string"'))
    registry.register_schema("v", Schema(json.dumps(FIRST)))
    key, value = AvroColumns(registry, "k", **HEADER), AvroColumns(registry, "v", **HEADER)
    came = [("__value_schema_id", GUID_OF_NONE), ("trace", b"7"), ("__value_schema_id", b"")]
    frame = polars.DataFrame(
        {
            "key": [{"value": "a"}, None],
            "value": [ORDERS[0]] * 2,
            "headers": header_column([came, came]),
        }
    )
    encoded = encode_batch(frame, key=key, value=value)
    found = polars.DataFrame(encoded)["headers"].to_list()
    mark = {"key": "__value_schema_id", "value": mark_of(registry, "v")}
    name = {"key": "__key_schema_id", "value": mark_of(registry, "k")}
    trace = {"key": "trace", "value": b"7"}
    assert sorted(found[0], key=str) == sorted([trace, name, mark], key=str)
    assert found[1] == [trace, mark]
    assert producer.produce_arrow(frame, kafka_topic, key=key, value=value) == 2
    assert producer.flush(TIMEOUT) == 0
    batch = consumed(consumer, kafka_topic, 2, key=key, value=value)
    assert polars.DataFrame(batch)["key"].to_list() == [{"value": "a"}, None]
    assert polars.DataFrame(batch)["value"].to_list() == [ORDERS[0]] * 2


def test_guids_of_json_are_written(registry: SchemaRegistryClient) -> None:
    """With the option, the payload is only the text; without it, the payload has a prefix."""
    schema = {"type": "object", "properties": {"id": {"type": "integer"}}}
    known = registry.register_schema("s", Schema(json.dumps(schema), "JSON"))
    frame = polars.DataFrame({"id": [1]})
    assert polars.DataFrame(
        encode_batch(frame, value=JSONColumns(registry, "s", **HEADER))
    ).to_dicts() == [
        {
            "value": b'{"id":1}',
            "headers": [{"key": "__value_schema_id", "value": mark_of(registry, "s")}],
        }
    ]
    prefix = JSONColumns(registry, "s", schema_id_serializer=prefix_schema_id_serializer)
    assert polars.DataFrame(encode_batch(frame, value=prefix)).to_dicts() == [
        {"value": b"\0" + known.to_bytes(4) + b'{"id":1}'}
    ]


class NoGuids:
    """An old registry, whose schemas have ids but no GUIDs."""

    def __init__(self, registry: SchemaRegistryClient) -> None:
        self.get_schema = registry.get_schema
        self._registry = registry

    def get_latest_version(self, subject: str) -> Any:
        return replace(self._registry.get_latest_version(subject), guid=None)

    def lookup_schema(self, subject: str, schema: Schema) -> Any:
        return replace(self._registry.lookup_schema(subject, schema), guid=None)


def test_guids_that_cannot_be_written(registry: SchemaRegistryClient) -> None:
    """The error names the registry without GUIDs, or the wrong value of the option."""
    registry.register_schema("s", Schema('"int"'))
    columns = AvroColumns(NoGuids(registry), "s", **HEADER)
    for _ in range(2):
        with pytest.raises(SerializationError, match="the registry returned none"):
            encode_batch(polars.DataFrame({"value": [1]}), value=columns)
    with pytest.raises(ValueError, match=r"schema_id_serializer must be prefix_.* not 'header'"):
        AvroColumns(registry, "s", schema_id_serializer="header")


def test_encoding_needs_a_subject(registry: SchemaRegistryClient) -> None:
    """To encode, a subject is needed, because a schema from the caller has no id in the
    registry."""
    with pytest.raises(TypeError, match="to encode, give the subject"):
        AvroColumns(registry, schema=FIRST).encode(polars.DataFrame({"id": [1]}))


# ---- JSONColumns ----


def test_json_of_a_registry(registry: SchemaRegistryClient) -> None:
    """Payloads of all versions are read in the same way; wrong options are refused at once."""
    schema = {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
    known = registry.register_schema("s", Schema(json.dumps(schema), "JSON"))
    other = registry.register_schema("avro", Schema('"int"'))
    frame = b"\0" + known.to_bytes(4)
    rows = JSONColumns(registry, "s").decode(
        binary([frame + b'{"id": 1}', frame + b"{", b"\0" + other.to_bytes(4) + b"\2", None])
    )
    assert polars.DataFrame(rows)["id"].to_list() == [1, None, None, None]
    assert [(one.row, one.offset) for one in rows.errors] == [(1, 6), (2, 0)]
    assert rows.errors[1].reason == f"schema {other} is AVRO, not JSON"
    with pytest.raises(ValueError, match="missing must be 'null' or 'error'"):
        JSONColumns(registry, "s", missing="nothing")


def test_json_with_references(registry: SchemaRegistryClient) -> None:
    """Schemas that a schema refers to by name are found, even indirect references."""
    for name, schema in (
        ("zip.json", {"type": "integer"}),
        (
            "address.json",
            {
                "$id": "https://example.com/another/name",
                "type": "object",
                "properties": {"city": {"$ref": "#/$defs/text"}, "zip": {"$ref": "zip.json"}},
                "$defs": {"text": {"type": "string"}},
            },
        ),
    ):
        references = [SchemaReference("zip.json", "zip.json", 1)] * ("$id" in schema)
        registry.register_schema(name, Schema(json.dumps(schema), "JSON", references))
    person = {
        "$id": "https://example.com/person.json",
        "type": "object",
        "properties": {
            "home": {"$ref": "address.json"},
            "city": {"$ref": "address.json#/$defs/text"},
        },
    }
    reference = SchemaReference("address.json", "address.json", 1)
    registry.register_schema("people-value", Schema(json.dumps(person), "JSON", [reference]))
    columns = JSONColumns(registry, "people-value")
    people = [{"home": {"city": "Bonn", "zip": 53111}, "city": "Köln"}]
    payloads = polars.Series(columns.encode(polars.DataFrame(people))).to_list()
    assert [json.loads(payload[5:]) for payload in payloads] == people
    assert polars.DataFrame(columns.decode(binary(payloads))).to_dicts() == people


def test_rows_become_json_of_the_registry(
    kafka_topic: str, producer: Producer, consumer: Consumer, registry: SchemaRegistryClient
) -> None:
    """Rows are written with the subject's latest schema; a registry's deserializer reads them."""
    pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    from confluent_kafka.schema_registry.json_schema import JSONDeserializer

    fields = {"id": {"type": "integer"}, "note": {"type": "string"}}
    schema = {"title": "Order", "type": "object", "properties": fields, "required": ["id"]}
    registry.register_schema(f"{kafka_topic}-value", Schema(json.dumps(schema), "JSON"))
    columns = JSONColumns(registry, f"{kafka_topic}-value")
    frame = polars.DataFrame({"note": [None, "gift"], "id": [1, 2]})
    assert producer.produce_arrow(frame, kafka_topic, value=columns) == 2
    assert producer.flush(TIMEOUT) == 0
    batch = consumed(consumer, kafka_topic, 2, value=columns)
    assert polars.DataFrame(batch)["value"].to_list() == ROWS
    deserialize = JSONDeserializer(json.dumps(schema))  # the deserializer also validates
    context = SerializationContext(kafka_topic, MessageField.VALUE)
    raw = polars.DataFrame(batch.raw)["value"].to_list()
    assert [deserialize(payload, context) for payload in raw] == [{"id": 1}, ROWS[1]]
    with pytest.raises(TypeError, match="to encode, give the subject"):
        JSONColumns(registry, schema=schema).encode(frame)


# ---- ProtobufColumns ----


def test_protobuf_of_a_registry(registry: SchemaRegistryClient) -> None:
    """A value of the registry's Protobuf serializer becomes columns of the message."""
    pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed")
    from google.protobuf.type_pb2 import Field

    from confluent_kafka.schema_registry.protobuf import ProtobufSerializer

    serialize = ProtobufSerializer(Field, registry, {"use.deprecated.format": False})
    payload = serialize(
        Field(name="flight", number=1545, packed=True),
        SerializationContext("flights", MessageField.VALUE),
    )
    other = registry.register_schema("avro", Schema('"int"'))
    columns = ProtobufColumns(registry, Field, columns=["name", "number", "packed"])
    rows = columns.decode(binary([payload, b"\0" + other.to_bytes(4) + b"\2", None]))
    assert polars.DataFrame(rows).rows() == [
        ("flight", 1545, True),
        (None, None, None),
        (None, None, None),
    ]
    assert [error.reason for error in rows.errors] == [f"schema {other} is AVRO, not PROTOBUF"]
    # The header also contains the message indexes.
    conf = {"use.deprecated.format": False, "schema.id.serializer": header_schema_id_serializer}
    headers: list[Any] = []
    payload = ProtobufSerializer(Field, registry, conf)(
        Field(name="flight"), SerializationContext("flights", MessageField.VALUE, headers)
    )
    assert len(headers[0][1]) > 17
    rows = columns.decode(binary([payload]), header_column([headers]))
    assert polars.DataFrame(rows).rows() == [("flight", 0, False)]


def test_rows_become_protobuf_of_the_registry(
    kafka_topic: str, producer: Producer, consumer: Consumer, registry: SchemaRegistryClient
) -> None:
    """Rows are written as the message, with the id of the subject's latest schema."""
    pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed")
    from google.protobuf.type_pb2 import Field

    from confluent_kafka.schema_registry.protobuf import ProtobufDeserializer, ProtobufSerializer

    options = {"use.deprecated.format": False}
    context = SerializationContext(kafka_topic, MessageField.VALUE)
    message = Field(name="flight", number=1545, packed=True)
    payload = ProtobufSerializer(Field, registry, options)(message, context)
    subject = f"{kafka_topic}-value"
    columns = ProtobufColumns(
        registry, Field, columns=["name", "number", "packed"], subject=subject
    )
    frame = polars.DataFrame({"number": [1545], "name": ["flight"], "packed": [True]})
    assert producer.produce_arrow(frame, kafka_topic, value=columns) == 1
    assert producer.flush(TIMEOUT) == 0
    batch = consumed(consumer, kafka_topic, 1, value=columns)
    assert (
        polars.DataFrame(batch)["value"].to_list()
        == frame.select("name", "number", "packed").to_dicts()
    )
    [raw] = polars.DataFrame(batch.raw)["value"].to_list()
    assert raw == payload
    assert ProtobufDeserializer(Field, options)(raw, context) == message
    with pytest.raises(TypeError, match="to encode, give the subject"):
        ProtobufColumns(registry, Field).encode(frame)
    with pytest.raises(TypeError, match="subject must be str, not int"):
        ProtobufColumns(registry, Field, subject=5)  # type: ignore[arg-type]


FLIGHT = """
syntax = "proto3";
package air;
import "city.proto";
message Crew { string captain = 1; }
message Flight {
  int32 number = 1;
  City from = 2;
}
"""
CITY = """
syntax = "proto3";
package air;
message City { string name = 1; }
"""
# Another version, in which the message is in another place and has more fields.
LATER = FLIGHT.replace("message Crew { string captain = 1; }", "").replace(
    "int32 number = 1;", "int32 number = 1; string gate = 9;"
)
FROM_BONN = b"\x08\x07\x12\x06\x0a\x04Bonn"


@pytest.fixture
def flights(registry: SchemaRegistryClient) -> SchemaRegistryClient:
    """A registry whose subject `flights` has a schema that refers to another one."""
    pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed")
    registry.register_schema("city", Schema(CITY, "PROTOBUF"))
    registry.register_schema("flights", registered(FLIGHT))
    return registry


def registered(text: str) -> Schema:
    return Schema(text, "PROTOBUF", [SchemaReference("city.proto", "city", 1)])


def test_protobuf_times_of_all_years(registry: SchemaRegistryClient) -> None:
    """The year 1, which C# and Go write for "no time", can be decoded with unit="us"."""
    pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed")
    text = (
        'syntax = "proto3"; import "google/protobuf/timestamp.proto"; '
        "message M { google.protobuf.Timestamp at = 1; int32 n = 2; }"
    )
    known = registry.register_schema("times", Schema(text, "PROTOBUF"))
    year_1 = b"\x0a\x0b\x08\x80\x92\xb8\xc3\x98\xfe\xff\xff\xff\x01\x10\x07"
    payload = binary([b"\0" + known.to_bytes(4) + b"\0" + year_1])
    rows = ProtobufColumns(registry, subject="times", unit="us").decode(payload)
    assert polars.DataFrame(rows).to_dicts() == [
        {"at": datetime.datetime(1, 1, 1, tzinfo=datetime.UTC), "n": 7}
    ]
    [error] = ProtobufColumns(registry, subject="times").decode(payload).errors
    assert 'unit="us"' in error.reason
    with pytest.raises(ValueError, match="unit must be one of ns, us, not 's'"):
        ProtobufColumns(registry, subject="times", unit="s")


def test_protobuf_imports_that_two_files_have(registry: SchemaRegistryClient) -> None:
    """A text that two other texts import is compiled once."""
    pytest.importorskip("grpc_tools", reason="grpcio-tools is not installed")

    def register(name: str, text: str, *imports: str) -> None:
        references = [SchemaReference(f"{one}.proto", one, 1) for one in imports]
        text = "".join(f'import "{one}.proto"; ' for one in imports) + text
        registry.register_schema(name, Schema(f'syntax = "proto3"; {text}', "PROTOBUF", references))

    register("common", "message Common { int32 n = 1; }")
    register("left", "message Left { Common c = 1; }", "common")
    register("right", "message Right { Common c = 1; }", "common")
    register("top", "message Top { Left left = 1; Right right = 2; }", "left", "right")
    known = registry.get_latest_version("top").schema_id
    assert known is not None
    payload = b"\0" + known.to_bytes(4) + b"\0\x0a\4\x0a\2\x08\1\x12\4\x0a\2\x08\2"
    rows = ProtobufColumns(registry, subject="top").decode(binary([payload]))
    assert polars.DataFrame(rows).to_dicts() == [
        {"left": {"c": {"n": 1}}, "right": {"c": {"n": 2}}}
    ]


def test_protobuf_texts_of_a_registry(flights: SchemaRegistryClient) -> None:
    """A message is compiled from the subject's text. In the text of each version, the message is
    found by its place, and its fields are found by their numbers."""
    known = flights.get_latest_version("flights").schema_id
    assert known is not None
    later = flights.register_schema("others", registered(LATER))
    frame, other = b"\0" + known.to_bytes(4), b"\0" + later.to_bytes(4)
    crew = flights.register_schema("crew", Schema(CITY, "PROTOBUF"))
    columns = ProtobufColumns(flights, "air.Flight", subject="flights")
    rows = columns.decode(
        binary(
            [
                frame + b"\2\2" + FROM_BONN,
                other + b"\0" + FROM_BONN + b"\x4a\1A",
                frame + b"\0\x0a\1X",
                b"\0" + crew.to_bytes(4) + b"\0",
                None,
            ]
        )
    )
    flight = {"number": 7, "from": {"name": "Bonn"}}
    assert polars.DataFrame(rows).to_dicts()[:2] == [flight, flight]
    assert [(error.row, error.reason) for error in rows.errors] == [
        (2, "message indexes of another message"),
        (3, f"schema {crew}: the schema has no message air.Flight"),
    ]
    first = ProtobufColumns(flights, subject="flights").decode(binary([frame + b"\0\x0a\1X"]))
    assert polars.DataFrame(first).to_dicts() == [{"captain": "X"}]


TAGGED = """
syntax = "proto3";
import "confluent/meta.proto";
import "confluent/types/decimal.proto";
message Order {
  int32 id = 1 [(confluent.field_meta).tags = "PII"];
  confluent.type.Decimal price = 2;
}
"""


def test_what_every_registry_knows(flights: SchemaRegistryClient) -> None:
    """Tags and decimals are imported without a reference; a reference of the same name takes
    precedence."""
    known = flights.register_schema("tagged", Schema(TAGGED, "PROTOBUF"))
    payload = b"\0" + known.to_bytes(4) + b"\0\x08\5\x12\5\x0a\1\x2a\x18\1"
    rows = ProtobufColumns(flights, subject="tagged").decode(binary([payload]))
    price = {"value": b"*", "precision": 0, "scale": 1}
    assert polars.DataFrame(rows).to_dicts() == [{"id": 5, "price": price}]

    own = 'syntax = "proto3"; package confluent.type; message Decimal { string text = 1; }'
    flights.register_schema("own", Schema(own, "PROTOBUF"))
    text = TAGGED.replace("types/decimal", "type/decimal")
    reference = SchemaReference("confluent/type/decimal.proto", "own", 1)
    number = flights.register_schema("with-own", Schema(text, "PROTOBUF", [reference]))
    payload = b"\0" + number.to_bytes(4) + b"\0\x12\5\x0a\3" + b"4.2"
    rows = ProtobufColumns(flights, subject="with-own").decode(binary([payload]))
    assert polars.DataFrame(rows).to_dicts() == [{"id": 0, "price": {"text": "4.2"}}]


PRICED = """
syntax = "proto3";
// import "google/type/a.proto";
import 'google/type/money.proto'; import public "google/type/datetime.proto";
import "google/api/annotations.proto";
message Offer { google.type.Money price = 1; google.type.DateTime until = 2; }
"""


@pytest.mark.parametrize("described", [False, True], ids=["text", "descriptor"])
def test_types_of_google(flights: SchemaRegistryClient, described: bool) -> None:
    """Google's types for money and dates are imported without a reference, with their own
    imports."""
    pytest.importorskip("google.type.money_pb2", reason="googleapis-common-protos is not installed")
    text = PRICED
    if described:
        flights.register_schema("texts", Schema(PRICED, "PROTOBUF"))
        compiled = compile_registered(flights.get_latest_version("texts").schema, flights)
        [own] = [one for one in compiled.files.file if "Offer" in str(one.message_type)]
        text = base64.b64encode(own.SerializeToString()).decode()
    known = flights.register_schema("priced", Schema(text, "PROTOBUF"))
    payload = b"\0" + known.to_bytes(4) + b"\0\x0a\7\x0a\3EUR\x10\5\x12\3\x08\xea\x0f"
    rows = ProtobufColumns(flights, subject="priced").decode(binary([payload]))
    assert not rows.errors
    [found] = polars.DataFrame(rows).to_dicts()
    assert found["price"] == {"currency_code": "EUR", "units": 5, "nanos": 0}
    assert (found["until"]["year"], found["until"]["utc_offset"]) == (2026, None)


def test_types_of_google_that_are_not_there(
    flights: SchemaRegistryClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If Google's types are not installed, the error names their package. Types that the package
    does not have are unknown."""
    text = 'syntax = "proto3"; import "google/type/{}.proto"; message M {{ google.type.{} a = 1; }}'
    flights.register_schema("unknown", Schema(text.format("weather", "Weather"), "PROTOBUF"))
    flights.register_schema("color", Schema(text.format("color", "Color"), "PROTOBUF"))
    unknown = ProtobufColumns(flights, subject="unknown")
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "google.type", None)
        with pytest.raises(
            ImportError, match=r"google/type/color\.proto.*googleapis-common-protos"
        ):
            ProtobufColumns(flights, subject="color").decode(binary([]))
    pytest.importorskip("google.type.money_pb2", reason="googleapis-common-protos is not installed")
    with pytest.raises(ValueError, match=r"not a Protobuf schema: .*google/type/weather\.proto"):
        unknown.decode(binary([]))


def test_protobuf_texts_and_headers(flights: SchemaRegistryClient) -> None:
    """A header contains the message indexes after the GUID."""
    latest = flights.get_latest_version("flights")
    guid = b"\1" + UUID(latest.guid).bytes
    columns = ProtobufColumns(flights, "air.Flight", subject="flights")
    marks = [guid + b"\2\2", guid + b"\0", guid]
    headers = header_column([[("__value_schema_id", mark)] for mark in marks])
    rows = columns.decode(binary([FROM_BONN] * 3), headers)
    assert polars.DataFrame(rows)["number"].to_list() == [7, None, None]
    assert {error.reason for error in rows.errors} == {
        "message indexes of another message in its header"
    }


def test_protobuf_texts_are_written(flights: SchemaRegistryClient) -> None:
    """Rows are encoded as the message of the latest schema."""
    columns = ProtobufColumns(flights, "air.Flight", subject="flights")
    frame = polars.DataFrame({"number": [7], "from": [{"name": "Bonn"}]})
    encoded = columns.encode(frame)
    assert columns.decode(encoded).errors == []
    assert polars.DataFrame(columns.decode(encoded)).equals(frame.cast({"number": polars.Int32}))


def test_protobuf_texts_are_written_with_a_guid(flights: SchemaRegistryClient) -> None:
    """The message indexes are in the header, after the GUID."""
    columns = ProtobufColumns(flights, "air.Flight", subject="flights", **HEADER)
    frame = polars.DataFrame({"number": [7], "from": [{"name": "Bonn"}]})
    encoded = polars.DataFrame(encode_batch(frame, value=columns))
    mark = mark_of(flights, "flights") + b"\2\2"
    assert encoded["value"].to_list() == [FROM_BONN]
    assert encoded["headers"].to_list() == [[{"key": "__value_schema_id", "value": mark}]]
    rows = columns.decode(encoded["value"], encoded["headers"])
    assert polars.DataFrame(rows).to_dicts() == frame.to_dicts()


def test_wrong_protobuf_texts(flights: SchemaRegistryClient) -> None:
    """If a text cannot be compiled or is missing, the error contains the reason."""
    with pytest.raises(ValueError, match=r"the schema has no message air\.Ship"):
        ProtobufColumns(flights, "air.Ship", subject="flights").decode(binary([]))
    # City is imported, so it cannot be the message of a payload.
    with pytest.raises(ValueError, match=r"the schema has no message air\.City"):
        ProtobufColumns(flights, "air.City", subject="flights").decode(binary([]))
    with pytest.raises(TypeError, match="give a subject or a schema"):
        ProtobufColumns(flights, "air.Flight")
    with pytest.raises(TypeError, match="descriptor must be a message class"):
        ProtobufColumns(flights, 5)
    with pytest.raises(ValueError, match="enums must be one of string, dictionary, number"):
        ProtobufColumns(flights, subject="flights", enums="text")
    bad = Schema('syntax = "proto3"; message M { Nothing a = 1; }', "PROTOBUF")
    with running_registry() as fake, SchemaRegistryClient({"url": fake.url}) as client:
        fake.register("bad", bad.schema_str, "PROTOBUF")
        with pytest.raises(ValueError, match=r'not a Protobuf schema: .*"Nothing" is not defined'):
            ProtobufColumns(client, subject="bad").decode(binary([]))


# ---- AvroColumns ----


def binary(values: list[bytes | None]) -> Any:
    return polars.Series(values, dtype=polars.Binary)


def test_each_schema_is_asked_for_once() -> None:
    """An id is requested from the registry only for its first payload."""
    with running_registry() as fake, SchemaRegistryClient({"url": fake.url}) as registry:
        values = payloads(registry, "orders")
        columns = AvroColumns(registry, "orders-value")
        assert columns.decode(binary(values)).errors == []
        asked = len(fake.requests)
        assert columns.decode(binary([*reversed(values)])).errors == []
        assert len(fake.requests) == asked


def test_a_schema_may_be_registered_later(registry: SchemaRegistryClient) -> None:
    """Rows with an unknown id are errors only until the schema is registered."""
    first = registry.register_schema("orders-value", Schema(json.dumps(SECOND)))
    payload = b"\0" + (first + 1).to_bytes(4) + b"\2\0"
    columns = AvroColumns(registry, "orders-value")
    [error] = columns.decode(binary([payload])).errors
    assert error.reason == f"the registry has no schema {first + 1}"
    other = {**SECOND, "doc": "another one"}
    assert registry.register_schema("orders-value", Schema(json.dumps(other))) == first + 1
    assert columns.decode(binary([payload])).errors == []


class Once:
    """Arrow data that can be read only once, such as the results of a query."""

    def __init__(self, data: Any) -> None:
        self._data = data

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        data, self._data = self._data, None
        return data.__arrow_c_stream__()


def test_payloads_that_can_be_read_once(registry: SchemaRegistryClient) -> None:
    """Payloads that can be read only once can be decoded, although ids and values are needed."""
    values = payloads(registry, "orders")
    rows = AvroColumns(registry, "orders-value").decode(Once(binary(values)))
    assert polars.DataFrame(rows).to_dicts() == ROWS


def test_a_schema_with_references(registry: SchemaRegistryClient) -> None:
    """If a schema refers to types by name, the types are found in the subjects that it names."""
    city = {"type": "record", "name": "City", "fields": [{"name": "name", "type": "string"}]}
    registry.register_schema("city", Schema(json.dumps(city)))
    order = {"type": "record", "name": "Order", "fields": [{"name": "city", "type": "City"}]}
    schema = Schema(json.dumps(order), "AVRO", [SchemaReference("City", "city", 1)])
    schema_id = registry.register_schema("orders-value", schema)
    payload = b"\0" + schema_id.to_bytes(4) + b"\10Bonn"
    rows = AvroColumns(registry, "orders-value").decode(binary([payload]))
    assert polars.DataFrame(rows)["city"].to_list() == [{"name": "Bonn"}]


def test_a_schema_that_cannot_be_resolved(registry: SchemaRegistryClient) -> None:
    """If a writer's schema does not fit, its rows are errors that contain the reason."""
    other = registry.register_schema("other", Schema('{"type": "array", "items": "int"}'))
    rows = AvroColumns(registry, schema=FIRST).decode(binary([b"\0" + other.to_bytes(4) + b"\0"]))
    [error] = rows.errors
    assert error.reason == (
        f"schema {other}: the value was written as array, and is to be read as Order"
    )


def test_schemas_of_other_formats(registry: SchemaRegistryClient) -> None:
    """Rows of a schema that is not Avro are errors."""
    other = registry.register_schema("other", Schema('{"type": "object"}', "JSON"))
    rows = AvroColumns(registry, schema=FIRST).decode(binary([b"\0" + other.to_bytes(4)]))
    assert [error.reason for error in rows.errors] == [f"schema {other} is JSON, not AVRO"]


def test_a_subject_of_another_format(registry: SchemaRegistryClient) -> None:
    """If the subject's schema has another format, the schema is refused for reading and for
    writing."""
    registry.register_schema("avro", Schema('{"type": "string"}', "AVRO"))
    registry.register_schema("json", Schema('{"type": "string"}', "JSON"))
    frame = polars.DataFrame({"value": ["a"]})
    for columns, message in (
        (AvroColumns(registry, "json"), "the schema of subject 'json' is JSON, not AVRO"),
        (JSONColumns(registry, "avro"), "the schema of subject 'avro' is AVRO, not JSON"),
        (ProtobufColumns(registry, subject="json"), "subject 'json' is JSON, not PROTOBUF"),
    ):
        with pytest.raises(ValueError, match=message):
            columns.encode(frame)
        with pytest.raises(ValueError, match=message):
            columns.decode(binary([b""]))
    with pytest.raises(ValueError, match="schema is JSON, not AVRO"):
        AvroColumns(registry, schema=Schema('{"type": "string"}', "JSON")).decode(binary([b""]))


BYTES = '"bytes"'
PRICE = '{"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}'


@pytest.mark.parametrize("name", ["prefix", "header"])
@pytest.mark.parametrize(
    ("schema", "values", "bare"),
    [
        (BYTES, [b"abcd", b"", b"\x08"], [b"abcd", b"", b"\x08"]),
        (PRICE, [Decimal("1.23"), Decimal("-0.01")], [b"\x7b", b"\xff"]),
    ],
    ids=["bytes", "decimal"],
)
def test_bytes_are_the_whole_payload(
    registry: SchemaRegistryClient, schema: str, values: list[Any], bare: list[bytes], name: str
) -> None:
    """Payloads of the schema "bytes" have no size before the bytes, as in registry serializers."""
    subject = "whole-value"
    schema_id = registry.register_schema(subject, Schema(schema)).to_bytes(4)
    in_header = name == "header"
    serializer = header_schema_id_serializer if in_header else prefix_schema_id_serializer
    columns = AvroColumns(registry, subject, schema_id_serializer=serializer)
    series = polars.Series(values, dtype=None if schema == BYTES else polars.Decimal(4, 2))
    encoded = polars.Series(columns.encode(polars.DataFrame({"value": series}))).to_list()
    assert encoded == [(b"" if in_header else b"\0" + schema_id) + one for one in bare]
    framed = binary([b"\0" + schema_id + one for one in bare])
    assert polars.DataFrame(columns.decode(framed))["value"].to_list() == values


def test_bytes_of_a_registry_as_text(registry: SchemaRegistryClient) -> None:
    """Bytes of a registry can be read as a string, without a size, if they are UTF-8."""
    schema_id = registry.register_schema("whole-value", Schema(BYTES)).to_bytes(4)
    rows = AvroColumns(registry, schema="string").decode(
        binary([b"\0" + schema_id + one for one in ("é".encode(), b"\xff")])
    )
    assert polars.DataFrame(rows)["value"].to_list() == ["é", None]
    assert [error.reason for error in rows.errors] == ["a string that is not UTF-8"]


def test_projection(registry: SchemaRegistryClient) -> None:
    """Only the requested fields become columns, whichever schema wrote them."""
    values = payloads(registry, "orders")
    rows = AvroColumns(registry, "orders-value", columns=["note"]).decode(binary(values))
    assert polars.DataFrame(rows).to_dict(as_series=False) == {"note": [None, "gift"]}


def test_arguments(registry: SchemaRegistryClient) -> None:
    """Either a subject or a schema is required; arguments of a wrong kind are refused."""
    with pytest.raises(TypeError, match="give a subject or a schema"):
        AvroColumns(registry)
    with pytest.raises(TypeError, match="either a subject or a schema, not both"):
        AvroColumns(registry, "orders-value", schema=FIRST)
    with pytest.raises(TypeError, match="registry must be a SchemaRegistryClient, not str"):
        AvroColumns("http://127.0.0.1", "orders-value")
    with pytest.raises(TypeError, match="subject must be str, not dict"):
        AvroColumns(registry, FIRST)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="enums must be one of string, dictionary"):
        AvroColumns(registry, "orders-value", enums="text")
    with pytest.raises(AvroSchemaError, match="is not JSON"):
        AvroColumns(registry, schema="{").decode(binary([b""]))
    with pytest.raises(SchemaRegistryError), closing(registry):
        AvroColumns(registry, "nothing").decode(binary([b""]))
