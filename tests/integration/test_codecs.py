"""Brokers decompress the client's batches, and the client decompresses the brokers' batches."""

from __future__ import annotations

import random

import pytest

from confluent_kafka import KafkaError
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.support.kafka import Reports, read, send, values_of
from tests.support.waiting import TIMEOUT

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]
RNG = random.Random(3)
# Many similar small values for one batch, and large values that each fill a batch.
VALUES: list[bytes | None] = [
    *(b'{"number": %d, "text": "%s"}' % (number, b"again" * 10) for number in range(1000)),
    b"",
    None,
    bytes(900_000),
    RNG.randbytes(900_000),
]


@pytest.mark.parametrize("codec", CODECS)
def test_the_client_compresses(kafka: KafkaCluster, topic: str, codec: str) -> None:
    """Values of every kind come back unchanged with each codec of the producer."""
    config = {"compression.type": codec, "linger.ms": 50}
    with writer(kafka, config) as producer, reader(kafka) as consumer:
        send(producer, topic, VALUES)
        assert values_of(read(consumer, topic, len(VALUES))) == VALUES


@pytest.mark.parametrize("codec", ["uncompressed", *CODECS[1:]])
def test_the_broker_compresses(kafka: KafkaCluster, make_topic: MakeTopic, codec: str) -> None:
    """Values also come back unchanged if the broker compresses them with Java's codecs."""
    topic = make_topic(compression_type=codec)
    with writer(kafka, {"linger.ms": 50}) as producer, reader(kafka) as consumer:
        send(producer, topic, VALUES)
        assert values_of(read(consumer, topic, len(VALUES))) == VALUES


@pytest.mark.parametrize("codec", CODECS)
def test_batches_are_compressed(kafka: KafkaCluster, make_topic: MakeTopic, codec: str) -> None:
    """100 kB of zeros fit into the broker's limit of 20 kB only if they are compressed."""
    topic = make_topic(max_message_bytes="20000")
    reports = Reports()
    with writer(kafka, {"compression.type": codec}) as producer:
        producer.produce(topic, bytes(100_000), on_delivery=reports)
        assert producer.flush(TIMEOUT) == 0
    expected = KafkaError.MSG_SIZE_TOO_LARGE if codec == "none" else None
    assert reports.errors == [expected]


def test_all_codecs_in_one_topic(kafka: KafkaCluster, topic: str) -> None:
    """A consumer reads batches of different codecs one after the other."""
    with reader(kafka) as consumer:
        for codec in CODECS:
            with writer(kafka, {"compression.type": codec}) as producer:
                send(producer, topic, [codec * 100])
        messages = read(consumer, topic, len(CODECS))
    assert values_of(messages) == [(codec * 100).encode() for codec in CODECS]


@pytest.mark.parametrize("level", [-1, 0, 12])
def test_levels(kafka: KafkaCluster, topic: str, level: int) -> None:
    """A codec works with its lowest and highest level, and with its default."""
    config = {"compression.type": "lz4", "compression.level": level}
    with writer(kafka, config) as producer, reader(kafka) as consumer:
        send(producer, topic, VALUES[:100])
        assert values_of(read(consumer, topic, 100)) == VALUES[:100]
