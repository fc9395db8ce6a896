"""The fields of produced messages arrive, and delivery reports contain them."""

from __future__ import annotations

import gc
import time
from typing import Any

import pytest

from confluent_kafka import (
    TIMESTAMP_CREATE_TIME,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
)
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeProducer
from tests.support.kafka import NO_BROKER, Reports, read
from tests.support.waiting import TIMEOUT

# ---- fields ----


def test_every_field_arrives(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """Value, key, partition, timestamp and headers that are given by name reach the consumer."""
    producer.produce(
        kafka_topic,
        value="wert",
        key="schlüssel",
        partition=0,
        timestamp=1_700_000_000_123,
        headers=[("one", b"1"), ("two", "zwei"), ("none", None), ("one", b"again")],
    )
    assert producer.flush(TIMEOUT) == 0
    (message,) = read(consumer, kafka_topic, 1)
    assert message.topic() == kafka_topic
    assert message.value() == b"wert"
    assert message.key() == "schlüssel".encode()
    assert message.partition() == 0
    assert message.offset() == 0
    assert message.timestamp() == (TIMESTAMP_CREATE_TIME, 1_700_000_000_123)
    assert message.headers() == [
        ("one", b"1"),
        ("two", b"zwei"),
        ("none", None),
        ("one", b"again"),
    ]


def test_fields_by_position(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """The order of positional arguments is topic, value, key, partition, callback, on_delivery,
    timestamp, headers."""
    reports = Reports()
    producer.produce(kafka_topic, b"v", b"k", 0, reports, None, 5000, {"name": b"value"})
    assert producer.flush(TIMEOUT) == 0
    (message,) = read(consumer, kafka_topic, 1)
    assert (message.value(), message.key()) == (b"v", b"k")
    assert message.timestamp() == (TIMESTAMP_CREATE_TIME, 5000)
    assert message.headers() == [("name", b"value")]
    assert reports.errors == [None]


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        (None, None),
        (b"", b""),
        ("", b""),
        (b"bytes", b"bytes"),
        ("\N{SNOWMAN}\N{GRINNING FACE}", "\N{SNOWMAN}\N{GRINNING FACE}".encode()),
        (b"nul\x00inside", b"nul\x00inside"),
        ("nul\x00inside", b"nul\x00inside"),
        (bytearray(b"array"), b"array"),
        (bytearray(), b""),
        (memoryview(b"view")[1:3], b"ie"),
        (memoryview(b""), b""),
    ],
)
def test_kinds_of_values_and_keys(
    kafka_topic: str, producer: Producer, consumer: Consumer, given: Any, stored: bytes | None
) -> None:
    """A str is written as UTF-8, buffers are written unchanged, and null is not the same as
    empty."""
    producer.produce(kafka_topic, given, given, headers={"header": given})
    assert producer.flush(TIMEOUT) == 0
    (message,) = read(consumer, kafka_topic, 1)
    assert message.value() == stored
    assert message.key() == stored
    assert message.headers() == [("header", stored)]


def test_values_are_copied(kafka_topic: str, make_producer: MakeProducer) -> None:
    """A buffer may be changed as soon as produce() has returned."""
    producer = make_producer({"linger.ms": 60_000})
    reports = Reports()
    buffer = bytearray(b"before")
    producer.produce(kafka_topic, buffer, on_delivery=reports)
    buffer[:] = b"after it"  # would raise BufferError if it were still exported
    assert producer.flush(TIMEOUT) == 0
    assert reports.values == [b"before"]


@pytest.mark.kafka_topic(partitions=3)
def test_the_partition_is_the_one_given(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """An explicit partition takes precedence over the partitioner."""
    for partition in (2, 0, 1, 2):
        producer.produce(kafka_topic, b"%d" % partition, b"same key", partition=partition)
    assert producer.flush(TIMEOUT) == 0
    messages = read(consumer, kafka_topic, 4, partitions=3)
    assert [message.partition() for message in messages] == [
        int(message.value() or b"") for message in messages
    ]


@pytest.mark.parametrize("partition", [-2, -5, -(2**31)])
def test_negative_partitions_are_unknown(
    kafka_topic: str, producer: Producer, partition: int
) -> None:
    """Negative partitions other than -1 do not exist: the report has the error, or produce() raises
    it once the topic is known."""
    codes: list[int] = []

    def report(error: KafkaError | None, _message: Message) -> None:
        assert error is not None
        codes.append(error.code())

    try:
        producer.produce(kafka_topic, b"x", partition=partition, on_delivery=report)
    except KafkaException as known:  # metadata may arrive while the call opens the topic
        codes.append(known.code())
    assert producer.flush(TIMEOUT) == 0
    assert codes == [KafkaError._UNKNOWN_PARTITION]
    with pytest.raises(KafkaException) as raised:
        producer.produce(kafka_topic, b"x", partition=partition)
    assert raised.value.args[0].code() == KafkaError._UNKNOWN_PARTITION
    batch: list[dict[str, Any]] = [{"value": b"x", "partition": partition}, {"value": b"y"}]
    assert producer.produce_batch(kafka_topic, batch) == 1
    assert batch[0]["_error"].code() == KafkaError._UNKNOWN_PARTITION
    assert producer.produce_batch(kafka_topic, [{"value": b"x"}], partition=partition) == 0
    assert producer.flush(TIMEOUT) == 0


@pytest.mark.kafka_topic(partitions=3)
def test_the_partitioner_keeps_keys_together(kafka_topic: str, producer: Producer) -> None:
    """Without a partition, all messages of a key go to the same partition."""
    reports = Reports()
    for i in range(30):
        producer.produce(kafka_topic, b"", b"key %d" % (i % 6), on_delivery=reports)
    assert producer.flush(TIMEOUT) == 0
    partitions = {(message.key(), message.partition()) for message in reports.messages}
    assert len(partitions) == 6
    assert len({partition for _, partition in partitions}) > 1


def test_the_timestamp_is_now_by_default(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """The timestamp 0, which is the default, means the time of the call in milliseconds."""
    before = int(time.time() * 1000)
    producer.produce(kafka_topic, b"default")
    producer.produce(kafka_topic, b"zero", timestamp=0)
    after = int(time.time() * 1000)
    assert producer.flush(TIMEOUT) == 0
    for message in read(consumer, kafka_topic, 2):
        kind, timestamp = message.timestamp()
        assert kind == TIMESTAMP_CREATE_TIME
        assert before <= timestamp <= after


def test_many_topics(kafka_cluster: MockCluster, producer: Producer) -> None:
    """A producer can send to any number of topics, in any order, with equal or identical names."""
    reports = Reports()
    names = [f"topic-{i}" for i in range(20)]
    for name in names:
        kafka_cluster.create_topic(name)
    for i in range(100):
        producer.produce(f"topic-{i % 20}", b"%d" % (i % 20), on_delivery=reports)
    assert producer.flush(TIMEOUT) == 0
    assert [f"topic-{int(value or b'')}" for value in reports.values] == [
        message.topic() for message in reports.messages
    ]
    assert {message.topic() for message in reports.messages} == set(names)


# ---- delivery reports ----


def test_report_of_a_delivered_message(kafka_topic: str, producer: Producer) -> None:
    """The report contains the partition and offset of the message, and its latency."""
    reports = Reports()
    headers = [("name", b"value"), ("name", None)]
    producer.produce(kafka_topic, b"v", b"k", headers=headers, on_delivery=reports)
    producer.produce(kafka_topic, b"second", on_delivery=reports)
    assert producer.flush(TIMEOUT) == 0
    (error, message), (_, second) = reports.calls
    assert error is None
    assert message.error() is None
    assert (message.topic(), message.partition()) == (kafka_topic, 0)
    assert (message.offset(), second.offset()) == (0, 1)
    assert (message.value(), message.key()) == (b"v", b"k")
    assert message.headers() == headers
    assert second.headers() is None
    assert 0 < (message.latency() or 0) < TIMEOUT


def test_report_of_a_failed_message(make_producer: MakeProducer) -> None:
    """The report of a failed message contains the reason and the message."""
    producer = make_producer({"bootstrap.servers": NO_BROKER, "message.timeout.ms": 10})
    reports = Reports()
    producer.produce("topic", b"v", b"k", headers={"h": b"1"}, on_delivery=reports)
    assert producer.flush(TIMEOUT) == 0
    ((error, message),) = reports.calls
    assert error == KafkaError._MSG_TIMED_OUT
    assert message.error() == error
    assert (message.topic(), message.value(), message.key()) == ("topic", b"v", b"k")
    assert message.headers() == [("h", b"1")]


@pytest.mark.parametrize("name", ["callback", "on_delivery"])
def test_the_callback_has_two_names(kafka_topic: str, producer: Any, name: str) -> None:
    """callback= and on_delivery= are the same argument."""
    reports = Reports()
    producer.produce(kafka_topic, b"v", **{name: reports})
    producer.produce(kafka_topic, b"v", callback=reports, on_delivery=reports)
    assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [None, None]


def test_two_different_callbacks_are_refused(kafka_topic: str, producer: Producer) -> None:
    """A call with a different callback and on_delivery is refused."""
    with pytest.raises(TypeError, match="callback and on_delivery"):
        producer.produce(kafka_topic, b"v", callback=Reports(), on_delivery=Reports())
    assert len(producer) == 0


def test_callback_of_the_client(kafka_topic: str, make_producer: MakeProducer) -> None:
    """The client's on_delivery is called for messages without their own callback."""
    common, own = Reports(), Reports()
    producer = make_producer({"on_delivery": common})
    producer.produce(kafka_topic, b"common")
    producer.produce(kafka_topic, b"own", on_delivery=own)
    producer.produce(kafka_topic, b"none given", on_delivery=None)
    assert producer.flush(TIMEOUT) == 0
    assert common.values == [b"common", b"none given"]
    assert own.values == [b"own"]


@pytest.mark.parametrize("setting", [True, "true"])
def test_only_errors_are_reported(
    kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer, setting: Any
) -> None:
    """With delivery.report.only.error, both kinds of callbacks are called for failed messages
    only."""
    common, own = Reports(), Reports()
    producer = make_producer(
        {"on_delivery": common, "delivery.report.only.error": setting, "retries": 0}
    )
    producer.produce(kafka_topic, b"delivered", on_delivery=own)
    producer.produce(kafka_topic, b"delivered")
    assert producer.flush(TIMEOUT) == 0
    kafka_cluster.inject_errors("Produce", [KafkaError.INVALID_RECORD] * 2)
    for callback in (own, None):
        producer.produce(kafka_topic, b"failed", on_delivery=callback)
        assert producer.flush(TIMEOUT) == 0
    assert common.errors == own.errors == [KafkaError.INVALID_RECORD]


def test_a_message_outlives_its_callback(kafka_topic: str, producer: Producer) -> None:
    """A Message that is kept after its callback stays readable after its batch is freed."""
    reports = Reports()
    for i in range(200):
        producer.produce(
            kafka_topic, b"%d" % i, b"key %d" % i, headers={"n": b"%d" % i}, on_delivery=reports
        )
    assert producer.flush(TIMEOUT) == 0
    for i, message in enumerate(reports.messages):
        assert message.value() == b"%d" % i
        assert message.key() == b"key %d" % i
        assert message.headers() == [("n", b"%d" % i)]
        assert message.topic() == kafka_topic


def test_a_kept_message_outlives_the_producer(
    kafka_topic: str, make_producer: MakeProducer
) -> None:
    """A kept Message stays readable after the producer was closed and collected."""
    producer = make_producer()
    reports = Reports()
    producer.produce(kafka_topic, b"v" * 1000, headers={"h": b"1"}, on_delivery=reports)
    assert producer.close() is True
    del producer
    gc.collect()
    (message,) = reports.messages
    assert message.value() == b"v" * 1000
    assert message.headers() == [("h", b"1")]


def test_a_kept_message_does_not_count(kafka_topic: str, make_producer: MakeProducer) -> None:
    """Keeping reports does not fill the queue, because librdkafka's messages are released."""
    producer = make_producer({"queue.buffering.max.messages": 10})
    reports = Reports()
    for i in range(100):
        producer.produce(kafka_topic, b"%d" % i, on_delivery=reports, block=TIMEOUT)
    assert producer.flush(TIMEOUT) == 0
    assert reports.values == [b"%d" % i for i in range(100)]
    assert len(producer) == 0


def test_reports_come_in_order(kafka_topic: str, producer: Producer) -> None:
    """Reports of one partition come in the order of produce()."""
    reports = Reports()
    for i in range(5000):
        producer.produce(kafka_topic, b"%d" % i, on_delivery=reports)
    assert producer.flush(TIMEOUT) == 0
    assert reports.values == [b"%d" % i for i in range(5000)]
    assert [message.offset() for message in reports.messages] == list(range(5000))
