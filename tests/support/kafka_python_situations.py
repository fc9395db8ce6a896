"""Checks of examples/kafka_python_situations.py, on any cluster that listens at `servers`."""

from __future__ import annotations

from typing import Any

from confluent_kafka.compat.kafka import KafkaConsumer, TopicPartition
from examples import kafka_python_situations as situations
from tests.support.kafka_python import filled, many, values
from tests.support.waiting import TIMEOUT, wait_until

TEN = [b"%d" % i for i in range(10)]


def messages_are_where_they_were_said_to_be(servers: str, topic: str) -> None:
    """Each message has the offset that its future returns. The topic has one partition."""
    assert situations.send_and_wait(servers, topic, TEN) == list(range(10))
    assert situations.last_messages(servers, topic, 3) == TEN[7:]


def objects_come_back(servers: str, topic: str) -> None:
    objects = [{"number": i} for i in range(50)]
    delivered: list[Any] = []
    situations.send_with_callbacks(servers, topic, objects, delivered.append)
    assert len({(place.partition, place.offset) for place in delivered}) == 50
    found = situations.read_objects(servers, topic, 50)
    assert sorted(found, key=lambda one: one["number"]) == objects


def commits_hold(servers: str, topic: str, group: str) -> None:
    filled(servers, topic, 10)
    assert situations.read_in_a_group(servers, topic, group, 4) == TEN[:4]
    assert situations.read_in_a_group(servers, topic, group, 6) == TEN[4:]


def offsets_are_kept_elsewhere(servers: str, topic: str, group: str) -> None:
    filled(servers, topic, 10)
    database: dict[TopicPartition, int] = {}
    args = (servers, topic, group, database)
    first = situations.read_with_offsets_elsewhere(*args, 3)
    assert first == TEN[: len(first)]
    assert database[TopicPartition(topic, 0)] == len(first)
    if len(first) < 10:
        rest = situations.read_with_offsets_elsewhere(*args, 10 - len(first))
        assert rest == TEN[len(first) :]


def copies_are_whole(servers: str, source: str, sink: str, group: str) -> None:
    """Each message is copied once, and the group has the offsets of the transactions."""
    filled(servers, source, 10)
    situations.copy_in_transactions(servers, source, sink, group, f"copy-{group}", 10)
    partition = TopicPartition(source, 0)
    keywords: dict[str, Any] = {"bootstrap_servers": servers, "group_id": group}
    with KafkaConsumer(**keywords) as consumer:
        # The group's coordinator gets the end of a transaction later than the producer.
        wait_until(lambda: consumer.committed(partition, timeout_ms=TIMEOUT * 1000) == 10)
    with KafkaConsumer(
        sink,
        bootstrap_servers=servers,
        auto_offset_reset="earliest",
        isolation_level="read_committed",
    ) as consumer:
        assert sorted(values(many(consumer, 10))) == TEN
        assert consumer.poll(100) == {}
