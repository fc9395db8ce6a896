"""``confluent-kafka dump-log`` with files that the tests make.

The integration tests use real files.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka.protocol import EndTxnMarker, OffsetCommitKey, OffsetCommitValue, records
from confluent_kafka.protocol.records import Compression, Record, RecordBatch
from tests.support.command_line import run, words

MADE = [
    Record(5, 1000, b"key", "größe\n".encode(), (("h", b"\xff"), ("\udcff", None))),
    Record(8, 1),
]
BATCH = RecordBatch.of(MADE, compression=Compression.GZIP, producer_id=7, transactional=True)


@pytest.fixture
def segment(tmp_path: Path) -> Path:
    """A segment with one batch of each kind."""
    old = records.message_set([Record(9, 5, b"k", None)], magic=1)
    path = tmp_path / "00000000000000000005.log"
    path.write_bytes(records.write([BATCH, *old]))
    return path


def dumped(*arguments: str | Path) -> list[dict[str, Any]]:
    done = run("dump-log", "--json", *map(str, arguments))
    assert (done.status, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_batches(segment: Path) -> None:
    """The output has all fields of the batch headers, and the position of each batch in the
    file."""
    new, old = dumped(segment)
    assert new == {
        "file": str(segment),
        "position": 0,
        "base_offset": 5,
        "count": 2,
        "partition_leader_epoch": -1,
        "producer_id": 7,
        "producer_epoch": -1,
        "base_sequence": -1,
        "last_sequence": -1,
        "transactional": True,
        "control": False,
        "delete_horizon": None,
        "last_offset": 8,
        "timestamp_type": "create",
        "max_timestamp": 1000,
        "size": BATCH.size,
        "magic": 2,
        "compression": "gzip",
        "crc": BATCH.crc,
        "valid": True,
    }
    assert (old["position"], old["magic"], old["last_offset"]) == (BATCH.size, 1, 9)


def test_records(segment: Path) -> None:
    """Values that are not text are shown in base64."""
    new, old = dumped("-r", segment)
    assert new["records"] == [
        {
            "offset": 5,
            "timestamp": 1000,
            "key_size": 3,
            "value_size": 8,
            "headers": [["h", {"base64": "/w=="}], [{"base64": "/w=="}, None]],
            "key": "key",
            "value": "größe\n",
        },
        {
            "offset": 8,
            "timestamp": 1,
            "key_size": -1,
            "value_size": -1,
            "headers": [],
            "key": None,
            "value": None,
        },
    ]
    assert [record["key"] for record in old["records"]] == ["k"]


def test_lines(segment: Path) -> None:
    """Each batch and each record is one line, even if a value contains line breaks."""
    lines = run("dump-log", str(segment), "--print-data-log").stdout.decode().splitlines()
    assert [line.split()[0] for line in lines] == ["file:", "|", "|", "file:", "|"]
    assert f"file: {segment} position: 0 base_offset: 5 count: 2 " in lines[0]
    assert 'key: "key" value: "größe\\n"' in lines[1]


def test_larger_than_what_is_read_at_once(tmp_path: Path) -> None:
    """A batch that is larger than one read is shown completely."""
    path = tmp_path / "0.log"
    made = [RecordBatch.of([Record(n, 0, None, bytes(700_000 * n))]) for n in range(5)]
    path.write_bytes(records.write(made))
    found = dumped(path)
    assert [batch["crc"] for batch in found] == [batch.crc for batch in made]
    assert [batch["position"] for batch in found] == [
        sum(batch.size for batch in made[:n]) for n in range(5)
    ]


def test_control_records(tmp_path: Path) -> None:
    """Control records are shown with their names and the fields of their messages."""
    value = struct.pack(">h", 0) + EndTxnMarker(coordinator_epoch=3).encode(0)
    made = [
        Record(0, 0, struct.pack(">hh", 0, 1), value),
        Record(1, 0, struct.pack(">hh", 0, 99), value),
    ]
    path = tmp_path / "0.log"
    path.write_bytes(RecordBatch.of(made, control=True).encode())
    [batch] = dumped("-r", path)
    first, unknown = batch["records"]
    assert (first["key"], first["value"]) == ("commit", {"coordinator_epoch": 3})
    assert unknown["key"] == "99"


@pytest.mark.parametrize(
    ("folder", "arguments"),
    [("__consumer_offsets-3", []), ("copy", ["--topic", "__consumer_offsets"])],
)
def test_internal_topics(tmp_path: Path, folder: str, arguments: list[str]) -> None:
    """The folder's name or an option selects the internal topic."""
    key = OffsetCommitKey(group="g", topic="t", partition=1)
    value = OffsetCommitValue(offset=7, metadata="m")
    prefix = struct.pack(">h", 1)
    made = [
        Record(0, 0, prefix + key.encode(0), struct.pack(">h", 3) + value.encode(3)),
        Record(1, 0, prefix + key.encode(0), None),
        Record(2, 0, struct.pack(">h", 77), b"\0\0"),
    ]
    path = tmp_path / folder / "0.log"
    path.parent.mkdir()
    path.write_bytes(RecordBatch.of(made).encode())
    [batch] = dumped("-r", path, *arguments)
    commit, tombstone, unknown = batch["records"]
    named = {"OffsetCommitKey": {"group": "g", "topic": "t", "partition": 1}}
    assert commit["key"] == tombstone["key"] == named
    assert commit["value"]["OffsetCommitValue"]["offset"] == 7
    assert tombstone["value"] is None
    assert (unknown["key"], unknown["value"]) == ("\0M", "\0\0")


def broken(folder: Path, data: bytes) -> Path:
    path = folder / "broken.log"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "shown", "told"),
    [
        (BATCH.encode()[:-1], 0, f"{BATCH.size - 1} bytes follow the last whole batch"),
        (BATCH.encode() + b"\0" * 20, 1, f"the batch at byte {BATCH.size} has 0 bytes"),
        (BATCH.encode()[:-1] + b"\xff", 1, "the CRC of the batch at byte 0 is wrong"),
    ],
)
def test_corrupt(tmp_path: Path, segment: Path, data: bytes, shown: int, told: str) -> None:
    """Batches before the corrupt batch, and other files, are shown. The exit status is 1."""
    path = broken(tmp_path, data)
    done = run("dump-log", str(path), str(segment))
    assert (done.status, len(done.stdout.splitlines())) == (1, shown + 2)
    assert done.stderr == f"error: {path}: {told}\n"


def test_records_that_cannot_be_read(tmp_path: Path) -> None:
    """If records cannot be read, the header of their batch is still shown."""
    path = broken(tmp_path, RecordBatch.of(MADE, compression=Compression.GZIP).encode())
    done = run("dump-log", "-r", str(path), "--max-size", "10")
    assert (done.status, len(done.stdout.splitlines())) == (1, 1)
    assert "the batch at byte 0: " in done.stderr
    assert "more than 10 bytes (max_size)" in done.stderr


def test_empty(tmp_path: Path) -> None:
    """For a new segment, which is empty, the output is empty."""
    assert dumped(broken(tmp_path, b"")) == []


@pytest.mark.parametrize("name", ["0.index", "0.timeindex", "0.txnindex", "0.snapshot"])
def test_other_files(tmp_path: Path, name: str) -> None:
    """Files that are not segments are refused, including other files in Kafka's folders of
    segments."""
    (tmp_path / name).write_bytes(bytes(100))
    done = run("dump-log", str(tmp_path / name))
    assert (done.status, done.stdout) == (2, b"")
    assert f"{name} is not a log segment: name files that end in .log" in done.stderr


def test_no_file(tmp_path: Path) -> None:
    """A missing file is a usage error, with status 2."""
    done = run("dump-log", str(tmp_path / "missing.log"))
    assert done.status == 2
    assert "does not exist" in words(done.stderr)
