"""The cluster is set up as the other tests expect."""

from __future__ import annotations

import pytest

from confluent_kafka import Producer
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import BROKERS, KafkaCluster

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]


def test_topics_are_replicated(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """There are three brokers, and each has a replica of every partition."""
    name = make_topic(partitions=5, cleanup_policy="compact")
    with Producer(kafka.config()) as producer:
        metadata = producer.list_topics(name, timeout=10)
    assert len(metadata.brokers) == BROKERS
    replicas = [len(partition.replicas) for partition in metadata.topics[name].partitions.values()]
    assert replicas == [BROKERS] * 5
