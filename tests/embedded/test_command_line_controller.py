"""Commands that only read settings, while the broker that the metadata calls the controller is
down."""

from __future__ import annotations

import json
import shlex

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka.admin import AdminClient
from confluent_kafka.testing import MockCluster
from tests.support.command_line import run
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = needs("mock-on-request", "mock-snapshot", "raw-request")


@pytest.fixture
def servers(kafka_cluster: MockCluster) -> str:
    """The addresses of a cluster with a topic, whose controller is down."""
    kafka_cluster.create_topic("orders", 1, 3)
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        controller = admin.describe_cluster().result(TIMEOUT).controller
    assert controller is not None
    kafka_cluster.set_broker_down(controller.id)
    kafka_cluster.set_leader("orders", 0, controller.id % 3 + 1)
    return kafka_cluster.bootstrap_servers


@pytest.mark.parametrize(
    "command",
    [
        "topics describe orders --at-min-isr",
        "topics describe orders --with-overrides",
        "configs describe topic orders",
    ],
)
def test_settings_of_topics(servers: str, command: str) -> None:
    """A broker that answers is asked, not the controller: brokers of KRaft call any broker the
    controller until they know that it is down."""
    done = run(*shlex.split(command), "-b", servers, "--timeout", str(TIMEOUT))
    assert (done.status, done.stderr) == (0, "")


def test_health(servers: str) -> None:
    """Of the checks, only those of the brokers and of the controller fail."""
    done = run("health", "-b", servers, "--timeout", "5", "--json")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["check"] for row in rows if not row["ok"]} == {"brokers", "controller"}
