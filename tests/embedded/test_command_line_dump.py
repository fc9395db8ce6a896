"""`dump` writes topics into files that `load` sends again, and continues where it stopped."""

from __future__ import annotations

import json
import os
import random
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import Producer
from confluent_kafka.cli.messages import dump_folder, dumping
from confluent_kafka.testing import MockCluster
from tests.support.command_line import Ended, ended, run, started
from tests.support.scripts import run_script
from tests.support.waiting import TIMEOUT, wait_until

Dump = Callable[..., Ended]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "dump"


@pytest.fixture
def dump(kafka_cluster: MockCluster, folder: Path) -> Dump:
    """`dump` of the topic `source` into `folder`, to its end."""
    for topic in ("source", "target"):
        kafka_cluster.create_topic(topic, 3)
    return lambda *options: run("dump", "source", "-e", *where(kafka_cluster, folder), *options)


def where(cluster: MockCluster, folder: Path) -> list[str]:
    return ["-o", str(folder), "-b", cluster.bootstrap_servers]


def fill(producer: Producer, first: int, last: int, topic: str = "source") -> None:
    for number in range(first, last):
        value = None if number == 3 else json.dumps({"id": number}).encode()
        headers = [("h", b"\xff"), ("n", None)]
        producer.produce(
            topic, value, b"k%d" % number, number % 3, timestamp=1000 + number, headers=headers
        )
    assert producer.flush(TIMEOUT) == 0


def keys(folder: Path, topic: str = "source") -> list[str]:
    """The keys in the files of a dump of JSON lines, in the order of the files."""
    files = sorted(folder.glob(f"{topic}-*.jsonl"))
    return [json.loads(line)["key"] for one in files for line in one.read_bytes().splitlines()]


def expected(first: int, last: int) -> Counter[str]:
    return Counter(f"k{number}" for number in range(first, last))


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def rows(cluster: MockCluster, topic: str) -> list[dict[str, Any]]:
    """The messages of a topic without its name and offsets."""
    done = run("consume", topic, "-e", "-q", "--json", "-b", cluster.bootstrap_servers)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return sorted((line | {"topic": "", "offset": 0} for line in lines), key=str)


@pytest.mark.parametrize("file_format", ["jsonl", "parquet", "arrow"])
@pytest.mark.parametrize("options", [[], ["--value", "json"]])
def test_there_and_back(
    file_format: str,
    options: list[str],
    dump: Dump,
    folder: Path,
    kafka_cluster: MockCluster,
    producer: Producer,
) -> None:
    """`load` restores a topic from a dump of bytes or decoded values. It reads all files of the
    folder, in their order."""
    if file_format != "jsonl":
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    fill(producer, 0, 10)
    chosen = ["--file-format", file_format, "--file-messages", "4", *options]
    assert dump(*chosen) == (0, b"", "10 messages in 3 files\n")
    assert names(folder) == [
        ".dump.lock",
        "dump.json",
        *(f"source-00000{number}.{file_format}" for number in range(3)),
    ]
    loaded = run("load", "target", str(folder), *options, *where(kafka_cluster, folder)[2:])
    assert loaded == (0, b"", "10 delivered, 0 failed\n")
    assert rows(kafka_cluster, "target") == rows(kafka_cluster, "source")


def test_the_next_run(dump: Dump, folder: Path, producer: Producer) -> None:
    """The next run adds files with the new messages, and changes no file of the first run."""
    fill(producer, 0, 10)
    assert dump().stderr == "10 messages in 1 file\n"
    before = {name: (folder / name).read_bytes() for name in names(folder)}
    assert dump().stderr == "0 messages in 0 files\n"
    assert {name: (folder / name).read_bytes() for name in names(folder)} == before
    fill(producer, 10, 15)
    assert dump().stderr == "5 messages in 1 file\n"
    assert Counter(keys(folder)) == expected(0, 15)
    assert (folder / "source-000000.jsonl").read_bytes() == before["source-000000.jsonl"]


def test_where_it_starts(dump: Dump, folder: Path, producer: Producer) -> None:
    """The first run decides where the dump starts. With --from latest, the next run writes the
    messages that arrived between the two runs."""
    fill(producer, 0, 10)
    assert dump("--from", "latest").stderr == "0 messages in 0 files\n"
    fill(producer, 10, 15)
    assert dump("--from", "latest").stderr == "5 messages in 1 file\n"
    assert Counter(keys(folder)) == expected(10, 15)


def test_filters(dump: Dump, folder: Path, producer: Producer) -> None:
    """The next run does not read again the messages that a filter left out."""
    fill(producer, 0, 10)
    chosen = ["--key-is", "k1", "--key-is", "k12"]
    assert dump(*chosen).stderr == "1 message in 1 file\n"
    state = dump_folder.read_state(folder)
    assert state is not None
    assert state.positions == {("source", 0): 4, ("source", 1): 3, ("source", 2): 3}
    fill(producer, 10, 15)
    assert dump(*chosen).stderr == "1 message in 1 file\n"
    assert keys(folder) == ["k1", "k12"]


def test_files_that_have_no_name_yet(dump: Dump, folder: Path, producer: Producer) -> None:
    """A run that was killed after the state was written leaves files with temporary names, also
    several of a topic. The next run gives them their names, and deletes other such files."""
    fill(producer, 0, 10)
    assert dump("--file-messages", "3").stderr == "10 messages in 4 files\n"
    for number in (2, 3):
        name = f"source-00000{number}.jsonl"
        (folder / name).rename(folder / f".{name}.partial")
    (folder / ".source-000004.jsonl.partial").write_text("incomplete")
    assert dump().stderr == "0 messages in 0 files\n"
    assert Counter(keys(folder)) == expected(0, 10)
    assert not list(folder.glob(".*.partial"))


def test_size(dump: Dump, folder: Path, producer: Producer) -> None:
    """A file ends with the message that reaches --file-bytes."""
    for number in range(6):
        producer.produce("source", b"x" * 9, b"%d" % number, 0)
    assert producer.flush(TIMEOUT) == 0
    assert dump("--file-bytes", "15").stderr == "6 messages in 3 files\n"
    assert keys(folder) == list("012345")


def test_several_topics(
    dump: Dump, folder: Path, kafka_cluster: MockCluster, producer: Producer
) -> None:
    """Each topic has files of its own. `load` names the topics if the folder has several."""
    fill(producer, 0, 6)
    fill(producer, 6, 9, "target")
    brokers = where(kafka_cluster, folder)
    assert run("dump", "^(source|target)$", "-e", *brokers).stderr == "9 messages in 2 files\n"
    assert Counter(keys(folder)) == expected(0, 6)
    assert Counter(keys(folder, "target")) == expected(6, 9)
    refused = run("load", "target", str(folder), *brokers[2:])
    assert refused.status == 2
    assert "has the topics source, target: name the files of one topic" in refused.stderr


def test_added_partitions(folder: Path, kafka_cluster: MockCluster, producer: Producer) -> None:
    """A topic that a pattern matches later is dumped from its beginning."""
    kafka_cluster.create_topic("source", 3)
    fill(producer, 0, 3)
    command = ["dump", "^source", "-e", "--from", "latest", *where(kafka_cluster, folder)]
    assert run(*command).stderr == "0 messages in 0 files\n"
    kafka_cluster.create_topic("source-2", 3)
    fill(producer, 0, 3, "source-2")
    assert run(*command).stderr == "3 messages in 1 file\n"
    assert Counter(keys(folder, "source-2")) == expected(0, 3)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--value", "json"], "--value: the dump has none, not json"),
        (["--from", "3"], "--from: the dump has none, not 3"),
        (["--file-format", "arrow"], "--file-format: the dump has .jsonl, not .arrow"),
        (["-p", "1"], "--partition: the dump has none, not 1"),
        (["--key-is", "a"], "--key-is: the dump has none, not a"),
    ],
)
def test_other_arguments(
    options: list[str], reason: str, dump: Dump, folder: Path, producer: Producer
) -> None:
    """A dump with other arguments is refused, and the difference is named. Nothing changes."""
    if "arrow" in options:
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    fill(producer, 0, 3)
    assert dump().status == 0
    before = {name: (folder / name).read_bytes() for name in names(folder)}
    done = dump(*options)
    assert (done.status, done.stdout) == (2, b"")
    assert done.stderr.splitlines()[1] == f"error: {reason}"
    assert {name: (folder / name).read_bytes() for name in names(folder)} == before


def test_another_cluster_or_topic(
    dump: Dump, folder: Path, kafka_cluster: MockCluster, producer: Producer
) -> None:
    """A dump is refused if its topic or its cluster is not the one of the first run."""
    fill(producer, 0, 3)
    assert dump().status == 0
    other = run("dump", "target", "-e", *where(kafka_cluster, folder))
    assert (other.status, "TOPICS: the dump has source, not target" in other.stderr) == (2, True)
    with MockCluster() as elsewhere:
        elsewhere.create_topic("source", 3)
        done = run("dump", "source", "-e", *where(elsewhere, folder))
    assert (done.status, "error: cluster: the dump has " in done.stderr) == (2, True)


def test_a_topic_that_was_created_again(
    dump: Dump, folder: Path, kafka_cluster: MockCluster, producer: Producer
) -> None:
    """If the dump would continue after the end of a partition, the topic was created again. The
    dump is refused."""
    fill(producer, 0, 9)
    assert dump().status == 0
    path = folder / dump_folder.STATE
    state = json.loads(path.read_bytes())
    state["positions"]["source"]["1"] = 8
    path.write_text(json.dumps(state))
    done = dump()
    assert done.status == 1
    assert "source [1] ends at offset 3, and the dump continues at 8" in done.stderr


def test_messages_that_were_deleted(
    dump: Dump, folder: Path, kafka_cluster: MockCluster, producer: Producer
) -> None:
    """The command names messages that the cluster deleted before they were dumped, and continues
    after them."""
    fill(producer, 0, 6)
    assert dump().status == 0
    fill(producer, 6, 15)
    brokers = ["-b", kafka_cluster.bootstrap_servers]
    assert (
        run("topics", "delete-records", "source:1", "--before", "4", *brokers, "--yes").status == 0
    )
    done = dump()
    assert done.stderr.splitlines() == [
        "note: source [1]: the offsets 2 to 3 were deleted before they were dumped",
        "7 messages in 1 file",
    ]


def test_wrong_folders(dump: Dump, folder: Path, tmp_path: Path, producer: Producer) -> None:
    """A folder with other files, a state that is damaged, and a file in place of the folder are
    refused."""
    fill(producer, 0, 3)
    folder.mkdir()
    (folder / "mine.txt").write_text("x")
    foreign = dump()
    assert (foreign.status, "is not empty: it has 'mine.txt'" in foreign.stderr) == (2, True)
    (folder / dump_folder.STATE).write_text("{")
    damaged = dump()
    assert (damaged.status, "dump.json: " in damaged.stderr) == (2, True)
    (tmp_path / "plain").write_text("x")
    plain = dump("-o", str(tmp_path / "plain"))
    assert (plain.status, "is not a folder" in plain.stderr) == (2, True)
    assert dump("-o", str(tmp_path / "no" / "folder")).status == 1


def test_one_file(dump: Dump, tmp_path: Path, producer: Producer) -> None:
    """--output with the ending of a file writes one file, as `consume --output` does."""
    fill(producer, 0, 6)
    file = tmp_path / "one.jsonl"
    assert dump("-o", str(file)).stderr == "6 messages\n"
    assert len(file.read_bytes().splitlines()) == 6
    assert (dump("-o", str(file)).status, dump("-o", str(file), "--overwrite").status) == (2, 0)
    assert dump("-o", str(file), "--file-messages", "3").status == 2
    assert dump("--overwrite").status == 2


def test_endless_file(kafka_cluster: MockCluster, tmp_path: Path) -> None:
    """A dump into one file needs an end, because the file appears when the dump ends."""
    done = run("dump", "source", *where(kafka_cluster, tmp_path / "one.jsonl"))
    assert (done.status, "one file needs --exit-at-end or --until" in done.stderr) == (2, True)


def test_a_message_that_cannot_be_decoded(dump: Dump, folder: Path, producer: Producer) -> None:
    """The messages before this message are dumped, and the next run stops at the same message."""
    for value in (b"1", b"2", b"{", b"4"):
        producer.produce("source", value, b"k", 0)
    assert producer.flush(TIMEOUT) == 0
    for count in ("2 messages in 1 file", "0 messages in 0 files"):
        done = dump("--value", "json")
        assert done.status == 1
        first, second = done.stderr.splitlines()
        assert {first.partition(": value")[0], second} == {"error: source [0] offset 2", count}
    assert len(keys(folder)) == 2


def test_two_runs(dump: Dump, folder: Path) -> None:
    """Only one run at a time writes into a folder."""
    with dump_folder.DumpFolder(folder):
        done = dump()
    assert (done.status, done.stderr) == (
        1,
        f"error: {folder}: another dump is writing into this folder\n",
    )


def test_ctrl_c(folder: Path, kafka_cluster: MockCluster, producer: Producer) -> None:
    """Ctrl-C ends the last file, and the summary has its messages."""
    kafka_cluster.create_topic("source", 3)
    fill(producer, 0, 6)
    process = started("dump", "source", "--file-messages", "4", *where(kafka_cluster, folder))
    try:
        wait_until((folder / "source-000000.jsonl").exists)
        # The file that is open has a temporary name.
        wait_until(lambda: any(one.suffix == ".partial" for one in folder.iterdir()))
    finally:
        process.send_signal(signal.SIGINT)
        done = ended(process)
    assert done == (130, b"", "6 messages in 2 files\n")
    assert Counter(keys(folder)) == expected(0, 6)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL")
@pytest.mark.parametrize("call", range(1, 10))
@pytest.mark.parametrize("place", ["fsync", "replace"])
def test_killed_at_each_step(
    place: str, call: int, dump: Dump, folder: Path, kafka_cluster: MockCluster, producer: Producer
) -> None:
    """After SIGKILL before any step of adding a file, the next run continues. The files then have
    every message once, and a file that has appeared does not change."""
    fill(producer, 0, 10)
    command = ["dump", "source", "-e", "--file-messages", "3", *where(kafka_cluster, folder)]
    killed = run_script(f"""
    import os, signal
    from confluent_kafka.cli import app

    calls = 0

    def step(*arguments, before=os.{place}):
        global calls
        calls += 1
        if calls == {call}:
            os.kill(os.getpid(), signal.SIGKILL)
        return before(*arguments)

    os.{place} = step
    app({command})
    """)
    assert killed.returncode == -signal.SIGKILL
    before = {one: one.read_bytes() for one in folder.glob("*.jsonl")}
    assert dump("--file-messages", "3").status == 0
    assert Counter(keys(folder)) == expected(0, 10)
    assert {one: one.read_bytes() for one in before} == before
    assert not list(folder.glob(".*.partial"))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL")
def test_killed_at_any_time(folder: Path, kafka_cluster: MockCluster, producer: Producer) -> None:
    """A dump that is killed again and again, at random times, has all messages in the end. Each
    message is there once, and the messages of a partition are in their order."""
    kafka_cluster.create_topic("source", 3)
    fill(producer, 0, 3000)
    command = ["dump", "source", "--file-messages", "40", *where(kafka_cluster, folder)]
    chance = random.Random(7)
    for _ in range(5):
        enough = len(list(folder.glob("*.jsonl"))) + chance.randint(1, 8)
        process = started(*command)
        wait_until(lambda enough=enough: len(list(folder.glob("*.jsonl"))) >= enough)
        process.kill()
        assert ended(process).status == -signal.SIGKILL
    assert run(*command, "-e").status == 0
    assert Counter(keys(folder)) == expected(0, 3000)
    for number in range(3):
        partition = [one for one in keys(folder) if int(one[1:]) % 3 == number]
        assert partition == [f"k{one}" for one in range(number, 3000, 3)]


def test_a_full_disk(
    dump: Dump, folder: Path, producer: Producer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a file cannot be written, the error names it, no part of it stays, and the next run
    continues."""
    fill(producer, 0, 10)
    calls = 0

    def fails(file: int, before: Callable[[int], None] = os.fsync) -> None:
        nonlocal calls
        calls += 1
        if calls == 4:  # the state at the start, the first file and its state, the second file
            raise OSError(28, "No space left on device", "source-000001.jsonl")
        before(file)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fails)
        done = dump("--file-messages", "4")
    assert done.status == 1
    assert "No space left on device" in done.stderr
    assert names(folder) == [".dump.lock", "dump.json", "source-000000.jsonl"]
    assert dump("--file-messages", "4").status == 0
    assert Counter(keys(folder)) == expected(0, 10)


def test_interrupted_in_the_middle_of_a_file(
    dump: Dump, folder: Path, producer: Producer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a second Ctrl-C, which ends the command at once, an incomplete file is left out, and
    the next run reads its messages again."""
    fill(producer, 0, 10)

    def interrupted(self: object, records: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(dumping.Dump, "reached", interrupted)
        assert dump().status == 130
    assert names(folder) == [".dump.lock", "dump.json"]
    assert dump().status == 0
    assert Counter(keys(folder)) == expected(0, 10)
