"""Log directories of real brokers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from confluent_kafka import KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from tests.integration.kafka_cluster import KafkaCluster
from tests.support.kafka import send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = [pytest.mark.integration, needs("raw-request")]


@pytest.fixture
def admin(kafka: KafkaCluster) -> Iterator[AdminClient]:
    with AdminClient(kafka.config()) as admin:
        yield admin


def test_describe_log_dirs(kafka: KafkaCluster, admin: AdminClient, topic: str) -> None:
    """Each replica is in one directory of its broker, with its size there."""
    with Producer(kafka.config()) as producer:
        send(producer, topic, [b"x" * 1000])
    cluster = admin.list_topics(topic)
    place = TopicPartition(topic, 0)
    leader = cluster.topics[topic].partitions[0].leader
    found = admin.describe_log_dirs(list(cluster.brokers))
    sizes = {}
    for broker, future in found.items():
        for path, directory in future.result(TIMEOUT).items():
            assert path.startswith("/")
            assert directory.error is None
            assert 0 < (directory.usable_bytes or 0) <= (directory.total_bytes or 0)
            if place in directory.replicas:
                sizes[broker] = directory.replicas[place]
    assert sizes.keys() == set(cluster.topics[topic].partitions[0].replicas)
    assert sizes[leader].size > 1000
    assert (sizes[leader].offset_lag, sizes[leader].is_future) == (0, False)


def test_broker_that_is_not_there(admin: AdminClient) -> None:
    """The future of that broker fails; those of others do not."""
    found = admin.describe_log_dirs([1, 77], request_timeout=2)
    assert found[1].result(TIMEOUT)
    error = found[77].exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.code() == KafkaError._TIMED_OUT
