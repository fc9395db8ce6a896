"""Both types of timestamps: the producer's time and the broker's time."""

from __future__ import annotations

import time

import pytest

from confluent_kafka import TIMESTAMP_CREATE_TIME, TIMESTAMP_LOG_APPEND_TIME, KafkaError
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.support.kafka import Reports, read
from tests.support.waiting import TIMEOUT

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

HOUR = 3_600_000


def now() -> int:
    return time.time_ns() // 1_000_000


def test_create_time(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """Messages have the producer's timestamps, in any order; the default is the time of
    produce()."""
    topic = make_topic(retention_ms="-1")
    given = [1, 1_700_000_000_123, 5, now()]
    reports = Reports()
    with writer(kafka) as producer, reader(kafka) as consumer:
        for timestamp in given:
            producer.produce(topic, timestamp=timestamp, partition=0, on_delivery=reports)
        before = now()
        producer.produce(topic, partition=0, on_delivery=reports)
        after = now()
        assert producer.flush(TIMEOUT) == 0
        *messages, last = read(consumer, topic, 5)
    expected = [(TIMESTAMP_CREATE_TIME, timestamp) for timestamp in given]
    assert [message.timestamp() for message in messages] == expected
    kind, timestamp = last.timestamp()
    assert kind == TIMESTAMP_CREATE_TIME
    assert before <= timestamp <= after
    assert [message.timestamp() for message in reports.messages] == [*expected, last.timestamp()]


@pytest.mark.parametrize("codec", ["none", "lz4"])
def test_log_append_time(kafka: KafkaCluster, make_topic: MakeTopic, codec: str) -> None:
    """The broker's time replaces the producer's time, in the consumed message and in the report."""
    topic = make_topic(message_timestamp_type="LogAppendTime")
    reports = Reports()
    before = now()
    with writer(kafka, {"compression.type": codec}) as producer, reader(kafka) as consumer:
        for timestamp in (1, 1_700_000_000_123, 0):
            producer.produce(topic, timestamp=timestamp, partition=0, on_delivery=reports)
        assert producer.flush(TIMEOUT) == 0
        after = now()
        messages = read(consumer, topic, 3)
    found = [message.timestamp() for message in messages]
    assert [kind for kind, _ in found] == [TIMESTAMP_LOG_APPEND_TIME] * 3
    assert all(before <= timestamp <= after for _, timestamp in found)
    assert [message.timestamp() for message in reports.messages] == found


@pytest.mark.parametrize(
    ("limit", "offset"),
    [("message_timestamp_after_max_ms", 2 * HOUR), ("message_timestamp_before_max_ms", -2 * HOUR)],
)
def test_refused_timestamps(
    kafka: KafkaCluster, make_topic: MakeTopic, limit: str, offset: int
) -> None:
    """If a topic does not accept a timestamp, the error is INVALID_TIMESTAMP; the next message
    arrives."""
    topic = make_topic(**{limit: str(HOUR)})
    reports = Reports()
    with writer(kafka) as producer:
        for timestamp in (now() + offset, now()):
            producer.produce(topic, timestamp=timestamp, on_delivery=reports)
            assert producer.flush(TIMEOUT) == 0
    assert reports.errors == [KafkaError.INVALID_TIMESTAMP, None]
