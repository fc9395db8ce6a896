"""`health` on a real cluster, also while a broker is missing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import OwnKafkaCluster
from tests.support.command_line import run
from tests.support.waiting import wait_until

pytestmark = pytest.mark.integration


def health(cluster: OwnKafkaCluster, *arguments: str) -> tuple[int, dict[str, Any]]:
    done = run("health", "-b", cluster.bootstrap_servers, "--json", "--timeout", "30", *arguments)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return done.status, {row["check"]: row for row in rows}


def test_a_broker_goes_and_comes_back(own_kafka: OwnKafkaCluster, make_topic: MakeTopic) -> None:
    """With all brokers, a partition is healthy. Without one, the command says what is wrong."""
    topic = make_topic(1, min_insync_replicas="3")

    def is_healthy() -> bool:
        # Other tests leave partitions with a problem in this cluster, so the status can be 1.
        rows = health(own_kafka)[1]
        here = f"{topic}:0" in rows["under-min-isr"]["found"]
        return bool(rows["brokers"]["ok"] and rows["controller"]["ok"] and not here)

    wait_until(is_healthy, timeout=120)
    broker = own_kafka.brokers[-1]
    broker.kill()
    try:
        wait_until(
            lambda: f"{topic}:0" in health(own_kafka)[1]["under-min-isr"]["found"], timeout=120
        )
        status, rows = health(own_kafka)
    finally:
        broker.start()
        own_kafka.wait_ready()
    assert status == 1
    assert not rows["brokers"]["ok"]
    assert rows["under-replicated"]["value"] >= 1
    assert f"{topic}:0" in rows["under-min-isr"]["found"]
    assert rows["controller"]["ok"]
    wait_until(is_healthy, timeout=120)
