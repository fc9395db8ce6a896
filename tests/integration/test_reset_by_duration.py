"""auto.offset.reset=by_duration on a real broker (KIP-1106)."""

from __future__ import annotations

import time

import pytest

from confluent_kafka import Consumer
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import writer
from tests.support.kafka import poll_values
from tests.support.waiting import TIMEOUT

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

MINUTE = 60_000


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_the_last_hour(
    kafka: KafkaCluster, make_topic: MakeTopic, group: str, protocol: str
) -> None:
    """A group without committed offsets begins with the first message of the last hour."""
    topic = make_topic(retention_ms="-1")
    now = time.time_ns() // MINUTE // 1_000_000 * MINUTE
    with writer(kafka) as producer:
        for value, age in ((b"old", 90), (b"first", 50), (b"later", 1)):
            producer.produce(topic, value, partition=0, timestamp=now - age * MINUTE)
        assert producer.flush(TIMEOUT) == 0
    config = kafka.config() | {
        "group.id": group,
        "group.protocol": protocol,
        "auto.offset.reset": "by_duration:PT1H",
    }
    with Consumer(config) as consumer:
        consumer.subscribe([topic])
        assert poll_values(consumer, 2) == [b"first", b"later"]
