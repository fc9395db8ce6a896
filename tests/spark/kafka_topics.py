"""Changes to topics of a real cluster that the client cannot make yet."""

from __future__ import annotations

import struct

from confluent_kafka import KafkaError
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.protocol import array, ask, text

_DELETE_TOPICS = 20
_CREATE_PARTITIONS = 37
_TIMEOUT_MS = 30_000


def delete_topic(kafka: KafkaCluster, topic: str) -> None:
    """Delete a topic; the brokers are done with it a moment later."""
    answer = _ask_controller(
        kafka, _DELETE_TOPICS, 1, array([text(topic)]) + struct.pack(">i", _TIMEOUT_MS)
    )
    _check(answer[-2:])


def add_partitions(kafka: KafkaCluster, topic: str, total: int) -> None:
    """Make a topic have more partitions."""
    body = array([text(topic) + struct.pack(">ii", total, -1)])
    answer = _ask_controller(
        kafka, _CREATE_PARTITIONS, 1, body + struct.pack(">ib", _TIMEOUT_MS, 0)
    )
    start = 8 + 2 + len(topic)
    _check(answer[start : start + 2])


def _ask_controller(kafka: KafkaCluster, key: int, version: int, body: bytes) -> bytes:
    # A KRaft broker passes it on to the controller.
    return ask(kafka.bootstrap_servers.split(",")[0], key, version, body)


def _check(code: bytes) -> None:
    (found,) = struct.unpack(">h", code)
    assert found == KafkaError.NO_ERROR, KafkaError(found)
