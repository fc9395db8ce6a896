"""Rows and options that cannot be written: tasks as Spark runs them, without Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

import pyarrow as pa

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.spark import clients, sending, transactions
from confluent_kafka.spark.exactly_once import Task, write_exactly_once
from confluent_kafka.spark.write_options import write_options
from confluent_kafka.spark.writer import write_at_least_once
from confluent_kafka.testing import MockCluster
from tests.integration.kafka_cluster import OwnKafkaCluster
from tests.support.kafka import failure
from tests.support.secrets import secret
from tests.support.waiting import SOON, Stopwatch

from .topics import messages

Write = Callable[..., int]

NOT_LOGGED_IN = r"Authentication failed.*kafka\.sasl\.\*"


@pytest.fixture
def write(cluster: MockCluster) -> Write:
    """Write the columns of one record batch; a column `topic` or the option names the topic."""

    def task(
        columns: dict[str, Any], topic: str | None = None, options: dict[str, str] | None = None
    ) -> int:
        given = {"kafka.bootstrap.servers": cluster.bootstrap_servers, "topic": topic or ""}
        settings = write_options({**given, **(options or {})}, streaming=False)
        return write_at_least_once(iter([pa.record_batch(columns)]), settings, [*columns]).rows

    return task


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"topic": [None], "key": ["ab"]},
            r"row 0: .*topic is null.*\(topic None, key of 2 bytes, value of",
        ),
        (
            {"topic": [""]},
            r"row 0: .*topic must not be empty.*\(topic '', key of 0 bytes, value of 3 bytes\)",
        ),
        (
            {"partition": pa.array([-5], pa.int32())},
            r"partition', row 0: .*from 0 to.*\(topic 'spark-",
        ),
        ({"partition": pa.array([7], pa.int32())}, r"row 0: .*Unknown partition \(topic 'spark-"),
        (
            {"value": [b"x" * 1_100_000]},
            r"row 0: .*too large \(topic 'spark-.*, value of 1100000 bytes\)",
        ),
    ],
)
def test_a_row_that_is_refused_is_named(
    write: Write, new_topic: Callable[..., str], columns: dict[str, Any], message: str
) -> None:
    """The error contains the row's index, its topic, its sizes and the reason."""
    topic = None if "topic" in columns else new_topic()
    with pytest.raises((KafkaException, ValueError), match=message):
        write({"value": [b"abc"], **columns}, topic)


def test_a_topic_that_does_not_exist_is_named_within_seconds(
    cluster: MockCluster, write: Write, new_topic: Callable[..., str], monkeypatch: Any
) -> None:
    """The error does not wait for message.timeout.ms.

    The option or a column may name the topic, and the worker may have been used before.
    """
    monkeypatch.setattr(sending, "_CREATION_TIMEOUT", 0.5)
    there, gone = new_topic(), new_topic()
    cluster.set_topic_error(gone, KafkaError.UNKNOWN_TOPIC_OR_PART)
    watch = Stopwatch()
    for topic, columns in ((gone, {}), (None, {"topic": [there, gone]})):
        with pytest.raises(KafkaException, match=f"topic '{gone}': .*Unknown topic") as unknown:
            write({"value": ["a", "b"], **columns}, topic)
        assert unknown.value.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART
    assert watch.elapsed < SOON
    # The writer looks up all topics of a record batch before it sends any of its rows.
    assert write({"value": ["only"]}, there) == 1
    assert [one.value() for one in messages(cluster, there, 1)] == [b"only"]


def test_brokers_that_are_not_there_are_named(
    monkeypatch: pytest.MonkeyPatch, write: Write
) -> None:
    """The error contains the reason and the options to check."""
    monkeypatch.setattr(sending, "_TOPIC_TIMEOUT", 1.0)
    nowhere = {"kafka.bootstrap.servers": "127.0.0.1:1"}
    failure(
        lambda: write({"value": ["a"]}, "any", nowhere),
        r"127\.0\.0\.1:1.*kafka\.bootstrap\.servers",
    )


def test_a_failed_task_does_not_leave_its_rows_to_the_next_one(
    cluster: MockCluster, write: Write, new_topic: Callable[..., str]
) -> None:
    """The rows that waited in the queue are purged, and the client is closed."""
    topic = new_topic(partitions=1)
    with pytest.raises(KafkaException, match="row 1"):
        write({"value": ["a", "x" * 1_100_000]}, topic, {"kafka.linger.ms": "60000"})
    assert write({"value": ["b"]}, topic, {"kafka.linger.ms": "0"}) == 1
    clients.producers.close()
    assert [one.value() for one in messages(cluster, topic, 1)] == [b"b"]


@pytest.mark.integration
def test_a_wrong_password_is_named(
    own_kafka: OwnKafkaCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error contains the brokers' reason and the options to check; the write never hangs."""
    monkeypatch.setattr(sending, "_TOPIC_TIMEOUT", 2.0)
    monkeypatch.setattr(transactions, "_TIMEOUT", 2.0)
    login = {"sasl.mechanism": "PLAIN", "sasl.username": "alice", "sasl.password": secret("wrong")}
    client = own_kafka.config("SASL_PLAINTEXT") | login
    given = {f"kafka.{name}": str(text) for name, text in client.items()} | {"topic": "any"}

    def rows() -> Iterator[pa.RecordBatch]:
        yield pa.record_batch({"value": ["a"]})

    options = write_options(given, streaming=False)
    failure(lambda: write_at_least_once(rows(), options, ["value"]), NOT_LOGGED_IN)
    once = write_options({**given, "deliveryguarantee": "exactly-once"}, streaming=True)
    source: Any = None  # not reached
    task = Task("query", 0, 0)
    failure(lambda: write_exactly_once(rows(), source, task, once, ["value"]), NOT_LOGGED_IN)
