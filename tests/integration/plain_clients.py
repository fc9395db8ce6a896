"""A producer and a consumer for tests without special needs."""

from __future__ import annotations

from typing import Any

from confluent_kafka import Consumer, Producer
from tests.integration.kafka_cluster import KafkaCluster


def writer(kafka: KafkaCluster, config: dict[str, Any] | None = None) -> Producer:
    """A producer that sends at once. It is idempotent, so that a retry does not change the
    order."""
    common = kafka.config() | {"linger.ms": 0, "enable.idempotence": True}
    return Producer(common | (config or {}))


def reader(kafka: KafkaCluster, config: dict[str, Any] | None = None) -> Consumer:
    """A consumer of assigned partitions. It is in no group and commits nothing."""
    common = kafka.config() | {
        "group.id": "readers",
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest",
        "fetch.wait.max.ms": 50,
    }
    return Consumer(common | (config or {}))
