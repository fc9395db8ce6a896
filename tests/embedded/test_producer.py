"""Producer against real brokers: every field, every way to be told, every way to end."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import (
    TIMESTAMP_CREATE_TIME,
    TIMESTAMP_LOG_APPEND_TIME,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
)
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeProducer
from tests.support.kafka import NO_BROKER, Reports, read, send, values_of
from tests.support.waiting import TIMEOUT, Stopwatch, wait_until

# ---- what goes in comes out ----


def test_every_field_arrives(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """Value, key, partition, timestamp and headers given by name reach the consumer."""
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
    """produce(topic, value, key, partition, callback, on_delivery, timestamp, headers)."""
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
    """Text is UTF-8, buffers are taken as they are, and null is not the same as empty."""
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
    """An explicit partition wins over the partitioner."""
    for partition in (2, 0, 1, 2):
        producer.produce(kafka_topic, b"%d" % partition, b"same key", partition=partition)
    assert producer.flush(TIMEOUT) == 0
    messages = read(consumer, kafka_topic, 4, partitions=3)
    assert [message.partition() for message in messages] == [
        int(message.value() or b"") for message in messages
    ]


@pytest.mark.kafka_topic(partitions=3)
def test_the_partitioner_keeps_keys_together(kafka_topic: str, producer: Producer) -> None:
    """Without a partition all messages of a key go to one partition."""
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
    """Timestamp 0, the default, means the time of the call in milliseconds."""
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
    """One producer serves any number of topics, in any order, by equal or same names."""
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
    assert sorted({message.topic() for message in reports.messages}) == sorted(names)


# ---- delivery reports ----


def test_report_of_a_delivered_message(kafka_topic: str, producer: Producer) -> None:
    """The report says where the message is, when it was sent and how long it took."""
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
    # Mock brokers always answer with this time, as with message.timestamp.type=LogAppendTime.
    assert message.timestamp() == (TIMESTAMP_LOG_APPEND_TIME, 1234)
    assert message.headers() == headers
    assert second.headers() is None
    assert 0 < message.latency() < TIMEOUT


def test_report_of_a_failed_message(make_producer: MakeProducer) -> None:
    """The report of a message that was given up says why, and has the message."""
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
def test_the_callback_has_two_names(kafka_topic: str, producer: Producer, name: str) -> None:
    """callback= and on_delivery= are one argument."""
    reports = Reports()
    producer.produce(kafka_topic, b"v", **{name: reports})
    producer.produce(kafka_topic, b"v", callback=reports, on_delivery=reports)
    assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [None, None]


def test_two_different_callbacks_are_refused(kafka_topic: str, producer: Producer) -> None:
    """callback and on_delivery that differ are a mistake."""
    with pytest.raises(TypeError, match="callback and on_delivery"):
        producer.produce(kafka_topic, b"v", callback=Reports(), on_delivery=Reports())
    assert len(producer) == 0


def test_callback_of_the_client(kafka_topic: str, make_producer: MakeProducer) -> None:
    """The client's on_delivery gets the messages that have no callback of their own."""
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
    """delivery.report.only.error keeps both kinds of callback for failed messages."""
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
    """A Message kept after its callback stays readable when its batch is long gone."""
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
    """Also when the producer has been closed and collected."""
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
    """Keeping reports does not fill the queue: librdkafka's messages are let go of."""
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


# ---- poll, flush, len ----


def test_poll_counts_what_it_served(kafka_topic: str, producer: Producer) -> None:
    """poll() returns how many reports it served, and 0 when time is up."""
    reports = Reports()
    assert producer.poll(0) == 0
    assert producer.poll(0.01) == 0
    for i in range(100):
        producer.produce(kafka_topic, b"%d" % i, on_delivery=reports)
    served = 0
    while served < 100:
        served += producer.poll(TIMEOUT)
    assert served == len(reports) == 100


def test_poll_waits_no_longer_than_asked(producer: Producer) -> None:
    """poll(timeout) waits that long, and the time is in seconds."""
    watch = Stopwatch()
    assert producer.poll(0.3) == 0
    assert 0.3 <= watch.elapsed < TIMEOUT


def test_len_is_what_is_outstanding(kafka_topic: str, make_producer: MakeProducer) -> None:
    """len() counts messages until their callback has been called."""
    producer = make_producer({"linger.ms": 60_000})
    assert len(producer) == 0
    lengths = []
    for _ in range(3):
        producer.produce(kafka_topic, b"v", on_delivery=lambda *_: lengths.append(len(producer)))
    assert len(producer) == 3
    assert producer.flush(TIMEOUT) == 0
    assert lengths == [2, 1, 0]
    assert len(producer) == 0


def test_a_producer_is_true(producer: Producer) -> None:
    """`if producer:` asks for the object, not for its length."""
    assert producer


def test_flush_does_not_linger(kafka_topic: str, make_producer: MakeProducer) -> None:
    """flush() sends at once what linger.ms would keep back."""
    producer = make_producer({"linger.ms": 60_000})
    reports = Reports()
    for i in range(10):
        producer.produce(kafka_topic, b"%d" % i, on_delivery=reports)
    watch = Stopwatch()
    assert producer.flush(TIMEOUT) == 0
    assert watch.elapsed < TIMEOUT
    assert reports.errors == [None] * 10


def test_flush_returns_what_is_left(make_producer: MakeProducer) -> None:
    """flush(timeout) gives up after its timeout and says how many are outstanding."""
    producer = make_producer({"bootstrap.servers": NO_BROKER})
    for _ in range(7):
        producer.produce("topic", b"v")
    watch = Stopwatch()
    assert producer.flush(0.2) == 7
    assert watch.elapsed >= 0.2
    assert producer.flush(0) == 7
    assert len(producer) == 7


def test_flush_of_nothing(producer: Producer) -> None:
    """flush() of an idle producer returns at once."""
    assert producer.flush() == 0
    assert producer.flush(timeout=0) == 0


# ---- a full queue ----


@pytest.fixture
def small(make_producer: MakeProducer) -> Producer:
    """Room for five messages; they are sent only by flush()."""
    return make_producer({"queue.buffering.max.messages": 5, "linger.ms": 60_000})


def fill(
    producer: Producer, topic: str, count: int, reports: Callable[..., object] | None = None
) -> None:
    for i in range(count):
        producer.produce(topic, b"%d" % i, on_delivery=reports)


def test_a_full_queue_is_a_buffer_error(kafka_topic: str, small: Producer) -> None:
    """BufferError says what to do; nothing was enqueued and no callback is kept for it."""
    reports = Reports()
    fill(small, kafka_topic, 5, reports)
    refused = Reports()
    with pytest.raises(BufferError, match=r"poll\(\).*block="):
        small.produce(kafka_topic, b"too much", headers={"h": b""}, on_delivery=refused)
    assert len(small) == 5
    assert small.flush(TIMEOUT) == 0
    assert len(reports) == 5
    assert len(refused) == 0


def test_block_waits_until_there_is_room(
    kafka_topic: str, make_producer: MakeProducer, consumer: Consumer
) -> None:
    """produce(block=) serves callbacks and goes on as soon as there is room."""
    producer = make_producer({"queue.buffering.max.messages": 5})
    reports = Reports()
    for i in range(500):
        producer.produce(kafka_topic, b"%d" % i, on_delivery=reports, block=TIMEOUT)
    assert len(reports) >= 495
    assert producer.flush(TIMEOUT) == 0
    expected = [b"%d" % i for i in range(500)]
    assert reports.values == expected
    assert values_of(read(consumer, kafka_topic, 500)) == expected


def test_block_without_limit(kafka_topic: str, make_producer: MakeProducer) -> None:
    """block=-1 waits for as long as it takes."""
    producer = make_producer({"queue.buffering.max.messages": 1})
    reports = Reports()
    for i in range(20):
        producer.produce(kafka_topic, b"%d" % i, on_delivery=reports, block=-1)
    assert producer.flush(TIMEOUT) == 0
    assert reports.values == [b"%d" % i for i in range(20)]


def test_block_ends_with_a_buffer_error(make_producer: MakeProducer) -> None:
    """When there is still no room after block seconds, BufferError comes after all."""
    producer = make_producer({"bootstrap.servers": NO_BROKER, "queue.buffering.max.messages": 1})
    producer.produce("topic", b"v")
    watch = Stopwatch()
    with pytest.raises(BufferError):
        producer.produce("topic", b"v", block=0.25)
    assert watch.elapsed >= 0.25
    assert len(producer) == 1


def test_wakeup_ends_block(make_producer: MakeProducer) -> None:
    """wakeup() makes a produce() that waits for room give up now."""
    producer = make_producer({"bootstrap.servers": NO_BROKER, "queue.buffering.max.messages": 1})
    producer.produce("topic", b"v")
    timer = threading.Timer(0.05, producer.wakeup)
    timer.start()
    watch = Stopwatch()
    with pytest.raises(BufferError):
        producer.produce("topic", b"v", block=TIMEOUT)
    assert watch.elapsed < TIMEOUT / 2
    timer.join()


def test_wakeup_ends_the_block_of_a_whole_batch(make_producer: MakeProducer) -> None:
    """Each message of a batch would wait again otherwise."""
    producer = make_producer({"bootstrap.servers": NO_BROKER, "queue.buffering.max.messages": 1})
    messages: list[Any] = [{"value": b"%d" % i} for i in range(10)]
    timer = threading.Timer(0.05, producer.wakeup)
    timer.start()
    watch = Stopwatch()
    assert producer.produce_batch("topic", messages, block=TIMEOUT) == 1
    assert watch.elapsed < TIMEOUT / 2
    assert [message.get("_error") for message in messages] == [
        None,
        *[KafkaError._QUEUE_FULL] * 9,
    ]
    timer.join()


def test_a_message_that_is_too_large(kafka_topic: str, make_producer: MakeProducer) -> None:
    """What librdkafka refuses at once is a KafkaException, and its callback is not kept."""
    producer = make_producer({"message.max.bytes": 1000})
    reports = Reports()
    with pytest.raises(KafkaException) as caught:
        producer.produce(kafka_topic, b"x" * 2000, on_delivery=reports)
    assert caught.value.args[0] == KafkaError.MSG_SIZE_TOO_LARGE
    assert producer.flush(TIMEOUT) == 0
    assert len(reports) == 0


def test_a_partition_that_does_not_exist(kafka_topic: str, producer: Producer) -> None:
    """An unknown partition is refused at once or reported, and never lost silently."""
    reports = Reports()
    producer.produce(kafka_topic, b"v", partition=17, on_delivery=reports)  # not known yet
    assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [KafkaError._UNKNOWN_PARTITION]
    with pytest.raises(KafkaException) as caught:
        producer.produce(kafka_topic, b"v", partition=17, on_delivery=reports)
    assert caught.value.args[0] == KafkaError._UNKNOWN_PARTITION
    assert len(producer) == 0


# ---- produce_batch ----


def test_batch_of_bare_values(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """Entries that are no dicts are values, None included."""
    values: list[Any] = [b"bytes", "text", None, bytearray(b"array"), memoryview(b"view"), b""]
    assert producer.produce_batch(kafka_topic, values) == 6
    assert producer.flush(TIMEOUT) == 0
    assert values_of(read(consumer, kafka_topic, 6)) == [
        b"bytes",
        b"text",
        None,
        b"array",
        b"view",
        b"",
    ]


@pytest.mark.kafka_topic(partitions=2)
def test_batch_carries_every_field(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """A dict takes what produce() takes."""
    common, own, other = Reports(), Reports(), Reports()
    batch: list[Any] = [
        {
            "value": "v",
            "key": "k",
            "headers": [("h", b"1")],
            "timestamp": 4711,
            "partition": 1,
            "callback": own,
        },
        {"value": b"alias", "on_delivery": other},
        {"key": b"only a key"},
        {},
    ]
    assert producer.produce_batch(kafka_topic, batch, partition=0, on_delivery=common) == 4
    assert producer.flush(TIMEOUT) == 0
    messages = sorted(
        read(consumer, kafka_topic, 4, partitions=2), key=lambda m: (-m.partition(), m.offset())
    )
    assert values_of(messages) == [b"v", b"alias", None, None]
    assert [message.key() for message in messages] == [b"k", None, b"only a key", None]
    assert [message.partition() for message in messages] == [1, 0, 0, 0]
    assert messages[0].headers() == [("h", b"1")]
    assert messages[0].timestamp() == (TIMESTAMP_CREATE_TIME, 4711)
    assert own.values == [b"v"]
    assert other.values == [b"alias"]
    assert [message.key() for message in common.messages] == [b"only a key", None]
    assert batch == [
        {
            "value": "v",
            "key": "k",
            "headers": [("h", b"1")],
            "timestamp": 4711,
            "partition": 1,
            "callback": own,
        },
        {"value": b"alias", "on_delivery": other},
        {"key": b"only a key"},
        {},
    ]


def test_batch_uses_the_clients_callback(kafka_topic: str, make_producer: MakeProducer) -> None:
    """Messages without any callback of the batch are the client's."""
    common = Reports()
    producer = make_producer({"on_delivery": common})
    assert producer.produce_batch(kafka_topic, [b"a", {"value": b"b"}]) == 2
    assert producer.flush(TIMEOUT) == 0
    assert common.values == [b"a", b"b"]


def test_batch_goes_on_after_a_refused_message(
    kafka_topic: str, make_producer: MakeProducer
) -> None:
    """A message that cannot be enqueued gets an `_error`; the others are sent."""
    producer = make_producer({"message.max.bytes": 1000})
    reports = Reports()
    batch: list[Any] = [{"value": b"a"}, {"value": b"x" * 2000}, {"value": b"b"}]
    assert producer.produce_batch(kafka_topic, batch, on_delivery=reports) == 2
    assert producer.flush(TIMEOUT) == 0
    assert reports.values == [b"a", b"b"]
    assert batch[1]["_error"] == KafkaError.MSG_SIZE_TOO_LARGE
    assert isinstance(batch[1]["_error"], KafkaError)
    assert "_error" not in batch[0]
    assert "_error" not in batch[2]


def test_batch_into_a_full_queue(kafka_topic: str, small: Producer) -> None:
    """Without block what does not fit is marked with _QUEUE_FULL."""
    batch: list[Any] = [{"value": b"%d" % i} for i in range(8)]
    assert small.produce_batch(kafka_topic, batch) == 5
    assert [message.get("_error") for message in batch] == [
        *[None] * 5,
        *[KafkaError._QUEUE_FULL] * 3,
    ]
    assert len(small) == 5


def test_bare_value_into_a_full_queue(kafka_topic: str, small: Producer) -> None:
    """A bare value has no place for `_error`: it raises."""
    with pytest.raises(BufferError):
        small.produce_batch(kafka_topic, [b"%d" % i for i in range(8)])
    assert len(small) == 5


def test_batch_that_blocks(kafka_topic: str, make_producer: MakeProducer) -> None:
    """With block a batch of any size goes through a small queue."""
    producer = make_producer({"queue.buffering.max.messages": 10})
    reports = Reports()
    values: list[Any] = [b"%d" % i for i in range(1000)]
    assert producer.produce_batch(kafka_topic, values, on_delivery=reports, block=-1) == 1000
    assert producer.flush(TIMEOUT) == 0
    assert reports.values == values


@pytest.mark.parametrize(
    ("entry", "error", "text"),
    [
        ({"value": 1}, TypeError, "value"),
        ({"key": object()}, TypeError, "key"),
        ({"headers": 3}, TypeError, "headers"),
        ({"timestamp": -1}, ValueError, "timestamp"),
        ({"timestamp": 2**70}, OverflowError, "timestamp"),
        ({"partition": 2**40}, OverflowError, "partition"),
        ({"callback": 1}, TypeError, "callback"),
        ({"value": "\ud800"}, ValueError, "value"),
        (object(), TypeError, "value"),
    ],
)
def test_batch_with_a_wrong_field(
    kafka_topic: str, producer: Producer, entry: Any, error: type[Exception], text: str
) -> None:
    """The exception names the message's index and field; those before it are enqueued."""
    reports = Reports()
    with pytest.raises(error, match=rf"messages\[2\].*{text}"):
        producer.produce_batch(kafka_topic, [b"a", {"value": b"b"}, entry, b"d"], -1, reports)
    assert producer.flush(TIMEOUT) == 0
    assert reports.values == [b"a", b"b"]


def test_batch_changed_by_a_callback(kafka_topic: str, make_producer: MakeProducer) -> None:
    """A callback that empties the list while produce_batch() blocks ends it early."""
    producer = make_producer({"queue.buffering.max.messages": 1})
    values: list[Any] = [b"%d" % i for i in range(1000)]
    count = producer.produce_batch(
        kafka_topic, values, on_delivery=lambda *_: values.clear(), block=-1
    )
    assert 1 <= count < 1000
    assert producer.flush(TIMEOUT) == 0


# ---- produce_arrow ----


def test_arrow_rows_arrive(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """Every row is sent with its columns, and reported."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    reports = Reports()
    batch = pyarrow.record_batch(
        {
            "key": pyarrow.array([b"k0", None, b"k2"], pyarrow.binary()),
            "value": pyarrow.array(["v0", "v1", None], pyarrow.string()),
            "partition": pyarrow.array([0, 0, None], pyarrow.int32()),
            "timestamp": pyarrow.array([1000, 2000, 3000], pyarrow.timestamp("ms", "UTC")),
        }
    )
    assert producer.produce_arrow(batch, kafka_topic, on_delivery=reports) == 3
    assert producer.flush(TIMEOUT) == 0
    messages = read(consumer, kafka_topic, 3)
    assert values_of(messages) == [b"v0", b"v1", None]
    assert [message.key() for message in messages] == [b"k0", None, b"k2"]
    assert [message.timestamp()[1] for message in messages] == [1000, 2000, 3000]
    assert len(reports) == 3


def test_arrow_into_a_full_queue(kafka_topic: str, small: Producer) -> None:
    """The exception names the row; those before it are enqueued."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    batch = pyarrow.record_batch({"value": pyarrow.array([b"v"] * 8, pyarrow.binary())})
    with pytest.raises(BufferError, match="row 5"):
        small.produce_arrow(batch, kafka_topic)
    assert len(small) == 5


def test_arrow_that_blocks(kafka_topic: str, make_producer: MakeProducer) -> None:
    """With block a batch of any size goes through a small queue."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    producer = make_producer({"queue.buffering.max.messages": 10})
    values = [b"%d" % i for i in range(1000)]
    batch = pyarrow.record_batch({"value": pyarrow.array(values, pyarrow.binary())})
    reports = Reports()
    assert producer.produce_arrow(batch, kafka_topic, on_delivery=reports, block=-1) == 1000
    assert producer.flush(TIMEOUT) == 0
    assert reports.values == values


# ---- purge ----


def test_purge_of_queued_messages(kafka_topic: str, make_producer: MakeProducer) -> None:
    """Messages not sent yet are reported with _PURGE_QUEUE, by the next poll()."""
    producer = make_producer({"linger.ms": 60_000})
    reports = Reports()
    fill(producer, kafka_topic, 5, reports)
    producer.purge()
    assert len(reports) == 0
    assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [KafkaError._PURGE_QUEUE] * 5
    assert sorted(value or b"" for value in reports.values) == [b"%d" % i for i in range(5)]


@pytest.fixture
def in_flight(kafka_cluster: MockCluster, kafka_topic: str, producer: Producer) -> Reports:
    """Reports of a message that was sent and is not answered."""
    reports = Reports()
    producer.produce(kafka_topic, b"first")
    assert producer.flush(TIMEOUT) == 0
    kafka_cluster.start_request_tracking()
    kafka_cluster.set_round_trip_time(None, TIMEOUT)
    producer.produce(kafka_topic, b"in flight", on_delivery=reports)
    wait_until(lambda: [r for r in kafka_cluster.requests() if r.request == "Produce"])
    return reports


def test_purge_of_messages_in_flight(producer: Producer, in_flight: Reports) -> None:
    """Messages that were sent and not answered are reported with _PURGE_INFLIGHT."""
    producer.purge()
    assert producer.flush(TIMEOUT) == 0
    assert in_flight.errors == [KafkaError._PURGE_INFLIGHT]


def test_purge_can_spare_messages_in_flight(
    kafka_cluster: MockCluster, producer: Producer, in_flight: Reports
) -> None:
    """in_flight=False leaves them to be answered."""
    producer.purge(in_flight=False)
    assert producer.poll(0) == 0
    kafka_cluster.set_round_trip_time(None, 0)
    assert producer.flush(TIMEOUT) == 0
    assert in_flight.errors == [None]


def test_purge_can_spare_the_queue(kafka_topic: str, make_producer: MakeProducer) -> None:
    """in_queue=False leaves queued messages to be sent."""
    producer = make_producer({"linger.ms": 60_000})
    reports = Reports()
    fill(producer, kafka_topic, 5, reports)
    producer.purge(in_queue=False, in_flight=True, blocking=True)
    assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [None] * 5


def test_purge_without_waiting(kafka_topic: str, make_producer: MakeProducer) -> None:
    """blocking=False returns before the broker threads have let go, which they do."""
    producer = make_producer({"linger.ms": 60_000})
    reports = Reports()
    fill(producer, kafka_topic, 5, reports)
    producer.purge(blocking=False)
    wait_until(lambda: len(reports) == 5, lambda: producer.poll(0.01))
    assert reports.errors == [KafkaError._PURGE_QUEUE] * 5


# ---- close ----


def test_close_delivers_everything(
    kafka_topic: str, make_producer: MakeProducer, consumer: Consumer
) -> None:
    """close() flushes: everything is delivered, and every callback has been called."""
    producer = make_producer({"linger.ms": 60_000})
    reports = Reports()
    fill(producer, kafka_topic, 1000, reports)
    assert producer.close() is True
    assert reports.errors == [None] * 1000
    assert len(producer) == 0
    assert len(read(consumer, kafka_topic, 1000)) == 1000


def test_close_with_a_timeout_gives_the_rest_up(make_producer: MakeProducer) -> None:
    """What could not be delivered in time is reported as purged: no callback is forgotten."""
    producer = make_producer({"bootstrap.servers": NO_BROKER})
    reports = Reports()
    fill(producer, "topic", 5, reports)
    watch = Stopwatch()
    assert producer.close(0.2) is True
    assert 0.2 <= watch.elapsed < TIMEOUT
    assert reports.errors == [KafkaError._PURGE_QUEUE] * 5


def test_leaving_a_with_block_delivers_everything(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """The context manager closes, with or without an exception in the block."""
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    with pytest.raises(ZeroDivisionError), Producer(config) as producer:  # noqa: PT012
        producer.produce(kafka_topic, b"v")
        raise ZeroDivisionError
    with pytest.raises(RuntimeError, match="closed"):
        producer.produce(kafka_topic, b"v")
    assert values_of(read(consumer, kafka_topic, 1)) == [b"v"]


def test_an_old_wakeup_does_not_end_close(kafka_topic: str, make_producer: MakeProducer) -> None:
    """A wakeup() that nobody was waiting for must not make close() give messages up."""
    producer = make_producer({"linger.ms": 60_000})
    reports = Reports()
    fill(producer, kafka_topic, 100, reports)
    producer.wakeup()
    producer.close()
    assert reports.errors == [None] * 100


def test_close_while_another_thread_waits_for_room(make_producer: MakeProducer) -> None:
    """produce(block=-1) in another thread does not hold close() up."""
    producer = make_producer({"bootstrap.servers": NO_BROKER, "queue.buffering.max.messages": 1})
    producer.produce("topic", b"v")
    waiting = threading.Event()
    errors: list[BaseException] = []

    def produce() -> None:
        waiting.set()
        try:
            producer.produce("topic", b"v", block=-1)
        except (BufferError, RuntimeError) as error:
            errors.append(error)

    thread = threading.Thread(target=produce)
    thread.start()
    assert waiting.wait(TIMEOUT)
    watch = Stopwatch()
    producer.close(0)
    assert watch.elapsed < TIMEOUT / 2
    thread.join(TIMEOUT)
    assert len(errors) == 1


# ---- callbacks that call the producer again ----


def test_a_callback_can_produce(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """Producing from a delivery callback works, and flush() waits for those messages too."""
    done: list[int] = []

    def delivered(error: KafkaError | None, message: Message) -> None:
        generation = int(message.value() or b"")
        done.append(generation)
        if generation < 50:
            producer.produce(kafka_topic, b"%d" % (generation + 1), on_delivery=delivered)

    producer.produce(kafka_topic, b"0", on_delivery=delivered)
    assert producer.flush(TIMEOUT) == 0
    assert done == list(range(51))
    assert len(read(consumer, kafka_topic, 51)) == 51


def test_a_callback_can_poll(kafka_topic: str, producer: Producer) -> None:
    """poll() inside a callback goes on with the same batch: each report exactly once."""
    seen: list[int] = []

    def delivered(error: KafkaError | None, message: Message) -> None:
        number = int(message.value() or b"")
        producer.poll(0)
        assert message.value() == b"%d" % number
        seen.append(number)

    for i in range(50):
        producer.produce(kafka_topic, b"%d" % i, on_delivery=delivered)
    assert producer.flush(TIMEOUT) == 0
    assert sorted(seen) == list(range(50))


def test_a_callback_can_flush(kafka_topic: str, producer: Producer) -> None:
    """flush() inside a callback waits for the other messages, not for its own."""
    seen: list[bytes | None] = []
    left: list[int] = []

    def delivered(error: KafkaError | None, message: Message) -> None:
        seen.append(message.value())
        if len(seen) == 1:
            left.append(producer.flush(TIMEOUT))

    for i in range(50):
        producer.produce(kafka_topic, b"%d" % i, on_delivery=delivered)
    assert producer.flush(TIMEOUT) == 0
    assert left == [0]
    assert seen == [b"%d" % i for i in range(50)]
    assert len(producer) == 0


def test_no_room_inside_a_callback(kafka_topic: str, make_producer: MakeProducer) -> None:
    """Messages being reported still take their place: block ends, and nothing is lost."""
    producer = make_producer({"queue.buffering.max.messages": 3, "linger.ms": 60_000})
    reports = Reports()
    refused: list[BufferError] = []

    def delivered(error: KafkaError | None, message: Message) -> None:
        reports(error, message)
        with pytest.raises(BufferError) as caught:
            producer.produce(kafka_topic, b"again", block=0.05)
        refused.append(caught.value)

    fill(producer, kafka_topic, 3, delivered)
    assert producer.flush(TIMEOUT) == 0
    assert sorted(value or b"" for value in reports.values) == [b"0", b"1", b"2"]
    assert len(refused) == 3
    producer.produce(kafka_topic, b"room again", on_delivery=reports)
    assert producer.flush(TIMEOUT) == 0
    assert len(reports) == 4


def test_callbacks_are_let_go_of(kafka_topic: str, producer: Producer) -> None:
    """A callback is not referenced any longer once it has been called."""
    reports = Reports()
    reference = weakref.ref(reports)
    fill(producer, kafka_topic, 10, reports)
    assert producer.flush(TIMEOUT) == 0
    del reports
    gc.collect()
    assert reference() is None


# ---- threads ----


def test_eight_threads(make_producer: MakeProducer, kafka_topic: str) -> None:
    """Eight threads that produce and poll: every callback is called exactly once."""
    producer = make_producer({"queue.buffering.max.messages": 500})
    per_thread = 2000
    counts = {(thread, i): 0 for thread in range(8) for i in range(per_thread)}
    failures: list[BaseException] = []

    def work(thread: int) -> None:
        def delivered(error: KafkaError | None, message: Message) -> None:
            name, _, number = (message.value() or b"").partition(b" ")
            counts[int(name), int(number)] += 1
            assert error is None

        try:
            for i in range(per_thread):
                value = b"%d %d" % (thread, i)
                producer.produce(kafka_topic, value, on_delivery=delivered, block=TIMEOUT)
                if i % 10 == 0:
                    producer.poll(0)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert producer.flush(TIMEOUT) == 0
    assert set(counts.values()) == {1}


def test_produced_records_are_all_there(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """What was reported as delivered is in the topic, once and in order."""
    values = [b"%d" % i for i in range(3000)]
    send(producer, kafka_topic, values)
    assert values_of(read(consumer, kafka_topic, 3000)) == values
