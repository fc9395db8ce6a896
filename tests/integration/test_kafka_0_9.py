"""compat.kafka_0_9 on real brokers: cases that the embedded cluster does not support."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from confluent_kafka import Producer
from confluent_kafka.compat.kafka_0_9 import (
    KafkaClient,
    KafkaConsumer,
    SimpleConsumer,
    SimpleProducer,
)
from confluent_kafka.compat.kafka_0_9.common import (
    FetchRequest,
    KafkaError,
    KafkaUnavailableError,
    MessageSizeTooLargeError,
    OffsetRequest,
    UnknownTopicOrPartitionError,
)
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import (
    READY_SECONDS,
    USERS,
    KafkaCluster,
    OwnKafkaCluster,
    SecuredKafkaCluster,
)
from tests.integration.test_aio_faults import leader_that_dies
from tests.integration.transactional import transactional, wait_for_markers
from tests.support.kafka import numbers
from tests.support.kafka_0_9 import patient as patient
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]


def servers_of(kafka: KafkaCluster) -> str:
    return str(kafka.config()["bootstrap.servers"])


@pytest.fixture
def client(kafka: KafkaCluster, patient: None) -> Iterator[KafkaClient]:
    """A client of the shared cluster."""
    client = KafkaClient(servers_of(kafka))
    yield client
    client.close()


def by_partition(pairs: list[Any]) -> dict[int, list[bytes]]:
    """The values of each partition."""
    found: dict[int, list[bytes]] = {0: [], 1: []}
    for partition, message in pairs:
        found[partition].append(message.message.value)
    return found


def fill_with_markers(kafka: KafkaCluster, topic: str) -> dict[int, list[bytes]]:
    """Large batches, and transactions that leave markers between them and at the end."""
    producer = transactional(kafka, config={"linger.ms": 100, "compression.type": "zstd"})
    values: dict[int, list[bytes]] = {0: [], 1: []}
    for number in range(3):
        producer.begin_transaction()
        for partition, sent in values.items():
            some = [b"%d-%d-" % (number, one) * 1000 for one in range(10)]
            for value in some:
                producer.produce(topic, value, partition=partition)
            sent += some
        producer.commit_transaction(TIMEOUT)
    producer.close()
    wait_for_markers(kafka, topic, 2)
    return values


def test_markers_and_large_batches(
    kafka: KafkaCluster, client: KafkaClient, make_topic: MakeTopic
) -> None:
    """Markers and large batches do not stop a consumer with small buffers."""
    topic = make_topic(2)
    values = fill_with_markers(kafka, topic)
    consumer = SimpleConsumer(client, None, topic, buffer_size=100, max_buffer_size=None)
    consumer.provide_partition_info()
    assert by_partition(consumer.get_messages(60, timeout=TIMEOUT)) == values
    assert consumer.get_messages(1, block=False) == []
    ends = {one: end + 1 for one, end in consumer.offsets.items()}
    assert consumer.fetch_offsets == ends  # after the last marker

    other = KafkaConsumer(topic, bootstrap_servers=servers_of(kafka), auto_offset_reset="smallest")
    found: dict[int, list[bytes]] = {0: [], 1: []}
    for _ in range(60):
        message = other.next()
        found[message.partition].append(message.value)
    assert found == values
    other.close()


def test_only_a_marker_is_left(
    kafka: KafkaCluster, client: KafkaClient, make_topic: MakeTopic
) -> None:
    """An answer without messages contains the next offset."""
    topic = make_topic(2)
    fill_with_markers(kafka, topic)
    name = topic.encode()
    ends = client.send_offset_request([OffsetRequest(name, one, -1, 1) for one in (0, 1)])
    payloads = [FetchRequest(name, one.partition, one.offsets[0] - 1, 4096) for one in ends]
    for answer, end in zip(client.send_fetch_request(payloads, min_bytes=1), ends, strict=True):
        assert list(answer.messages) == []
        assert answer.messages.next_offset == answer.highwaterMark == end.offsets[0]


def test_offsets_by_time(kafka: KafkaCluster, client: KafkaClient, make_topic: MakeTopic) -> None:
    """All messages before the returned offset are older. If the caller requests two offsets, the
    second one is the beginning."""
    topic = make_topic(1)
    now = int(time.time() * 1000)
    producer = Producer(kafka.config())
    for age in (3000, 2000, 1000):
        producer.produce(topic, b"v", partition=0, timestamp=now - age)
        assert producer.flush(TIMEOUT) == 0
    producer.close()

    def offsets(when: int, count: int) -> tuple[int, ...]:
        (answer,) = client.send_offset_request([OffsetRequest(topic.encode(), 0, when, count)])
        found: tuple[int, ...] = answer.offsets
        return found

    assert offsets(now - 2000, 1) == (1,)
    assert offsets(now - 1999, 2) == (2, 0)
    assert offsets(now, 2) == (3, 0)
    assert offsets(now - 9000, 2) == (0,)
    assert offsets(-2, 2) == (0,)


def test_a_message_is_too_large(client: KafkaClient, make_topic: MakeTopic) -> None:
    """The broker's error is raised, and smaller messages are sent."""
    topic = make_topic(1, max_message_bytes="1000")
    producer = SimpleProducer(client)
    with pytest.raises(MessageSizeTooLargeError):
        producer.send_messages(topic, b"v" * 2000)
    assert producer.send_messages(topic, b"v")[0].offset == 0


def test_a_topic_that_is_not_there(client: KafkaClient, kafka: KafkaCluster) -> None:
    """KafkaConsumer does not create a missing topic."""
    with pytest.raises(UnknownTopicOrPartitionError):
        KafkaConsumer("there-is-no-such-topic", bootstrap_servers=servers_of(kafka))


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("listener", ["SSL", "SASL_SSL", "SASL_PLAINTEXT"])
def test_secured_brokers(
    secured_kafka: SecuredKafkaCluster, make_topic: MakeTopic, listener: str
) -> None:
    """Clients connect to secured brokers if librdkafka's properties are given."""
    topic = make_topic(1)
    properties = secured_kafka.config(listener)
    if listener.startswith("SASL"):
        user = {"sasl.username": "alice", "sasl.password": USERS["alice"]}
        properties |= {"sasl.mechanism": "SCRAM-SHA-256", **user}
    servers = str(properties.pop("bootstrap.servers"))
    client = KafkaClient(servers, properties=properties)
    SimpleProducer(client).send_messages(topic, *numbers(0, 3))
    client.close()
    consumer = KafkaConsumer(
        topic, bootstrap_servers=servers, auto_offset_reset="smallest", properties=properties
    )
    assert [consumer.next().value for _ in range(3)] == numbers(0, 3)
    consumer.close()
    with pytest.raises(KafkaUnavailableError):
        KafkaClient(servers, timeout=3)


def test_a_leader_dies(own_kafka: OwnKafkaCluster, make_topic: MakeTopic) -> None:
    """All messages of an asynchronous producer arrive, and a consumer that retries reads them."""
    topic = make_topic(1)
    client = KafkaClient(servers_of(own_kafka))
    producer = SimpleProducer(client, async_=True, batch_send_every_n=1, req_acks=-1)
    consumer = SimpleConsumer(client.copy(), None, topic)
    found: list[bytes] = []

    def read() -> None:
        with suppress(KafkaError):  # such as LeaderNotAvailableError
            found.extend(one.message.value for one in consumer.get_messages(10, timeout=1))

    with leader_that_dies(own_kafka, topic) as leader:
        producer.send_messages(topic, *numbers(0, 5))
        wait_until(lambda: len(found) >= 5, read, timeout=READY_SECONDS)
        leader.kill()
        producer.send_messages(topic, *numbers(5, 10))
        wait_until(lambda: found[-1:] == [b"9"], read, timeout=READY_SECONDS)
    # An unacknowledged message may be in the topic twice.
    assert list(dict.fromkeys(found)) == numbers(0, 10)
    producer.stop()
    client.close()
