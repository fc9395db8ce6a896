"""commit(), store_offsets() and committed(): which offsets are committed."""

from __future__ import annotations

import struct
import threading
from typing import Any

import pytest

from confluent_kafka import (
    OFFSET_INVALID,
    OFFSET_STORED,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import FILLED, MakeConsumer
from tests.support.kafka import committed, poll_values
from tests.support.protocol import array, ask, text
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until

OFFSET_COMMIT = 8


@pytest.fixture
def stored(make_consumer: MakeConsumer) -> Consumer:
    """A consumer that commits only the offsets that are given to store_offsets()."""
    return make_consumer({"enable.auto.offset.store": False})


# ---- commit ----


def test_commit_of_a_message(filled: str, consumer: Consumer) -> None:
    """commit(message) commits the offset after it, in this partition only."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    messages = consumer.consume(10, TIMEOUT)
    (result,) = consumer.commit(messages[4], asynchronous=False)
    assert (result.topic, result.partition, result.offset) == (filled, 0, 5)
    assert result.error is None
    assert committed(consumer, filled) == 5


@pytest.mark.kafka_topic(partitions=2)
def test_commit_of_offsets(kafka_topic: str, consumer: Consumer) -> None:
    """commit(offsets=...) commits exactly these, with their metadata."""
    offsets = [
        TopicPartition(kafka_topic, 0, 12, metadata="what I did"),
        TopicPartition(kafka_topic, 1, 0),
    ]
    result = consumer.commit(offsets=offsets, asynchronous=False)
    assert [(entry.partition, entry.offset, entry.error) for entry in result] == [
        (0, 12, None),
        (1, 0, None),
    ]
    answer = consumer.committed(offsets, TIMEOUT)
    assert [(entry.offset, entry.metadata) for entry in answer] == [(12, "what I did"), (0, None)]


@pytest.mark.parametrize("metadata", ["", "é", None])
def test_metadata_comes_back(kafka_topic: str, consumer: Consumer, metadata: str | None) -> None:
    """Metadata is returned as it was committed: no text and an empty text are different."""
    place = TopicPartition(kafka_topic, 0, 1, metadata=metadata)
    (result,) = consumer.commit(offsets=[place], asynchronous=False)
    (answer,) = consumer.committed([place], TIMEOUT)
    assert (result.metadata, answer.metadata) == (metadata, metadata)


def test_metadata_of_others(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """confluent-kafka-python commits a NUL after the metadata, which is not part of the text."""
    place = struct.pack(">iqi", 0, 7, -1) + text("theirs\0")
    topic = array([text(kafka_topic) + array([place])])
    group = text("group") + struct.pack(">i", -1) + text("") + struct.pack(">h", -1)
    ask(kafka_cluster.bootstrap_servers.split(",")[0], OFFSET_COMMIT, 7, group + topic)
    (answer,) = consumer.committed([TopicPartition(kafka_topic, 0)], TIMEOUT)
    assert (answer.offset, answer.metadata) == (7, "theirs")


def test_commit_of_what_was_returned(filled: str, consumer: Consumer) -> None:
    """commit() without arguments commits returned messages, and no messages that were only
    fetched."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    poll_values(consumer, 20)
    (result,) = consumer.commit(asynchronous=False)
    assert result.offset == 20
    assert committed(consumer, filled) == 20


def test_commit_in_the_background(filled: str, make_consumer: MakeConsumer) -> None:
    """An asynchronous commit returns None, and on_commit gets the result from poll()."""
    calls: list[tuple[KafkaError | None, list[TopicPartition]]] = []
    consumer = make_consumer({"on_commit": lambda *call: calls.append(call)})
    consumer.assign([TopicPartition(filled, 0, 0)])
    (message,) = consumer.consume(1, TIMEOUT)
    assert consumer.commit(message) is None
    wait_until(lambda: calls, lambda: consumer.poll(0.01))
    ((error, (offset,)),) = calls
    assert error is None
    assert (offset.topic, offset.partition, offset.offset) == (filled, 0, 1)
    assert committed(consumer, filled) == 1


@pytest.mark.parametrize("name", ["async", "asynchronous"])
def test_async_is_the_older_name(filled: str, consumer: Any, name: str) -> None:
    """**{"async": False} waits as asynchronous=False does."""
    offsets = [TopicPartition(filled, 0, 3)]
    assert consumer.commit(offsets=offsets, **{name: False}) == offsets
    assert consumer.commit(offsets=offsets, **{name: True}) is None


def test_nothing_to_commit(make_consumer: MakeConsumer) -> None:
    """If there are no offsets to commit, commit() raises _NO_OFFSET, or on_commit gets it."""
    errors: list[KafkaError | None] = []
    consumer = make_consumer({"on_commit": lambda error, _: errors.append(error)})
    with pytest.raises(KafkaException) as caught:
        consumer.commit(asynchronous=False)
    assert caught.value.args[0] == KafkaError._NO_OFFSET
    assert consumer.commit() is None
    wait_until(lambda: errors, lambda: consumer.poll(0.01))
    assert errors == [KafkaError._NO_OFFSET]


def test_commit_of_both(filled: str, consumer: Consumer) -> None:
    """commit() accepts either a message or offsets, but not both."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    (message,) = consumer.consume(1, TIMEOUT)
    with pytest.raises(ValueError, match="message and offsets"):
        consumer.commit(message, [TopicPartition(filled, 0, 1)])


def test_commit_of_an_error(filled: str, make_consumer: MakeConsumer) -> None:
    """A message that is an error cannot be committed: _INVALID_ARG has the error's text."""
    consumer = make_consumer({"enable.partition.eof": True, "enable.auto.offset.store": False})
    consumer.assign([TopicPartition(filled, 0, FILLED)])
    (end,) = consumer.consume(1, TIMEOUT)
    error = end.error()
    assert error is not None
    for verb, call in (("commit", consumer.commit), ("store", consumer.store_offsets)):
        with pytest.raises(KafkaException) as caught:
            call(end)
        assert caught.value.error == KafkaError._INVALID_ARG
        text = f"Cannot {verb} offsets for message with error: '{error.str()}'"
        assert caught.value.args[0].str() == text


def test_commit_of_a_mocks_error(consumer: Consumer) -> None:
    """A message is refused if its error is an object of any other type, as a mock may have."""
    message = Message("t", 0, 5, error="made up")  # type: ignore[arg-type]
    with pytest.raises(KafkaException, match="for message with error: 'made up'") as caught:
        consumer.commit(message)
    assert caught.value.error == KafkaError._INVALID_ARG


@pytest.mark.parametrize("message", [Message("t", 0), Message("t", 0, -5), Message("t")])
def test_commit_of_a_message_without_an_offset(message: Message, make_consumer: Any) -> None:
    """A message without an offset is accepted, but there is nothing to commit: _NO_OFFSET is
    raised, or on_commit gets it."""
    calls: list[tuple[KafkaError | None, list[TopicPartition]]] = []
    consumer = make_consumer({"on_commit": lambda *call: calls.append(call)})
    with pytest.raises(KafkaException) as caught:
        consumer.commit(message=message, asynchronous=False)
    assert caught.value.error == KafkaError._NO_OFFSET
    assert consumer.commit(message=message) is None
    wait_until(lambda: calls, lambda: consumer.poll(0.01))
    ((error, (offset,)),) = calls
    assert error == KafkaError._NO_OFFSET
    assert (offset.topic, offset.offset) == ("t", OFFSET_STORED)


@pytest.mark.parametrize(
    ("topic", "exception", "text"),
    [
        (None, ValueError, "message has no topic"),
        (b"t", TypeError, "topic of message must be str, not bytes"),
        ("\ud800", ValueError, "topic of message"),
    ],
)
def test_commit_of_a_mocks_topic(
    topic: Any, exception: type[Exception], text: str, consumer: Consumer
) -> None:
    """If a message's topic is not a str, as in a mock, commit() raises an exception that names
    it."""
    for call in (consumer.commit, consumer.store_offsets):
        with pytest.raises(exception, match=text):
            call(message=Message(topic, 0, 5))


def test_refused_commit(kafka_cluster: MockCluster, filled: str, consumer: Consumer) -> None:
    """A synchronous commit raises the coordinator's error."""
    kafka_cluster.inject_errors("OffsetCommit", [KafkaError.GROUP_AUTHORIZATION_FAILED])
    with pytest.raises(KafkaException) as caught:
        consumer.commit(offsets=[TopicPartition(filled, 0, 1)], asynchronous=False)
    assert caught.value.args[0] == KafkaError.GROUP_AUTHORIZATION_FAILED


def test_wakeup_ends_a_commit(kafka_cluster: MockCluster, filled: str, consumer: Consumer) -> None:
    """wakeup() ends a commit whose coordinator does not answer."""
    assert committed(consumer, filled) == OFFSET_INVALID
    kafka_cluster.set_round_trip_time(None, TIMEOUT)
    timer = threading.Timer(0.1, consumer.wakeup)
    timer.start()
    watch = Stopwatch()
    with pytest.raises(KafkaException) as caught:
        consumer.commit(offsets=[TopicPartition(filled, 0, 1)], asynchronous=False)
    assert caught.value.args[0] == KafkaError._INTR
    assert watch.elapsed < SOON
    timer.join()
    kafka_cluster.set_round_trip_time(None, 0)


def test_close_ends_a_commit(
    kafka_cluster: MockCluster, filled: str, make_consumer: MakeConsumer
) -> None:
    """close() in another thread ends a commit whose coordinator does not answer."""
    consumer = make_consumer()
    assert committed(consumer, filled) == OFFSET_INVALID
    kafka_cluster.inject_errors("OffsetCommit", [KafkaError._TRANSPORT] * 1000)
    kafka_cluster.start_request_tracking()
    errors: list[KafkaException] = []

    def commit() -> None:
        try:
            consumer.commit(offsets=[TopicPartition(filled, 0, 1)], asynchronous=False)
        except KafkaException as error:
            errors.append(error)

    thread = threading.Thread(target=commit)
    thread.start()
    wait_until(lambda: any(one.request == "OffsetCommit" for one in kafka_cluster.requests()))
    watch = Stopwatch()
    consumer.close()
    thread.join(TIMEOUT)
    assert watch.elapsed < SOON
    assert len(errors) == 1


# ---- store_offsets ----


def test_stored_offsets_are_committed(filled: str, stored: Consumer) -> None:
    """With enable.auto.offset.store off, commit() commits only the stored offsets."""
    stored.assign([TopicPartition(filled, 0, 0)])
    messages = stored.consume(10, TIMEOUT)
    with pytest.raises(KafkaException):
        stored.commit(asynchronous=False)
    stored.store_offsets(messages[2])
    stored.commit(asynchronous=False)
    assert committed(stored, filled) == 3
    stored.store_offsets(offsets=[TopicPartition(filled, 0, 8)])
    stored.commit(asynchronous=False)
    assert committed(stored, filled) == 8


def test_storing_a_message_without_an_offset(filled: str, stored: Consumer) -> None:
    """store_offsets() accepts the message, and removes the offset that was stored earlier."""
    stored.assign([TopicPartition(filled, 0, 0)])
    messages = stored.consume(10, TIMEOUT)
    stored.store_offsets(messages[2])
    stored.store_offsets(message=Message(filled, 0))
    with pytest.raises(KafkaException) as caught:
        stored.commit(asynchronous=False)
    assert caught.value.error == KafkaError._NO_OFFSET
    assert committed(stored, filled) == OFFSET_INVALID


def test_storing_is_off_by_default(filled: str, consumer: Consumer) -> None:
    """By default, store_offsets() raises an error that names the setting to change."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    (message,) = consumer.consume(1, TIMEOUT)
    with pytest.raises(KafkaException, match=r"enable\.auto\.offset\.store"):
        consumer.store_offsets(message)


def test_storing_for_a_partition_that_is_not_assigned(filled: str, stored: Consumer) -> None:
    """store_offsets() raises _STATE, because another member may own the partition."""
    stored.assign([TopicPartition(filled, 0, 0)])
    (message,) = stored.consume(1, TIMEOUT)
    stored.unassign()
    with pytest.raises(KafkaException) as caught:
        stored.store_offsets(message)
    assert caught.value.args[0] == KafkaError._STATE
    with pytest.raises(ValueError, match="message or offsets"):
        stored.store_offsets()
