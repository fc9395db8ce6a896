"""`load` sends the messages of files that `consume --output` wrote."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import Producer
from confluent_kafka.cli.messages import loading
from confluent_kafka.testing import MockCluster
from tests.support.command_line import Ended, run
from tests.support.scripts import run_script
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


def test_resume(load: Load, kafka_cluster: MockCluster, tmp_path: Path) -> None:
    """With --resume, a run sends only the messages that earlier runs did not deliver, also of
    files that have been added."""
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    assert consume(kafka_cluster, "source", "-o", str(first)).status == 0
    broken = first.read_bytes().splitlines(keepends=True)
    second.write_bytes(b"".join([*broken[:4], b"{}\n", *broken[4:]]))
    resume = ["--resume", str(tmp_path / "progress")]
    stopped = load(str(first), str(second), *resume)
    assert stopped.status == 1
    assert stopped.stderr.splitlines()[0] == "10 delivered, 0 failed"
    assert "second.jsonl, message 5: has no value" in stopped.stderr
    second.write_bytes(b"".join(broken))
    assert load(str(first), str(second), *resume) == (0, b"", "2 delivered, 0 failed\n")
    assert load(str(first), str(second), *resume) == (0, b"", "0 delivered, 0 failed\n")
    twice = [one for one in rows(kafka_cluster, "source") for _ in range(2)]
    assert rows(kafka_cluster, "target") == twice


def test_resume_at_a_speed(load: Load, kafka_cluster: MockCluster, tmp_path: Path) -> None:
    """With --speed, the messages of all files are sent in the order of their times. A run that
    continues does not wait for the times of messages that are delivered."""
    early, late = tmp_path / "early.jsonl", tmp_path / "late.jsonl"
    line = '{"value": "%s", "partition": 0, "timestamp": %d}\n'
    late.write_text(line % ("b", 2_000_000_000_000) + line % ("c", 2_000_000_000_010))
    early.write_text(line % ("a", 1_000))
    progress = tmp_path / "progress"
    resume = ["--resume", str(progress), "--speed", "1x"]
    files = [str(late), str(early)]
    cluster = kafka_cluster.bootstrap_servers
    assert load(str(late), "--resume", str(progress), "--speed", "1x").status == 0
    state = json.loads(progress.read_text())
    state["delivered"] = {", ".join(files): 1}
    progress.write_text(json.dumps(state))
    assert load(*files, *resume).stderr == "2 delivered, 0 failed\n"
    shown = run("consume", "target", "-e", "-q", "-b", cluster).stdout
    assert shown == b"b\nc\nb\nc\n"


def test_killed_and_resumed(load: Load, kafka_cluster: MockCluster, tmp_path: Path) -> None:
    """After SIGKILL the next run with --resume sends everything that was not delivered: no message
    is missing, and only messages of the last second are there twice."""
    file = tmp_path / "file.jsonl"
    line = '{"value": "%d", "partition": 0}\n'
    file.write_text("".join(line % number for number in range(2000)))
    options = ["target", str(file), "--resume", str(tmp_path / "progress")]
    options += ["-b", kafka_cluster.bootstrap_servers]
    killed = run_script(f"""
    import os, signal
    from confluent_kafka.cli import app
    from confluent_kafka.cli.messages import inputs, load_progress

    inputs._CHUNK = 1000
    load_progress._SECONDS = 0
    stored = load_progress.LoadProgress.store

    def store(self, name, count):
        if count > 1000:
            os.kill(os.getpid(), signal.SIGKILL)
        stored(self, name, count)

    load_progress.LoadProgress.store = store
    app({["load", *options]})
    """)
    assert killed.returncode == -signal.SIGKILL
    assert run("load", *options).status == 0
    shown = consume(kafka_cluster, "target").stdout.split()
    assert {int(one) for one in shown} == set(range(2000))
    assert 2000 < len(shown) < 2100


def test_wrong_progress(load: Load, kafka_cluster: MockCluster, tmp_path: Path) -> None:
    """A file of --resume that belongs to another topic, or that is another file, is refused."""
    file, progress = tmp_path / "file.jsonl", tmp_path / "progress"
    assert consume(kafka_cluster, "source", "-o", str(file)).status == 0
    assert load(str(file), "--resume", str(progress)).status == 0
    brokers = ["-b", kafka_cluster.bootstrap_servers]
    other = run("load", "source", str(file), "--resume", str(progress), *brokers)
    assert (other.status, "TOPIC: the file has target, not source" in other.stderr) == (2, True)
    wrong = load(str(file), "--resume", str(file))
    assert (wrong.status, "is not a file of --resume" in wrong.stderr) == (2, True)
    both = load(str(file), "--resume", str(progress), "--transaction-size", "2")
    assert (both.status, "cannot be combined with --transaction-size" in both.stderr) == (2, True)
    assert load(str(file), str(file), "--resume", str(progress)).status == 2


def test_a_folder_without_a_dump(load: Load, tmp_path: Path) -> None:
    """A folder must have a dump, with all of its files."""
    done = load(str(tmp_path))
    assert (done.status, "is a directory without a dump" in done.stderr) == (2, True)
