"""Common steps in tests of clients: record delivery reports, read a topic."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until

# No server listens on this port, so its clients never connect.
NO_BROKER = "127.0.0.1:1"


class Reports:
    """A delivery callback that records its calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[KafkaError | None, Message]] = []

    def __call__(self, error: KafkaError | None, message: Message) -> None:
        self.calls.append((error, message))

    def __len__(self) -> int:
        return len(self.calls)

    @property
    def messages(self) -> list[Message]:
        return [message for _, message in self.calls]

    @property
    def values(self) -> list[bytes | None]:
        return [message.value() for message in self.messages]

    @property
    def errors(self) -> list[int | None]:
        """The error code of each report; None if the message was delivered."""
        return [None if error is None else error.code() for error, _ in self.calls]


def send(producer: Producer, topic: str, values: Iterable[bytes | str | None]) -> None:
    """Delivers `values` to partition 0, in order."""
    reports = Reports()
    for value in values:
        producer.produce(topic, value, partition=0, on_delivery=reports, block=TIMEOUT)
    assert producer.flush(TIMEOUT) == 0
    assert set(reports.errors) <= {None}


def refusal(producer: Producer, topic: str, reports: Reports) -> int | None:
    """Produce a message, and return the error code that produce() raises; None if it raises none.

    produce() raises if the brokers refuse the topic before the message is in the queue, which
    depends on the timing of threads. Otherwise the delivery report contains the error.
    """
    try:
        producer.produce(topic, b"value", partition=0, on_delivery=reports)
    except KafkaException as refused:
        return refused.code()
    return None


def outcome(producer: Producer, topic: str) -> int | None:
    """Produce a message, and return the error code of produce() or of the delivery report."""
    reports = Reports()
    code = refusal(producer, topic, reports)
    assert producer.flush(TIMEOUT) == 0
    if code is not None:
        assert reports.errors == []
        return code
    [code] = reports.errors
    return code


def read(consumer: Consumer, topic: str, count: int, partitions: int = 1) -> list[Message]:
    """The first `count` records of the topic. The topic must have this number of records."""
    consumer.assign([TopicPartition(topic, partition, 0) for partition in range(partitions)])
    messages = consumer.consume(count, TIMEOUT)
    assert [message.error() for message in messages] == [None] * count
    return messages


def values_of(messages: Iterable[Message]) -> list[bytes | None]:
    return [message.value() for message in messages]


def numbers(start: int, stop: int) -> list[bytes]:
    """Values that identify messages: the numbers from `start` to `stop` - 1 as bytes."""
    return [b"%d" % i for i in range(start, stop)]


def poll_values(consumer: Consumer, count: int) -> list[bytes | None]:
    """The next `count` values, polled one by one."""
    messages = [consumer.poll(TIMEOUT) for _ in range(count)]
    return [None if message is None else message.value() for message in messages]


def joined(consumer: Consumer) -> list[TopicPartition]:
    """Wait for the consumer's assignment, and return it.

    There must be no messages for the consumer.
    """
    messages: list[Message | None] = []
    wait_until(consumer.assignment, lambda: messages.append(consumer.poll(0.01)))
    assert set(messages) <= {None}
    return consumer.assignment()


def committed(consumer: Consumer, topic: str, partition: int = 0) -> int:
    """The group's committed offset."""
    (result,) = consumer.committed([TopicPartition(topic, partition)], TIMEOUT)
    assert result.error is None
    return result.offset


def position(consumer: Consumer, topic: str) -> int:
    """The consumer's position in partition 0."""
    (result,) = consumer.position([TopicPartition(topic, 0)])
    assert result.error is None
    return result.offset


def fill(
    producer: Producer, topic: str, count: int, reports: Callable[..., object] | None = None
) -> None:
    """Enqueues b"0", b"1" and so on, without waiting."""
    for i in range(count):
        producer.produce(topic, b"%d" % i, on_delivery=reports)


def failure(call: Callable[[], object], pattern: str) -> KafkaError:
    """Repeats a call that raises until the text of its error matches the pattern; returns the
    error.

    When the client has tried to connect, the error of a timeout contains the cause. Each call must
    end soon.
    """
    errors: list[KafkaError] = []

    def fail() -> None:
        watch = Stopwatch()
        with pytest.raises(KafkaException) as caught:
            call()
        assert watch.elapsed < SOON
        errors.append(caught.value.args[0])

    wait_until(lambda: errors and re.search(pattern, errors[-1].str()), fail, timeout=SOON)
    return errors[-1]


def wait_for_statistics(client: Any) -> None:
    """Waits until the client has newer statistics, without a call that serves callbacks."""

    def ts() -> int | None:
        statistics = client.stats()
        return None if statistics is None else statistics.ts

    before = ts()
    wait_until(lambda: ts() not in (None, before))
