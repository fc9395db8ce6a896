"""Records arrive unchanged, and invalid ones raise typed errors."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)
from tests.integration import limits
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.support.callbacks import Recorder
from tests.support.kafka import Reports, numbers, outcome, read, send, values_of
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

SIZES = [0, 1, 100, 1 << 14, 1 << 17, 900_000]


def next_error(consumer: Consumer) -> Message:
    """The next result of poll(), which must be an error."""
    message = consumer.poll(TIMEOUT)
    assert message is not None
    assert message.error() is not None
    return message


# ---- records ----


def test_keys_and_values_of_every_size(kafka: KafkaCluster, topic: str) -> None:
    """Keys and values can be null, empty, or up to 900 kB, and are read as they were written."""
    rng = random.Random(1)
    payloads = [None, *(rng.randbytes(size) for size in SIZES)]
    keys = [None, b"", b"key", rng.randbytes(1000)]
    records = list(itertools.product(keys, payloads))
    reports = Reports()
    with writer(kafka) as producer, reader(kafka) as consumer:
        for key, value in records:
            producer.produce(topic, value, key, partition=0, on_delivery=reports)
        assert producer.flush(TIMEOUT) == 0
        messages = read(consumer, topic, len(records))
    assert reports.errors == [None] * len(records)
    assert [(message.key(), message.value()) for message in messages] == records
    assert [message.offset() for message in messages] == list(range(len(records)))


def test_a_report_is_of_the_record(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """A delivery report has the same partition, offset and time as the consumed record."""
    topic = make_topic(partitions=3)
    reports = Reports()
    with writer(kafka) as producer, reader(kafka) as consumer:
        for value in numbers(0, 300):
            producer.produce(topic, value, on_delivery=reports)
        assert producer.flush(TIMEOUT) == 0
        messages = read(consumer, topic, 300, partitions=3)

    def origin(message: Message) -> tuple[Any, ...]:
        return (
            message.value(),
            message.topic(),
            message.partition(),
            message.offset(),
            message.timestamp(),
        )

    assert sorted(map(origin, reports.messages)) == sorted(map(origin, messages))
    for message in reports.messages:
        latency = message.latency()
        assert latency is not None
        assert 0 < latency < TIMEOUT


@pytest.mark.parametrize("acks", [0, 1, "all"])
def test_acks(kafka: KafkaCluster, topic: str, acks: int | str) -> None:
    """Messages are delivered with every value of acks; with acks=0 the report has no offset."""
    reports = Reports()
    config = {"acks": acks, "enable.idempotence": False, "max.in.flight": 1}
    with writer(kafka) as first, writer(kafka, config) as producer, reader(kafka) as consumer:
        send(first, topic, [b"first"])  # the leader is ready: with acks=0 nothing is retried
        for value in numbers(0, 10):
            producer.produce(topic, value, partition=0, on_delivery=reports)
        assert producer.flush(TIMEOUT) == 0
        assert values_of(read(consumer, topic, 11)) == [b"first", *numbers(0, 10)]
    assert reports.errors == [None] * 10
    expected = [None] * 10 if acks == 0 else list(range(1, 11))
    assert [message.offset() for message in reports.messages] == expected


def test_idempotent_producer(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """With many requests in flight, each partition has its messages once and in order."""
    topic = make_topic(partitions=3)
    with writer(kafka, {"batch.num.messages": 10}) as producer, reader(kafka) as consumer:
        for number in range(300):
            producer.produce(topic, b"%d" % number, partition=number % 3)
        assert producer.flush(TIMEOUT) == 0
        messages = read(consumer, topic, 300, partitions=3)
        assert consumer.consume(1, 0.2) == []
    for partition in range(3):
        found = [message.value() for message in messages if message.partition() == partition]
        assert found == [b"%d" % number for number in range(partition, 300, 3)]


def test_a_message_larger_than_a_fetch(kafka: KafkaCluster, topic: str) -> None:
    """A message that is larger than the fetch limit does not stop the consumer."""
    value = random.Random(2).randbytes(900_000)
    config = {"fetch.message.max.bytes": 1000, "fetch.max.bytes": 1000, "message.max.bytes": 1000}
    with writer(kafka) as producer, reader(kafka, config) as consumer:
        send(producer, topic, [value, b"after"])
        assert values_of(read(consumer, topic, 2)) == [value, b"after"]


# ---- compacted topics ----


@pytest.mark.real_only(limits.TOPIC_CONFIGS)
def test_a_tombstone_compacts(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """A null value deletes its key; the consumer reads past the gaps that compaction leaves."""
    topic = make_topic(
        cleanup_policy="compact",
        segment_ms="100",
        min_cleanable_dirty_ratio="0.001",
        delete_retention_ms="0",
        max_compaction_lag_ms="100",
    )
    with writer(kafka) as producer, reader(kafka) as consumer:

        def write(key: bytes, value: bytes | None) -> None:
            producer.produce(topic, value, key, partition=0)
            assert producer.flush(TIMEOUT) == 0

        for number in range(10):
            write(b"kept", b"%d" % number)
            write(b"deleted", b"%d" % number)
        write(b"deleted", None)
        # The tombstone is in the newest segment, which is never compacted. Earlier segments may be.
        consumer.assign([TopicPartition(topic, 0, 0)])
        messages = iter(consumer)
        tombstone = next(message for message in messages if message.offset() == 20)
        assert (tombstone.key(), tombstone.value()) == (b"deleted", None)

        found: list[tuple[bytes, bytes | None, int | None]] = []

        def read_again() -> None:
            # Each round begins a new segment, so that the earlier segments are compacted.
            write(b"filler", b"")
            _, end = consumer.get_watermark_offsets(TopicPartition(topic, 0), TIMEOUT)
            consumer.assign([TopicPartition(topic, 0, 0)])
            found.clear()
            while consumer.position([TopicPartition(topic, 0)])[0].offset < end:
                found.extend(
                    (message.key(), message.value(), message.offset())
                    for message in consumer.consume(100, 0.2)
                    if message.key() != b"filler"
                )

        wait_until(lambda: found == [(b"kept", b"9", 18)], read_again, timeout=60)


def test_a_compacted_topic_needs_keys(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """A compacted topic refuses a message without a key with INVALID_RECORD, and accepts the next
    message."""
    topic = make_topic(cleanup_policy="compact")
    reports = Reports()
    with writer(kafka) as producer:
        producer.produce(topic, b"value", on_delivery=reports)
        assert producer.flush(TIMEOUT) == 0
        producer.produce(topic, b"value", b"key", on_delivery=reports)
        assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [KafkaError.INVALID_RECORD, None]


# ---- the ways to read ----


def test_iteration(kafka: KafkaCluster, topic: str) -> None:
    """A for loop reads messages, and with enable.partition.eof also the end of a partition."""
    values: list[bytes | None] = []
    with writer(kafka) as producer, reader(kafka, {"enable.partition.eof": True}) as consumer:
        send(producer, topic, numbers(0, 100))
        consumer.assign([TopicPartition(topic, 0, 0)])
        for message in consumer:
            if message.error() is not None:
                assert message.error() == KafkaError._PARTITION_EOF
                break
            values.append(message.value())
    assert values == numbers(0, 100)


def test_iteration_raises_errors(kafka: KafkaCluster, group: str) -> None:
    """A for loop raises every error except the end of a partition."""
    with reader(kafka, {"group.id": group}) as consumer:
        consumer.subscribe(["topic-nobody-made"])
        with pytest.raises(KafkaException) as caught:
            next(consumer)
    assert caught.value.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART


def test_ends_of_partitions(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """With enable.partition.eof, each partition's end is reported, and again after more
    messages."""
    topic = make_topic(partitions=3)
    with writer(kafka) as producer, reader(kafka, {"enable.partition.eof": True}) as consumer:
        for partition in range(3):
            for _ in range(partition):  # partition 0 is empty
                producer.produce(topic, b"v", partition=partition)
        assert producer.flush(TIMEOUT) == 0
        consumer.assign([TopicPartition(topic, partition, 0) for partition in range(3)])
        messages = consumer.consume(6, TIMEOUT)
        ends = [message for message in messages if message.error() is not None]
        assert {message.error() for message in ends} == {KafkaError(KafkaError._PARTITION_EOF)}
        assert sorted((end.partition(), end.offset()) for end in ends) == [(0, 0), (1, 1), (2, 2)]
        producer.produce(topic, b"more", partition=0)
        assert producer.flush(TIMEOUT) == 0
        more, end = consumer.consume(2, TIMEOUT)
        assert more.value() == b"more"
        assert end.error() == KafkaError._PARTITION_EOF
        assert (end.partition(), end.offset()) == (0, 1)


# ---- errors ----


def test_too_large_for_the_client(kafka: KafkaCluster, topic: str) -> None:
    """produce() raises an error for a message that is larger than message.max.bytes."""
    with writer(kafka, {"message.max.bytes": 5000}) as producer, reader(kafka) as consumer:
        with pytest.raises(KafkaException) as caught:
            producer.produce(topic, bytes(6000))
        assert caught.value.args[0].code() == KafkaError.MSG_SIZE_TOO_LARGE
        send(producer, topic, [b"small"])
        assert values_of(read(consumer, topic, 1)) == [b"small"]


def test_too_large_for_the_broker(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """If a message exceeds the topic's max.message.bytes, its report has the error; other messages
    arrive."""
    topic = make_topic(max_message_bytes="5000")
    reports = Reports()
    with writer(kafka) as producer, reader(kafka) as consumer:
        for value in (bytes(6000), b"small"):
            producer.produce(topic, value, on_delivery=reports)
            assert producer.flush(TIMEOUT) == 0
        assert reports.errors == [KafkaError.MSG_SIZE_TOO_LARGE, None]
        assert values_of(read(consumer, topic, 1)) == [b"small"]


def test_produce_to_an_unknown_partition(kafka: KafkaCluster, topic: str) -> None:
    """The report, or produce() itself if the topic is known, has the error _UNKNOWN_PARTITION."""
    reports = Reports()
    with writer(kafka) as producer:
        codes: list[int | None] = []
        try:
            producer.produce(topic, b"v", partition=7, on_delivery=reports)
        except KafkaException as known:  # metadata may come while the call opens the topic
            codes.append(known.code())
        assert producer.flush(TIMEOUT) == 0
        assert [*codes, *reports.errors] == [KafkaError._UNKNOWN_PARTITION]
        with pytest.raises(KafkaException) as caught:
            producer.produce(topic, b"v", partition=7)
        assert caught.value.args[0].code() == KafkaError._UNKNOWN_PARTITION


def test_produce_to_an_unknown_topic(kafka: KafkaCluster) -> None:
    """If the topic must not be created, the report has the broker's error within the configured
    time."""
    reports = Reports()
    config = {"allow.auto.create.topics": False, "topic.metadata.propagation.max.ms": 100}
    with writer(kafka, config) as producer:
        producer.produce("topic-nobody-made", b"v", on_delivery=reports)
        assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [KafkaError.UNKNOWN_TOPIC_OR_PART]


def test_produce_to_a_wrong_name(kafka: KafkaCluster, topic: str) -> None:
    """An invalid topic name is an error at once, and the producer still works."""
    refused = (KafkaError.TOPIC_EXCEPTION, KafkaError._UNKNOWN_TOPIC)
    with writer(kafka) as producer:
        assert outcome(producer, "not a topic!") in refused
        send(producer, topic, [b"v"])


def test_subscribe_to_an_unknown_topic(kafka: KafkaCluster, group: str) -> None:
    """poll() returns an error that names the topic."""
    with reader(kafka, {"group.id": group}) as consumer:
        consumer.subscribe(["topic-nobody-made"])
        message = next_error(consumer)
    assert message.error() == KafkaError.UNKNOWN_TOPIC_OR_PART
    assert message.topic() == "topic-nobody-made"


def test_assign_an_unknown_topic(kafka: KafkaCluster) -> None:
    """error_cb gets the error, because the topic may still be created."""
    errors = Recorder()
    config = {"error_cb": errors, "topic.metadata.propagation.max.ms": 100}
    with reader(kafka, config) as consumer:
        consumer.assign([TopicPartition("topic-nobody-made", 0, 0)])
        wait_until(lambda: errors.calls, lambda: consumer.poll(0.1))
    (error,) = errors.calls[0]
    assert error == KafkaError.UNKNOWN_TOPIC_OR_PART
    assert "topic-nobody-made" in error.str()


def test_assign_an_unknown_partition(kafka: KafkaCluster, topic: str) -> None:
    """error_cb gets an error that names the unknown partition; the existing partition is read."""
    errors = Recorder()
    config = {"error_cb": errors, "topic.metadata.propagation.max.ms": 100}
    with writer(kafka) as producer, reader(kafka, config) as consumer:
        send(producer, topic, [b"v"])
        consumer.assign([TopicPartition(topic, 7, 0), TopicPartition(topic, 0, 0)])
        assert values_of(consumer.consume(1, TIMEOUT)) == [b"v"]
        wait_until(lambda: errors.calls, lambda: consumer.poll(0.1))
    (error,) = errors.calls[0]
    assert error == KafkaError._UNKNOWN_PARTITION
    assert f"{topic} [7]" in error.str()
