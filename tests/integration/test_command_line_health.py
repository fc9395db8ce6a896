"""`health` on a real cluster while a broker is down."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.kafka_cluster import OwnKafkaCluster
from tests.integration.topics import create_topic, delete_topic
from tests.support.command_line import run
from tests.support.waiting import wait_until

pytestmark = pytest.mark.integration

# Controllers fence a broker after some seconds. A busy machine needs much longer to start one.
SECONDS = 120


@pytest.fixture
def partition(own_kafka: OwnKafkaCluster) -> Iterator[str]:
    """A partition that needs all three brokers. The checks name only some partitions, and this
    one comes first."""
    topic = f"000-health-{uuid.uuid4().hex}"
    create_topic(own_kafka, topic, 1, {"min.insync.replicas": "3"})
    yield f"{topic}:0"
    delete_topic(own_kafka, topic)


def checks(cluster: OwnKafkaCluster) -> tuple[int, dict[str, dict[str, Any]]]:
    """The exit status, and the checks by name: none if no broker could be asked."""
    done = run("health", "-b", cluster.bootstrap_servers, "--json", "--timeout", "30")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return done.status, {row["check"]: row for row in rows}


def test_a_broker_goes_and_comes_back(own_kafka: OwnKafkaCluster, partition: str) -> None:
    """While a broker is down, the checks name it and the partitions that lack a replica. Before and
    afterwards, they find nothing wrong with them."""
    broker = own_kafka.brokers[-1]

    def is_whole() -> bool:
        # Other tests leave partitions with a problem in this cluster, so the status can be 1.
        _, found = checks(own_kafka)
        return (
            {"brokers", "controller", "under-min-isr"} <= found.keys()
            and found["brokers"]["ok"]
            and found["controller"]["ok"]
            and partition not in found["under-min-isr"]["found"]
            and partition not in found["under-replicated"]["found"]
        )

    def lacks_a_broker() -> bool:
        status, found = checks(own_kafka)
        return (
            {"brokers", "controller", "under-min-isr"} <= found.keys()
            and status == 1
            and not found["brokers"]["ok"]
            and f"broker {broker.appid}" in found["brokers"]["found"]
            and found["controller"]["ok"]
            and partition in found["under-replicated"]["found"]
            and partition in found["under-min-isr"]["found"]
        )

    wait_until(is_whole, timeout=SECONDS)
    broker.kill()
    try:
        wait_until(lacks_a_broker, timeout=SECONDS)
    finally:
        broker.start()
        own_kafka.wait_ready()
    wait_until(is_whole, timeout=SECONDS)
