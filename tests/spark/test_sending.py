"""A task's errors about rows that do not arrive, without Spark."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from confluent_kafka import KafkaError, KafkaException, Producer
from confluent_kafka.spark.sending import Sender
from confluent_kafka.testing import MockCluster

COLUMNS = ("value", "partition")


@pytest.fixture
def producer(kafka_cluster: MockCluster) -> Iterator[Producer]:
    kafka_cluster.create_topic("topic", 3)
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "linger.ms": 0}
    with Producer(config) as made:
        yield made


def rows(*partitions: int, value: bytes = b"value") -> pa.RecordBatch:
    return pa.record_batch(
        {
            "value": pa.array([value] * len(partitions), pa.binary()),
            "partition": pa.array(partitions, pa.int32()),
        }
    )


def test_a_row_that_the_brokers_refuse(kafka_cluster: MockCluster, producer: Producer) -> None:
    """The error names the topic and the partition of the first message."""
    kafka_cluster.inject_errors("Produce", [KafkaError.TOPIC_AUTHORIZATION_FAILED] * 3)
    sender = Sender(producer, "topic", COLUMNS)
    sender.send(rows(2))
    with pytest.raises(KafkaException, match="topic 'topic', partition 2, value of 5 bytes"):
        sender.flush()


def test_a_row_that_is_too_large(producer: Producer) -> None:
    """The error names the topic and the partition of the row."""
    sender = Sender(producer, "topic", COLUMNS)
    with pytest.raises(KafkaException, match="topic 'topic', partition 1, key of 0 bytes"):
        sender.send(rows(1, value=bytes(2_000_000)))
