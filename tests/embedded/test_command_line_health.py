"""`health`: what it checks, and what a probe gets."""

from __future__ import annotations

import json
import signal
import socket
import time
from typing import Any

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import ClusterMetadata
from confluent_kafka.cli.administration import health_checks
from confluent_kafka.testing import MockCluster
from tests.support.command_line import Ended, ended, run, started, words
from tests.support.kafka import NO_BROKER
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = needs("mock-on-request", "mock-snapshot")


def health(cluster: MockCluster, *arguments: str) -> tuple[Ended, dict[str, Any]]:
    """The result, and the rows by the names of their checks."""
    done = run("health", "-b", cluster.bootstrap_servers, "--json", *arguments)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return done, {row.pop("check"): row for row in rows}


@pytest.fixture
def group(kafka_cluster: MockCluster) -> str:
    """A group that is 7 messages behind."""
    kafka_cluster.create_topic("orders", 2)
    servers = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    with Producer(servers) as producer:
        for partition in (0, 1):
            for _ in range(5):
                producer.produce("orders", b"x", partition=partition)
        assert producer.flush() == 0
    with Consumer({**servers, "group.id": "billing"}) as consumer:
        places = [TopicPartition("orders", 0, 2), TopicPartition("orders", 1, 1)]
        consumer.commit(offsets=places, asynchronous=False)
    return "billing"


def test_a_healthy_cluster(kafka_cluster: MockCluster) -> None:
    """If all checks succeed, the status is 0; stdout has a row for each check, and stderr is
    empty."""
    kafka_cluster.create_topic("orders", 2)
    done, rows = health(kafka_cluster)
    assert (done.status, done.stderr) == (0, "")
    none = {"ok": True, "value": 0, "limit": 0, "found": "0 partitions"}
    assert rows == {
        "brokers": {"ok": True, "value": 3, "limit": None, "found": "3 of 3 brokers answer"},
        "controller": {"ok": True, "value": 1, "limit": None, "found": "broker 1"},
        "offline": none,
        "under-replicated": none,
        "under-min-isr": none,
    }


def test_lag(kafka_cluster: MockCluster, group: str) -> None:
    """The lag of a group in all partitions together is compared with its limit."""
    done, rows = health(kafka_cluster, "--max-lag", f"{group}=7")
    assert done.status == 0
    wanted = {"ok": True, "value": 7, "limit": 7, "found": "7 messages"}
    assert rows["lag billing"] == wanted
    done, rows = health(kafka_cluster, "--max-lag", f"{group}=6", "--max-lag", "bilings=1")
    assert done.status == 1
    assert rows["lag billing"] == wanted | {
        "ok": False,
        "limit": 6,
        "found": "7 messages, more than 6",
    }
    assert done.stderr == (
        "error: lag billing: 7 messages, more than 6\n"
        "error: lag bilings: there is no group 'bilings': did you mean 'billing'?\n"
    )


def test_a_broker_that_is_missing(kafka_cluster: MockCluster) -> None:
    """A broker that only has replicas is reported as missing, and the other checks are still
    done."""
    kafka_cluster.create_topic("orders", 3)
    kafka_cluster.set_broker_down(2)
    done, rows = health(kafka_cluster)
    assert done.status == 1
    assert rows["brokers"]["found"] == "2 of 3 brokers answer: broker 2 is missing"
    assert rows["controller"]["ok"]


def test_a_broker_that_does_not_answer(kafka_cluster: MockCluster) -> None:
    """The time limit is for all checks together."""
    kafka_cluster.set_round_trip_time(2, 60)
    first, second, third = kafka_cluster.bootstrap_servers.split(",")
    began = time.monotonic()
    done = run("health", "-b", f"{first},{third}", "--json", "--timeout", "2")
    assert time.monotonic() - began < 30
    assert done.status == 1
    row = json.loads(done.stdout.splitlines()[0])
    assert row["found"].startswith("2 of 3 brokers answer: broker 2 does not answer (")
    assert second not in first


def test_offline(kafka_cluster: MockCluster) -> None:
    """Partitions without a leader: the first three are named."""
    kafka_cluster.create_topic("orders", 5)
    for partition in range(5):
        kafka_cluster.set_leader("orders", partition, None)
    done, rows = health(kafka_cluster)
    assert done.status == 1
    found = "5 partitions: orders:0, orders:1, orders:2 and 2 more"
    assert rows["offline"] == {"ok": False, "value": 5, "limit": 0, "found": found}
    assert f"error: offline: {found}\n" in done.stderr


def test_under_min_isr(kafka_cluster: MockCluster) -> None:
    """Partitions with fewer replicas in sync than min.insync.replicas."""
    servers = ["-b", kafka_cluster.bootstrap_servers]
    for name in ("orders", "payments"):
        assert run("topics", "create", name, "--partitions", "1", *servers).status == 0
    setting = ["topic", "orders", "min.insync.replicas=4"]
    assert run("configs", "set", *setting, *servers).status == 0
    done, rows = health(kafka_cluster)
    assert done.status == 1
    assert rows["under-min-isr"]["found"] == "1 partition: orders:0"


def test_under_replicated(kafka_cluster: MockCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Partitions with a replica that is not in sync."""
    kafka_cluster.create_topic("orders", 1)
    found = health_checks._partitions

    def without_one(metadata: ClusterMetadata) -> list[tuple[str, Any]]:
        partitions = found(metadata)
        for _, partition in partitions:
            partition.isrs = partition.isrs[1:]
        return partitions

    monkeypatch.setattr(health_checks, "_partitions", without_one)
    done, rows = health(kafka_cluster)
    assert done.status == 1
    assert rows["under-replicated"]["found"] == "1 partition: orders:0"


@pytest.mark.parametrize("silent", [False, True])
def test_no_cluster(silent: bool) -> None:
    """Without a broker, the command writes a row and a reason within its time limit."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        host, port = server.getsockname()
        address = f"{host}:{port}" if silent else NO_BROKER
        began = time.monotonic()
        done = run("health", "-b", address, "--json", "--timeout", "1")
        assert time.monotonic() - began < 20
    assert done.status == 1
    row = json.loads(done.stdout)
    assert (row["check"], row["ok"], row["value"]) == ("brokers", False, 0)
    assert row["found"]
    assert done.stderr.startswith("error: brokers: ")


@pytest.mark.parametrize("text", ["billing", "billing=", "=5", "billing=-1", "billing=many"])
def test_a_wrong_limit(text: str) -> None:
    """A wrong limit ends with status 2, and the error names the option and the format."""
    done = run("health", "-b", NO_BROKER, "--max-lag", text)
    assert (done.status, done.stdout) == (2, b"")
    assert "--max-lag: " in done.stderr
    assert "needs GROUP=N" in words(done.stderr)


def test_a_group_whose_name_has_an_equals_sign(kafka_cluster: MockCluster) -> None:
    """In --max-lag, the last equals sign is before the number, so a group's name can contain equals
    signs."""
    _, rows = health(kafka_cluster, "--max-lag", "a=b=5")
    assert rows["lag a=b"]["limit"] == 5


@pytest.mark.parametrize(
    "command",
    [
        ["health", "--brokers", "{}", "--timeout", "60"],
        ["registry", "subjects", "--registry", "http://{}", "--timeout", "60"],
    ],
    ids=["health", "registry"],
)
def test_ctrl_c(command: list[str]) -> None:
    """Ctrl-C ends a command that waits for a server, with status 130 and without a traceback."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(TIMEOUT)
        host, port = server.getsockname()
        process = started(*(word.format(f"{host}:{port}") for word in command))
        with server.accept()[0]:  # it waits for an answer now
            process.send_signal(signal.SIGINT)
            done = ended(process)
    assert (done.status, done.stderr) == (130, "")
    assert b"Traceback" not in done.stdout
