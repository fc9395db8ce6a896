"""Transactions on the embedded cluster: what readers see, and what groups have committed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.support.kafka import committed
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

MakeTransactional = Callable[..., Producer]


@pytest.fixture
def transactional(kafka_cluster: MockCluster) -> Iterator[MakeTransactional]:
    """transactional(**config): a producer that can begin a transaction."""
    made = []

    def make(**config: Any) -> Producer:
        common = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "transactional.id": "one"}
        producer = Producer(common | {"log_level": 0} | config)
        made.append(producer)
        producer.init_transactions(TIMEOUT)
        return producer

    yield make
    for producer in made:
        producer.close(timeout=0)


def written(producer: Producer, topic: str, value: bytes) -> None:
    """Write messages in a transaction, which stays open."""
    producer.begin_transaction()
    producer.produce(topic, value, partition=0)
    assert producer.flush(TIMEOUT) == 0


def values(cluster: MockCluster, topic: str, level: str) -> list[bytes | None]:
    """The values that a consumer with this isolation level now sees in the first partition."""
    config = {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": "readers",
        "isolation.level": level,
        "enable.partition.eof": True,
    }
    found = []
    with Consumer(config) as consumer:
        consumer.assign([TopicPartition(topic, 0, 0)])
        while (message := consumer.poll(TIMEOUT)) is not None and message.error() is None:
            found.append(message.value())
        assert message is not None
        assert message.error() == KafkaError._PARTITION_EOF
    return found


@needs("mock-transactions")
def test_aborted(
    kafka_cluster: MockCluster, kafka_topic: str, transactional: MakeTransactional
) -> None:
    """Only read_uncommitted consumers see aborted messages."""
    producer = transactional()
    for value, end in [
        (b"0", producer.commit_transaction),
        (b"1", producer.abort_transaction),
        (b"2", producer.commit_transaction),
    ]:
        written(producer, kafka_topic, value)
        end(TIMEOUT)
    assert values(kafka_cluster, kafka_topic, "read_committed") == [b"0", b"2"]
    assert values(kafka_cluster, kafka_topic, "read_uncommitted") == [b"0", b"1", b"2"]


@needs("mock-transactions")
def test_open(
    kafka_cluster: MockCluster, kafka_topic: str, transactional: MakeTransactional
) -> None:
    """read_committed consumers stop before the first open transaction."""
    open_one, another = transactional(), transactional(**{"transactional.id": "another"})
    written(open_one, kafka_topic, b"open")
    written(another, kafka_topic, b"behind it")
    another.commit_transaction(TIMEOUT)
    assert values(kafka_cluster, kafka_topic, "read_committed") == []
    assert values(kafka_cluster, kafka_topic, "read_uncommitted") == [b"open", b"behind it"]
    open_one.commit_transaction(TIMEOUT)
    assert values(kafka_cluster, kafka_topic, "read_committed") == [b"open", b"behind it"]


@needs("mock-transactions")
def test_offsets(
    kafka_cluster: MockCluster, kafka_topic: str, transactional: MakeTransactional
) -> None:
    """A group's offsets are committed when their transaction is committed, and dropped when it is
    aborted."""
    producer = transactional()
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
    with Consumer(config) as consumer:

        def send(offset: int) -> None:
            producer.begin_transaction()
            producer.send_offsets_to_transaction(
                [TopicPartition(kafka_topic, 0, offset)], consumer.consumer_group_metadata()
            )

        send(3)
        nothing = committed(consumer, kafka_topic)
        producer.commit_transaction(TIMEOUT)
        assert (nothing, committed(consumer, kafka_topic)) == (-1001, 3)
        send(7)
        producer.abort_transaction(TIMEOUT)
        assert committed(consumer, kafka_topic) == 3


@needs("mock-transactions")
def test_a_second_producer(
    kafka_cluster: MockCluster, kafka_topic: str, transactional: MakeTransactional
) -> None:
    """The second producer aborts the first producer's open transaction, and fences the first
    producer."""
    first = transactional()
    written(first, kafka_topic, b"left open")
    second = transactional()
    written(second, kafka_topic, b"new")
    second.commit_transaction(TIMEOUT)
    assert values(kafka_cluster, kafka_topic, "read_committed") == [b"new"]
    with pytest.raises(KafkaException) as caught:
        first.commit_transaction(TIMEOUT)
    assert caught.value.args[0].code() == KafkaError._FENCED


@needs("mock-transactions")
def test_timeout(
    kafka_cluster: MockCluster, kafka_topic: str, transactional: MakeTransactional
) -> None:
    """After transaction.timeout.ms the cluster aborts the transaction, and readers continue."""
    producer = transactional(**{"transaction.timeout.ms": 1000, "message.timeout.ms": 1000})
    written(producer, kafka_topic, b"left open")
    another = transactional(**{"transactional.id": "another"})
    written(another, kafka_topic, b"behind it")
    another.commit_transaction(TIMEOUT)
    wait_until(lambda: values(kafka_cluster, kafka_topic, "read_committed") == [b"behind it"])
