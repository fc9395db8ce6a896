"""AdminClient on the embedded cluster: the requests that it knows, and brokers that misbehave."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from confluent_kafka import (
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, OffsetSpec
from confluent_kafka.testing import MockCluster
from tests.support.kafka import send
from tests.support.threads import Thread
from tests.support.waiting import TIMEOUT, wait_until


@pytest.fixture
def admin(kafka_cluster: MockCluster) -> Iterator[AdminClient]:
    settings = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "retry.backoff.ms": 10}
    with AdminClient(settings) as admin:
        yield admin


def latest(admin: AdminClient, place: TopicPartition, **options: Any) -> Any:
    return admin.list_offsets({place: OffsetSpec.latest()}, **options)[place]


def test_offsets(admin: AdminClient, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Offsets of partitions are looked up without a consumer."""
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        send(producer, kafka_topic, [b"value"] * 7)
    place = TopicPartition(kafka_topic, 0)
    assert latest(admin, place).result(TIMEOUT).offset == 7


def test_length_while_the_first_requests_are_sent(admin: AdminClient, kafka_topic: str) -> None:
    """One of the threads starts what waits for answers; the others send to it, and may ask."""
    barrier = threading.Barrier(4)
    place = TopicPartition(kafka_topic, 0)

    def send_request() -> Any:
        barrier.wait(TIMEOUT)
        return latest(admin, place)

    def ask() -> int:
        barrier.wait(TIMEOUT)
        return len(admin)

    asking, sending = ([Thread(call) for _ in range(2)] for call in (ask, send_request))
    assert {thread.result() for thread in asking} <= {0, 1, 2}
    assert [thread.result().result(TIMEOUT).offset for thread in sending] == [0, 0]
    wait_until(lambda: len(admin) == 0)


def test_group_offsets(admin: AdminClient, kafka_topic: str) -> None:
    """Those of a group are set and read."""
    group = [ConsumerGroupTopicPartitions("group", [TopicPartition(kafka_topic, 0, 5)])]
    altered = admin.alter_consumer_group_offsets(group)["group"].result(TIMEOUT)
    assert [each.error for each in altered.topic_partitions or []] == [None]
    listed = admin.list_consumer_group_offsets(group)["group"].result(TIMEOUT)
    assert [each.offset for each in listed.topic_partitions or []] == [5]


def test_broker_that_says_no(
    admin: AdminClient, kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """An error of the broker is the future's exception, or its partition's."""
    kafka_cluster.inject_errors("OffsetFetch", [KafkaError.GROUP_AUTHORIZATION_FAILED])
    group = [ConsumerGroupTopicPartitions("group", [TopicPartition(kafka_topic, 0, 5)])]
    future = admin.list_consumer_group_offsets(group)["group"]
    with pytest.raises(KafkaException) as raised:
        future.result(TIMEOUT)
    assert raised.value.args[0].code() == KafkaError.GROUP_AUTHORIZATION_FAILED


def test_broker_that_is_slow(
    admin: AdminClient, kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """The future fails after its timeout, and the client goes on working."""
    place = TopicPartition(kafka_topic, 0)
    assert latest(admin, place).result(TIMEOUT).offset == 0
    kafka_cluster.set_round_trip_time(None, 6)
    error = latest(admin, place, request_timeout=0.5).exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.args[0].code() == KafkaError._TIMED_OUT
    assert len(admin) == 0
    kafka_cluster.set_round_trip_time(None, 0.001)
    wait_until(lambda: latest(admin, place, request_timeout=5).exception(TIMEOUT) is None)


def test_broker_that_comes_back(
    admin: AdminClient, kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """A request made while all brokers are down is answered when one is up again."""
    place = TopicPartition(kafka_topic, 0)
    assert latest(admin, place).result(TIMEOUT).offset == 0
    for broker in (1, 2, 3):
        kafka_cluster.set_broker_down(broker)
    future = latest(admin, place, request_timeout=TIMEOUT)
    for broker in (1, 2, 3):
        kafka_cluster.set_broker_up(broker)
    assert future.result(TIMEOUT).offset == 0
