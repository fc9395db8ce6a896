"""Provides the embedded cluster, or the cluster in ``BOOTSTRAP=host:port``."""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from confluent_kafka import Consumer, KafkaException, TopicPartition
from confluent_kafka.testing import MockCluster

_BROKERS = 3
_TIMEOUT = 15.0


@contextmanager
def cluster(topics: Mapping[str, int]) -> Iterator[str]:
    """Provide a cluster with some topics; yield its bootstrap servers.

    Args:
        topics: the number of partitions by topic, for the embedded cluster. Another cluster creates
            topics with its own defaults; if it does not create them, the demo ends with an error.
    """
    if servers := os.environ.get("BOOTSTRAP"):
        _create_by_asking(servers, list(topics))
        yield servers
        return
    with MockCluster(_BROKERS) as embedded:
        for topic, partitions in topics.items():
            embedded.create_topic(topic, partitions, _BROKERS)
        yield embedded.bootstrap_servers


def stored(servers: str, topic: str) -> tuple[int, int]:
    """Return how many messages a topic has received, and how many of them were deleted."""
    with _consumer(servers) as consumer:
        partitions = consumer.list_topics(topic, timeout=_TIMEOUT).topics[topic].partitions
        ranges = [
            consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=_TIMEOUT)
            for number in partitions
        ]
    return sum(last for _, last in ranges), sum(first for first, _ in ranges)


def _create_by_asking(servers: str, topics: list[str]) -> None:
    """Request topics until they exist, because brokers may create topics that a client requests."""
    deadline = time.monotonic() + _TIMEOUT
    with _consumer(servers) as consumer:
        for topic in topics:
            while consumer.list_topics(topic, timeout=_TIMEOUT).topics[topic].error is not None:
                if time.monotonic() > deadline:
                    raise SystemExit(
                        f"{servers} did not create topic {topic}: "
                        "set auto.create.topics.enable=true there"
                    )
                time.sleep(0.2)


@contextmanager
def _consumer(servers: str) -> Iterator[Consumer]:
    config: dict[str, Any] = {
        "bootstrap.servers": servers,
        "group.id": "flights-cluster",
        "allow.auto.create.topics": True,
    }
    try:
        with Consumer(config) as consumer:
            yield consumer
    except KafkaException as failure:
        raise SystemExit(f"{servers}: {failure.args[0].str()}") from failure
