"""Headers come back as they were produced, with their order, duplicates and nulls."""

from __future__ import annotations

import random

import pytest

from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.support.kafka import Reports, read
from tests.support.waiting import TIMEOUT

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

Headers = list[tuple[str, bytes | None]]
HEADERS: list[Headers] = [
    [("name", b"value")],
    [("name", None)],
    [("name", b"")],
    [("", b"no name")],
    [("twice", b"1"), ("other", None), ("twice", b"2"), ("twice", b"1"), ("twice", None)],
    [("z", b"1"), ("a", b"2")],
    [("ü☃😀", "ü☃😀".encode()), ("binary", bytes(range(256)))],
    [("large", random.Random(4).randbytes(100_000))],
    [(f"header {number}", b"%d" % number) for number in range(1000)],
]


def test_headers_come_back(kafka: KafkaCluster, topic: str) -> None:
    """Headers come back in the consumed message and in the delivery report."""
    reports = Reports()
    with writer(kafka) as producer, reader(kafka) as consumer:
        for headers in HEADERS:
            producer.produce(topic, b"v", headers=headers, partition=0, on_delivery=reports)
        assert producer.flush(TIMEOUT) == 0
        messages = read(consumer, topic, len(HEADERS))
    assert [message.headers() for message in messages] == HEADERS
    assert reports.errors == [None] * len(HEADERS)
    assert [message.headers() for message in reports.messages] == HEADERS


def test_forms_of_headers(kafka: KafkaCluster, topic: str) -> None:
    """Headers can be a dict, and values can be text, which is written as UTF-8; headers can be
    missing."""
    with writer(kafka) as producer, reader(kafka) as consumer:
        producer.produce(topic, b"v", headers={"a": "ü", "b": bytearray(b"b"), "c": None})
        producer.produce(topic, b"v", headers=[])
        producer.produce(topic, b"v")
        assert producer.flush(TIMEOUT) == 0
        first, *others = read(consumer, topic, 3)
    assert first.headers() == [("a", "ü".encode()), ("b", b"b"), ("c", None)]
    assert [message.headers() for message in others] == [None, None]


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_headers_in_compressed_batches(kafka: KafkaCluster, topic: str, codec: str) -> None:
    """Each message has its own headers, which can be read after the memory of their batch is
    freed."""
    config = {"compression.type": codec, "linger.ms": 50}
    with writer(kafka, config) as producer, reader(kafka) as consumer:
        for number in range(1000):
            producer.produce(topic, headers={"number": str(number)}, partition=0)
        assert producer.flush(TIMEOUT) == 0
        messages = read(consumer, topic, 1000)
    expected = [[("number", b"%d" % number)] for number in range(1000)]
    assert [message.headers() for message in messages] == expected
