"""request() and api_versions() on Kafka: requests for which librdkafka has no function."""

from __future__ import annotations

import struct

import pytest

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from tests.integration.kafka_cluster import USERS, KafkaCluster
from tests.integration.security import plain
from tests.support.kafka import send
from tests.support.patches import needs
from tests.support.protocol import text
from tests.support.waiting import TIMEOUT

pytestmark = [pytest.mark.integration, needs("raw-request"), pytest.mark.both_clusters]

API_VERSIONS, DESCRIBE_LOG_DIRS, LIST_TRANSACTIONS = 18, 35, 66
ALL_TOPICS = struct.pack(">i", -1)
NO_TAGS = b"\0"


def test_log_directories(kafka: KafkaCluster, topic: str) -> None:
    """request() returns a broker's log directories, with the partitions in them (KIP-113)."""
    with AdminClient(kafka.config()) as admin, Producer(kafka.config()) as producer:
        send(producer, topic, [b"value"])
        leader = admin.list_topics(topic).topics[topic].partitions[0].leader
        answer = admin.request(DESCRIBE_LOG_DIRS, 1, ALL_TOPICS, broker=leader, timeout=TIMEOUT)
    throttle_ms, directories, code = struct.unpack_from(">iih", answer)
    assert (throttle_ms, code) == (0, 0)
    assert directories >= 1
    assert text(topic) in answer


def test_secured_connections(kafka: KafkaCluster) -> None:
    """Raw requests use the TLS and SASL of the client."""
    user, password = next(iter(USERS.items()))
    with AdminClient(kafka.config("SASL_SSL") | plain(user, password)) as admin:
        assert API_VERSIONS in admin.api_versions(timeout=TIMEOUT)


def test_coordinators_and_controller(kafka: KafkaCluster) -> None:
    """Requests of flexible versions reach the coordinators and the controller of the cluster."""
    body = b"\x01" + b"\x01" + NO_TAGS  # all states, all producers
    with AdminClient(kafka.config()) as admin:
        for kind in ("group", "transaction"):
            answer = admin.request(
                LIST_TRANSACTIONS, 0, body, coordinator=(kind, "some-key"), timeout=TIMEOUT
            )
            assert struct.unpack_from(">ih", answer) == (0, 0)
        assert admin.request(API_VERSIONS, 0, controller=True, timeout=TIMEOUT)
