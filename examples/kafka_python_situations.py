"""The most common tasks of kafka-python's users, on librdkafka.

Programs that contain ``import kafka`` run without changes with
``python -m confluent_kafka run --as kafka program.py``, or after
``confluent_kafka.compat.install("kafka")``.
"""

from __future__ import annotations

import itertools
import json
import logging
from collections.abc import Callable, Iterable
from typing import Any

from confluent_kafka.compat.kafka import (
    ConsumerRebalanceListener,
    KafkaConsumer,
    KafkaProducer,
    OffsetAndMetadata,
    TopicPartition,
)
from confluent_kafka.compat.kafka.errors import KafkaError

log = logging.getLogger(__name__)


def send_and_wait(servers: str, topic: str, values: Iterable[bytes]) -> list[int]:
    """Send messages one by one, and return the offset of each message."""
    offsets = []
    with KafkaProducer(bootstrap_servers=servers) as producer:
        for value in values:
            try:
                place = producer.send(topic, value).get(timeout=30)
            except KafkaError:
                log.exception("a message was not delivered")
                raise
            offsets.append(place.offset)
    return offsets


def send_with_callbacks(
    servers: str, topic: str, values: Iterable[Any], delivered: Callable[[Any], object]
) -> None:
    """Send many messages without waiting. A callback gets the result of each message."""
    producer = KafkaProducer(
        bootstrap_servers=servers,
        linger_ms=5,
        compression_type="gzip",
        value_serializer=lambda value: json.dumps(value).encode(),
    )
    for value in values:
        future = producer.send(topic, value)
        future.add_callback(delivered).add_errback(log.error)
    producer.flush()
    producer.close()


def read_objects(servers: str, topic: str, count: int) -> list[Any]:
    """Read this number of messages from the beginning of a topic."""
    consumer = KafkaConsumer(
        topic,
        bootstrap_servers=servers,
        auto_offset_reset="earliest",
        value_deserializer=lambda value: json.loads(value),
    )
    with consumer:
        return [record.value for record in itertools.islice(consumer, count)]


def read_in_a_group(servers: str, topic: str, group: str, count: int) -> list[bytes]:
    """Read this number of messages as a member of a group, and commit their offsets by hand."""
    values: list[bytes] = []
    consumer = KafkaConsumer(
        topic,
        bootstrap_servers=servers,
        group_id=group,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
    )
    with consumer:
        for record in consumer:
            values.append(record.value)
            place = TopicPartition(record.topic, record.partition)
            consumer.commit({place: OffsetAndMetadata(record.offset + 1)})
            if len(values) == count:
                break
    return values


class OffsetsElsewhere(ConsumerRebalanceListener):
    """Makes a consumer continue at the offsets in a database.

    Args:
        consumer: the consumer to which this listener belongs.
        database: the offset of the next message, by partition.
    """

    def __init__(self, consumer: KafkaConsumer, database: dict[TopicPartition, int]) -> None:
        self._consumer = consumer
        self._database = database

    def on_partitions_revoked(self, revoked: set[TopicPartition]) -> None:
        for partition in revoked:
            position = self._consumer.position(partition)
            if position is not None:
                self._database[partition] = position

    def on_partitions_assigned(self, assigned: set[TopicPartition]) -> None:
        for partition in assigned:
            self._consumer.seek(partition, self._database.get(partition, 0))


def read_with_offsets_elsewhere(
    servers: str, topic: str, group: str, database: dict[TopicPartition, int], count: int
) -> list[bytes]:
    """Read at least this number of messages, with offsets that are not stored in Kafka."""
    consumer = KafkaConsumer(bootstrap_servers=servers, group_id=group, enable_auto_commit=False)
    consumer.subscribe([topic], listener=OffsetsElsewhere(consumer, database))
    values: list[bytes] = []
    with consumer:
        while len(values) < count:
            for records in consumer.poll(timeout_ms=100, max_records=10).values():
                values += [record.value for record in records]
    return values


def last_messages(servers: str, topic: str, count: int) -> list[bytes]:
    """Read the last messages of a partition that is assigned by hand."""
    partition = TopicPartition(topic, 0)
    with KafkaConsumer(bootstrap_servers=servers) as consumer:
        consumer.assign([partition])
        end = consumer.end_offsets([partition])[partition]
        consumer.seek(partition, max(0, end - count))
        values: list[bytes] = []
        while consumer.position(partition) != end:
            records = consumer.poll(timeout_ms=100).get(partition, [])
            values += [record.value for record in records]
    return values


def copy_in_transactions(
    servers: str, source: str, sink: str, group: str, name: str, count: int
) -> None:
    """Copy at least this number of messages, each exactly once."""
    consumer = KafkaConsumer(
        source,
        bootstrap_servers=servers,
        group_id=group,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        isolation_level="read_committed",
    )
    producer = KafkaProducer(bootstrap_servers=servers, transactional_id=name)
    producer.init_transactions()
    copied = 0
    with consumer, producer:
        while copied < count:
            batches = consumer.poll(timeout_ms=100)
            if not batches:
                continue
            producer.begin_transaction()
            offsets = {}
            for partition, records in batches.items():
                for record in records:
                    producer.send(sink, record.value, record.key)
                    copied += 1
                offsets[partition] = OffsetAndMetadata(records[-1].offset + 1)
            producer.send_offsets_to_transaction(offsets, consumer.group_metadata())
            producer.commit_transaction()
