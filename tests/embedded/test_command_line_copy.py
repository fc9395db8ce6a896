"""`copy` copies topics exactly once, and continues where it stopped."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Producer
from confluent_kafka.cli.messages import copying
from confluent_kafka.testing import MockCluster
from tests.support.command_line import Ended, run
from tests.support.kafka import NO_BROKER
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

pytestmark = needs("mock-transactions", "mock-txn-offsets", "mock-committed")

Copy = Callable[..., Ended]


@pytest.fixture
def copy(kafka_cluster: MockCluster) -> Copy:
    for topic in ("source", "target"):
        kafka_cluster.create_topic(topic, 2)
    return lambda *options: run(
        "copy", "source", "target", "-e", "-b", kafka_cluster.bootstrap_servers, *options
    )


def fill(producer: Producer, first: int, last: int) -> None:
    for number in range(first, last):
        value = None if number == 3 else b"v%d" % number
        headers = [("h", b"%d" % number), ("n", None)]
        producer.produce(
            "source", value, b"k%d" % number, number % 2, timestamp=1000 + number, headers=headers
        )
    assert producer.flush(TIMEOUT) == 0


def rows(cluster: MockCluster, topic: str) -> list[dict[str, Any]]:
    """The messages of a topic without its name and offsets."""
    done = run("consume", topic, "-e", "-q", "--json", "-b", cluster.bootstrap_servers)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    kept = ("partition", "timestamp", "key", "value", "headers")
    return sorted(({name: one[name] for name in kept} for one in found), key=str)


def test_within_a_cluster(copy: Copy, kafka_cluster: MockCluster, producer: Producer) -> None:
    """A copy has the partition, timestamp, key, value and headers of its message. The next run
    copies only new messages, even if --from names another offset."""
    fill(producer, 0, 6)
    assert copy() == (0, b"", "6 messages copied\n")
    assert rows(kafka_cluster, "target") == rows(kafka_cluster, "source")
    assert copy() == (0, b"", "0 messages copied\n")
    fill(producer, 6, 8)
    assert copy("--from", "beginning") == (0, b"", "2 messages copied\n")
    assert rows(kafka_cluster, "target") == rows(kafka_cluster, "source")


def test_between_clusters(copy: Copy, kafka_cluster: MockCluster, producer: Producer) -> None:
    """The positions are in the target cluster, so a copy there continues as well."""
    fill(producer, 0, 6)
    with MockCluster() as other:
        other.create_topic("target", 2)
        to = ["--to-brokers", other.bootstrap_servers]
        assert copy(*to) == (0, b"", "6 messages copied\n")
        fill(producer, 6, 8)
        assert copy(*to) == (0, b"", "2 messages copied\n")
        assert rows(other, "target") == rows(kafka_cluster, "source")
        assert rows(kafka_cluster, "target") == []


def test_filters_and_bounds(copy: Copy, kafka_cluster: MockCluster, producer: Producer) -> None:
    """The next run does not read the messages that a filter left out before. --group names another
    copy."""
    fill(producer, 0, 6)
    assert copy("--key-is", "k5", "--from", "-1") == (0, b"", "1 message copied\n")
    assert copy() == (0, b"", "0 messages copied\n")
    assert copy("-g", "again", "--header", "h=0") == (0, b"", "1 message copied\n")
    assert [one["key"] for one in rows(kafka_cluster, "target")] == ["k0", "k5"]


def test_a_copy_that_was_stopped(
    copy: Copy,
    kafka_cluster: MockCluster,
    producer: Producer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ctrl-C aborts the open transaction; the next run copies its messages, each once."""
    fill(producer, 0, 6)

    def interrupted(self: object, written: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(copying.Copying, "tick", interrupted)
        assert copy() == (130, b"", "0 messages copied\n")
    assert rows(kafka_cluster, "target") == []
    assert copy() == (0, b"", "6 messages copied\n")
    assert rows(kafka_cluster, "target") == rows(kafka_cluster, "source")


def test_wrong_usage(copy: Copy, kafka_cluster: MockCluster) -> None:
    """The target must be another topic, must exist, and must have the partitions of the source."""
    brokers = ["-b", kafka_cluster.bootstrap_servers]
    same = run("copy", "source", "source", *brokers)
    assert (same.status, "TARGET: must be another topic" in same.stderr) == (2, True)
    missing = run("copy", "source", "targets", "-e", *brokers)
    assert missing.status == 1
    assert "topic 'targets' does not exist: did you mean 'target'?" in missing.stderr
    kafka_cluster.create_topic("small", 1)
    small = run("copy", "source", "small", "-e", *brokers)
    assert small.status == 1
    assert "use `topics grow small 2`" in small.stderr
    both = copy("--until", "end")
    assert (both.status, "--exit-at-end: cannot be combined" in both.stderr) == (2, True)
    nobody = copy("--to-brokers", NO_BROKER, "--timeout", "0.5")
    assert (nobody.status, nobody.stdout) == (1, b"")
