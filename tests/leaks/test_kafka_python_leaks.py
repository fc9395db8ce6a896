"""The clients of confluent_kafka.compat.kafka and kafka_0_9 leak nothing that they create."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from confluent_kafka import Consumer, Producer
from confluent_kafka import TopicPartition as Position
from confluent_kafka.compat.kafka import KafkaConsumer, KafkaProducer, TopicPartition, errors
from confluent_kafka.compat.kafka.consumer.fetcher import ConsumerRecord
from confluent_kafka.compat.kafka_0_9 import KafkaClient, SimpleConsumer, SimpleProducer
from confluent_kafka.testing import MockCluster
from tests.support.kafka import numbers, send
from tests.support.kafka_0_9 import patient as patient
from tests.support.refcounts import assert_no_leaks
from tests.support.waiting import TIMEOUT

ROWS = 50
FEW, CLIENTS = 40, 20
MILLISECONDS = 1000 * TIMEOUT


@pytest.fixture
def filled(kafka_cluster: MockCluster, kafka_topic: str) -> str:
    """A topic with messages."""
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        send(producer, kafka_topic, numbers(0, ROWS))
        producer.produce(kafka_topic, b"value", b"key", headers=[("a", b"1"), ("b", None)])
    return kafka_topic


def test_waiting_and_named_tuples(kafka_cluster: MockCluster, filled: str) -> None:
    """Consumer._wait() does not leak, nor do messages as named tuples, even as part of a cycle."""
    servers = kafka_cluster.bootstrap_servers
    place = TopicPartition(filled, 0)
    with Consumer(
        {"bootstrap.servers": servers, "group.id": "g", "fetch.wait.max.ms": 10}
    ) as consumer:
        consumer.assign([Position(filled, 0, 0)])

        def work() -> None:
            found: list[ConsumerRecord] = []
            consumer.seek(Position(filled, 0, 0))
            while len(found) <= ROWS:
                consumer._wait(TIMEOUT)
                for records in consumer._by_partition(
                    ROWS, None, False, ConsumerRecord, TopicPartition
                ).values():
                    found.extend(records)
            assert found[-1].headers == [("a", b"1"), ("b", None)]
            assert place == found[0][:2]
            found[-1].headers.append(("c", found[-1]))  # type: ignore[arg-type]
            consumer._wait(0)
            with pytest.raises(TypeError):
                consumer._wait("long")  # type: ignore[arg-type]
            with pytest.raises(TypeError, match="named tuple"):
                consumer._by_partition(1, None, False, int)  # type: ignore[type-var]

        assert_no_leaks(work, FEW)


def test_deliveries(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Futures do not leak: with callbacks, in a cycle, with errors, or if nobody waits for them."""
    with KafkaProducer(bootstrap_servers=kafka_cluster.bootstrap_servers) as producer:

        def work() -> None:
            seen: list[Any] = []
            for value in numbers(0, ROWS):
                future = producer.send(kafka_topic, value)
                future.add_callback(seen.append).add_errback(seen.append)
                seen.append(future)
            future.get(TIMEOUT)
            with pytest.raises(errors.MessageSizeTooLargeError):
                producer.send(kafka_topic, bytes(2_000_000)).get(TIMEOUT)
            producer.flush(TIMEOUT)

        assert_no_leaks(work, FEW)


def test_records(kafka_cluster: MockCluster, filled: str) -> None:
    """poll() and iteration leak nothing, with deserializers or if records are kept."""
    place = TopicPartition(filled, 0)
    consumer = KafkaConsumer(
        bootstrap_servers=kafka_cluster.bootstrap_servers,
        value_deserializer=lambda value: [value],
        fetch_max_wait_ms=50,
    )
    consumer.assign([place])

    def work() -> None:
        consumer.seek(place, 0)
        assert next(consumer).offset == 0
        records = consumer.poll(timeout_ms=MILLISECONDS)[place]
        records[0].value.append(records)
        assert consumer.position(place) == records[-1].offset + 1

    try:
        assert_no_leaks(work, FEW)
    finally:
        consumer.close()


def test_made_and_closed(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Clients of compat.kafka do not leak after they were used and closed."""
    servers = kafka_cluster.bootstrap_servers

    def work() -> None:
        with KafkaProducer(bootstrap_servers=servers) as producer:
            producer.send(kafka_topic, b"").get(TIMEOUT)
        KafkaConsumer(kafka_topic, bootstrap_servers=servers).close()
        gc.collect()

    assert_no_leaks(work, CLIENTS)


@pytest.mark.usefixtures("patient")
def test_messages_of_0_9(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Messages do not leak if clients of compat.kafka_0_9 send and fetch them."""
    client = KafkaClient(kafka_cluster.bootstrap_servers)
    producer = SimpleProducer(client)
    consumer = SimpleConsumer(client, None, kafka_topic, auto_commit=False)

    def work() -> None:
        producer.send_messages(kafka_topic, *numbers(0, ROWS))
        consumer.seek(-ROWS, 2)
        assert len(consumer.get_messages(ROWS, timeout=TIMEOUT)) == ROWS

    try:
        assert_no_leaks(work, FEW)
    finally:
        consumer.stop()
        client.close()


@pytest.mark.usefixtures("patient")
def test_made_and_closed_0_9(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Clients of compat.kafka_0_9 do not leak after they were used, closed and used again."""

    def work() -> None:
        client = KafkaClient(kafka_cluster.bootstrap_servers)
        SimpleProducer(client).send_messages(kafka_topic, b"v")
        client.close()
        client.load_metadata_for_topics()
        client.close()
        gc.collect()

    assert_no_leaks(work, CLIENTS)
