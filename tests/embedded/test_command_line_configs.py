"""``configs list``: the resources that have a configuration."""

from __future__ import annotations

import json

import pytest

from confluent_kafka.testing import MockCluster
from tests.support.patches import needs

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import Ended, run

pytestmark = needs("mock-on-request", "mock-snapshot", "raw-request")


def found(done: Ended) -> list[tuple[str, str]]:
    """The rows that a command with --json wrote."""
    assert (done.status, done.stderr) == (0, "")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [(line["kind"], line["name"]) for line in lines]


def test_list(kafka_cluster: MockCluster) -> None:
    """The command lists one kind of resources, or all kinds. Client metrics without any setting are
    not listed."""
    end = ["-b", kafka_cluster.bootstrap_servers]
    kafka_cluster.create_topic("orders")
    assert run("configs", "list", "client-metrics", *end) == (0, b"kind\tname\n", "")
    assert run("configs", "set", "client-metrics", "m", "interval.ms=5000", *end).status == 0
    assert found(run("configs", "list", "client-metrics", "-J", *end)) == [("client-metrics", "m")]
    assert found(run("configs", "list", "topic", "-J", *end)) == [("topic", "orders")]
    everything = found(run("configs", "list", "-J", *end))
    assert {("client-metrics", "m"), ("topic", "orders"), ("broker", "1")} <= set(everything)
    assert run("configs", "unset", "client-metrics", "m", "interval.ms", *end).status == 0
    assert found(run("configs", "list", "client-metrics", "-J", *end)) == []
