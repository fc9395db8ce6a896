"""The commands of docs/guides/command-line.md run in a shell as they stand."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from confluent_kafka import Producer
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.documents import ADDRESS, block_with
from tests.support.kafka import read, send, values_of
from tests.support.waiting import TIMEOUT

pytest.importorskip("typer", reason="the extra [cli] is not installed")

DOCUMENT = "docs/guides/command-line.md"


@pytest.fixture
def shell(kafka_cluster: MockCluster, tmp_path: Path) -> dict[str, str]:
    """The environment of one that finds the program and the brokers."""
    program = tmp_path / "confluent-kafka"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m confluent_kafka "$@"\n')
    program.chmod(0o755)
    return os.environ | {
        "KAFKA_BOOTSTRAP_SERVERS": kafka_cluster.bootstrap_servers,
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }


def typed(text: str, shell: dict[str, str], folder: Path) -> str:
    """What the guide's command prints; it ends well."""
    command = block_with(DOCUMENT, text).replace(ADDRESS, shell["KAFKA_BOOTSTRAP_SERVERS"])
    done = subprocess.run(
        ["sh", "-c", command], cwd=folder, env=shell, capture_output=True, timeout=TIMEOUT
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_what_is_installed(shell: dict[str, str], tmp_path: Path) -> None:
    """The help names the commands; the doctor reaches the cluster."""
    assert "doctor" in typed("--help", shell, tmp_path)
    assert "confluent_kafka" in typed("doctor -b", shell, tmp_path)


def test_produce(
    shell: dict[str, str],
    tmp_path: Path,
    kafka_cluster: MockCluster,
    make_consumer: MakeConsumer,
) -> None:
    """Lines of stdin and of files, with keys and headers, and a whole file."""
    for topic in ("greetings", "orders", "images"):
        kafka_cluster.create_topic(topic, 1)
    (tmp_path / "orders.txt").write_bytes(b"1\ttea\n")
    (tmp_path / "more.txt").write_bytes(b"2\tmilk\n")
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8\n\n")
    for text in ("produce greetings", "produce orders", "produce images"):
        typed(text, shell, tmp_path)
    consumer = make_consumer()
    assert values_of(read(consumer, "greetings", 1)) == [b"hello"]
    orders = sorted((one.key(), one.value(), one.headers()) for one in read(consumer, "orders", 2))
    headers = [("source", b"import")]
    assert orders == [(b"1", b"tea", headers), (b"2", b"milk", headers)]
    [photo] = read(consumer, "images", 1)
    assert (photo.key(), photo.value()) == (b"photo", b"\xff\xd8\n\n")


def test_consume(
    shell: dict[str, str],
    tmp_path: Path,
    kafka_cluster: MockCluster,
    producer: Producer,
    make_consumer: MakeConsumer,
) -> None:
    """All there is, the last ten, with a format, and as JSON into another topic."""
    for topic in ("orders", "copy"):
        kafka_cluster.create_topic(topic, 1)
    values = [f"{number}" for number in range(12)]
    send(producer, "orders", [value.encode() for value in values])
    assert typed("all that is there now", shell, tmp_path).split() == values
    assert typed("the last ten", shell, tmp_path).split() == values[2:]
    lines = typed("-f '%D %p/%o", shell, tmp_path).splitlines()
    assert len(lines) == 12
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z 0/11  = 11", lines[11])
    typed("produce copy --json", shell, tmp_path)
    assert values_of(read(make_consumer(), "copy", 12)) == [value.encode() for value in values]
