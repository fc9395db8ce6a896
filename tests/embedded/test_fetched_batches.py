"""librdkafka's queue keeps a record batch whole, and unpacks messages when they are read (patch
fetched-messages)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from confluent_kafka import (
    TIMESTAMP_CREATE_TIME,
    TIMESTAMP_LOG_APPEND_TIME,
    Consumer,
    Message,
    TopicPartition,
)
from confluent_kafka.protocol.records import Compression, Record, RecordBatch
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.record_batches import sent
from tests.support.refcounts import assert_no_leaks
from tests.support.waiting import TIMEOUT

# Lengths are varints: one byte for lengths up to 63, two bytes up to 8191.
SIZES = [0, 1, 63, 64, 8191, 8192, 20_000]
HEADERS: list[tuple[tuple[str, bytes | None], ...]] = [(), (("name", b"x"), ("null", None))]


def varied(count: int) -> list[Record]:
    """Records with keys, values and headers of all kinds, and timestamps in any order."""
    return [
        Record(
            offset,
            1_700_000_000_000 + (-1) ** offset * 1000 ** (offset % 4),
            None if offset % 3 == 0 else b"k" * SIZES[offset % 7],
            None if offset % 11 == 0 else b"v" * SIZES[offset % 5],
            HEADERS[offset % 2],
        )
        for offset in range(count)
    ]


def as_record(message: Message) -> Record:
    offset = message.offset()
    assert message.error() is None
    assert offset is not None
    headers = tuple(message.headers() or ())
    return Record(offset, message.timestamp()[1], message.key(), message.value(), headers)


@pytest.fixture
def kafka_cluster() -> Iterator[MockCluster]:
    """A cluster of one broker, to which the tests send requests by hand."""
    with MockCluster(brokers=1) as cluster:
        yield cluster


def assigned(make_consumer: MakeConsumer, topic: str, offset: int = 0) -> Consumer:
    consumer = make_consumer()
    consumer.assign([TopicPartition(topic, 0, offset)])
    return consumer


@pytest.mark.parametrize("codec", [Compression.NONE, Compression.GZIP])
@pytest.mark.parametrize("at_once", [1, 7, 64, 65, 300])
def test_every_record(
    kafka_cluster: MockCluster,
    make_consumer: MakeConsumer,
    kafka_topic: str,
    codec: Compression,
    at_once: int,
) -> None:
    """Each record is read as it was written, however many records the application reads at a
    time."""
    written = varied(300)
    sent(kafka_cluster, kafka_topic, RecordBatch.of(written, compression=codec).encode())
    consumer = assigned(make_consumer, kafka_topic)
    read: list[Record] = []
    while len(read) < len(written):
        messages = consumer.consume(min(at_once, len(written) - len(read)), TIMEOUT)
        assert messages, "time is up"
        read += map(as_record, messages)
    assert read == written


@pytest.mark.parametrize("count", [1, 3, 4, 5])
def test_small_batches(
    kafka_cluster: MockCluster, make_consumer: MakeConsumer, kafka_topic: str, count: int
) -> None:
    """Small batches, which are unpacked at once, return the same messages, also between larger
    batches."""
    written = []
    for size in (count, 100, count):
        records = [
            record._replace(offset=len(written) + number)
            for number, record in enumerate(varied(size))
        ]
        sent(kafka_cluster, kafka_topic, RecordBatch.of(records).encode())
        written += records
    consumer = assigned(make_consumer, kafka_topic)
    assert list(map(as_record, consumer.consume(len(written), TIMEOUT))) == written


@pytest.mark.parametrize("offset", [1, 64, 99])
def test_from_the_middle(
    kafka_cluster: MockCluster, make_consumer: MakeConsumer, kafka_topic: str, offset: int
) -> None:
    """Brokers send whole batches: records before the position are skipped, at the start and after
    seek()."""
    written = varied(100)
    sent(kafka_cluster, kafka_topic, RecordBatch.of(written).encode())
    consumer = assigned(make_consumer, kafka_topic, offset)
    assert list(map(as_record, consumer.consume(100 - offset, TIMEOUT))) == written[offset:]
    consumer.seek(TopicPartition(kafka_topic, 0, 0))
    assert list(map(as_record, consumer.consume(10, TIMEOUT))) == written[:10]
    consumer.seek(TopicPartition(kafka_topic, 0, offset))
    assert list(map(as_record, consumer.consume(1, TIMEOUT))) == written[offset : offset + 1]


@pytest.mark.parametrize("append_time", [None, 1_600_000_000_000])
def test_times(
    kafka_cluster: MockCluster,
    make_consumer: MakeConsumer,
    kafka_topic: str,
    append_time: int | None,
) -> None:
    """With log append time, all messages of a batch have the same time."""
    written = varied(10)
    sent(kafka_cluster, kafka_topic, RecordBatch.of(written, log_append_time=append_time).encode())
    consumer = assigned(make_consumer, kafka_topic)
    assert [message.timestamp() for message in consumer.consume(10, TIMEOUT)] == [
        (TIMESTAMP_CREATE_TIME, record.timestamp)
        if append_time is None
        else (TIMESTAMP_LOG_APPEND_TIME, append_time)
        for record in written
    ]


# Encoded headers: their number, and for each header the size and bytes of its name and of its
# value. The sizes are varints; 1 means -1. All have the same length, so that they can replace each
# other.
WHOLE = b"\x02\x08name\x0avalue"
ENCODED_HEADERS: dict[str, tuple[bytes, list[tuple[str, bytes | None]] | None]] = {
    "whole": (WHOLE, [("name", b"value")]),
    "NUL in the name": (b"\x02\x08na\0e\x0avalue", [("na", b"value")]),
    "name that is not UTF-8": (b"\x02\x08n\xffme\x0avalue", [("n\ufffdme", b"value")]),
    "no name": (b"\x02\0\x0avalue    ", [("", b"value")]),
    "no value": (b"\x02\x08name\x01     ", [("name", None)]),
    "empty value": (b"\x02\x08name\0     ", [("name", b"")]),
    "no headers": (b"\0\x08name\x0avalue", None),
    "less than no headers": (b"\x01\x08name\x0avalue", None),
    "two headers, of which one is there": (b"\x04\x08name\x0avalue", None),
    "more headers than bytes": (b"\xfe\x01\x08nam\x0avalue", None),
    "headers beyond all measure": (b"\xff\xff\xff\x7f\x02n\x06value", None),
    "null name": (b"\x02\x01name\x0avalue", None),
    "name beyond the end": (b"\x02\x40name\x0avalue", None),
    "value beyond the end": (b"\x02\x08name\x0cvalue", None),
    "value of -2 bytes": (b"\x02\x08name\x03value", None),
    "size without an end": (b"\x02\x08name\xff\xff\xff\xff\xff\xff", None),
    "nothing but continued bytes": (b"\xff" * 12, None),
}


def sent_with_headers(cluster: MockCluster, topic: str, encoded: list[bytes]) -> None:
    """Send batches whose records contain these encoded headers instead of ordinary headers."""
    records = [
        Record(offset, 0, None, b"v", (("name", b"value"),)) for offset in range(len(encoded))
    ]
    parts = RecordBatch.of(records).encode().split(WHOLE)
    batch = parts[0] + b"".join(map(bytes.__add__, encoded, parts[1:]))
    sent(cluster, topic, batch)


def test_encoded_headers(
    kafka_cluster: MockCluster, make_consumer: MakeConsumer, kafka_topic: str
) -> None:
    """The headers in a record's bytes are read; if they are cut short, the message has no
    headers."""
    encoded, expected = zip(*ENCODED_HEADERS.values(), strict=True)
    sent_with_headers(kafka_cluster, kafka_topic, list(encoded))
    consumer = assigned(make_consumer, kafka_topic)
    messages = consumer.consume(len(encoded), TIMEOUT)
    read = {
        name: message.headers() for name, message in zip(ENCODED_HEADERS, messages, strict=True)
    }
    assert read == dict(zip(ENCODED_HEADERS, expected, strict=True))

    def read_again() -> None:
        consumer.seek(TopicPartition(kafka_topic, 0, 0))
        for message in consumer.consume(len(encoded), TIMEOUT):
            message.headers()

    assert_no_leaks(read_again, repeat=4)


def test_names_of_headers(
    kafka_cluster: MockCluster, make_consumer: MakeConsumer, kafka_topic: str
) -> None:
    """Each header has the name in its own record, even if similar names were read before it."""
    names = ["", "a", "abcd", "aXcd", "abXd", "é", "日本", "n" * 64, "n" * 65, "n" * 31 + "m" * 33]
    names += [f"name-{number}" for number in range(200)]
    headers = tuple((name, b"x") for name in names)
    written = [Record(offset, 0, None, b"v", headers) for offset in range(5)]
    sent(kafka_cluster, kafka_topic, RecordBatch.of(written).encode())
    consumer = assigned(make_consumer, kafka_topic)
    assert list(map(as_record, consumer.consume(len(written), TIMEOUT))) == written


def test_a_broken_record(
    kafka_cluster: MockCluster, make_consumer: MakeConsumer, kafka_topic: str
) -> None:
    """Records before the broken one are read; the broken record and the rest of its batch are not
    read."""
    batch = RecordBatch.of(varied(10))
    intact = RecordBatch.of(varied(6)).payload
    assert batch.payload.startswith(intact)
    # The length in the seventh record goes far beyond the batch.
    payload = intact + b"\xfe\xff\x7f" + batch.payload[len(intact) + 3 :]
    sent(kafka_cluster, kafka_topic, replace(batch, payload=payload).with_crc().encode())
    consumer = assigned(make_consumer, kafka_topic)
    assert list(map(as_record, consumer.consume(6, TIMEOUT))) == varied(6)
    assert [message for message in consumer.consume(4, 0.5) if message.error() is None] == []
