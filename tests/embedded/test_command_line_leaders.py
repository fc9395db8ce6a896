"""``elect-leaders``: which partitions get another leader."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from confluent_kafka.admin import AdminClient, NewTopic
from confluent_kafka.testing import MockCluster
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytest.importorskip("click", reason="the extra [cli] is not installed")

from tests.support.command_line import Ended, run

pytestmark = needs("mock-on-request", "mock-replicas", "mock-snapshot", "raw-request")

Run = Callable[..., Ended]


@pytest.fixture
def elect(kafka_cluster: MockCluster) -> Run:
    """Runs `elect-leaders` with a topic of two partitions, which brokers 2 and 1 should lead."""
    topic = NewTopic("orders", replica_assignment=[[2, 1, 3], [1, 2, 3]])
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        admin.create_topics([topic])["orders"].result(TIMEOUT)

    def run_with(*arguments: str) -> Ended:
        return run("elect-leaders", *arguments, "-b", kafka_cluster.bootstrap_servers)

    return run_with


def test_preferred(elect: Run, kafka_cluster: MockCluster) -> None:
    """The first replica leads again, in the given partitions or in all. A second run does
    nothing."""
    kafka_cluster.set_leader("orders", 0, 3)
    kafka_cluster.set_leader("orders", 1, 3)
    columns = b"topic\tpartition\tbefore\tleader\n"
    assert elect("orders:1") == (0, columns + b"orders\t1\t3\t1\n", "")
    assert elect() == (0, columns + b"orders\t0\t3\t2\n", "")
    assert elect() == elect("orders") == (0, b"no election is needed\n", "")
    assert elect("--json") == (0, b"", "")
    kafka_cluster.set_leader("orders", 0, 3)
    kafka_cluster.set_leader("orders", 1, 3)
    assert elect("orders:0,1") == (0, columns + b"orders\t0\t3\t2\norders\t1\t3\t1\n", "")
    assert elect("^ord") == (0, b"no election is needed\n", "")


def test_a_broker_that_is_down(elect: Run, kafka_cluster: MockCluster) -> None:
    """A partition whose first replica is down is a failure."""
    kafka_cluster.set_leader("orders", 0, 3)
    kafka_cluster.set_broker_down(2)
    done = elect("orders:0")
    assert done.status == 1
    assert done.stderr.startswith("error: partition 'orders:0': ")


def test_unclean(elect: Run, kafka_cluster: MockCluster) -> None:
    """Only partitions without a leader get one, and only after a confirmation."""
    kafka_cluster.set_leader("orders", 0, 3)
    assert elect("--unclean") == (0, b"no election is needed\n", "")
    kafka_cluster.set_leader("orders", 1, None)
    shown = b"topic\tpartition\treplicas\norders\t1\t1,2,3\n"
    done = elect("--unclean")
    assert (done.status, done.stdout) == (2, shown)
    assert "--yes: is required without a terminal" in done.stderr
    done = elect("--unclean", "--yes")
    assert done == (0, shown + b"partition orders:1 has a leader\n", "")
    assert elect("--unclean", "orders") == (0, b"no election is needed\n", "")
    kafka_cluster.set_leader("orders", 1, None)
    row = {"topic": "orders", "partition": 1, "replicas": [1, 2, 3], "done": True}
    assert json.loads(elect("--unclean", "--yes", "--json").stdout) == row


@pytest.mark.parametrize(
    ("where", "error"),
    [
        ("ordres", "topic 'ordres' does not exist: did you mean 'orders'?"),
        ("orders:2", "topic 'orders' has no partition 2, only partitions 0 to 1"),
    ],
)
def test_what_does_not_exist(elect: Run, where: str, error: str) -> None:
    """A topic or partition that does not exist is an error."""
    assert elect(where) == (1, b"", f"error: {error}\n")
