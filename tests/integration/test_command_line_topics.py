"""``topics`` on a real cluster."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import writer
from tests.integration.topics import delete_topic, wait_for_topic
from tests.support.command_line import Ended, run
from tests.support.patches import needs
from tests.support.real_kafka import MakeTopic
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [
    pytest.mark.integration,
    pytest.mark.both_clusters,
    needs("mock-on-request", "mock-snapshot", "raw-request"),
]

Run = Callable[..., Ended]
START = 1_000_000_000_000  # 2001-09-09T01:46:40Z


@pytest.fixture
def topics(kafka: KafkaCluster) -> Run:
    """Runs `topics COMMAND` with the cluster."""

    def run_with(command: str, *arguments: str) -> Ended:
        return run("topics", *command.split(), *arguments, "-b", kafka.bootstrap_servers)

    return run_with


def rows(done: Ended) -> list[dict[str, Any]]:
    """The rows that a command with --json wrote."""
    assert (done.status, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def timed(kafka: KafkaCluster, make_topic: MakeTopic) -> str:
    """A topic whose messages 0 to 9 are one second apart."""
    topic = make_topic(retention_ms="-1")
    with writer(kafka) as producer:
        for number in range(10):
            producer.produce(topic, b"%d" % number, partition=0, timestamp=START + 1000 * number)
        assert producer.flush(TIMEOUT) == 0
    return topic


@pytest.mark.parametrize(
    ("at", "offset", "timestamp"),
    [
        ("earliest", 0, None),
        ("latest", 10, None),
        ("max-timestamp", 9, START + 9000),
        ("earliest-local", 0, None),
        ("latest-tiered", None, None),
        ("2001-09-09T01:46:42.500Z", 3, START + 3000),
        ("2030-01-01", None, None),
    ],
)
def test_offsets(
    topics: Run, timed: str, at: str, offset: int | None, timestamp: int | None
) -> None:
    """The command shows the offset for each position, or null if no message is at that position."""
    (row,) = rows(topics("offsets", timed, "--at", at, "-J"))
    assert row == {"topic": timed, "partition": 0, "offset": offset, "timestamp": timestamp}


def test_delete_records(topics: Run, timed: str) -> None:
    """Only the messages before an offset, before a time, or up to the end are deleted."""

    def begin() -> int:
        (row,) = rows(topics("offsets", timed, "--at", "earliest", "-J"))
        assert isinstance(row["offset"], int)
        return row["offset"]

    for before, expected in (("2", 2), ("2001-09-09T01:46:45Z", 5), ("end", 10)):
        done = topics("delete-records", f"{timed}:0", "--before", before, "-y")
        assert (done.status, done.stderr) == (0, "")
        assert done.stdout.endswith(f"partition {timed}:0 begins at {expected}\n".encode())
        assert begin() == expected
    done = topics("delete-records", timed, "--before", "11", "-y")
    assert done == (1, b"", f"error: partition '{timed}:0': 11 is after its end, which is 10\n")


def test_apply(topics: Run, kafka: KafkaCluster, tmp_path: Path) -> None:
    """A file creates topics, adds partitions and changes settings. The second run changes
    nothing."""
    name = f"declared-{uuid.uuid4().hex[:12]}"
    file = tmp_path / "topics.toml"

    def declare(text: str) -> None:
        file.write_text(f"[topics.{name}]\n{text}\n")

    declare("partitions = 2\nreplicas = 2\nconfig = {retention.ms = 5000}")
    done = topics("apply", str(file), "--execute")
    assert (done.status, done.stderr) == (0, "")
    wait_for_topic(kafka, name, 2)
    assert topics("apply", str(file), "--execute") == (0, b"nothing is different\n", "")
    declare("partitions = 3\nconfig = {max.message.bytes = 9}")
    kinds = [row["change"] for row in rows(topics("apply", str(file), "--execute", "--json"))]
    assert kinds == ["grow", "set", "unset"]
    wait_for_topic(kafka, name, 3)
    wait_until(lambda: topics("apply", str(file)).stdout == b"nothing is different\n")
    found = rows(topics("describe", name, "--with-overrides", "-J"))
    assert found == [{"topic": name, "setting": "max.message.bytes", "value": "9"}]
    declare("partitions = 1\nreplicas = 3")
    done = topics("apply", str(file), "--execute")
    assert (done.status, len(done.stderr.splitlines())) == (1, 2)
    delete_topic(kafka, name)


def test_apply_is_checked(topics: Run, timed: str, tmp_path: Path) -> None:
    """Without --execute the brokers check the changes: a value that they refuse is an error."""
    file = tmp_path / "topics.toml"
    file.write_text(f"[topics.{timed}.config]\nretention.ms = 'x'\n")
    done = topics("apply", str(file))
    assert done.status == 1
    assert done.stderr.startswith(f"error: topic '{timed}': ")


def test_apply_changes_nothing_if_a_part_is_refused(
    topics: Run, timed: str, tmp_path: Path
) -> None:
    """Also with --execute, the brokers check everything before the first change."""
    before = rows(topics("describe", timed, "-J"))
    name = f"declared-{uuid.uuid4().hex[:12]}"
    file = tmp_path / "topics.toml"
    file.write_text(
        f"[topics.{timed}]\npartitions = {len(before) + 1}\n[topics.{name}.config]\nnosuch = 1\n"
    )
    done = topics("apply", str(file), "--execute")
    assert done.status == 1
    assert done.stderr.startswith(f"error: topic '{name}': ")
    assert rows(topics("describe", timed, "-J")) == before


def test_if_exists(topics: Run, kafka: KafkaCluster, timed: str) -> None:
    """With --if-not-exists and --if-exists, a script can create or delete the same topic twice."""
    done = topics("create", timed, "--if-not-exists")
    assert done == (0, f"topic {timed} exists already\n".encode(), "")
    assert topics("delete", timed, "--if-exists", "-y").status == 0
    wait_for_topic(kafka, timed, 0)
    assert topics("delete", timed, "--if-exists", "-y") == (0, b"", "")
    done = topics("delete", timed, "-y")
    assert (done.status, done.stdout) == (1, b"")
    assert done.stderr.startswith(f"error: topic '{timed}' does not exist")
