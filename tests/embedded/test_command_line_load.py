"""`load` sends the messages of files that `consume --output` wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import Producer
from confluent_kafka.cli.messages import loading
from confluent_kafka.testing import MockCluster
from tests.support.command_line import Ended, run
from tests.support.waiting import TIMEOUT

Load = Callable[..., Ended]


@pytest.fixture
def load(kafka_cluster: MockCluster, producer: Producer) -> Load:
    """`load` into the topic `target`; the topic `source` has messages."""
    for topic in ("source", "target"):
        kafka_cluster.create_topic(topic, 3)
    for number in range(6):
        value = None if number == 3 else json.dumps({"id": number}).encode()
        headers = [("h", b"\xff"), ("n", None)]
        producer.produce(
            "source", value, b"k%d" % number, number % 3, timestamp=9000 - number, headers=headers
        )
    assert producer.flush(TIMEOUT) == 0
    return lambda *options: run("load", "target", *options, "-b", kafka_cluster.bootstrap_servers)


def consume(cluster: MockCluster, topic: str, *options: str) -> Ended:
    return run("consume", topic, "-e", "-q", "-b", cluster.bootstrap_servers, *options)


def rows(cluster: MockCluster, topic: str) -> list[dict[str, Any]]:
    """The messages of a topic without its name."""
    lines = consume(cluster, topic, "--json").stdout.splitlines()
    return sorted((json.loads(line) | {"topic": "", "offset": 0} for line in lines), key=str)


@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "arrow"])
@pytest.mark.parametrize("options", [[], ["--value", "json"]])
def test_there_and_back(
    suffix: str, options: list[str], load: Load, kafka_cluster: MockCluster, tmp_path: Path
) -> None:
    """A topic in a file, as bytes or decoded, becomes the same topic again."""
    if suffix != "jsonl":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    file = tmp_path / f"file.{suffix}"
    assert consume(kafka_cluster, "source", "-o", str(file), *options).status == 0
    assert load(str(file), *options) == (0, b"", "6 delivered, 0 failed\n")
    assert rows(kafka_cluster, "target") == rows(kafka_cluster, "source")


def test_speed(
    load: Load, kafka_cluster: MockCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--speed sends messages in the order of their timestamps, and waits as long as they are
    apart."""
    file = tmp_path / "file.jsonl"
    assert consume(kafka_cluster, "source", "-o", str(file)).status == 0
    assert load(str(file), "--speed", "100x").status == 0
    now, slept = 100.0, []

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds
        slept.append(round(seconds, 3))

    monkeypatch.setattr("time.monotonic", lambda: now)
    monkeypatch.setattr("time.sleep", sleep)
    messages = [{"timestamp": time} for time in (1000, 1500, 3000)]
    assert list(loading._in_time(messages, 2)) == [[one] for one in messages]
    assert slept == [0, 0.25, 0.75]


def test_partitions(load: Load, kafka_cluster: MockCluster, tmp_path: Path) -> None:
    """With --any-partition the partitioner chooses, so that the topic may have fewer partitions."""
    file = tmp_path / "file.jsonl"
    assert consume(kafka_cluster, "source", "-o", str(file)).status == 0
    kafka_cluster.create_topic("small", 1)
    brokers = ["-b", kafka_cluster.bootstrap_servers]
    assert run("load", "small", str(file), *brokers).status == 1
    assert run("load", "small", str(file), "--any-partition", *brokers).status == 0


@pytest.mark.parametrize(
    ("name", "text", "options", "status", "reason"),
    [
        ("file.csv", "", [], 2, "does not end with .jsonl, .parquet, .arrow"),
        ("file.jsonl", "{}", [], 1, "message 1: has no value"),
        ("file.jsonl", '{"value": "x"}', [], 1, "partition must be a number"),
        ("file.jsonl", '{"value": "x", "partition": 0}', ["--speed", "1x"], 1, "has no timestamp"),
        ("file.jsonl", "", ["--speed", "0"], 2, "'0' is not a speed such as 2x or 0.5x"),
        ("file.parquet", "no", [], 1, "file.parquet: "),
        ("file.arrow", "no", [], 1, "file.arrow: "),
    ],
)
def test_wrong_files(
    name: str,
    text: str,
    options: list[str],
    status: int,
    reason: str,
    load: Load,
    tmp_path: Path,
) -> None:
    """The error contains the reason for which a file is refused."""
    if not name.endswith(("l", "v")):
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    file = tmp_path / name
    file.write_text(text)
    done = load(str(file), *options)
    assert (done.status, done.stdout) == (status, b"")
    assert reason in done.stderr
    assert load(str(tmp_path / "missing.jsonl")).status == 2
