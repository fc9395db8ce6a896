"""Brokers, leaders and reassignments of a real cluster from the command line."""

from __future__ import annotations

import json
import subprocess
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka.admin import AdminClient, NewTopic
from tests.integration.conftest import kafka_home
from tests.integration.kafka_cluster import BROKERS, KafkaCluster, OwnKafkaCluster
from tests.integration.plain_clients import writer
from tests.integration.topics import delete_topic, wait_for_topic
from tests.support.command_line import Ended, run
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [
    pytest.mark.integration,
    pytest.mark.both_clusters,
    needs("mock-on-request", "mock-replicas", "mock-snapshot", "raw-request"),
]

Run = Callable[..., Ended]


@pytest.fixture
def kafka_cli(kafka: KafkaCluster) -> Run:
    """Runs a command with the cluster."""

    def run_with(command: str, *arguments: str) -> Ended:
        return run(*command.split(), *arguments, "-b", kafka.bootstrap_servers)

    return run_with


def rows(done: Ended) -> list[dict[str, Any]]:
    """The rows that a command with --json wrote."""
    assert (done.status, done.stderr) == (0, ""), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def placed(kafka: KafkaCluster) -> str:
    """A topic with three partitions, whose replicas are on brokers 1 and 2."""
    name = f"placed-{uuid.uuid4().hex[:12]}"
    topic = NewTopic(
        name,
        replica_assignment=[[1, 2], [2, 1], [1, 2]],
        config={"min.insync.replicas": "1"},
    )
    with AdminClient(kafka.config()) as admin:
        admin.connect(TIMEOUT)
        admin.create_topics([topic])[name].result(TIMEOUT)
    wait_for_topic(kafka, name, 3)
    return name


def test_brokers(own_kafka: OwnKafkaCluster, kafka_cli: Run, placed: str) -> None:
    """The brokers of the cluster, their versions and their settings."""
    found = rows(kafka_cli("brokers list -J"))
    assert [row["broker"] for row in found] == list(range(1, BROKERS + 1))
    assert sum(row["controller"] for row in found) == 1
    assert found[0]["leads"] >= 2
    assert found[0]["replicas"] >= 3
    addresses = {f"{row['host']}:{row['port']}" for row in found}
    assert addresses == set(own_kafka.bootstrap_servers.split(","))
    versions = {row["request"]: row for row in rows(kafka_cli("brokers versions -J"))}
    assert versions["Metadata"]["highest"] >= 12
    assert versions["ApiVersions"]["lowest"] == 0
    assert "log.dirs" in {row["name"] for row in rows(kafka_cli("brokers configs 1 --all -J"))}


def test_unregister(kafka_cli: Run) -> None:
    """A broker that is running and a broker that does not exist cannot be unregistered."""
    done = kafka_cli("brokers unregister 1 -y")
    assert done == (1, b"", "error: broker 1 is up: stop it first\n")
    done = kafka_cli("brokers unregister 77 -y")
    assert (done.status, done.stdout) == (1, b"")
    assert "77 is not currently registered" in done.stderr


def leaders(kafka_cli: Run, topic: str) -> list[int]:
    return [row["leader"] for row in rows(kafka_cli("topics describe", topic, "-J"))]


def test_preferred_leaders(kafka_cli: Run, placed: str) -> None:
    """After a change of the order of replicas, the new first replica becomes the leader."""
    assert leaders(kafka_cli, placed) == [1, 2, 1]
    assert kafka_cli("elect-leaders", placed) == (0, b"no election is needed\n", "")
    moves = [f"{placed}:{number}=2,1" for number in range(3)]
    assert kafka_cli("reassign start -y", *moves).status == 0

    def replicas() -> list[list[int]]:
        return [row["replicas"] for row in rows(kafka_cli("topics describe", placed, "-J"))]

    wait_until(lambda: replicas() == [[2, 1]] * 3)
    # Brokers elect leaders themselves from time to time.
    done = kafka_cli("elect-leaders", placed)
    assert (done.status, done.stderr) == (0, "")
    wait_until(lambda: leaders(kafka_cli, placed) == [2, 2, 2])
    assert kafka_cli("elect-leaders", placed).stdout == b"no election is needed\n"


def test_no_unclean_election(kafka_cli: Run, placed: str) -> None:
    """Partitions that have a leader keep it."""
    done = kafka_cli("elect-leaders --unclean -y", placed)
    assert done == (0, b"no election is needed\n", "")


def throttles(kafka_cli: Run, kind: str, name: str) -> dict[str, str]:
    found = rows(kafka_cli("configs describe", kind, name, "-J"))
    return {row["name"]: row["value"] for row in found if "throttled" in row["name"]}


def test_from_plan_to_end(kafka_cli: Run, placed: str, tmp_path: Path) -> None:
    """A plan is made and carried out with a throttle. When it is done, the throttle is removed."""
    file = tmp_path / "plan.json"
    done = kafka_cli("reassign plan", placed)
    assert done.status == 0
    plan = json.loads(done.stdout)["partitions"]
    assert sorted(node for item in plan for node in item["replicas"]).count(3) == 2
    file.write_bytes(done.stdout)
    assert kafka_cli("reassign verify", str(file)).status == 1
    started = kafka_cli("reassign start --throttle 100000000 -y --file", str(file))
    assert (started.status, started.stderr) == (0, "")
    wait_until(lambda: len(throttles(kafka_cli, "topic", placed)) == 2)
    wait_until(lambda: len(throttles(kafka_cli, "broker", "3")) == 2)
    wait_until(lambda: kafka_cli("reassign verify --keep-throttle", str(file)).status == 0)
    done = kafka_cli("reassign verify", str(file))
    assert done.status == 0
    assert f"note: removed the throttle of topic {placed}\n" in done.stderr
    wait_until(lambda: throttles(kafka_cli, "topic", placed) == {})
    wait_until(lambda: throttles(kafka_cli, "broker", "3") == {})
    assert json.loads(kafka_cli("reassign plan", placed).stdout)["partitions"] == []


def test_kafkas_own_tool(
    real_kafka: KafkaCluster, kafka_cli: Run, placed: str, tmp_path: Path
) -> None:
    """kafka-reassign-partitions.sh carries out a plan, and `reassign verify` shows that it is
    done."""
    file = tmp_path / "plan.json"
    file.write_bytes(kafka_cli("reassign plan", placed).stdout)
    tool = [
        str(kafka_home() / "bin" / "kafka-run-class.sh"),
        "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
        *("--bootstrap-server", real_kafka.bootstrap_servers),
        *("--reassignment-json-file", str(file), "--execute"),
    ]
    subprocess.run(tool, check=True, stdout=subprocess.DEVNULL, timeout=TIMEOUT)
    wait_until(lambda: kafka_cli("reassign verify", str(file)).status == 0)


def test_drained(kafka_cli: Run, placed: str) -> None:
    """A plan with --drain moves all partitions of the broker, and no other partitions."""
    plan = json.loads(kafka_cli("reassign plan --drain 1", placed).stdout)["partitions"]
    assert [item["partition"] for item in plan] == [0, 1, 2]
    assert all(sorted(item["replicas"]) == [2, 3] for item in plan)
    assert json.loads(kafka_cli("reassign plan --drain 3", placed).stdout)["partitions"] == []


@pytest.mark.parametrize(
    ("selected", "cancelled"), [(":0", [0]), (":0,2", [0, 2]), ("", [0, 1, 2]), (None, [0, 1, 2])]
)
def test_cancelled(
    real_kafka: KafkaCluster,  # the embedded cluster moves replicas at once
    kafka_cli: Run,
    placed: str,
    tmp_path: Path,
    selected: str | None,
    cancelled: list[int],
) -> None:
    """Moves are cancelled by partition, by topic, or with --all. Other moves continue. A move
    that the brokers refuse does not leave its throttle."""
    with writer(real_kafka) as producer:
        for partition in range(3):
            producer.produce(placed, b"x" * 100_000, partition=partition)
        assert producer.flush(TIMEOUT) == 0
    assert kafka_cli("reassign start -y --throttle 1", f"{placed}:0=1,1").status == 1
    wait_until(lambda: throttles(kafka_cli, "topic", placed) == {})
    wait_until(lambda: throttles(kafka_cli, "broker", "1") == {})

    def moving() -> list[int]:
        found = rows(kafka_cli("reassign list -J"))
        return [row["partition"] for row in found if row["topic"] == placed]

    moves = [f"{placed}:{number}=1,3" for number in range(3)]
    started = kafka_cli("reassign start -y --throttle 1", *moves)
    assert started.status == 0, started
    wait_until(lambda: moving() == [0, 1, 2])
    done = kafka_cli("reassign cancel -y", "--all" if selected is None else placed + selected)
    lines = [f"partition {placed}:{number} stays where it was\n" for number in cancelled]
    assert done == (0, "".join(lines).encode(), "")
    left = [number for number in range(3) if number not in cancelled]
    wait_until(lambda: moving() == left)
    if left:
        assert kafka_cli("reassign cancel -y", placed).status == 0
    wait_until(lambda: moving() == [])
    found = rows(kafka_cli("topics describe", placed, "-J"))
    assert [sorted(row["replicas"]) for row in found] == [[1, 2]] * 3
    plan = [{name: row[name] for name in ("topic", "partition", "replicas")} for row in found]
    file = tmp_path / "plan.json"
    file.write_text(json.dumps({"version": 1, "partitions": plan}))
    wait_until(lambda: kafka_cli("reassign verify", str(file)).status == 0)
    wait_until(lambda: throttles(kafka_cli, "broker", "3") == {})
    delete_topic(real_kafka, placed)
