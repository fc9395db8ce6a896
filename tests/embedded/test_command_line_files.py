"""`consume --output` writes files in several formats, whole or not at all."""

from __future__ import annotations

import csv
import json
import signal
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from confluent_kafka import Producer
from confluent_kafka.testing import MockCluster
from tests.support.command_line import Ended, ended, run, started, words
from tests.support.kafka import NO_BROKER
from tests.support.waiting import TIMEOUT, wait_until

Consume = Callable[..., Ended]


@pytest.fixture
def consume(kafka_cluster: MockCluster, kafka_topic: str) -> Consume:
    return lambda *options: run(
        "consume", kafka_topic, "-b", kafka_cluster.bootstrap_servers, *options
    )


@pytest.fixture
def orders(producer: Producer, kafka_topic: str) -> list[bytes | None]:
    """The values of the topic."""
    values = [b'{"id": 1, "name": "\xc3\xa9,\\"x"}', None, b'{"id": 3}']
    for value in values:
        producer.produce(kafka_topic, value, b"\xff", 0, timestamp=1000, headers=[("a", b"1")])
    assert producer.flush(TIMEOUT) == 0
    return values


def test_json_lines(consume: Consume, orders: list[bytes | None], tmp_path: Path) -> None:
    """A .jsonl file has the lines that --json writes to stdout."""
    file = tmp_path / "out.jsonl"
    assert consume("-e", "-o", str(file)) == (0, b"", "3 messages\n")
    assert file.read_bytes() == consume("-e", "--json").stdout
    assert list(tmp_path.iterdir()) == [file]


def test_csv(consume: Consume, orders: list[bytes | None], tmp_path: Path) -> None:
    """A .csv file has a header line, and values that need quotes are quoted."""
    file = tmp_path / "out.csv"
    assert consume("-e", "-q", "-o", str(file), "--value", "json").status == 0
    with file.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["value"] for row in rows] == [
        "" if value is None else value.decode() for value in orders
    ]
    assert rows[0]["key"] == '{"base64": "/w=="}'
    assert (rows[0]["offset"], rows[0]["timestamp"]) == ("0", "1000")
    assert json.loads(rows[0]["headers"]) == [["a", "1"]]


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_columns(suffix: str, consume: Consume, orders: list[bytes | None], tmp_path: Path) -> None:
    """.parquet and .arrow have typed columns: bytes, or text where values are decoded."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    parquet = pytest.importorskip("pyarrow.parquet")

    def read(file: Path) -> list[dict[str, object]]:
        if suffix == "parquet":
            return list(parquet.read_table(file).to_pylist())
        with pyarrow.ipc.open_file(file) as reader:
            return list(reader.read_all().to_pylist())

    file = tmp_path / f"out.{suffix}"
    assert consume("-e", "-q", "-o", str(file)).status == 0
    rows = read(file)
    assert [row["value"] for row in rows] == orders
    assert rows[0]["headers"] == [{"key": "a", "value": b"1"}]
    assert str(rows[0]["timestamp"]) == "1970-01-01 00:00:01+00:00"
    assert consume("-e", "-q", "--overwrite", "-o", str(file), "--value", "json").status == 0
    values = [None if value is None else value.decode() for value in orders]
    assert [row["value"] for row in read(file)] == values


def test_no_half_file(consume: Consume, orders: list[bytes | None], tmp_path: Path) -> None:
    """If the command fails, an older file stays as it was, and no temporary file is left."""
    file = tmp_path / "out.jsonl"
    file.write_text("old")
    assert consume("-e", "--value", "int32", "--overwrite", "-o", str(file)).status == 1
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_is_replaced_only_on_request(
    consume: Consume, orders: list[bytes | None], tmp_path: Path
) -> None:
    """A file that exists stays as it is, unless --overwrite is given. It keeps its permissions."""
    file = tmp_path / "keep.jsonl"
    file.write_text("old")
    file.chmod(0o640)
    done = consume("-e", "-o", str(file))
    assert (done.status, done.stdout) == (2, b"")
    reason = f"--output: {str(file)!r}: the file exists. Use --overwrite to replace it"
    assert reason in done.stderr
    assert file.read_text() == "old"
    assert consume("-e", "-q", "-o", str(file), "--overwrite").status == 0
    assert len(file.read_bytes().splitlines()) == 3
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    refused = consume("-e", "--overwrite")
    assert refused.status == 2
    assert "--overwrite: needs --output" in refused.stderr


def test_no_file_without_a_value_of_where(
    consume: Consume, orders: list[bytes | None], tmp_path: Path
) -> None:
    """If --where cannot be evaluated for any message, an older file stays as it was."""
    pytest.importorskip("cel_expr_python", reason="the extra [where] is not installed")
    file = tmp_path / "out.jsonl"
    file.write_text("old")
    done = consume("-e", "--where", "value.id > 7", "--overwrite", "-o", str(file))
    assert done.status == 1
    assert [each.read_text() for each in tmp_path.iterdir()] == ["old"]


@pytest.mark.parametrize("exists", [True, False])
def test_a_symbolic_link_stays(
    exists: bool, consume: Consume, orders: list[bytes | None], tmp_path: Path
) -> None:
    """The command writes the file to which a link points."""
    (tmp_path / "folder").mkdir()
    file = tmp_path / "folder" / "file"
    if exists:
        file.write_text("old")
    link = tmp_path / "link.jsonl"
    link.symlink_to(file)
    assert consume("-e", "-q", "-o", str(link), *(["--overwrite"] * exists)).status == 0
    assert link.readlink() == file
    assert len(file.read_bytes().splitlines()) == 3
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing/x.jsonl", "there is no directory"),
        ("folder.jsonl", "it is not a regular file"),
        ("loop.jsonl", "it cannot be resolved: its symbolic links form a loop"),
        ("loop.jsonl/x.jsonl", "it cannot be resolved: its symbolic links form a loop"),
        ("closed/x.jsonl", "is not writable"),
    ],
)
def test_a_file_that_cannot_be_written(
    name: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the file of the user, before the command connects to a cluster."""
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "loop.jsonl").symlink_to(tmp_path / "loop.jsonl")
    (tmp_path / "closed").mkdir()
    monkeypatch.setattr("os.access", lambda path, mode: Path(path).name != "closed")  # as root, too
    done = run("consume", "x", "-b", NO_BROKER, "-e", "--overwrite", "-o", str(tmp_path / name))
    assert (done.status, done.stdout) == (2, b"")
    assert f"--output: {str(tmp_path / name)!r}: " in words(done.stderr)
    assert reason in words(done.stderr)
    assert "partial" not in done.stderr


def test_ctrl_c_leaves_no_file(
    kafka_cluster: MockCluster, kafka_topic: str, orders: list[bytes | None], tmp_path: Path
) -> None:
    """Ctrl-C ends the command with a count, and leaves no file."""
    file = tmp_path / "out.jsonl"
    brokers = ["-b", kafka_cluster.bootstrap_servers]
    process = started("consume", kafka_topic, "-n", "9", "-o", str(file), *brokers)
    wait_until(lambda: any(tmp_path.iterdir()))
    process.send_signal(signal.SIGINT)
    done = ended(process)
    assert (done.status, done.stdout) == (130, b"")
    assert done.stderr.endswith(" messages\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [
        "-o out.csv",
        "-e -o out.csv -J",
        "-e -o out.csv -f %s",
        "-e -o out.csv -g g",
        "-e -o beginning",
        "-e -o out",
    ],
)
def test_wrong_usage(options: str, consume: Consume) -> None:
    """--output is refused without an end, with an unknown extension, with another output, or with a
    group."""
    done = consume(*options.split())
    assert (done.status, done.stdout) == (2, b"")
    assert "--output" in done.stderr


def test_follow_shows_rates(
    consume: Consume,
    orders: list[bytes | None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """--follow shows the number of messages and their rate on stderr."""
    monkeypatch.setattr("confluent_kafka.cli.messages.rates._EVERY", 0.0)
    done = consume("--follow", "-n", "3")
    assert done.stderr.splitlines()[0].startswith("3 messages, ")
    assert done.stderr.endswith("/s\n3 messages\n")
