"""Topics with given partitions and configuration, made in milliseconds."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from confluent_kafka import Consumer, KafkaError
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.protocol import array, ask, text
from tests.support.waiting import wait_until

CREATE_TOPICS = 19
TIMEOUT_MS = 30_000
DEFAULT_REPLICATION = -1


def create_topic(
    kafka: KafkaCluster, name: str, partitions: int = 1, config: Mapping[str, str] | None = None
) -> None:
    """Creates the topic and waits until clients can use each of its partitions."""
    address = kafka.bootstrap_servers.split(",")[0]
    code = _error_code(ask(address, CREATE_TOPICS, 4, _request(name, partitions, config or {})))
    assert code == KafkaError.NO_ERROR, f"{name}: {KafkaError(code)}"
    _wait_for_leaders(kafka, name, partitions)


def _request(name: str, partitions: int, config: Mapping[str, str]) -> bytes:
    topic = text(name) + struct.pack(">ih", partitions, DEFAULT_REPLICATION)
    topic += array([])  # no assignments: the brokers choose
    topic += array([text(key) + text(value) for key, value in config.items()])
    return array([topic]) + struct.pack(">ib", TIMEOUT_MS, 0)


def _error_code(answer: bytes) -> int:
    """Of the one topic: throttle time, count, name, error code."""
    (length,) = struct.unpack_from(">h", answer, 8)
    (code,) = struct.unpack_from(">h", answer, 10 + length)
    return int(code)


def _wait_for_leaders(kafka: KafkaCluster, name: str, partitions: int) -> None:
    config = kafka.config() | {"group.id": "tests", "allow.auto.create.topics": False}
    with Consumer(config) as consumer:

        def has_leaders() -> bool:
            found = consumer.list_topics(name, timeout=10).topics[name].partitions
            return len(found) == partitions and all(
                each.leader >= 0 and each.error is None for each in found.values()
            )

        wait_until(has_leaders)
