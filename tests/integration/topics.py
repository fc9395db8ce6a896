"""Topics with given partitions and configuration, made in milliseconds.

The distribution's kafka-topics.sh takes seconds to start: CreateTopics (version 4 of the
protocol, the last one without tagged fields) is written here by hand.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Mapping

from confluent_kafka import Consumer, KafkaError
from tests.integration.kafka_cluster import KafkaCluster
from tests.support.waiting import wait_until

CREATE_TOPICS, VERSION = 19, 4
TIMEOUT_MS = 30_000
DEFAULT_REPLICATION = -1


def create_topic(
    kafka: KafkaCluster, name: str, partitions: int = 1, config: Mapping[str, str] | None = None
) -> None:
    """Creates the topic and waits until clients can use each of its partitions."""
    host, port = kafka.bootstrap_servers.split(",")[0].rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(_request(name, partitions, config or {}))
        answer = connection.makefile("rb")
        (size,) = struct.unpack(">i", answer.read(4))
        code = _error_code(answer.read(size))
    assert code == KafkaError.NO_ERROR, f"{name}: {KafkaError(code)}"
    _wait_for_leaders(kafka, name, partitions)


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack(">h", len(data)) + data


def _request(name: str, partitions: int, config: Mapping[str, str]) -> bytes:
    header = struct.pack(">hhi", CREATE_TOPICS, VERSION, 1) + _text("tests")
    topic = _text(name) + struct.pack(">ih", partitions, DEFAULT_REPLICATION)
    topic += struct.pack(">i", 0)  # no assignments: the brokers choose
    topic += struct.pack(">i", len(config))
    for key, value in config.items():
        topic += _text(key) + _text(value)
    body = struct.pack(">i", 1) + topic + struct.pack(">ib", TIMEOUT_MS, 0)
    return struct.pack(">i", len(header) + len(body)) + header + body


def _error_code(answer: bytes) -> int:
    """Of the one topic: correlation id, throttle time, count, name, error code."""
    (length,) = struct.unpack_from(">h", answer, 12)
    (code,) = struct.unpack_from(">h", answer, 14 + length)
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
