"""`copy` copies topics exactly once, and continues where it stopped."""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Message, Producer
from confluent_kafka.cli.messages import copying
from confluent_kafka.cli.messages.reading_display import ReadingDisplay
from confluent_kafka.testing import MockCluster
from tests.support.command_line import COMMAND, Ended, run
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


def test_where(copy: Copy, kafka_cluster: MockCluster, producer: Producer) -> None:
    """--where sees decoded values, and the copy has the bytes of the messages. Messages that the
    expression leaves out are not looked at again."""
    pytest.importorskip("cel_expr_python", reason="cel-expr-python is not installed")
    values = [b'{ "id" : %d }' % number for number in range(4)]
    for value in values:
        producer.produce("source", value, b"k", 0)
    assert producer.flush(TIMEOUT) == 0
    chosen = ["--value", "json", "--key", "string", "--where", "value.id > 1 && key == 'k'"]
    assert copy(*chosen) == (0, b"", "2 messages copied\n")
    assert [one["value"] for one in rows(kafka_cluster, "target")] == [
        value.decode() for value in values[2:]
    ]
    assert copy(*chosen) == (0, b"", "0 messages copied\n")


def test_a_wrong_expression(copy: Copy, kafka_cluster: MockCluster, producer: Producer) -> None:
    """An expression that has a value for no message is an error, and stores no position: the
    repaired expression sees the messages."""
    pytest.importorskip("cel_expr_python", reason="cel-expr-python is not installed")
    fill(producer, 0, 3)
    wrong = copy("--where", "value.id > 1")
    assert wrong.status == 1
    assert "--where: no value for 3 messages" in wrong.stderr
    assert copy("--where", "value != ''") == (0, b"", "3 messages copied\n")


def test_messages_that_cannot_be_decoded(
    copy: Copy, kafka_cluster: MockCluster, producer: Producer
) -> None:
    """A copy stops at such a message, and has the messages before it; with --on-error continue it
    leaves the message out."""
    pytest.importorskip("cel_expr_python", reason="cel-expr-python is not installed")
    for value in (b"1", b"2", b"{", b"4"):
        producer.produce("source", value, b"k", 0)
    assert producer.flush(TIMEOUT) == 0
    chosen = ["--value", "json", "--where", "value > 0"]
    stopped = copy(*chosen)
    assert stopped.status == 1
    assert "source [0] offset 2: value: not JSON" in stopped.stderr
    assert stopped.stderr.endswith("2 messages copied\n")
    rest = copy(*chosen, "--on-error", "continue")
    assert rest.status == 1
    assert "1 message copied, 1 not decoded\n" in rest.stderr
    assert [one["value"] for one in rows(kafka_cluster, "target")] == ["1", "2", "4"]
    alone = copy("--value", "json")
    assert (alone.status, "--value: needs --where" in alone.stderr) == (2, True)


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no pseudo-terminals")
def test_progress(copy: Copy, kafka_cluster: MockCluster, producer: Producer) -> None:
    """On a terminal, stderr shows how many messages are copied, and the rate."""
    fill(producer, 0, 6)
    ours, theirs = os.openpty()
    command = ["copy", "source", "target", "-e", "-b", kafka_cluster.bootstrap_servers]
    with (
        open(ours, "rb", buffering=0) as terminal,
        subprocess.Popen([*COMMAND, *command], stderr=theirs, stdout=theirs) as process,
    ):
        os.close(theirs)
        shown = b""
        try:
            with contextlib.suppress(OSError):  # Linux: the process has ended
                while part := terminal.read(4096):
                    shown += part
        finally:
            process.kill()
    assert re.search(rb"6 copied, [0-9,]+/s", shown), shown
    assert shown.endswith(b"6 messages copied\r\n")


def test_progress_of_a_part() -> None:
    """The bar has the offsets between the starts and the ends of the partitions."""
    shown = ReadingDisplay({("t", 0): 5, ("t", 1): 0}, {("t", 0): 9, ("t", 1): 2}, lambda: 1, "x")
    [task] = shown.display._progress.tasks
    assert (task.total, task.completed) == (6, 0)
    message = Message(topic="t", partition=0, offset=6)
    shown.update([message])
    assert (task.completed, task.description.partition(",")[0]) == (2, "1 x")


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
