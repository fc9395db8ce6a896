"""confluent_kafka.protocol.records and librdkafka read each other's batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from confluent_kafka.protocol import records
from confluent_kafka.protocol.records import Compression, Record, RecordBatch
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.support.record_batches import fetched, sent
from tests.support.waiting import TIMEOUT

CODECS = [codec for codec in Compression if records.available(codec)]
# The last value is larger than the blocks of any codec, and can be compressed.
VALUES = [b"", b"value" * 10, bytes(range(256)) * 600]


@pytest.fixture
def kafka_cluster() -> Iterator[MockCluster]:
    """A cluster of one broker, to which the tests send requests by hand."""
    with MockCluster(brokers=1) as cluster:
        yield cluster


@pytest.mark.parametrize("codec", CODECS)
def test_batches_of_librdkafka(
    kafka_cluster: MockCluster, make_producer: MakeProducer, kafka_topic: str, codec: Compression
) -> None:
    """Batches of librdkafka's producer can be read, with every codec, keys, timestamps and
    headers."""
    # The messages are one batch, because the broker's answer below has only one. The topic is
    # known, so flush() sends them together.
    producer = make_producer({"compression.type": codec.name.lower(), "linger.ms": 60_000})
    producer.list_topics(kafka_topic, TIMEOUT)
    for number, value in enumerate(VALUES):
        headers: Any = [("n", bytes([number])), ("null", None)]
        producer.produce(
            kafka_topic, value, b"key", partition=0, timestamp=1000 + number, headers=headers
        )
    producer.flush(TIMEOUT)
    batches = list(records.read(fetched(kafka_cluster, kafka_topic)))
    assert all(isinstance(batch, RecordBatch) for batch in batches)
    if codec != Compression.NONE:
        assert codec in {batch.compression for batch in batches}
    assert [record for batch in batches for record in batch.records()] == [
        Record(number, 1000 + number, b"key", value, (("n", bytes([number])), ("null", None)))
        for number, value in enumerate(VALUES)
    ]


@pytest.mark.parametrize("codec", CODECS)
def test_batches_for_librdkafka(
    kafka_cluster: MockCluster, make_consumer: MakeConsumer, kafka_topic: str, codec: Compression
) -> None:
    """librdkafka's consumer reads batches from this package, and checks the CRC."""
    made = [
        Record(number, 1000 + number, b"key", value, (("h", b"1"),))
        for number, value in enumerate(VALUES)
    ]
    sent(kafka_cluster, kafka_topic, RecordBatch.of(made, compression=codec).encode())
    consumer = make_consumer({"check.crcs": True})
    consumer.subscribe([kafka_topic])
    found = consumer.consume(3, TIMEOUT)
    assert [
        Record(
            message.offset() or 0,
            message.timestamp()[1],
            message.key(),
            message.value(),
            tuple(message.headers() or ()),
        )
        for message in found
    ] == made
