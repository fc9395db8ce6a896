"""Makes clients of confluent_kafka.compat.kafka, for tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from confluent_kafka.compat.kafka import (
    ConsumerRebalanceListener,
    KafkaConsumer,
    KafkaProducer,
    TopicPartition,
)
from confluent_kafka.compat.kafka.consumer.fetcher import ConsumerRecord
from tests.support.waiting import TIMEOUT, wait_until

MakeConsumer = Callable[..., KafkaConsumer]

# The consumer begins at the first message, and gets new messages at once.
_KEYWORDS: dict[str, Any] = {
    "auto_offset_reset": "earliest",
    "enable_auto_commit": False,
    "fetch_max_wait_ms": 50,
    "heartbeat_interval_ms": 100,
}


@contextmanager
def consumers_at(servers: str) -> Iterator[MakeConsumer]:
    """Yield a function that makes consumers, which begin at the first message; close them at the
    end."""
    made: list[KafkaConsumer] = []

    def make(*topics: str, **keywords: Any) -> KafkaConsumer:
        given = _KEYWORDS | {"bootstrap_servers": servers} | keywords
        made.append(KafkaConsumer(*topics, **given))
        return made[-1]

    try:
        yield make
    finally:
        for consumer in made:
            consumer.close()


class Told(ConsumerRebalanceListener):
    """A listener that records its calls and their partitions."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, set[TopicPartition]]] = []

    def on_partitions_revoked(self, revoked: set[TopicPartition]) -> None:
        self.calls.append(("revoked", revoked))

    def on_partitions_assigned(self, assigned: set[TopicPartition]) -> None:
        self.calls.append(("assigned", assigned))


def filled(servers: str, topic: str, count: int, partition: int = 0) -> str:
    """Fill one partition of the topic with the values b"0", b"1" and so on; return the topic."""
    with KafkaProducer(bootstrap_servers=servers, linger_ms=1) as producer:
        for i in range(count):
            producer.send(topic, b"%d" % i, partition=partition)
    return topic


def many(consumer: KafkaConsumer, count: int, **keywords: Any) -> list[ConsumerRecord]:
    """The next `count` messages, from poll()."""
    found: list[ConsumerRecord] = []

    def poll() -> None:
        for records in consumer.poll(timeout_ms=100, **keywords).values():
            found.extend(records)

    wait_until(lambda: len(found) >= count, poll)
    return found


def values(records: list[ConsumerRecord]) -> list[Any]:
    return [record.value for record in records]


def joined(consumer: KafkaConsumer, *others: KafkaConsumer, count: int) -> set[TopicPartition]:
    """The assignments, when all consumers have `count` partitions at the same time.

    There must be no messages for the consumers.
    """
    members = (consumer, *others)

    def poll() -> None:
        for each in members:
            assert not each.poll(timeout_ms=20)

    wait_until(lambda: all(len(each.assignment()) == count for each in members), poll, TIMEOUT)
    return consumer.assignment()
