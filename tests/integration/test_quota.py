"""throttle_cb is called when a broker throttles the client."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from confluent_kafka import Producer, ThrottleEvent, TopicPartition
from tests.integration.broker_requests import set_client_quota
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.support.callbacks import Recorder
from tests.support.kafka import Reports
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

# Brokers average over ten seconds, so they throttle a client after 100 kB.
RATE = 10_000.0
VALUE = bytes(30_000)


@pytest.fixture
def client_id(kafka: KafkaCluster, make_topic: MakeTopic) -> Iterator[str]:
    """The id of a client with a quota for producing and a quota for fetching."""
    name = f"limited-{uuid.uuid4().hex[:12]}"
    quotas = ("producer_byte_rate", "consumer_byte_rate")
    for quota in quotas:
        set_client_quota(kafka, name, quota, RATE)
    make_topic()  # afterwards every broker has it
    yield name
    for quota in quotas:
        set_client_quota(kafka, name, quota, None)


def assert_from_leader(event: ThrottleEvent, client: Producer, topic: str) -> None:
    """The event contains the name and id of the topic's leader, and a time."""
    metadata = client.list_topics(topic, TIMEOUT)
    broker = metadata.brokers[metadata.topics[topic].partitions[0].leader]
    assert event.broker_id == broker.id
    assert f"{broker.host}:{broker.port}" in event.broker_name
    assert 0 < event.throttle_time < TIMEOUT


def test_a_producer(kafka: KafkaCluster, topic: str, client_id: str) -> None:
    """throttle_cb gets the leader's name and id, and a time; every message arrives."""
    throttled, reports = Recorder(), Reports()
    config = {"client.id": client_id, "throttle_cb": throttled}
    with writer(kafka, config) as producer, writer(kafka) as free:

        def step() -> None:
            producer.produce(topic, VALUE, partition=0, on_delivery=reports)
            assert producer.flush(TIMEOUT) == 0

        wait_until(lambda: throttled.calls, step)
        assert_from_leader(throttled.calls[0][0], free, topic)
    assert set(reports.errors) == {None}


def test_a_consumer(kafka: KafkaCluster, topic: str, client_id: str) -> None:
    """poll() calls a consumer's throttle_cb, and messages are still read in order."""
    throttled = Recorder()
    config = {"client.id": client_id, "throttle_cb": throttled}
    offsets: list[int | None] = []
    with writer(kafka) as free, reader(kafka, config) as consumer:
        consumer.assign([TopicPartition(topic, 0, 0)])

        def step() -> None:
            free.produce(topic, VALUE, partition=0)
            assert free.flush(TIMEOUT) == 0
            offsets.extend(message.offset() for message in consumer.consume(10, 0.1))

        wait_until(lambda: throttled.calls, step)
        assert_from_leader(throttled.calls[0][0], free, topic)
    assert offsets == list(range(len(offsets)))
    assert len(offsets) > 0
