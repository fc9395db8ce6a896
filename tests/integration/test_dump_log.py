"""``confluent-kafka dump-log`` on the files of real brokers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import TopicPartition
from tests.integration.kafka_cluster import RealKafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.integration.transactional import new_id, transactional
from tests.support.command_line import run
from tests.support.documents import ROOT
from tests.support.real_kafka import MakeTopic
from tests.support.stories import matches, output_of
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = pytest.mark.integration

CODECS = ["uncompressed", "gzip", "snappy", "lz4", "zstd"]


def segments(kafka: RealKafkaCluster, topic: str) -> list[Path]:
    """The files of a topic's partitions, on all brokers."""
    return [
        path
        for broker in kafka.brokers
        for folder in (
            broker.conf["log_dirs"],
            Path(broker.conf["log_dirs"]).parent / "second_disk",
        )
        for path in sorted(Path(folder).glob(f"{topic}-*/*.log"))
    ]


def dumped(kafka: RealKafkaCluster, topic: str) -> dict[str, list[dict[str, Any]]]:
    """The batches that the command shows, with their records, by file."""
    found: dict[str, list[dict[str, Any]]] = {}

    def whole() -> bool:
        """Whether all batches are complete: the command reports a batch that a broker is still
        writing."""
        done = run("dump-log", "--records", "--json", *map(str, segments(kafka, topic)))
        found.clear()
        for line in done.stdout.splitlines():
            batch = json.loads(line)
            found.setdefault(batch["file"], []).append(batch)
        return done.status == 0

    wait_until(whole)
    return found


def records_in(kafka: RealKafkaCluster, topic: str) -> Iterator[dict[str, Any]]:
    for batches in dumped(kafka, topic).values():
        for batch in batches:
            assert batch["valid"]
            yield from batch["records"]


@pytest.mark.parametrize("codec", CODECS)
def test_broker_compresses(own_kafka: RealKafkaCluster, make_topic: MakeTopic, codec: str) -> None:
    """dump-log reads each codec that brokers write, on all replicas."""
    topic = make_topic(compression_type=codec)
    values = [f"value {number} ".encode() * 50 for number in range(20)]
    with writer(own_kafka, {"linger.ms": 50}) as producer:
        for value in values:
            producer.produce(topic, value, b"key", headers=[("h", b"\xff")])
        producer.flush(TIMEOUT)

    def all_there() -> bool:
        counts = [sum(each["count"] for each in file) for file in dumped(own_kafka, topic).values()]
        return counts == [len(values)] * len(own_kafka.brokers)

    wait_until(all_there)
    for batches in dumped(own_kafka, topic).values():
        found = [record for batch in batches for record in batch["records"]]
        assert [record["value"].encode() for record in found] == values
        assert [record["offset"] for record in found] == list(range(len(values)))
        assert all(record["headers"] == [["h", {"base64": "/w=="}]] for record in found)
        name = "none" if codec == "uncompressed" else codec
        assert {batch["compression"] for batch in batches} == {name}


def test_transactions(own_kafka: RealKafkaCluster, topic: str) -> None:
    """dump-log shows the records of transactions, their markers, and the coordinator's entries."""
    transaction = new_id()
    with transactional(own_kafka, transaction) as producer:
        for end in (producer.commit_transaction, producer.abort_transaction):
            producer.begin_transaction()
            producer.produce(topic, b"value")
            producer.flush(TIMEOUT)
            end(TIMEOUT)

    def of_one_broker() -> list[dict[str, Any]]:
        return next(iter(dumped(own_kafka, topic).values()), [])

    wait_until(lambda: sum(batch["control"] for batch in of_one_broker()) == 2)
    batches = of_one_broker()
    assert [batch["transactional"] for batch in batches] == [True] * 4
    assert batches[0]["producer_id"] >= 0
    markers = [batch["records"][0] for batch in batches if batch["control"]]
    assert [marker["key"] for marker in markers] == ["commit", "abort"]
    assert all(marker["value"]["coordinator_epoch"] >= 0 for marker in markers)

    key = {"TransactionLogKey": {"transactional_id": transaction}}
    states = [
        record["value"]["TransactionLogValue"]
        for record in records_in(own_kafka, "__transaction_state")
        if record["key"] == key
    ]
    named = [state["transaction_partitions"] for state in states if state["transaction_partitions"]]
    assert [{"topic": topic, "partition_ids": [0]}] in named


def test_offsets(own_kafka: RealKafkaCluster, topic: str, group: str) -> None:
    """dump-log shows the commits of a group with the names of the protocol."""
    with reader(own_kafka, {"group.id": group}) as consumer:
        place = TopicPartition(topic, 0, 42, metadata="why")
        consumer.commit(offsets=[place], asynchronous=False)
    key = {"OffsetCommitKey": {"group": group, "topic": topic, "partition": 0}}

    def commits() -> list[dict[str, Any]]:
        found = records_in(own_kafka, "__consumer_offsets")
        return [record["value"]["OffsetCommitValue"] for record in found if record["key"] == key]

    wait_until(commits)
    assert {(commit["offset"], commit["metadata"]) for commit in commits()} == {(42, "why")}


def test_metadata(own_kafka: RealKafkaCluster, topic: str) -> None:
    """dump-log shows the records of KRaft's metadata log, such as topics and leader changes."""

    def found() -> list[dict[str, Any]]:
        return list(records_in(own_kafka, "__cluster_metadata"))

    def topics() -> list[str]:
        values = [record["value"] for record in found() if isinstance(record["value"], dict)]
        return [value["TopicRecord"]["name"] for value in values if "TopicRecord" in value]

    wait_until(lambda: topic in topics())
    assert "leader_change" in {
        record["key"] for record in found() if isinstance(record["key"], str)
    }


def test_the_page(own_kafka: RealKafkaCluster, topic: str) -> None:
    """The guide shows what the command prints."""
    with writer(own_kafka) as producer:
        producer.produce(topic, b"apple", partition=0)
        assert producer.flush(TIMEOUT) == 0
    dumped(own_kafka, topic)  # afterwards a file is complete
    name = "orders-0/00000000000000000000.log"
    shown = output_of(ROOT / "docs/guides/command-line.md", f"confluent-kafka dump-log -r {name}")
    file = str(next(path for path in segments(own_kafka, topic) if path.stat().st_size))
    printed = run("dump-log", "-r", file).stdout.decode().replace(file, name)
    assert matches(shown, printed), printed
