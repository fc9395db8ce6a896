"""Many messages in one call, as lists and as Arrow columns, through real brokers."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka import TIMESTAMP_CREATE_TIME, Consumer, MessageBatch, TopicPartition
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.support.kafka import Reports, numbers, read, values_of
from tests.support.waiting import TIMEOUT

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]
ROWS = 2000
FIRST = 1_700_000_000_000


# The timestamps are years ago, so brokers would delete such records soon.
KEPT = {"retention_ms": "-1"}


@pytest.fixture
def topic(make_topic: MakeTopic) -> str:
    return make_topic(**KEPT)


def batch(partitions: int = 1) -> Any:
    """Rows with every column, some with nulls."""
    return pa.RecordBatch.from_pylist(
        [
            {
                "key": None if number % 5 == 0 else b"key %d" % number,
                "value": None if number % 7 == 0 else b"value %d" % number,
                "partition": number % partitions,
                "timestamp": FIRST + number,
                "headers": None
                if number % 3 == 0
                else [{"key": "number", "value": b"%d" % number}, {"key": "null", "value": None}],
            }
            for number in range(ROWS)
        ],
        schema=pa.schema(
            [
                ("key", pa.binary()),
                ("value", pa.binary()),
                ("partition", pa.int32()),
                ("timestamp", pa.timestamp("ms", "UTC")),
                ("headers", pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))),
            ]
        ),
    )


def columns(consumer: Consumer, topic: str, partitions: int = 1) -> MessageBatch:
    """All rows of the topic."""
    consumer.assign([TopicPartition(topic, partition, 0) for partition in range(partitions)])
    found = consumer.consume_arrow(ROWS, TIMEOUT, headers=True)
    assert len(found) == ROWS
    return found


def rows_of(found: MessageBatch, *names: str) -> list[dict[str, Any]]:
    record_batch = pa.record_batch(found)
    record_batch.validate(full=True)
    rows: list[dict[str, Any]] = record_batch.select(names).to_pylist()
    return rows


@pytest.mark.parametrize("codec", CODECS)
def test_arrow_there_and_back(kafka: KafkaCluster, topic: str, codec: str) -> None:
    """Columns that were produced come back the same from compressed batches."""
    rows = batch()
    config = {"compression.type": codec, "linger.ms": 20}
    reports = Reports()
    with writer(kafka, config) as producer, reader(kafka) as consumer:
        assert producer.produce_arrow(rows, topic, on_delivery=reports) == ROWS
        assert producer.flush(TIMEOUT) == 0
        found = columns(consumer, topic)
    assert reports.errors == [None] * ROWS
    names = rows.schema.names
    assert rows_of(found, *names) == rows.to_pylist()
    assert [row["offset"] for row in rows_of(found, "offset")] == list(range(ROWS))


def test_arrow_of_several_partitions(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """The partition column selects each row's partition; consume() returns the same as
    consume_arrow()."""
    topic = make_topic(partitions=3, **KEPT)
    with writer(kafka) as producer, reader(kafka) as consumer:
        assert producer.produce_arrow(batch(3), topic) == ROWS
        assert producer.flush(TIMEOUT) == 0
        found = rows_of(columns(consumer, topic, 3), "partition", "offset", "key", "value")
        messages = read(consumer, topic, ROWS, partitions=3)
    expected = [
        (message.partition(), message.offset(), message.key(), message.value())
        for message in messages
    ]

    def place(row: tuple[Any, ...]) -> tuple[int, int]:
        return row[0], row[1]

    assert sorted((tuple(row.values()) for row in found), key=place) == sorted(expected, key=place)
    wanted = {row["value"]: row["partition"] for row in batch(3).to_pylist() if row["value"]}
    assert {row["value"]: row["partition"] for row in found if row["value"]} == wanted


def test_arrow_from_topic_to_topic(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """A consumed batch is produced into another topic unchanged."""
    source, target = make_topic(**KEPT), make_topic(compression_type="zstd", **KEPT)
    names = ["key", "value", "timestamp", "headers", "partition", "offset"]
    with writer(kafka, {"compression.type": "lz4"}) as producer, reader(kafka) as consumer:
        producer.produce_arrow(batch(), source)
        assert producer.flush(TIMEOUT) == 0
        found = columns(consumer, source)
        assert producer.produce_arrow(found, target) == ROWS
        assert producer.flush(TIMEOUT) == 0
        copied = columns(consumer, target)
    assert rows_of(copied, *names) == rows_of(found, *names)


@pytest.mark.parametrize("codec", CODECS)
def test_list_there_and_back(kafka: KafkaCluster, topic: str, codec: str) -> None:
    """produce_batch() carries every field; consume() returns all messages in one call."""
    messages: list[Any] = [
        {
            "key": b"key %d" % number,
            "value": None if number % 7 == 0 else b"value %d" % number,
            "headers": [("number", b"%d" % number), ("null", None)],
            "timestamp": FIRST + number,
        }
        for number in range(ROWS)
    ]
    reports = Reports()
    config = {"compression.type": codec, "linger.ms": 20}
    with writer(kafka, config) as producer, reader(kafka) as consumer:
        count = producer.produce_batch(topic, messages, partition=0, on_delivery=reports)
        assert count == ROWS
        assert producer.flush(TIMEOUT) == 0
        found = read(consumer, topic, ROWS)
    assert reports.errors == [None] * ROWS
    assert [
        {
            "key": each.key(),
            "value": each.value(),
            "headers": each.headers(),
            "timestamp": each.timestamp()[1],
        }
        for each in found
    ] == messages
    assert {each.timestamp()[0] for each in found} == {TIMESTAMP_CREATE_TIME}


def test_more_than_the_queue_holds(kafka: KafkaCluster, topic: str) -> None:
    """With `block`, the call waits for room if the queue is smaller than the batch."""
    values: list[Any] = numbers(0, ROWS)
    # Without linger.ms, the producer would send one request for each free place in the queue.
    config = {"queue.buffering.max.messages": 100, "linger.ms": 5}
    with writer(kafka, config) as producer, reader(kafka) as consumer:
        assert producer.produce_batch(topic, values, partition=0, block=TIMEOUT) == ROWS
        assert producer.flush(TIMEOUT) == 0
        assert values_of(read(consumer, topic, ROWS)) == values
