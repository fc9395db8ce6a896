"""What tests of clients do again and again: note delivery reports, read a topic."""

from __future__ import annotations

from collections.abc import Iterable

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition
from tests.support.waiting import TIMEOUT

# Nobody listens there: a client of it never connects.
NO_BROKER = "127.0.0.1:1"


class Reports:
    """A delivery callback that notes its calls."""

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
        """The codes, None for a message that was delivered."""
        return [None if error is None else error.code() for error, _ in self.calls]


def send(producer: Producer, topic: str, values: Iterable[bytes | str | None]) -> None:
    """Delivers `values` to partition 0, in order."""
    reports = Reports()
    for value in values:
        producer.produce(topic, value, partition=0, on_delivery=reports, block=TIMEOUT)
    assert producer.flush(TIMEOUT) == 0
    assert set(reports.errors) <= {None}


def read(consumer: Consumer, topic: str, count: int, partitions: int = 1) -> list[Message]:
    """The first `count` records of the topic, which must be there."""
    consumer.assign([TopicPartition(topic, partition, 0) for partition in range(partitions)])
    messages = consumer.consume(count, TIMEOUT)
    assert [message.error() for message in messages] == [None] * count
    return messages


def values_of(messages: Iterable[Message]) -> list[bytes | None]:
    return [message.value() for message in messages]
