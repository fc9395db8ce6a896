"""The command line while a broker of a real cluster is down. Replicas of the embedded cluster stay
in sync."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.integration.kafka_cluster import OwnKafkaCluster
from tests.support.command_line import run
from tests.support.real_kafka import MakeTopic
from tests.support.waiting import wait_until

pytestmark = pytest.mark.integration


@pytest.fixture
def broken(own_kafka: OwnKafkaCluster, make_topic: MakeTopic) -> Iterator[str]:
    """A topic whose replica on broker 3 is down."""
    name = make_topic(min_insync_replicas="2")
    broker = own_kafka.brokers[2]
    broker.kill()
    try:
        yield name
    finally:
        broker.start()
        own_kafka.wait_ready()


def test_partitions_with_a_problem(own_kafka: OwnKafkaCluster, broken: str) -> None:
    """After a broker has failed, options of `topics describe` select the partitions with a
    problem."""

    def found(option: str) -> list[dict[str, Any]]:
        done = run("topics", "describe", broken, option, "-J", "-b", own_kafka.bootstrap_servers)
        assert (done.status, done.stderr) == (0, ""), done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()]

    wait_until(lambda: len(found("--under-replicated")) == 1)
    (row,) = found("--at-min-isr")
    assert (len(row["in sync"]), row["min in sync"]) == (2, 2)
    assert 3 not in row["in sync"]
    assert found("--under-min-isr") == found("--unavailable") == []
