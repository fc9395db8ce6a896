"""Topics without Spark: write test messages, and read messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confluent_kafka import Consumer, Message, Producer, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.support.waiting import TIMEOUT


def fill(cluster: MockCluster, topic: str, rows: Iterable[dict[str, Any]]) -> None:
    """Produce messages, one for each dictionary of arguments of produce()."""
    with Producer({"bootstrap.servers": cluster.bootstrap_servers}) as producer:
        for row in rows:
            producer.produce(topic, **row)
        assert producer.flush(TIMEOUT) == 0


def numbered(count: int, partitions: int = 2) -> list[dict[str, Any]]:
    """Messages v0, v1 ... in turn to each partition."""
    return [{"value": f"v{number}", "partition": number % partitions} for number in range(count)]


def messages(cluster: MockCluster, topic: str, count: int) -> list[Message]:
    """Return `count` messages of a topic, all partitions from their start."""
    config = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "spark-tests"}
    with Consumer(config) as consumer:
        numbers = consumer.list_topics(topic, timeout=TIMEOUT).topics[topic].partitions
        consumer.assign([TopicPartition(topic, number, 0) for number in numbers])
        found = consumer.consume(count, timeout=TIMEOUT)
    for message in found:
        assert message.error() is None
    assert len(found) == count
    return found
