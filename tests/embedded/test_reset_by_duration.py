"""auto.offset.reset=by_duration:PT1H: a consumer without a position begins an hour before now
(KIP-1106)."""

from __future__ import annotations

import time
from typing import Any

import pytest

from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
    protocol,
)
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.kafka import poll_values, send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

HOUR = 3_600_000
MINUTE = 60_000


def error_code(message: Message) -> int | None:
    error = message.error()
    return None if error is None else error.code()


def fill(producer: Producer, topic: str, ages: dict[bytes, int]) -> None:
    """Send each value with the time `age` milliseconds ago."""
    now = int(time.time() * 1000)
    for value, age in ages.items():
        producer.produce(topic, value, partition=0, timestamp=now - age)
    assert producer.flush(TIMEOUT) == 0


@needs("reset-duration")
@pytest.mark.parametrize("place", ["subscribed", "assigned", "out of range"])
@pytest.mark.parametrize(
    ("duration", "first"),
    [("PT1H", b"recent"), ("PT150M", b"middle"), ("P1DT12H", b"old"), ("P9999D", b"old")],
)
def test_begins_with_the_first_message_of_the_duration(
    kafka_topic: str,
    producer: Producer,
    make_consumer: MakeConsumer,
    duration: str,
    first: bytes,
    place: str,
) -> None:
    """Without a committed offset, and if the offset does not exist, the consumer begins with the
    first message that is not older than the duration."""
    ages = {b"old": 30 * HOUR, b"middle": 2 * HOUR, b"recent": 30 * MINUTE}
    fill(producer, kafka_topic, ages)
    consumer = make_consumer({"auto.offset.reset": f"by_duration:{duration}"})
    if place == "subscribed":
        consumer.subscribe([kafka_topic])
    elif place == "assigned":
        consumer.assign([TopicPartition(kafka_topic, 0)])
    else:
        consumer.assign([TopicPartition(kafka_topic, 0, 99)])
    expected = list(ages)[list(ages).index(first) :]
    assert poll_values(consumer, len(expected)) == expected


@needs("reset-duration")
def test_the_end_if_every_message_is_older(
    kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """If every message is older than the duration, the consumer begins at the end."""
    fill(producer, kafka_topic, {b"old": 2 * HOUR})
    config = {"auto.offset.reset": "by_duration:PT1H", "enable.partition.eof": True}
    consumer = make_consumer(config)
    consumer.assign([TopicPartition(kafka_topic, 0)])
    end = consumer.poll(TIMEOUT)
    assert end is not None
    assert (error_code(end), end.offset()) == (KafkaError._PARTITION_EOF, 1)
    send(producer, kafka_topic, [b"new"])
    assert poll_values(consumer, 1) == [b"new"]


@needs("reset-duration", "mock-on-request")
@pytest.mark.parametrize(
    ("duration", "milliseconds"),
    [
        ("PT0.001S", 1),
        ("pt1h1m1.5s", 3_661_500),
        ("P10000DT1H1.234S", 864_003_601_234),
        ("PT0S", 0),
    ],
)
def test_digits_of_a_duration(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    make_consumer: MakeConsumer,
    duration: str,
    milliseconds: int,
) -> None:
    """The client asks for the time at which the duration began, to the millisecond."""
    asked: list[int] = []

    def look(request: Any, _: object) -> None:
        asked.append(request.topics[0].partitions[0].timestamp)

    kafka_cluster.on_request(protocol.ListOffsetsRequest.api_key, look)
    before = int(time.time() * 1000)
    consumer = make_consumer({"auto.offset.reset": f"by_duration:{duration}"})
    consumer.assign([TopicPartition(kafka_topic, 0)])
    wait_until(lambda: asked, lambda: consumer.poll(0.05))
    assert before - milliseconds <= asked[0] <= int(time.time() * 1000) - milliseconds


@pytest.mark.parametrize(
    "value",
    [
        *("by_duration", "by_duration:", "by_duration:1h", "by_duration:P", "by_duration:PT"),
        *("by_duration:-PT1H", "by_duration:PT-1H", "by_duration:P1H", "by_duration:PT1D"),
        *("by_duration:PT1M1H", "by_duration:PT1.5M", "by_duration:PT1.S", "by_duration:P1DT"),
        *("by_duration:PT1H ", "by_duration:PT1", "by_duration:P99999999999999999D"),
    ],
)
def test_values_that_are_no_durations(value: str) -> None:
    """A value that is not a duration of ISO 8601 is refused. The error shows one."""
    with pytest.raises(KafkaException) as refused:
        Consumer({"bootstrap.servers": "localhost:9", "group.id": "g", "auto.offset.reset": value})
    text = refused.value.args[0].str()
    assert f'"{value}" for configuration property "auto.offset.reset"' in text
    assert "such as by_duration:PT1H" in text


@needs("reset-duration")
def test_what_is_allowed() -> None:
    """The error for an unknown value names by_duration in the form that the client takes."""
    with pytest.raises(KafkaException, match=r"error, by_duration:PT1H\)"):
        Consumer({"bootstrap.servers": "localhost:9", "group.id": "g", "auto.offset.reset": "x"})
