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
    """The cluster is healthy with all brokers. Without one, the command says what is wrong."""
    topic = make_topic(1, min_insync_replicas="3")
    wait_until(lambda: health(own_kafka)[0] == 0, timeout=120)
    broker = own_kafka.brokers[-1]
    broker.kill()
    try:
        wait_until(lambda: not health(own_kafka)[1]["under-min-isr"]["ok"], timeout=120)
        status, rows = health(own_kafka)
    finally:
        broker.start()
        own_kafka.wait_ready()
    assert status == 1
    assert not rows["brokers"]["ok"]
    assert rows["under-replicated"]["value"] >= 1
    assert f"{topic}:0" in rows["under-min-isr"]["found"]
    assert rows["controller"]["ok"]
    wait_until(lambda: health(own_kafka)[0] == 0, timeout=120)
