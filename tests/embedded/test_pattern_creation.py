"""A topic that only matches a pattern is not created again; a topic that is named is created."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.protocol import MetadataRequest
from confluent_kafka.testing import MockCluster
from tests.support.patches import needs
from tests.support.waiting import wait_until

pytestmark = needs("pattern-creation", "mock-on-request")


class Asked:
    """The Metadata requests of a cluster's clients."""

    def __init__(self, cluster: MockCluster) -> None:
        self._lock = threading.Lock()
        self._requests: list[Any] = []
        cluster.on_request(MetadataRequest.api_key, self._note)

    def _note(self, request: Any, _context: Any) -> None:
        with self._lock:
            self._requests.append(request)

    def total(self) -> int:
        with self._lock:
            return len(self._requests)

    def count(self, topic: str, creating: bool) -> int:
        """How many requests named the topic, with or without creation."""
        with self._lock:
            return sum(
                topic in [each.name for each in request.topics or ()]
                for request in self._requests
                if request.allow_auto_topic_creation == creating
            )


@pytest.fixture
def asked(kafka_cluster: MockCluster) -> Asked:
    kafka_cluster.set_group_initial_rebalance_delay(0)
    kafka_cluster.create_topic("ua")
    kafka_cluster.create_topic("ub")
    return Asked(kafka_cluster)


@contextmanager
def consuming(cluster: MockCluster, protocol: str) -> Iterator[Consumer]:
    config = {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": "group",
        "group.protocol": protocol,
        "allow.auto.create.topics": True,
        "topic.metadata.refresh.interval.ms": 50,
        "topic.metadata.refresh.fast.interval.ms": 20,
        "topic.metadata.propagation.max.ms": 0,
        "retry.backoff.ms": 10,
        "retry.backoff.max.ms": 20,
    }
    with Consumer(config) as consumer:
        yield consumer


@pytest.fixture(params=["classic", "consumer"])
def consumer(request: pytest.FixtureRequest, kafka_cluster: MockCluster) -> Iterator[Consumer]:
    with consuming(kafka_cluster, request.param) as made:
        yield made


def names(cluster: MockCluster) -> set[str]:
    with AdminClient({"bootstrap.servers": cluster.bootstrap_servers}) as admin:
        return set(admin.list_topics(timeout=30).topics)


def delete(cluster: MockCluster, topic: str) -> None:
    with AdminClient({"bootstrap.servers": cluster.bootstrap_servers}) as admin:
        admin.delete_topics([topic])[topic].result(30)


def assigned(consumer: Consumer) -> set[str]:
    return {each.topic for each in consumer.assignment()}


@needs("pattern-creation")
def test_a_deleted_topic_that_matched(
    kafka_cluster: MockCluster, asked: Asked, consumer: Consumer
) -> None:
    """No request allows the topic to be created, neither before nor after its deletion."""
    consumer.subscribe(["^u.*"])
    wait_until(lambda: assigned(consumer) == {"ua", "ub"}, lambda: consumer.poll(0.02))
    delete(kafka_cluster, "ua")
    wait_until(lambda: assigned(consumer) == {"ub"}, lambda: consumer.poll(0.02))
    before = asked.total()
    wait_until(lambda: asked.total() >= before + 5, lambda: consumer.poll(0.02))
    assert asked.count("ua", creating=True) == asked.count("ub", creating=True) == 0
    assert names(kafka_cluster) == {"ub"}


def test_a_name_beside_a_pattern(kafka_cluster: MockCluster, asked: Asked) -> None:
    """The named topic has its own request, and is created.

    With the classic protocol, the consumer requests all topics instead, which creates none.
    """
    with consuming(kafka_cluster, "consumer") as consumer:
        consumer.subscribe(["^u.*", "named"])
        wait_until(lambda: "named" in names(kafka_cluster), lambda: consumer.poll(0.02))
        assert asked.count("named", creating=True) > 0
        assert asked.count("ua", creating=True) == 0


def test_after_unsubscribe(kafka_cluster: MockCluster, asked: Asked, consumer: Consumer) -> None:
    """After unsubscribe(), topics that matched are still not created; the next subscribe() may
    create other topics."""
    consumer.subscribe(["^u.*"])
    wait_until(lambda: assigned(consumer) == {"ua", "ub"}, lambda: consumer.poll(0.02))
    consumer.unsubscribe()
    wait_until(lambda: not consumer.assignment(), lambda: consumer.poll(0.02))
    before = asked.total()
    wait_until(lambda: asked.total() >= before + 3, lambda: consumer.poll(0.02))
    assert asked.count("ua", creating=True) == 0
    consumer.subscribe(["named"])
    wait_until(lambda: "named" in names(kafka_cluster), lambda: consumer.poll(0.02))


def test_assign_after_a_pattern(kafka_cluster: MockCluster, asked: Asked) -> None:
    """A topic that is assigned by hand may be created, even if it matched an earlier pattern."""
    with consuming(kafka_cluster, "classic") as consumer:
        consumer.subscribe(["^u.*"])
        wait_until(lambda: assigned(consumer) == {"ua", "ub"}, lambda: consumer.poll(0.02))
        consumer.unsubscribe()
        wait_until(lambda: not consumer.assignment(), lambda: consumer.poll(0.02))
        consumer.assign([TopicPartition("by-hand", 0)])
        wait_until(lambda: "by-hand" in names(kafka_cluster), lambda: consumer.poll(0.02))
