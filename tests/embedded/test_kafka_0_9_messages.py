"""Messages that programs for kafka-python 0.9.5 build themselves, on present brokers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from confluent_kafka.compat.kafka_0_9 import (
    KafkaClient,
    create_gzip_message,
    create_message,
    create_snappy_message,
)
from confluent_kafka.compat.kafka_0_9.codec import snappy_decode, snappy_encode
from confluent_kafka.compat.kafka_0_9.common import FetchRequest, Message, ProduceRequest
from confluent_kafka.testing import MockCluster
from tests.support.kafka_0_9 import patient as patient

pytestmark = pytest.mark.usefixtures("patient")

PAIRS = [(b"v", b"k"), (b"w" * 100, None)]
CREATED = [
    [create_message(value, key) for value, key in PAIRS],
    [create_gzip_message(PAIRS)],
    [create_snappy_message(PAIRS, key=b"K")],
]


@pytest.fixture
def client(kafka_cluster: MockCluster, kafka_topic: str) -> Iterator[KafkaClient]:
    """A client that has the topic's metadata."""
    client = KafkaClient(kafka_cluster.bootstrap_servers)
    yield client
    client.close()


@pytest.mark.parametrize("messages", CREATED, ids=["plain", "gzip", "snappy"])
def test_created_messages(client: KafkaClient, kafka_topic: str, messages: list[Message]) -> None:
    """Created messages are sent, and are returned one at a time with their keys."""
    topic = kafka_topic.encode()
    (answer,) = client.send_produce_request([ProduceRequest(topic, 0, messages)])
    assert (answer.error, answer.offset) == (0, 0)
    (fetched,) = client.send_fetch_request([FetchRequest(topic, 0, 0, 4096)])
    found = [(one.offset, one.message.value, one.message.key) for one in fetched.messages]
    assert found == [(offset, *pair) for offset, pair in enumerate(PAIRS)]


def test_snappy_with_the_framing_of_java(client: KafkaClient, kafka_topic: str) -> None:
    """Messages in Java's snappy framing, which other clients of that time wrote, can be read."""
    topic = kafka_topic.encode()
    plain = create_snappy_message(PAIRS)
    framed = plain._replace(value=snappy_encode(snappy_decode(plain.value or b""), True))
    (answer,) = client.send_produce_request([ProduceRequest(topic, 0, [framed])])
    assert answer.error == 0
    (fetched,) = client.send_fetch_request([FetchRequest(topic, 0, 0, 4096)])
    assert [one.message.value for one in fetched.messages] == [value for value, _ in PAIRS]
