"""``brokers``: descriptions of brokers, and which brokers can be unregistered."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka.testing import MockCluster
from tests.support.patches import needs

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import Ended, run

pytestmark = needs("mock-on-request", "mock-snapshot", "raw-request")

Run = Callable[..., Ended]


@pytest.fixture
def brokers(kafka_cluster: MockCluster) -> Run:
    """Runs `brokers COMMAND` with the cluster."""
    return lambda command: run("brokers", *command.split(), "-b", kafka_cluster.bootstrap_servers)


def rows(done: Ended) -> list[dict[str, Any]]:
    """The rows that a command with --json wrote."""
    assert (done.status, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_list(brokers: Run, kafka_cluster: MockCluster) -> None:
    """Each broker with its rack, and how many partitions it leads and stores."""
    kafka_cluster.create_topic("orders", 2, 3)
    kafka_cluster.set_leader("orders", 0, 2)
    kafka_cluster.set_leader("orders", 1, 2)
    kafka_cluster.set_rack(2, "eu-1a")
    found = rows(brokers("list -J"))
    assert [row["broker"] for row in found] == [1, 2, 3]
    assert [row["rack"] for row in found] == [None, "eu-1a", None]
    assert [row["leads"] for row in found] == [0, 2, 0]
    assert [row["replicas"] for row in found] == [2, 2, 2]
    assert sum(row["controller"] for row in found) == 1


def test_versions(brokers: Run, kafka_cluster: MockCluster) -> None:
    """Each kind of request with its name and versions, of a broker or of all brokers together."""
    kafka_cluster.set_api_versions("Produce", 3, 7)
    for command in ("versions -J", "versions 2 -J"):
        found = {row["request"]: row for row in rows(brokers(command))}
        assert found["Produce"] == {"request": "Produce", "key": 0, "lowest": 3, "highest": 7}
        assert "Metadata" in found
    assert brokers("versions 9") == (1, b"", "error: there is no broker 9, only 1, 2, 3\n")


def test_configs(brokers: Run, kafka_cluster: MockCluster) -> None:
    """The settings of a broker, as `configs describe broker` shows them."""
    servers = kafka_cluster.bootstrap_servers
    assert brokers("configs 1") == run("configs", "describe", "broker", "1", "-b", servers)
    assert len(rows(brokers("configs 1 --all -J"))) > len(rows(brokers("configs 1 -J")))


def test_unregister(brokers: Run) -> None:
    """A broker that is running and a broker that does not exist cannot be unregistered."""
    assert brokers("unregister 1 -y") == (1, b"", "error: broker 1 is up: stop it first\n")
    done = brokers("unregister 77")
    assert done.status == 2
    assert "--yes: is required without a terminal" in done.stderr
    done = brokers("unregister 77 -y")
    assert (done.status, done.stdout) == (1, b"")
    assert "77 is not currently registered" in done.stderr
    assert "ID: 'x' is not a whole number of at least 0" in brokers("unregister x").stderr


@pytest.mark.parametrize(
    "command",
    [
        *("brokers configs 99", "brokers versions 99", "features describe --broker 99"),
        *("configs describe broker 99", "configs describe broker-logger 99"),
        *("configs set broker 99 a=b", "log-dirs --broker 99"),
        "transactions describe-producers orders:0 --broker 99",
    ],
)
def test_a_broker_that_does_not_exist(kafka_cluster: MockCluster, command: str) -> None:
    """The error names the missing broker at once; the command does not wait until the timeout."""
    kafka_cluster.create_topic("orders", 1, 1)
    done = run(*command.split(), "-b", kafka_cluster.bootstrap_servers)
    assert done == (1, b"", "error: there is no broker 99, only 1, 2, 3\n")
