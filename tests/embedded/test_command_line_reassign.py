"""``reassign plan``, ``start --file --throttle`` and ``verify``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka.admin import AdminClient, NewTopic
from confluent_kafka.testing import MockCluster
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import Ended, run

pytestmark = needs("mock-on-request", "mock-replicas", "mock-snapshot", "raw-request")

Run = Callable[..., Ended]


@pytest.fixture
def cluster() -> Iterator[MockCluster]:
    """Brokers 1 to 4, of which 3 and 4 are in another rack. All replicas of orders are on 1 and
    2."""
    with MockCluster(brokers=4) as cluster:
        for broker in range(1, 5):
            cluster.set_rack(broker, "a" if broker < 3 else "b")
        topic = NewTopic("orders", replica_assignment=[[1, 2], [2, 1], [1, 2], [2, 1]])
        with AdminClient({"bootstrap.servers": cluster.bootstrap_servers}) as admin:
            admin.create_topics([topic])["orders"].result(TIMEOUT)
        yield cluster


@pytest.fixture
def reassign(cluster: MockCluster) -> Run:
    """Runs `reassign COMMAND` with the cluster."""

    def run_with(command: str, *arguments: str) -> Ended:
        words = command.split()
        return run("reassign", *words, *arguments, "-b", cluster.bootstrap_servers)

    return run_with


def planned(done: Ended) -> dict[int, list[int]]:
    """The brokers of each partition of orders in a plan."""
    assert done.status == 0
    items = json.loads(done.stdout)["partitions"]
    return {item["partition"]: item["replicas"] for item in items if item["topic"] == "orders"}


def settings(cluster: MockCluster, *resource: str) -> dict[str, Any]:
    done = run("configs", "describe", *resource, "-J", "-b", cluster.bootstrap_servers)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row["name"]: row["value"] for row in rows if "throttled" in row["name"]}


def test_plan(reassign: Run) -> None:
    """The plan uses all brokers and both racks. stderr shows how much would be copied."""
    done = reassign("plan orders")
    moves = planned(done)
    assert done.stderr == "note: 4 partitions of 4 would change, and 4 replicas would be copied\n"
    assert sorted(node for nodes in moves.values() for node in nodes) == [1, 1, 2, 2, 3, 3, 4, 4]
    assert all(len({node < 3 for node in nodes}) == 2 for nodes in moves.values())


def test_brokers_of_a_plan(reassign: Run) -> None:
    """--onto and --drain choose the brokers, and --replicas the number of replicas."""
    moves = planned(reassign("plan orders --onto 1 --onto 3"))
    assert all(sorted(nodes) == [1, 3] for nodes in moves.values())
    moves = planned(reassign("plan --drain 1"))
    assert len(moves) == 4
    assert all(1 not in nodes and 2 in nodes for nodes in moves.values())
    assert planned(reassign("plan --drain 3")) == {}
    moves = planned(reassign("plan orders --replicas 1"))
    assert all(len(nodes) == 1 for nodes in moves.values())


@pytest.mark.parametrize(
    ("command", "status", "error"),
    [
        ("plan", 2, "TOPICS: give topics, '^' for all topics, or --drain"),
        ("plan order", 1, "topic 'order' does not exist: did you mean 'orders'?"),
        ("plan orders --onto 9", 1, "there is no broker 9, only 1, 2, 3, 4"),
        ("plan orders --replicas 5", 1, "partition 'orders:0' needs 5 brokers for its replicas"),
        ("start", 2, "--file: give either partitions or --file"),
        (
            "start orders:9=1 --throttle 5 -y",
            1,
            "topic 'orders' has no partition 9, only partition",
        ),
        ("verify nosuch.json", 2, "FILE: 'nosuch.json' does not exist"),
    ],
)
def test_wrong_arguments(reassign: Run, command: str, status: int, error: str) -> None:
    """The error names the argument, and what is allowed."""
    done = reassign(command)
    assert (done.status, done.stdout) == (status, b"")
    assert done.stderr.startswith(f"error: {error}")


def test_a_wrong_plan(reassign: Run, tmp_path: Path) -> None:
    """A file that is not a plan is wrong usage."""
    file = tmp_path / "plan.json"
    file.write_text("{}")
    for command in (["start", "--file", str(file)], ["verify", str(file)]):
        done = reassign(*command)
        assert done.status == 2
        assert f"FILE: {file}: needs an object with" in done.stderr


def test_from_plan_to_end(reassign: Run, cluster: MockCluster, tmp_path: Path) -> None:
    """A plan is shown, confirmed, carried out with a throttle, and verified. At the end, the
    throttle is removed."""
    file = tmp_path / "plan.json"
    file.write_bytes(reassign("plan orders").stdout)
    done = reassign("start --throttle 1000000 --file", str(file))
    assert done.status == 2
    assert done.stdout.startswith(b"topic\tpartition\treplicas\tnew\norders\t0\t1,2\t")
    assert "--yes: is required without a terminal" in done.stderr
    assert settings(cluster, "topic", "orders") == {}
    done = reassign("verify", str(file))
    assert done.status == 1
    assert done.stderr == "error: 4 partitions of 4 not done\n"
    assert done.stdout.count(b"not started") == 4
    assert reassign("start --throttle 1000000 -y --file", str(file)).status == 0
    throttled = settings(cluster, "topic", "orders")
    assert throttled["leader.replication.throttled.replicas"].startswith("0:1,0:2,1:2,1:1,")
    assert settings(cluster, "broker", "1") == {
        "follower.replication.throttled.rate": "1000000",
        "leader.replication.throttled.rate": "1000000",
    }
    assert reassign("verify --keep-throttle", str(file)).status == 0
    assert settings(cluster, "topic", "orders") == throttled
    done = reassign("verify -J", str(file))
    states = [json.loads(line)["state"] for line in done.stdout.splitlines()]
    assert (done.status, states) == (0, ["done"] * 4)
    assert done.stderr.startswith("note: removed the throttle of topic orders\n")
    assert settings(cluster, "topic", "orders") == settings(cluster, "broker", "1") == {}
    assert reassign("verify", str(file)).stderr == ""


def test_a_throttle_that_no_move_needs(reassign: Run, cluster: MockCluster) -> None:
    """If the brokers refuse moves, topics and brokers without another move get back the settings
    that they had before the command."""
    earlier = {"leader.replication.throttled.rate": "77"}
    command = ["configs", "set", "broker", "1", "leader.replication.throttled.rate=77"]
    assert run(*command, "-b", cluster.bootstrap_servers).status == 0
    refused = reassign("start orders:0=1,1 --throttle 5 -y")
    assert (refused.status, refused.stdout) == (1, b"")
    assert refused.stderr.startswith("error: partition 'orders:0': ")
    assert settings(cluster, "topic", "orders") == settings(cluster, "broker", "2") == {}
    assert settings(cluster, "broker", "1") == earlier
    partly = reassign("start orders:0=2,2 orders:1=1,3 --throttle 5 -y")
    assert (partly.status, partly.stdout) == (1, b"partition orders:1 is being moved\n")
    assert len(settings(cluster, "topic", "orders")) == 2
    for broker in ("1", "2", "3"):
        assert set(settings(cluster, "broker", broker).values()) == {"5"}
    assert settings(cluster, "broker", "4") == {}


def test_a_throttle_without_a_broker_that_is_down(reassign: Run, cluster: MockCluster) -> None:
    """Replicas move away from a broker that is down, and brokers that do not exist are refused at
    once. Only the brokers that are up get the throttle."""
    refused = reassign("start orders:0=1,77 --throttle 5 -y")
    assert (refused.status, refused.stdout) == (1, b"")
    assert "there is no broker 77" in refused.stderr
    assert settings(cluster, "topic", "orders") == settings(cluster, "broker", "1") == {}
    cluster.set_broker_down(2)
    assert reassign("start orders:0=1,3 --throttle 5 -y").status == 0
    for broker in ("1", "3"):
        assert set(settings(cluster, "broker", broker).values()) == {"5"}
    cluster.set_broker_up(2)
    assert settings(cluster, "broker", "2") == {}


def test_a_throttle_that_is_refused(reassign: Run, cluster: MockCluster) -> None:
    """If the brokers refuse the rate, nothing moves, and the topic does not keep its part of the
    throttle."""
    too_large = 2**63
    done = reassign(f"start orders:0=1,3 --throttle {too_large} -y")
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr.startswith("error: throttle of 'broker 1': ")
    assert settings(cluster, "topic", "orders") == settings(cluster, "broker", "1") == {}


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        ("", 2, "--all: give either partitions or --all"),
        ("orders --all", 2, "--all: give either partitions or --all"),
        ("orders:x", 2, "TOPIC[:PARTITION,...]...: 'orders:x': needs TOPIC or TOPIC:PARTITION"),
        ("orders", 1, "topic 'orders' has no partition that is being moved"),
        ("order", 1, "topic 'order' does not exist: did you mean 'orders'?"),
        ("orders:0,1", 1, "partition 'orders:0': "),
    ],
)
def test_nothing_to_cancel(reassign: Run, arguments: str, status: int, reason: str) -> None:
    """A topic or a partition that is named must have a move. --all needs none."""
    done = reassign("cancel -y", *arguments.split())
    assert (done.status, done.stdout) == (status, b"")
    assert done.stderr.startswith(f"error: {reason}")
    assert reassign("cancel --all -y") == (0, b"no partition is being moved\n", "")
    assert reassign("cancel --all -y --json") == (0, b"", "")
    unconfirmed = reassign("cancel orders:0")
    assert (unconfirmed.status, unconfirmed.stdout) == (2, b"")
    assert unconfirmed.stderr.startswith("error: --yes: is required without a terminal")


class TestMoveDisk:
    """The embedded brokers have two log directories."""

    def directories(self, cluster: MockCluster) -> dict[int, str]:
        """The directory of each partition of orders on broker 1."""
        servers = ["-b", cluster.bootstrap_servers]
        done = run("log-dirs", "-J", "--broker", "1", "--topic", "orders", *servers)
        shown = map(json.loads, done.stdout.splitlines())
        return {row["partition"]: row["directory"] for row in shown if not row["future"]}

    def test_moved(self, cluster: MockCluster, reassign: Run) -> None:
        """The replicas of a topic, or of partitions, move to the other directory. Those that are
        there already are named."""
        here = self.directories(cluster)[0]
        wrong = reassign("move-disk orders:0 --broker 1 --to /x --yes")
        assert wrong.stderr.startswith("error: --to: broker 1 has no log directory '/x', only ")
        known = wrong.stderr.partition(", only ")[2].strip().split(", ")
        (there,) = set(known) - {here}
        move = "--broker 1 --yes --to"
        done = reassign(f"move-disk orders:0,2 {move}", there)
        assert (done.status, done.stderr) == (0, "")
        assert done.stdout.decode().splitlines() == [
            f"replica orders:{number} of broker 1 is being moved to {there}" for number in (0, 2)
        ]
        wait_until(lambda: self.directories(cluster) == {0: there, 1: here, 2: there, 3: here})
        rest = reassign(f"move-disk orders {move}", there)
        assert rest.stderr == f"note: already in {there}: orders:0, orders:2\n"
        assert len(rest.stdout.splitlines()) == 2

    @pytest.mark.parametrize(
        ("arguments", "reason"),
        [
            ("orders:0 --broker 9", "there is no broker 9, only 1, 2, 3, 4"),
            ("orders:7 --broker 1", "topic 'orders' has no partition 7, only partitions 0 to 3"),
            ("orders:1 --broker 3", "broker 3 has no replica of orders:1"),
            ("orders --broker 3", "broker 3 has no replica of topic 'orders'"),
            ("order --broker 1", "topic 'order' does not exist: did you mean 'orders'?"),
        ],
    )
    def test_refused(
        self, cluster: MockCluster, reassign: Run, arguments: str, reason: str
    ) -> None:
        """Nothing moves if the broker, the partition or the replica does not exist."""
        path = self.directories(cluster)[0]
        done = reassign(f"move-disk {arguments} --yes --to", path)
        assert (done.status, done.stdout, done.stderr) == (1, b"", f"error: {reason}\n")
