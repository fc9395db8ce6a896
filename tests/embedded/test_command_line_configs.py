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


def test_the_nearest_names(kafka_cluster: MockCluster) -> None:
    """If the cluster does not have a setting or a quota, the command names the nearest one."""
    end = ["-b", kafka_cluster.bootstrap_servers]
    kafka_cluster.create_topic("orders")
    assert run("configs", "set", "topic", "orders", "retention.ms=5000", *end).status == 0
    for command in (
        ["set", "topic", "orders", "retention.m=1"],
        ["unset", "topic", "orders", "retention.m"],
    ):
        done = run("configs", *command, *end)
        assert (done.status, done.stdout) == (1, b"")
        assert done.stderr.endswith("\nretention.m: did you mean 'retention.ms'?\n")
    done = run("quotas", "alter", "--user", "u", "producer_bite_rate=5", *end)
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr.endswith("\nproducer_bite_rate: did you mean 'producer_byte_rate'?\n")
