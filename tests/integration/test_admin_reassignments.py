"""Reassignments of partitions between real brokers."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from confluent_kafka import KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
    PartitionReassignment,
)
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.topics import wait_for_topic
from tests.support.kafka import send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, needs("raw-request"), pytest.mark.both_clusters]

THROTTLE = "follower.replication.throttled.rate"


@pytest.fixture
def admin(kafka: KafkaCluster) -> Iterator[AdminClient]:
    with AdminClient(kafka.config()) as admin:
        yield admin


@pytest.fixture
def place(kafka: KafkaCluster, admin: AdminClient) -> TopicPartition:
    """A partition whose one replica is on broker 1."""
    return _partition_on_1(kafka, admin)


@pytest.fixture
def slow_place(kafka: KafkaCluster, admin: AdminClient) -> Iterator[TopicPartition]:
    """A partition that takes minutes to copy: broker 2 gets one batch in eleven seconds."""
    _throttle(admin, AlterConfigOpType.SET, "1")
    try:
        # Create the topic later: a new topic shows that broker 2 has the new rate.
        place = _partition_on_1(kafka, admin, {"follower.replication.throttled.replicas": "*"})
        with Producer(kafka.config()) as producer:
            for _ in range(12):
                send(producer, place.topic, [b"x" * 900_000])
        yield place
    finally:
        _throttle(admin, AlterConfigOpType.DELETE, None)


def _partition_on_1(
    kafka: KafkaCluster, admin: AdminClient, config: dict[str, str] | None = None
) -> TopicPartition:
    name = f"topic-{uuid.uuid4().hex[:12]}"
    settings = {"min.insync.replicas": "1"} | (config or {})
    admin.create_topics([NewTopic(name, replica_assignment=[[1]], config=settings)])[name].result(
        TIMEOUT
    )
    wait_for_topic(kafka, name, 1)
    return TopicPartition(name, 0)


def _throttle(admin: AdminClient, operation: AlterConfigOpType, rate: str | None) -> None:
    entry = ConfigEntry(THROTTLE, rate, incremental_operation=operation)
    broker = ConfigResource("broker", "2", incremental_configs=[entry])
    admin.incremental_alter_configs([broker])[broker].result(TIMEOUT)


def _replicas(admin: AdminClient, place: TopicPartition) -> list[int]:
    return admin.list_topics(place.topic).topics[place.topic].partitions[place.partition].replicas


def test_move(admin: AdminClient, place: TopicPartition) -> None:
    """A partition moves to other brokers; afterwards it is not listed any more."""
    futures = admin.alter_partition_reassignments({place: [3, 2]})
    assert futures.keys() == {place}
    assert futures[place].result(TIMEOUT) is None
    wait_until(lambda: admin.list_partition_reassignments([place]).result(TIMEOUT) == {})
    wait_until(lambda: _replicas(admin, place) == [3, 2])


def test_list_and_cancel(admin: AdminClient, slow_place: TopicPartition) -> None:
    """A running reassignment is listed with its brokers, and a target of None cancels it."""
    admin.alter_partition_reassignments({slow_place: [2]})[slow_place].result(TIMEOUT)
    listed = admin.list_partition_reassignments([slow_place]).result(TIMEOUT)
    assert listed == {slow_place: PartitionReassignment([2, 1], [2], [1])}
    assert slow_place in admin.list_partition_reassignments().result(TIMEOUT)
    admin.alter_partition_reassignments({slow_place: None})[slow_place].result(TIMEOUT)
    assert admin.list_partition_reassignments([slow_place]).result(TIMEOUT) == {}
    wait_until(lambda: _replicas(admin, slow_place) == [1])


def test_each_has_its_own_error(admin: AdminClient, place: TopicPartition) -> None:
    """If the controller refuses a partition, only this partition fails, with the controller's
    text."""
    nowhere = TopicPartition(place.topic, 7)
    futures = admin.alter_partition_reassignments({place: [1, 77], nowhere: [1]})
    with pytest.raises(KafkaException, match="77") as caught:
        futures[place].result(TIMEOUT)
    assert caught.value.code() == KafkaError.INVALID_REPLICA_ASSIGNMENT
    error = futures[nowhere].exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART
    idle = admin.alter_partition_reassignments({place: None})[place].exception(TIMEOUT)
    assert isinstance(idle, KafkaException)
    assert idle.code() == KafkaError.NO_REASSIGNMENT_IN_PROGRESS


def test_as_many_replicas(admin: AdminClient, place: TopicPartition) -> None:
    """Without allow_replication_factor_change, the number of replicas must stay the same
    (KIP-860)."""
    more = admin.alter_partition_reassignments(
        {place: [1, 2]}, allow_replication_factor_change=False
    )
    error = more[place].exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.code() == KafkaError.INVALID_REPLICATION_FACTOR
    same = admin.alter_partition_reassignments({place: [2]}, allow_replication_factor_change=False)
    same[place].result(TIMEOUT)
    wait_until(lambda: _replicas(admin, place) == [2])
