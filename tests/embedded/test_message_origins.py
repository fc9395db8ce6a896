"""Messages that librdkafka created: consumed messages, delivery reports and errors."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import (
    OFFSET_BEGINNING,
    TIMESTAMP_CREATE_TIME,
    TIMESTAMP_LOG_APPEND_TIME,
    Consumer,
    KafkaError,
    Message,
    Producer,
    TopicPartition,
    build_info,
)
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeProducer
from tests.support.refcounts import assert_no_leaks
from tests.support.waiting import wait_until

HEADERS = [("a", b"x"), ("☃", None), ("a", b"")]


def deliver(
    producer: Producer,
    topic: str,
    callback: Callable[[KafkaError | None, Message], None] | None = None,
    **fields: Any,
) -> Message:
    """Produces one message and waits for its report; returns the report's message."""
    reports: list[Message] = []

    def report(error: KafkaError | None, message: Message) -> None:
        reports.append(message)
        if callback is not None:
            callback(error, message)

    producer.produce(topic, on_delivery=report, **fields)
    wait_until(lambda: reports, step=lambda: producer.poll(0.1))
    return reports[0]


def consume(consumer: Consumer, topic: str, count: int = 1) -> list[Message]:
    """The first messages of the topic's partition 0, without errors."""
    consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])
    messages: list[Message] = []

    def poll() -> None:
        message = consumer.poll(0.1)
        if message is not None and message.error() is None:
            messages.append(message)

    wait_until(lambda: len(messages) == count, step=poll)
    return messages


def test_consumed_message(producer: Producer, consumer: Consumer, kafka_topic: str) -> None:
    """Every produced field arrives; fields that a consumer cannot have are None."""
    deliver(producer, kafka_topic, key="k", value="v", headers=HEADERS, timestamp=1234567890123)
    (message,) = consume(consumer, kafka_topic)
    assert message.topic() == kafka_topic
    assert message.partition() == 0
    assert message.offset() == 0
    assert message.key() == b"k"
    assert message.value() == b"v"
    assert message.headers() == HEADERS
    assert message.headers() is message.headers()
    assert message.error() is None
    assert message.timestamp() == (TIMESTAMP_CREATE_TIME, 1234567890123)
    assert message.latency() is None
    assert message.leader_epoch() == 0
    assert message.delivery_count() is None
    assert len(message) == 1
    assert repr(message) == f"Message{{topic={kafka_topic},partition=0,offset=0,error=None}}"


@pytest.mark.parametrize("content", [None, b"", b"\0", b"x" * 100_000])
def test_null_is_not_empty(
    producer: Producer, consumer: Consumer, kafka_topic: str, content: bytes | None
) -> None:
    """None and b"" are different keys, and different values (a tombstone is None)."""
    report = deliver(producer, kafka_topic, key=content, value=content)
    (message,) = consume(consumer, kafka_topic)
    for one in (report, message):
        assert one.key() == content
        assert one.value() == content
        assert one.headers() is None
        assert len(one) == len(content or b"")


def test_messages_outlive_their_client(
    producer: Producer, make_consumer: Callable[[], Consumer], kafka_topic: str
) -> None:
    """After its client is closed, a message still has its key, value and unread headers."""
    deliver(producer, kafka_topic, key="k", value="v", headers=HEADERS)
    consumer = make_consumer()
    (message,) = consume(consumer, kafka_topic)
    consumer.close()
    del consumer
    assert (message.key(), message.value(), message.headers()) == (b"k", b"v", HEADERS)
    assert pickle.loads(pickle.dumps(message)) == message


def test_topic_names_are_shared_and_right(
    kafka_cluster: MockCluster, producer: Producer, consumer: Consumer
) -> None:
    """Messages of one topic share the str of its name, also if messages of many topics
    alternate."""
    topics = [f"topic-{number}" for number in range(20)]
    for topic in topics:
        kafka_cluster.create_topic(topic)
        for _ in range(3):
            producer.produce(topic, value=topic)
    producer.flush(30)
    consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING) for topic in topics])
    messages: list[Message] = []
    wait_until(lambda: len(messages) == 60, step=lambda: messages.extend(consumer.consume(60, 0.1)))
    assert [message.topic() for message in messages] == [
        message.value().decode() for message in messages
    ]
    same = consume(consumer, topics[0], 3)
    assert len({id(message.topic()) for message in same}) == 1


def test_garbage_collector_is_not_bothered(
    producer: Producer, consumer: Consumer, kafka_topic: str
) -> None:
    """The garbage collector does not track a fetched message until it could be part of a cycle."""
    deliver(producer, kafka_topic, key="k", value="v", headers=HEADERS)
    (first,) = consume(consumer, kafka_topic)
    assert not gc.is_tracked(first)
    first.key(), first.value(), first.topic(), first.timestamp()
    first.set_value(b"bytes")
    assert not gc.is_tracked(first)
    assert first.headers() == HEADERS
    assert gc.is_tracked(first)
    (second,) = consume(consumer, kafka_topic)
    second.set_value({"deserialized": True})
    assert gc.is_tracked(second)


def test_cycle_through_fetched_headers(
    producer: Producer, consumer: Consumer, kafka_topic: str
) -> None:
    """A cycle through the list that headers() returned is found and freed."""
    for _ in range(50):
        producer.produce(kafka_topic, headers=HEADERS)
    producer.flush(30)

    def work() -> None:
        for message in consume(consumer, kafka_topic, 50):
            headers: Any = message.headers()
            headers.append(message)

    assert_no_leaks(work, repeat=2)


def produce_with_headers(producer: Producer, topic: str, several: list[list[Any]]) -> None:
    """Produce one message for each list of headers."""
    for headers in several:
        producer.produce(topic, headers=headers)
    producer.flush(30)


def test_headers_of_one_message_after_another(
    producer: Producer, consumer: Consumer, kafka_topic: str
) -> None:
    """If messages have equal names, values and nulls, each message still returns its own headers,
    in any order."""
    several: list[list[Any]] = [
        [("a", b"1"), ("b", b"2")],
        [("a", b"1"), ("b", b"3")],
        [("b", b"3"), ("a", None)],
        [("a", b"")],
        [("a", b"x" * 1000)],
        [("a", b"x" * 999 + b"y")],
        [("\u00e9", b"1"), ("", b""), ("n" * 100, None)],
        [("a", b"1")] * 9,
        [("a", b"1")] * 8,
        [("a", b"1"), ("b", b"2")],
    ]
    produce_with_headers(producer, kafka_topic, several)
    messages = consume(consumer, kafka_topic, len(several))
    for _ in range(2):
        assert [message.headers() for message in messages] == several
        for message, headers in zip(messages, several, strict=True):
            assert message.headers() == headers
        for message, headers in zip(messages[::-1], several[::-1], strict=True):
            assert message.headers() == headers


@pytest.mark.parametrize("count", [1, 2, 9])
def test_list_of_headers_that_is_kept(
    producer: Producer, consumer: Consumer, kafka_topic: str, count: int
) -> None:
    """headers() returns the same list as long as the application keeps the message or the list."""
    headers = [("name", b"value")] * count
    produce_with_headers(producer, kafka_topic, [headers] * 4)
    messages = consume(consumer, kafka_topic, 4)
    lists = [message.headers() for message in messages]
    assert len({id(one) for one in lists}) == 4
    for message, one in zip(messages, lists, strict=True):
        assert message.headers() is one


CHANGES: dict[str, Callable[[list[Any]], object]] = {
    "append": lambda headers: headers.append(("more", b"1")),
    "clear": lambda headers: headers.clear(),
    "replace": lambda headers: headers.__setitem__(0, ("other", b"1")),
    "equal": lambda headers: headers.__setitem__(0, (headers[0][0], bytes([*headers[0][1]]))),
    "swap": lambda headers: headers.reverse(),
    "any object": lambda headers: headers.__setitem__(1, headers),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_changed_headers_stay_changed(
    producer: Producer, consumer: Consumer, kafka_topic: str, change: Callable[[list[Any]], object]
) -> None:
    """If the application changes the list, a later headers() returns the changed list."""
    headers: list[Any] = [("one", b"1"), ("two", b"2")]
    produce_with_headers(producer, kafka_topic, [headers] * 3)
    first, *others = consume(consumer, kafka_topic, 3)

    def given() -> Any:
        return first.headers()

    change(given())
    places = [id(header) for header in given()]
    for other in others:
        assert other.headers() == headers
    assert [id(header) for header in given()] == places


def test_headers_set_after_they_were_read(
    producer: Producer, consumer: Consumer, kafka_topic: str
) -> None:
    """headers() returns the headers that were set last, even None, whatever is read in between."""
    produce_with_headers(producer, kafka_topic, [[("name", b"value")]] * 4)
    messages = consume(consumer, kafka_topic, 4)
    chosen: list[Any] = [None, [("set", b"1")], {"a": "dict"}]
    for message, headers in zip(messages, chosen, strict=False):
        message.headers()
        message.set_headers(headers)
        assert messages[3].headers() == [("name", b"value")]
    assert [message.headers() for message in messages[:3]] == chosen
    messages[3].headers()
    messages[3].__init__(headers=messages[3].headers())  # type: ignore[misc]
    messages[0].headers()
    assert messages[3].headers() == [("name", b"value")]


def test_headers_of_dropped_messages(
    producer: Producer, consumer: Consumer, kafka_topic: str
) -> None:
    """Messages that are freed between reads leak nothing."""
    produce_with_headers(producer, kafka_topic, [[("name", b"value")]] * 50)

    def work() -> None:
        messages = consume(consumer, kafka_topic, 50)
        messages[0].headers()
        del messages[0]
        while messages:
            assert messages.pop().headers() == [("name", b"value")]

    assert_no_leaks(work, repeat=2)


def test_headers_that_nobody_kept_are_not_tracked(
    producer: Producer, consumer: Consumer, kafka_topic: str
) -> None:
    """After the next message's headers were read, the garbage collector tracks no more objects than
    before."""
    produce_with_headers(producer, kafka_topic, [[("name", b"value")]] * 3)
    first, second, third = consume(consumer, kafka_topic, 3)
    first.headers()
    second.set_value([])
    second.headers()
    third.headers()
    assert gc.is_tracked(first) == bool(build_info()["free_threaded"])
    assert gc.is_tracked(second)
    assert gc.is_tracked(third)


def test_timestamps_of_one_message_after_another(
    producer: Producer, consumer: Consumer, kafka_topic: str
) -> None:
    """Each message has its own time and type of timestamp."""
    times = [1000, 1000, 1001, 1000]
    for time in times:
        producer.produce(kafka_topic, timestamp=time)
    producer.flush(30)
    messages = consume(consumer, kafka_topic, 4)
    messages.insert(1, Message(timestamp=(TIMESTAMP_LOG_APPEND_TIME, 1000)))
    expected = [(TIMESTAMP_CREATE_TIME, time) for time in times]
    expected.insert(1, (TIMESTAMP_LOG_APPEND_TIME, 1000))
    assert [message.timestamp() for message in messages] == expected


def test_end_of_partition(
    producer: Producer, make_consumer: Callable[[dict[str, Any]], Consumer], kafka_topic: str
) -> None:
    """An event comes as a message with an error, and its text as the value."""
    deliver(producer, kafka_topic, key="k", value="v", headers=HEADERS)
    consumer = make_consumer({"enable.partition.eof": True})
    consumer.assign([TopicPartition(kafka_topic, 0, OFFSET_BEGINNING)])
    events: list[Message] = []

    def poll() -> None:
        message = consumer.poll(0.1)
        if message is not None and message.error() is not None:
            events.append(message)

    wait_until(lambda: events, step=poll)
    (event,) = events
    error = event.error()
    assert error is not None
    assert error.code() == KafkaError._PARTITION_EOF
    assert event.value() == error.str().encode()
    assert (event.topic(), event.partition(), event.offset()) == (kafka_topic, 0, 1)
    absent = [event.key(), event.headers(), event.leader_epoch(), event.latency()]
    assert absent == [None] * 4
    assert "_PARTITION_EOF" in repr(event)
    assert pickle.loads(pickle.dumps(event)) == event


def test_delivery_report(producer: Producer, kafka_topic: str) -> None:
    """A report has all produced fields, and the fields that the broker and the client add."""
    seen: list[Any] = []

    def read(error: KafkaError | None, message: Message) -> None:
        seen.extend([error, message.key(), message.value(), message.headers()])

    message = deliver(producer, kafka_topic, read, key="k", value="v", headers=HEADERS)
    assert seen == [None, b"k", b"v", HEADERS]
    assert message.topic() == kafka_topic
    assert (message.partition(), message.offset()) == (0, 0)
    assert message.error() is None
    latency = message.latency()
    assert latency is not None
    assert 0 < latency < 30
    assert latency == message.latency()
    assert message.leader_epoch() is None
    assert message.delivery_count() is None
    assert isinstance(message.timestamp()[1], int)


@pytest.mark.parametrize("read", ["key", "value", "headers", "topic", "latency"])
def test_report_kept_after_its_callback(producer: Producer, kafka_topic: str, read: str) -> None:
    """Fields that the callback did not read can be read later."""
    message = deliver(
        producer,
        kafka_topic,
        lambda _, message: getattr(message, read)(),
        key="k",
        value="v",
        headers=HEADERS,
    )
    producer.close()
    assert (message.key(), message.value(), message.headers()) == (b"k", b"v", HEADERS)


def test_report_changed_in_its_callback(producer: Producer, kafka_topic: str) -> None:
    """A field that the callback set keeps its value, even None; it does not return to the original
    value."""

    def change(_: KafkaError | None, message: Message) -> None:
        message.set_key(None)
        message.set_value(["new"])
        message.set_headers(None)

    message = deliver(producer, kafka_topic, change, key="k", value="v", headers=HEADERS)
    assert message.key() is None
    assert message.value() == ["new"]
    assert message.headers() is None


def test_report_in_a_traceback(producer: Producer, kafka_topic: str) -> None:
    """If the traceback of a callback's exception keeps a report, the report stays readable."""

    def fail(_: KafkaError | None, message: Message) -> None:
        raise ZeroDivisionError(message)

    producer.produce(kafka_topic, key="k", value="v", headers=HEADERS, on_delivery=fail)
    with pytest.raises(ZeroDivisionError) as caught:
        producer.flush(30)
    (message,) = caught.value.args
    assert (message.key(), message.value(), message.headers()) == (b"k", b"v", HEADERS)


def test_failed_delivery(make_producer: MakeProducer) -> None:
    """The report of a failure has the error and no offset; its content can be produced again."""
    producer = make_producer({"linger.ms": 60_000})
    errors: list[KafkaError | None] = []
    messages: list[Message] = []

    def report(error: KafkaError | None, message: Message) -> None:
        errors.append(error)
        messages.append(message)

    producer.produce("no-such-broker-yet", key="k", value="v", headers=HEADERS, on_delivery=report)
    producer.purge()
    wait_until(lambda: messages, step=lambda: producer.poll(0.1))
    (message,) = messages
    error = message.error()
    assert errors == [error]
    assert error is not None
    assert error.code() in (KafkaError._PURGE_QUEUE, KafkaError._PURGE_INFLIGHT)
    assert error.str()
    assert message.offset() is None
    assert (message.key(), message.value(), message.headers()) == (b"k", b"v", HEADERS)


@pytest.mark.parametrize("error", [None, KafkaError(3)])
def test_replacing_the_error_of_a_delivery(
    error: KafkaError | None, make_producer: MakeProducer
) -> None:
    """If a callback replaces the error, error() returns the new value, even if it is None."""
    producer = make_producer({"linger.ms": 60_000})
    reports: list[Message] = []

    def report(_: KafkaError | None, message: Message) -> None:
        message.set_error(error)
        assert message.error() is error
        reports.append(message)

    producer.produce("no-such-broker-yet", value="v", on_delivery=report)
    producer.purge()
    wait_until(lambda: reports, step=lambda: producer.poll(0.1))
    assert reports[0].error() is error


def test_raising_the_error_of_a_delivery(make_producer: MakeProducer) -> None:
    """If the error of a message is raised, error and message are collected, although the traceback
    refers to the message."""
    producer = make_producer({"linger.ms": 60_000})
    raised: list[int] = []

    def report(error: KafkaError | None, message: Message) -> None:
        try:
            raise message.error()  # type: ignore[misc]
        except KafkaError as failure:
            # a cycle: the error, its traceback, this frame, and again the error
            kept = failure
            raised.append(kept.code())

    def work() -> None:
        raised.clear()
        producer.produce("no-such-broker-yet", value="v", on_delivery=report)
        producer.purge()
        wait_until(lambda: raised, step=lambda: producer.poll(0.1))

    assert_no_leaks(work)
    assert raised == [KafkaError._PURGE_QUEUE]


def test_no_leaks(producer: Producer, consumer: Consumer, kafka_topic: str) -> None:
    """Consumed messages are freed, and so are reports that were read, kept, changed or ignored."""
    callbacks: list[Callable[[KafkaError | None, Message], object]] = [
        lambda error, message: None,
        lambda error, message: (message.key(), message.value(), message.headers()),
        lambda error, message: message.set_value([message]),
        lambda error, message: kept.append(message),
    ]
    kept: list[Message] = []

    def produce() -> None:
        for callback in callbacks:
            producer.produce(kafka_topic, key="k", value="v", headers=HEADERS, on_delivery=callback)
        assert producer.flush(30) == 0
        kept.clear()

    assert_no_leaks(produce, repeat=20)

    def read() -> None:
        for message in consume(consumer, kafka_topic, 5):
            message.key(), message.value(), message.timestamp()
            if message.offset() != 0:
                message.headers()

    assert_no_leaks(read, repeat=10)
