"""Reads of a real cluster without Spark's JVM: cases that the embedded cluster does not support."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from pyspark.sql.datasource import GreaterThanOrEqual, LessThan
from pyspark.sql.streaming.datasource import ReadAllAvailable

from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.spark import clients, group_offsets
from confluent_kafka.spark.ranges import DataLoss
from tests.integration.kafka_cluster import USERS, KafkaCluster, OwnKafkaCluster
from tests.integration.topics import add_partitions, create_topic, delete_topic
from tests.support.kafka import Reports, failure
from tests.support.secrets import secret
from tests.support.waiting import TIMEOUT, wait_until

from .reading import batch_reader, ranges_of, read, stream_reader, values_of

pytestmark = pytest.mark.integration

EVERYTHING = ReadAllAvailable()
WRONG = secret("wrong")


@pytest.fixture(autouse=True)
def close_clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """This process acts as the driver and as an executor."""
    monkeypatch.setattr(group_offsets, "TIMEOUT", TIMEOUT)  # how long it waits is tested elsewhere
    yield
    clients.consumers.close()


@pytest.fixture
def servers(kafka: KafkaCluster) -> str:
    return kafka.bootstrap_servers


def fill(kafka: KafkaCluster, topic: str, rows: list[tuple[str, int, int]]) -> None:
    """Produce values to partitions at times in milliseconds."""
    reports = Reports()
    with Producer(kafka.config()) as producer:
        for value, partition, timestamp in rows:
            producer.produce(
                topic, value, partition=partition, timestamp=timestamp, on_delivery=reports
            )
        assert producer.flush(30) == 0
    assert set(reports.errors) == {None}


# Timestamps in 1970 would be shorter, but retention deletes such messages after half a minute.
KEPT = {"retention_ms": "-1"}


@pytest.fixture
def topic(make_topic: Callable[..., str]) -> str:
    """A topic with one partition."""
    return make_topic(**KEPT)


@pytest.fixture
def timed(kafka: KafkaCluster, make_topic: Callable[..., str]) -> str:
    """Two partitions: the first has ascending times; in the second one, a message is late."""
    topic = make_topic(partitions=2, **KEPT)
    rows = [("a0", 0, 1_000), ("a1", 0, 2_000), ("a2", 0, 3_000)]
    fill(kafka, topic, [*rows, ("b0", 1, 1_000), ("b1", 1, 3_000), ("b2", 1, 1_500)])
    return topic


@pytest.mark.parametrize(
    ("options", "values"),
    [
        ({"startingTimestamp": 2_000}, ["a1", "a2", "b1", "b2"]),
        ({"endingTimestamp": 2_000}, ["a0", "b0"]),
        ({"startingTimestamp": 1_001, "endingTimestamp": 3_000}, ["a1"]),
        ({"endingTimestamp": 9_000}, ["a0", "a1", "a2", "b0", "b1", "b2"]),
        (
            {"startingOffsetsByTimestamp": '{"TOPIC": {"0": 3000, "1": 1}}'},
            ["a2", "b0", "b1", "b2"],
        ),
        ({"endingOffsetsByTimestamp": '{"TOPIC": {"0": 0, "1": 2000}}'}, ["b0"]),
        (
            {"startingTimestamp": 9_000, "startingOffsetsByTimestampStrategy": "latest"},
            [],
        ),
    ],
)
def test_timestamps_bound_a_batch_read(
    timed: str, servers: str, options: dict[str, Any], values: list[str]
) -> None:
    """The bound is the first message that is not earlier, or the end if there is none."""
    given = {name: str(text).replace("TOPIC", timed) for name, text in options.items()}
    assert read(servers, subscribe=timed, **given) == values


def test_a_time_that_nothing_has_reached_is_an_error(timed: str, servers: str) -> None:
    """Unless the strategy is latest, a batch and a stream raise the same error."""
    options = {"subscribe": timed, "startingTimestamp": 9_000}
    message = "startingTimestamp: no message of .* is at or after 9000 ms.*Strategy"
    with pytest.raises(ValueError, match=message):
        batch_reader(servers, **options).partitions()
    with pytest.raises(ValueError, match=message):
        stream_reader(servers, **options).initialOffset()
    lenient = stream_reader(servers, **options, startingOffsetsByTimestampStrategy="latest")
    assert lenient.initialOffset() == {timed: {"0": 3, "1": 3}}
    with pytest.raises(ValueError, match=r"startingTimestamp \(2\) is beyond endingTimestamp"):
        batch_reader(
            servers, subscribe=timed, startingTimestamp=3_000, endingTimestamp=2_000
        ).partitions()


def test_a_stream_starts_at_a_time(timed: str, servers: str) -> None:
    """Timestamps take precedence over startingOffsets."""
    reader = stream_reader(
        servers, subscribe=timed, startingTimestamp=2_000, startingOffsets="latest"
    )
    assert reader.initialOffset() == {timed: {"0": 1, "1": 1}}


def test_a_filter_on_time_skips_only_what_is_surely_older(timed: str, servers: str) -> None:
    """A late message after the limit is still read, for Spark to filter.

    The read ends at the topic's end: no upper limit comes from the filter.
    """
    reader = batch_reader(servers, subscribe=timed)
    filters = [
        GreaterThanOrEqual(("timestamp",), datetime.fromtimestamp(2, UTC)),
        LessThan(("timestamp",), datetime.fromtimestamp(2.5, UTC)),
    ]
    assert list(reader.pushFilters(filters)) == filters
    assert ranges_of(reader.partitions()) == [(timed, 0, 1, 3), (timed, 1, 1, 3)]


def test_timestamp_types_come_through(
    kafka: KafkaCluster, make_topic: Callable[..., str], servers: str
) -> None:
    """Type 0 is the producer's time, and type 1 is the broker's time."""
    topic = make_topic(message_timestamp_type="LogAppendTime")
    fill(kafka, topic, [("a", 0, 1_000)])
    reader = batch_reader(servers, subscribe=topic)
    [planned] = reader.partitions()
    [batch] = reader.read(planned)
    [row] = batch.to_pylist()
    assert row["timestampType"] == 1
    assert row["timestamp"] > datetime(2020, 1, 1, tzinfo=UTC)


def test_partitions_that_are_added_join_a_running_stream(
    kafka: KafkaCluster, make_topic: Callable[..., str], servers: str
) -> None:
    """A running query reads a new partition from its first message."""
    topic = make_topic(**KEPT)
    reader = stream_reader(servers, subscribe=topic)
    start = reader.initialOffset()
    assert start == {topic: {"0": 0}}
    add_partitions(kafka, topic, 3)
    fill(kafka, topic, [("new", 2, 1)])
    end = {topic: {"0": 0, "1": 0, "2": 1}}
    wait_until(lambda: reader.latestOffset(start, EVERYTHING) == end)
    assert values_of(reader, reader.partitions(start, end)) == ["new"]
    reader.stop()


def test_a_topic_that_is_deleted_is_a_loss(
    kafka: KafkaCluster, make_topic: Callable[..., str], servers: str
) -> None:
    """Unread messages of a deleted topic are reported as lost. A new topic of the name is read."""
    topic = make_topic(**KEPT)
    fill(kafka, topic, [("one", 0, 1), ("two", 0, 2)])
    strict = stream_reader(servers, subscribe=topic, startingOffsets="earliest")
    lenient = stream_reader(servers, subscribe=topic, failOnDataLoss="false")
    read_to = strict.latestOffset(strict.initialOffset(), EVERYTHING)
    delete_topic(kafka, topic)
    wait_until(lambda: strict.latestOffset(read_to, EVERYTHING) == {})
    with pytest.raises(DataLoss, match=rf"{topic} \[0\]: the partition is gone, read up to 2"):
        strict.partitions(read_to, {})
    assert lenient.partitions(read_to, {}) == []
    create_topic(kafka, topic, 1, {"retention.ms": "-1"})
    fill(kafka, topic, [("new", 0, 3)])
    again = {topic: {"0": 1}}
    wait_until(lambda: lenient.latestOffset({}, EVERYTHING) == again)
    assert values_of(lenient, lenient.partitions({}, again)) == ["new"]
    # If the topic was recreated between two micro-batches, its lower end shows that.
    with pytest.raises(
        DataLoss, match=r"read up to 2, but it now ends at 1.*recreated or truncated"
    ):
        strict.partitions(read_to, again)
    assert lenient.partitions(read_to, again) == []
    for reader in (strict, lenient):
        reader.stop()


def test_a_topic_that_is_deleted_under_a_task_is_a_loss(
    kafka: KafkaCluster, topic: str, servers: str
) -> None:
    """The task fails or returns no more rows, depending on failOnDataLoss."""
    fill(kafka, topic, [("one", 0, 1), ("two", 0, 2)])
    options = {"subscribe": topic, "kafkaConsumer.pollTimeoutMs": 1_000}
    strict = batch_reader(servers, **options)
    lenient = batch_reader(servers, **options, failOnDataLoss="false")
    planned = strict.partitions()
    delete_topic(kafka, topic)

    def is_gone() -> bool:
        with Consumer(kafka.config() | {"group.id": topic}) as consumer:
            try:
                consumer.get_watermark_offsets(TopicPartition(topic, 0), 5)
            except KafkaException:
                return True
            return False

    wait_until(is_gone)
    with pytest.raises(DataLoss, match=rf"{topic} \[0\]: offsets 0 to 1 are gone"):
        values_of(strict, planned)
    assert values_of(lenient, planned) == []


def test_an_aborted_transaction_at_the_end_of_a_range_is_passed(
    kafka: KafkaCluster, topic: str, servers: str
) -> None:
    """With read_committed, the reader skips aborted messages and a marker at the end of a range."""
    with Producer({**kafka.config(), "transactional.id": topic}) as producer:
        producer.init_transactions(30)
        for value in ("kept", "aborted"):
            producer.begin_transaction()
            producer.produce(topic, value)
            producer.flush(30)
            if value == "kept":
                producer.commit_transaction(30)
            else:
                producer.abort_transaction(30)
    committed = {"kafka.isolation.level": "read_committed"}
    assert read(servers, subscribe=topic, **committed) == ["kept"]
    # As in Spark's own source, the default isolation level also reads aborted messages.
    assert read(servers, subscribe=topic) == ["aborted", "kept"]
    tail = {"startingOffsets": json.dumps({topic: {"0": 2}}), **committed}
    assert read(servers, subscribe=topic, **tail) == []


def test_lag_is_seen_in_the_group(
    kafka: KafkaCluster, make_topic: Callable[..., str], servers: str
) -> None:
    """The offsets of finished batches are committed, although the group has no member."""
    group = f"lag-{uuid.uuid4().hex[:8]}"
    topic = make_topic(partitions=2, **KEPT)
    fill(kafka, topic, [("a", 0, 1), ("b", 1, 1), ("c", 1, 2)])
    options = {"subscribe": topic, "startingOffsets": "earliest", "commitOffsetsToGroup": group}
    reader = stream_reader(servers, **options)
    reader.commit(reader.latestOffset(reader.initialOffset(), EVERYTHING))
    reader.stop()
    with Consumer({**kafka.config(), "group.id": group}) as consumer:
        wanted = [TopicPartition(topic, number) for number in (0, 1)]
        assert [one.offset for one in consumer.committed(wanted, timeout=30)] == [1, 2]


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-512"])
def test_java_s_credentials_are_understood(
    own_kafka: OwnKafkaCluster, topic: str, mechanism: str
) -> None:
    """sasl.jaas.config and PEM stores work as in a configuration of Java's clients."""
    fill(own_kafka, topic, [("a", 0, 1)])
    assert read(own_kafka.servers("SASL_SSL"), **credentials(own_kafka, topic, mechanism)) == ["a"]


def test_wrong_credentials_are_an_error(own_kafka: OwnKafkaCluster, topic: str) -> None:
    """The error comes at once, with the options to check and without the password."""
    options = credentials(own_kafka, topic, "PLAIN", password=WRONG)
    error = failure(
        batch_reader(own_kafka.servers("SASL_SSL"), **options).partitions,
        r"check the options kafka\.sasl\.\*.*Authentication failed",
    )
    assert WRONG not in error.str()


def test_an_unknown_authority_is_an_error(own_kafka: OwnKafkaCluster, topic: str) -> None:
    """The error reports that the certificate is not trusted, and names the options to check."""
    options = credentials(own_kafka, topic, "PLAIN")
    del options["kafka.ssl.truststore.location"]
    failure(
        batch_reader(own_kafka.servers("SASL_SSL"), **options).partitions,
        r"check the options kafka\.ssl\.\*",
    )


def credentials(
    kafka: OwnKafkaCluster, topic: str, mechanism: str, password: str = USERS["alice"]
) -> dict[str, Any]:
    module = "plain.Plain" if mechanism == "PLAIN" else "scram.Scram"
    return {
        "subscribe": topic,
        "kafka.security.protocol": "SASL_SSL",
        "kafka.sasl.mechanism": mechanism,
        "kafka.sasl.jaas.config": f"org.apache.kafka.common.security.{module}LoginModule required "
        f'username="alice" password="{password}";',
        "kafka.ssl.truststore.type": "PEM",
        "kafka.ssl.truststore.location": str(kafka.authority.file),
    }


COMPACTED = {
    "cleanup_policy": "compact",
    "segment_ms": "100",
    "min_cleanable_dirty_ratio": "0.001",
    "max_compaction_lag_ms": "100",
}


def test_what_compaction_took_is_no_loss(
    kafka: KafkaCluster, servers: str, make_topic: Callable[..., str]
) -> None:
    """Gaps are at the start, in the middle and at the end of a range, in a batch and a stream."""
    topic = make_topic(**COMPACTED)
    with Producer(kafka.config()) as producer, Consumer(kafka.config() | {"group.id": "g"}) as one:

        def write(key: str, value: str) -> None:
            producer.produce(topic, value, key, partition=0)
            assert producer.flush(30) == 0

        def left() -> list[int | None]:
            # Each round begins another segment, so that Kafka compacts the earlier segments.
            write("filler", "filler")
            one.assign([TopicPartition(topic, 0, 0)])
            return [message.offset() for message in one.consume(10, 1)]

        for number in range(10):
            write("kept" if number == 4 else "again", str(number))
        wait_until(
            lambda: {4, 9} == {place for place in left() if place is not None and place < 10},
            timeout=60,
        )

    def bounds(start: int, end: int) -> dict[str, str]:
        return {
            "subscribe": topic,
            "startingOffsets": json.dumps({topic: {"0": start}}),
            "endingOffsets": json.dumps({topic: {"0": end}}),
        }

    assert read(servers, **bounds(0, 10)) == ["4", "9"]
    assert read(servers, **bounds(0, 9)) == ["4"]
    assert read(servers, **bounds(5, 9)) == []
    stream = stream_reader(servers, subscribe=topic, startingOffsets="earliest")
    planned = stream.partitions({topic: {"0": 0}}, {topic: {"0": 8}})
    assert values_of(stream, planned) == ["4"]
