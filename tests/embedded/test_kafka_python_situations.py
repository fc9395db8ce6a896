"""The tasks in examples/kafka_python_situations.py on the embedded cluster."""

from __future__ import annotations

import pytest

from confluent_kafka.testing import MockCluster
from tests.support import kafka_python_situations as holds


@pytest.fixture
def servers(kafka_cluster: MockCluster) -> str:
    return kafka_cluster.bootstrap_servers


def test_sending_and_waiting(servers: str, kafka_topic: str) -> None:
    """The result of send()'s future is the partition and offset where the message really is."""
    holds.messages_are_where_they_were_said_to_be(servers, kafka_topic)


@pytest.mark.kafka_topic(partitions=2)
def test_objects(servers: str, kafka_topic: str) -> None:
    """A consumer gets the same object that was serialized and compressed."""
    holds.objects_come_back(servers, kafka_topic)


def test_manual_commits(servers: str, kafka_topic: str) -> None:
    """The next run of a group continues at the committed offsets."""
    holds.commits_hold(servers, kafka_topic, f"group-of-{kafka_topic}")


def test_offsets_elsewhere(servers: str, kafka_topic: str) -> None:
    """A listener seeks to the offset where the last run ended."""
    holds.offsets_are_kept_elsewhere(servers, kafka_topic, f"group-of-{kafka_topic}")
