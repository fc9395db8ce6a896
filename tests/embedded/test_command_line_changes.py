"""--json of the commands that change something: an object for each change."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.support.command_line import run
from tests.support.patches import needs

pytestmark = needs("mock-on-request", "mock-snapshot", "raw-request")


def changes_of(cluster: MockCluster, command: str, stdin: bytes = b"") -> list[dict[str, Any]]:
    done = run(*shlex.split(command), "--json", "-b", cluster.bootstrap_servers, stdin=stdin)
    assert done.status == 0, done
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(
    ("command", "change"),
    [
        ("configs set topic orders retention.ms=1000", {"kind": "topic", "name": "orders"}),
        ("configs unset topic orders retention.ms", {"kind": "topic", "name": "orders"}),
        ("quotas alter --user bo producer_byte_rate=9", {"user": "bo"}),
        ("users set bo", {"user": "bo", "mechanism": "scram-sha-512"}),
    ],
)
def test_one_change(kafka_cluster: MockCluster, command: str, change: dict[str, Any]) -> None:
    """The object names what was changed. With --check, nothing was changed."""
    kafka_cluster.create_topic("orders")
    stdin = b"secret\n" if command.startswith("users") else b""
    assert changes_of(kafka_cluster, command, stdin) == [change | {"done": True}]
    if not stdin:
        assert changes_of(kafka_cluster, f"{command} --check") == [change | {"done": False}]


def test_groups(kafka_cluster: MockCluster) -> None:
    """Each group that was deleted has an object."""
    kafka_cluster.create_topic("orders")
    for group in ("first", "second"):
        config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": group}
        with Consumer(config) as consumer:
            consumer.commit(offsets=[TopicPartition("orders", 0, 0)], asynchronous=False)
    assert changes_of(kafka_cluster, "groups delete first second -y") == [
        {"group": "first", "done": True},
        {"group": "second", "done": True},
    ]


def test_a_user_is_deleted(kafka_cluster: MockCluster) -> None:
    """The object names the mechanisms with which the user can no longer log in."""
    changes_of(kafka_cluster, "users set bo", b"secret\n")
    assert changes_of(kafka_cluster, "users delete bo -y") == [
        {"user": "bo", "mechanisms": ["scram-sha-512"], "done": True}
    ]
