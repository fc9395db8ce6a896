"""ShareConsumer leaks no batches, acknowledgements, answers or exceptions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest

from confluent_kafka import (
    AcknowledgeType,
    IllegalStateException,
    Message,
    Messages,
    Producer,
    ShareConsumer,
)
from confluent_kafka.testing import MockCluster
from tests.support.refcounts import assert_no_leaks
from tests.support.waiting import TIMEOUT, wait_until

ROWS = 20
SOME = 100


def failing(*_: object) -> None:
    raise ZeroDivisionError


@pytest.fixture
def settings(kafka_cluster: MockCluster) -> dict[str, Any]:
    kafka_cluster.set_share_group_auto_offset_reset("earliest")
    return {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "group.id": "group",
        "share.acknowledgement.mode": "explicit",
        "fetch.wait.max.ms": 5,
        "log_level": 3,
    }


@pytest.fixture
def producer(kafka_cluster: MockCluster) -> Iterator[Producer]:
    bootstrap = kafka_cluster.bootstrap_servers
    with Producer({"bootstrap.servers": bootstrap, "linger.ms": 0}) as producer:
        yield producer


@pytest.fixture
def consumer(kafka_topic: str, settings: dict[str, Any]) -> Iterator[ShareConsumer]:
    with ShareConsumer(settings) as consumer:
        consumer.subscribe([kafka_topic])
        yield consumer


def produce(producer: Producer, topic: str) -> None:
    for _ in range(ROWS):
        producer.produce(topic, b"value", b"key", 0, headers={"name": b"content"})
    assert producer.flush(TIMEOUT) == 0


def read(consumer: ShareConsumer) -> list[Message]:
    """Read, accept and return ROWS records."""
    messages: list[Message] = []

    def step() -> None:
        batch = consumer.poll(TIMEOUT)
        for message in batch:
            consumer.acknowledge(message)
        messages.extend(batch)

    wait_until(lambda: len(messages) == ROWS, step)
    return messages


def test_reading(kafka_topic: str, producer: Producer, consumer: ShareConsumer) -> None:
    """Records do not leak, nor do their acknowledgements or the results of commit_sync()."""

    def work() -> None:
        produce(producer, kafka_topic)
        for message in read(consumer):
            assert message.headers() == [("name", b"content")]
        assert set(consumer.commit_sync(TIMEOUT).values()) == {None}

    assert_no_leaks(work, SOME)


def test_callback(kafka_topic: str, producer: Producer, consumer: ShareConsumer) -> None:
    """A callback that gets answers does not leak, nor does a callback that raises."""

    def work() -> None:
        told: list[Any] = []
        produce(producer, kafka_topic)
        consumer.set_acknowledgement_commit_callback(lambda *answer: told.append(answer))
        read(consumer)
        consumer.commit_sync(TIMEOUT)
        assert told
        produce(producer, kafka_topic)
        consumer.set_acknowledgement_commit_callback(failing)
        read(consumer)
        with pytest.raises(ZeroDivisionError):
            consumer.commit_sync(TIMEOUT)

    assert_no_leaks(work, SOME)


def test_refused(kafka_topic: str, producer: Producer, consumer: ShareConsumer) -> None:
    """Exceptions for calls in a wrong state or with wrong arguments do not leak."""
    produce(producer, kafka_topic)
    (*_, last) = read(consumer)
    consumer.commit_sync(TIMEOUT)

    def work() -> None:
        with pytest.raises(IllegalStateException):
            consumer.acknowledge(last)
        with pytest.raises(IllegalStateException):
            consumer.acknowledge_offset(kafka_topic, 0, 10**9, AcknowledgeType.REJECT)
        for topics in ([""], ["a", "a"], ["\ud800"]):
            with pytest.raises(ValueError, match="topics"):
                consumer.subscribe(topics)

    assert_no_leaks(work)


def test_batch_that_cannot_be_made(
    kafka_topic: str,
    producer: Producer,
    consumer: ShareConsumer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A batch that poll() could not convert is kept for the next poll()."""

    def work() -> None:
        produce(producer, kafka_topic)
        with monkeypatch.context() as patch:
            patch.setattr("confluent_kafka._values.share.Messages", failing)
            with pytest.raises(ZeroDivisionError):
                consumer.poll(TIMEOUT)
        assert all(message.headers() for message in read(consumer))
        consumer.commit_sync(TIMEOUT)

    assert_no_leaks(work, SOME)


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "dropped"])
@pytest.mark.filterwarnings("ignore:ShareConsumer was not closed:ResourceWarning")
def test_life(kafka_topic: str, producer: Producer, settings: dict[str, Any], closed: bool) -> None:
    """A member does not leak if it has unacknowledged records and a callback."""
    produce(producer, kafka_topic)

    def work() -> None:
        consumer = ShareConsumer(settings)
        consumer.set_acknowledgement_commit_callback(lambda *_: consumer)
        consumer.subscribe([kafka_topic])
        with contextlib.suppress(IndexError):
            consumer.acknowledge(consumer.poll(0.2)[0], AcknowledgeType.RELEASE)
        if closed:
            consumer.close()

    assert_no_leaks(work, 4)


def test_messages() -> None:
    """Slices, copies and unfinished iterators of the sequence do not leak."""
    message = Message(value=b"value")

    def work() -> None:
        messages = Messages([message] * 3)
        iterator = iter(messages[:2])
        next(iterator)
        messages.records(), messages.count(), messages.is_empty(), repr(messages), messages[-1]
        with pytest.raises(IndexError):
            messages[3]

    assert_no_leaks(work)
