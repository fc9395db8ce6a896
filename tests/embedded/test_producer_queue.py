"""The queue of a Producer: poll(), flush(), len(), and a full queue."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeProducer
from tests.support.kafka import NO_BROKER, Reports, fill, read, send, values_of, wait_for_statistics
from tests.support.patches import needs
from tests.support.waiting import SOON, TIMEOUT, Stopwatch

# ---- poll, flush, len ----


def test_poll_counts_what_it_served(kafka_topic: str, producer: Producer) -> None:
    """poll() returns the number of served reports, or 0 after its timeout."""
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
    """poll(timeout) waits for at most that many seconds."""
    watch = Stopwatch()
    assert producer.poll(0.3) == 0
    assert 0.3 <= watch.elapsed < TIMEOUT


def test_len_is_what_is_outstanding(kafka_topic: str, make_producer: MakeProducer) -> None:
    """len() counts each message until its callback has been called."""
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
    """`if producer:` tests the object, and not its length."""
    assert producer


def test_flush_does_not_linger(kafka_topic: str, make_producer: MakeProducer) -> None:
    """flush() at once sends messages that linger.ms would hold back."""
    producer = make_producer({"linger.ms": 60_000})
    reports = Reports()
    for i in range(10):
        producer.produce(kafka_topic, b"%d" % i, on_delivery=reports)
    watch = Stopwatch()
    assert producer.flush(TIMEOUT) == 0
    assert watch.elapsed < TIMEOUT
    assert reports.errors == [None] * 10


def test_flush_returns_what_is_left(make_producer: MakeProducer) -> None:
    """After its timeout, flush(timeout) returns how many messages are outstanding."""
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


def test_flush_counts_no_event_that_comes_afterwards(make_producer: MakeProducer) -> None:
    """flush() returns 0 once all messages are delivered, even if the same queue contains
    statistics."""
    told: list[str] = []
    statistics = {"statistics.interval.ms": 1, "stats_cb": told.append}
    producer = make_producer(statistics)
    left = {producer.flush() for _ in range(200_000)}
    assert told
    assert left == {0}


# ---- a full queue ----


def test_a_full_queue_is_a_buffer_error(kafka_topic: str, small: Producer) -> None:
    """BufferError contains advice. Nothing is enqueued, and the callback is released."""
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
    """produce(block=) runs callbacks, and continues as soon as there is room."""
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
    """With block=-1, the call waits without a limit."""
    producer = make_producer({"queue.buffering.max.messages": 1})
    reports = Reports()
    for i in range(20):
        producer.produce(kafka_topic, b"%d" % i, on_delivery=reports, block=-1)
    assert producer.flush(TIMEOUT) == 0
    assert reports.values == [b"%d" % i for i in range(20)]


@needs("latest-only")
def test_flush_counts_messages_alone(make_producer: MakeProducer) -> None:
    """flush() does not count statistics that wait for their callback."""
    flushing = threading.Event()

    def next_has_come(*_: object) -> None:
        if flushing.is_set():
            wait_for_statistics(producer)

    producer = make_producer(
        {"bootstrap.servers": "", "statistics.interval.ms": 1, "stats_cb": next_has_come}
    )
    producer.produce("topic", b"v")
    wait_for_statistics(producer)
    flushing.set()
    assert producer.flush(0) == 1
    flushing.clear()


def test_block_ends_with_a_buffer_error(make_producer: MakeProducer) -> None:
    """If there is no room after `block` seconds, the call raises BufferError."""
    producer = make_producer({"bootstrap.servers": NO_BROKER, "queue.buffering.max.messages": 1})
    producer.produce("topic", b"v")
    watch = Stopwatch()
    with pytest.raises(BufferError):
        producer.produce("topic", b"v", block=0.25)
    assert watch.elapsed >= 0.25
    assert len(producer) == 1


def test_wakeup_ends_block(make_producer: MakeProducer) -> None:
    """wakeup() makes a produce() that waits for room raise BufferError at once."""
    producer = make_producer({"bootstrap.servers": NO_BROKER, "queue.buffering.max.messages": 1})
    producer.produce("topic", b"v")
    timer = threading.Timer(0.05, producer.wakeup)
    timer.start()
    watch = Stopwatch()
    with pytest.raises(BufferError):
        producer.produce("topic", b"v", block=TIMEOUT)
    assert watch.elapsed < SOON
    timer.join()


def test_wakeup_ends_the_block_of_a_whole_batch(make_producer: MakeProducer) -> None:
    """wakeup() ends the wait of the whole batch, not only of one message."""
    producer = make_producer({"bootstrap.servers": NO_BROKER, "queue.buffering.max.messages": 1})
    messages: list[Any] = [{"value": b"%d" % i} for i in range(10)]
    timer = threading.Timer(0.05, producer.wakeup)
    timer.start()
    watch = Stopwatch()
    assert producer.produce_batch("topic", messages, block=TIMEOUT) == 1
    assert watch.elapsed < SOON
    assert [message.get("_error") for message in messages] == [
        None,
        *[KafkaError._QUEUE_FULL] * 9,
    ]
    timer.join()


def test_a_message_that_is_too_large(kafka_topic: str, make_producer: MakeProducer) -> None:
    """If librdkafka refuses a message at once, produce() raises a KafkaException, and its callback
    is released."""
    producer = make_producer({"message.max.bytes": 1000})
    reports = Reports()
    with pytest.raises(KafkaException) as caught:
        producer.produce(kafka_topic, b"x" * 2000, on_delivery=reports)
    assert caught.value.args[0] == KafkaError.MSG_SIZE_TOO_LARGE
    assert producer.flush(TIMEOUT) == 0
    assert len(reports) == 0


def test_a_partition_that_does_not_exist(
    kafka_cluster: MockCluster, kafka_topic: str, make_producer: MakeProducer
) -> None:
    """An unknown partition is reported, or refused once the topic is known; no message is lost
    silently."""
    reports = Reports()
    kafka_cluster.set_broker_down()
    producer = make_producer()
    producer.produce(kafka_topic, b"v", partition=17, on_delivery=reports)
    kafka_cluster.set_broker_up()
    assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [KafkaError._UNKNOWN_PARTITION]
    with pytest.raises(KafkaException) as caught:
        producer.produce(kafka_topic, b"v", partition=17, on_delivery=reports)
    assert caught.value.args[0] == KafkaError._UNKNOWN_PARTITION
    assert len(producer) == 0


# ---- callbacks that call the producer again ----


def test_a_callback_can_produce(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """A delivery callback can produce, and flush() also waits for these messages."""
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
    """poll() in a callback continues with the same batch: each report is served exactly once."""
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
    """flush() in a callback waits for the other messages, but not for the message of the
    callback."""
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
    """Messages that are being reported still occupy the queue, so `block` ends; no message is
    lost."""
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
    """After a callback has been called, the producer does not refer to it any more."""
    reports = Reports()
    reference = weakref.ref(reports)
    fill(producer, kafka_topic, 10, reports)
    assert producer.flush(TIMEOUT) == 0
    del reports
    gc.collect()
    assert reference() is None


# ---- threads ----


def test_eight_threads(make_producer: MakeProducer, kafka_topic: str) -> None:
    """If eight threads produce and poll, every callback is called exactly once."""
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
    """Messages that were reported as delivered are in the topic, each once and in order."""
    values = [b"%d" % i for i in range(3000)]
    send(producer, kafka_topic, values)
    assert values_of(read(consumer, kafka_topic, 3000)) == values
