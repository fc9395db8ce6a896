"""confluent_kafka.protocol.records compared with the batches of Kafka's own client."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from confluent_kafka import Uuid, protocol
from confluent_kafka.protocol import records
from confluent_kafka.protocol.records import ControlType, RecordBatch
from tests.integration.conftest import kafka_home
from tests.support.batches import FORMATS, batch_of, random_records, said
from tests.support.java import QUICK_START
from tools.kafka import pinned

pytestmark = pytest.mark.integration

PROGRAM = Path(__file__).parent / "java" / "Batches.java"
# The number of samples of each format, codec and kind of batch.
SAMPLES = 6


@pytest.fixture(scope="module")
def libraries() -> Path:
    """The jars of a pinned Kafka release, because other releases may have other classes."""
    folder = kafka_home() / "libs"
    if not any((folder / f"kafka-clients-{each}.jar").is_file() for each in pinned()):
        pytest.skip(f"the program is for Kafka {pinned()}, but KAFKA_HOME has another")
    return folder


def run(libraries: Path, asked: Iterable[str]) -> list[str]:
    """Run the Java program and return its answers."""
    if shutil.which("javac") is None:
        pytest.skip("Kafka's own batches need a JDK")
    command = ["java", *QUICK_START.split(), "-cp", f"{libraries}/*"]
    answer = subprocess.run(
        [*command, str(PROGRAM)],
        input="".join(f"{line}\n" for line in asked),
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=100,
    )
    return answer.stdout.splitlines()


@pytest.fixture(scope="module")
def written_by_java(libraries: Path) -> list[tuple[str, bytes, str]]:
    """The request, the bytes that Java wrote, and Java's description of them."""
    asked = [
        f"write {magic} {codec.name.lower()} {kind} {sample}"
        for magic, codec, kind in FORMATS
        for sample in range(SAMPLES)
    ]
    answers = [answer.partition("\t") for answer in run(libraries, asked)]
    return [
        (line, bytes.fromhex(data), text)
        for line, (data, _, text) in zip(asked, answers, strict=True)
    ]


def test_what_java_writes_is_read(written_by_java: list[tuple[str, bytes, str]]) -> None:
    """This package reads all fields and records of Java's batches, in every format, codec and
    kind."""
    assert [line for line, data, text in written_by_java if said(data) != text] == []
    assert all(text.startswith("batch:") for _, _, text in written_by_java)


def test_what_java_writes_is_written_the_same(
    written_by_java: list[tuple[str, bytes, str]],
) -> None:
    """This package writes the same header and uncompressed records as Java; compressed bytes may
    differ."""
    for line, data, _ in written_by_java:
        batches = list(records.read(data))
        assert records.write(batches) == data, line
        # With log append time, Java stores the producer's timestamps in the records, but never uses
        # them.
        if line.startswith("write 2 none") and "append" not in line:
            [batch] = batches
            assert isinstance(batch, RecordBatch)
            assert rebuilt(batch) == batch, line


def rebuilt(batch: RecordBatch) -> RecordBatch:
    """A batch with the same records and the same other fields."""
    return RecordBatch.of(
        batch.records(),
        base_offset=batch.base_offset,
        last_offset=batch.last_offset,
        partition_leader_epoch=batch.partition_leader_epoch,
        producer_id=batch.producer_id,
        producer_epoch=batch.producer_epoch,
        base_sequence=batch.base_sequence,
        delete_horizon=batch.delete_horizon,
        transactional=batch.is_transactional,
    )


def test_java_reads_what_is_written_here(libraries: Path) -> None:
    """Java reads the same records from this package's batches, in every format, codec and kind."""
    made = []
    for magic, codec, kind in FORMATS:
        for sample in range(SAMPLES):
            rng = Random(f"{magic}{codec}{kind}{sample}")
            batches = batch_of(random_records(rng, magic), magic, codec, kind)
            made.append((magic, codec, kind, records.write(batches)))
    answers = run(libraries, [f"read {data.hex()}" for *_, data in made])
    wrong = [
        (*facts, answer[:300])
        for (*facts, data), answer in zip(made, answers, strict=True)
        if answer != said(data)
    ]
    assert wrong == []


def test_control_records(libraries: Path) -> None:
    """This package reads control records of every type as Java writes them."""
    [answer] = run(libraries, ["control"])
    transaction, raft = records.read(bytes.fromhex(answer))
    assert isinstance(transaction, RecordBatch)
    assert (transaction.is_control, transaction.is_transactional) == (True, True)
    found: dict[int, Any] = {}
    for batch in (transaction, raft):
        for record in batch.records():
            meaning = records.control(record)
            found[meaning.type] = meaning.message
    assert list(found) == list(ControlType)
    assert found[ControlType.ABORT] == protocol.EndTxnMarker(coordinator_epoch=21)
    assert found[ControlType.COMMIT] == protocol.EndTxnMarker(coordinator_epoch=22)
    leader = found[ControlType.LEADER_CHANGE]
    assert (leader.leader_id, leader.voters[0].voter_id) == (5, 6)
    assert found[ControlType.SNAPSHOT_HEADER].last_contained_log_timestamp == 77
    assert found[ControlType.SNAPSHOT_FOOTER] == protocol.SnapshotFooterRecord()
    assert found[ControlType.KRAFT_VERSION].kraft_version == 1
    [voter] = found[ControlType.KRAFT_VOTERS].voters
    assert (voter.voter_id, voter.voter_directory_id) == (8, Uuid(1, 2))
