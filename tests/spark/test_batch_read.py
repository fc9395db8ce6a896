"""Batch reads of the data source, in a real Spark session."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.testing import MockCluster

from .topics import fill, numbered

pytestmark = pytest.mark.spark


@pytest.fixture
def load(spark: Any, cluster: MockCluster) -> Callable[..., Any]:
    """Load topics through the data source, with more options."""

    def read(topics: str, schema: str | None = None, **options: str) -> Any:
        reader = spark.read.format("rdkafka")
        reader = reader.option("kafka.bootstrap.servers", cluster.bootstrap_servers)
        reader = reader.option("subscribe", topics).options(**options)
        return (reader.schema(schema) if schema else reader).load()

    return read


def values(frame: Any) -> list[str]:
    return sorted(bytes(row.value).decode() for row in frame.select("value").collect())


def test_a_message_comes_with_all_its_columns(
    load: Callable[..., Any], cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """Bytes, nulls, the time to the millisecond and headers are as they were produced."""
    topic = new_topic(partitions=3)
    sent = {
        "key": b"\x00k",
        "value": "v\u00e9",
        "partition": 2,
        "timestamp": 1_357_034_400_123,
        "headers": [("a", b"1"), ("a", None), ("b", b"")],
    }
    fill(cluster, topic, [sent, {"value": None, "partition": 1, "timestamp": 1}])
    full, empty = load(topic, includeHeaders="true").orderBy("partition", ascending=False).collect()
    assert full.asDict() == {
        "key": bytearray(b"\x00k"),
        "value": bytearray("v\u00e9".encode()),
        "topic": topic,
        "partition": 2,
        "offset": 0,
        "timestamp": full.timestamp,
        "timestampType": 0,
        "headers": full.headers,
    }
    assert full.timestamp.astimezone(UTC) == datetime(2013, 1, 1, 10, 0, 0, 123_000, tzinfo=UTC)
    assert [tuple(header) for header in full.headers] == [
        ("a", bytearray(b"1")),
        ("a", None),
        ("b", bytearray(b"")),
    ]
    assert (empty.key, empty.value, empty.headers) == (None, None, None)


def test_a_schema_names_the_columns_wanted(
    load: Callable[..., Any], cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """Columns come in the user's order; other columns are not built."""
    topic = new_topic(partitions=1)
    fill(cluster, topic, numbered(3, partitions=1))
    frame = load(topic, schema="offset bigint, value binary")
    rows = [(row.offset, bytes(row.value)) for row in frame.orderBy("offset").collect()]
    assert rows == [(0, b"v0"), (1, b"v1"), (2, b"v2")]


def test_offsets_bound_the_read(
    load: Callable[..., Any], cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """Reads include the start and exclude the end; -2 is a partition's start, -1 its end."""
    topic = new_topic()
    fill(cluster, topic, numbered(20))
    frame = load(
        topic,
        startingOffsets=json.dumps({topic: {"0": 3, "1": -2}}),
        endingOffsets=json.dumps({topic: {"0": 5, "1": 1}}),
    )
    assert values(frame) == ["v1", "v6", "v8"]
    tail = load(topic, startingOffsets=json.dumps({topic: {"0": 9, "1": 9}}))
    assert values(tail) == ["v18", "v19"]


def test_several_topics_and_an_empty_one(
    load: Callable[..., Any], cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """An empty topic has no rows and is not an error, alone or with other topics."""
    first, second, empty = new_topic(), new_topic(), new_topic()
    fill(cluster, first, [{"value": "a"}])
    fill(cluster, second, [{"value": "b"}])
    assert values(load(f"{first}, {second}, {empty}")) == ["a", "b"]
    assert values(load(empty)) == []


def test_small_partitions_share_a_task(
    load: Callable[..., Any], cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """Tasks share partitions as far as minPartitions allows, and every message is read once."""
    topic = new_topic(partitions=12)
    fill(cluster, topic, numbered(24, partitions=12))
    frame = load(topic, minPartitions="3")
    assert frame.rdd.getNumPartitions() == 3
    assert values(frame) == sorted(f"v{number}" for number in range(24))


def test_a_partition_larger_than_a_batch_comes_whole(
    load: Callable[..., Any], cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """Every offset is returned once, from many record batches with small and large messages."""
    topic = new_topic(partitions=1)
    rows = [{"value": b"x" * (10 if number % 1000 else 20_000)} for number in range(50_000)]
    fill(cluster, topic, rows)
    frame = load(topic, schema="offset bigint, value binary")
    found = frame.selectExpr(
        "count(*) n", "count(distinct offset) d", "max(offset) m", "sum(length(value)) s"
    ).first()
    assert tuple(found) == (50_000, 50_000, 49_999, sum(len(row["value"]) for row in rows))


def test_part_of_a_read_can_be_taken(
    load: Callable[..., Any], cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """If Spark stops a task early, the same worker can run the next task."""
    topic = new_topic(partitions=1)
    fill(cluster, topic, numbered(5_000, partitions=1))
    assert load(topic).limit(1).count() == 1
    assert load(topic).count() == 5_000


def test_offsets_without_a_message_are_passed(
    load: Callable[..., Any], cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """A transaction marker has an offset but no message, inside a range and at its end."""
    topic = new_topic(partitions=1)
    config = {"bootstrap.servers": cluster.bootstrap_servers, "transactional.id": topic}
    with Producer(config) as producer:
        producer.init_transactions(20)
        for number in range(3):
            producer.begin_transaction()
            producer.produce(topic, f"v{number}", partition=0)
            producer.commit_transaction(20)
    assert values(load(topic)) == ["v0", "v1", "v2"]
    # Offset 1 is the first marker: the read must not return a later message in its place.
    head = load(topic, endingOffsets=json.dumps({topic: {"0": 2}}))
    assert values(head) == ["v0"]
    middle = load(
        topic,
        startingOffsets=json.dumps({topic: {"0": 1}}),
        endingOffsets=json.dumps({topic: {"0": 4}}),
    )
    assert values(middle) == ["v1"]


def test_a_leader_may_move_while_offsets_are_asked_for(
    load: Callable[..., Any], cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """A temporary error does not fail the query."""
    topic = new_topic(partitions=1)
    fill(cluster, topic, [{"value": "a"}])
    cluster.inject_errors("ListOffsets", [KafkaError.LEADER_NOT_AVAILABLE] * 3)
    assert values(load(topic)) == ["a"]


def trimmed(cluster: MockCluster, topic: str) -> int:
    """Fill partition 0 beyond what the cluster keeps; return the first offset that is left."""
    fill(cluster, topic, [{"value": b"x" * 900_000, "partition": 0} for _ in range(12)])
    config = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "spark-tests"}
    with Consumer(config) as consumer:
        low, high = consumer.get_watermark_offsets(TopicPartition(topic, 0), timeout=10)
    assert 0 < low < high == 12
    return low


def test_lost_offsets_fail_the_read(
    load: Callable[..., Any], cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """The error reports that data is lost, and how to continue without it."""
    topic = new_topic(partitions=1)
    low = trimmed(cluster, topic)
    start = json.dumps({topic: {"0": 0}})
    with pytest.raises(Exception, match=r"DataLoss.*failOnDataLoss") as failure:
        load(topic, startingOffsets=start).count()
    assert f"offsets 0 to 11 were asked for, but the partition has {low} to 11" in str(
        failure.value
    )
    frame = load(topic, startingOffsets=start, failOnDataLoss="false")
    assert frame.count() == 12 - low


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"subscribe": "spark-not-there-at-all"}, "does not exist|unknown"),
        ({"startingOfset": "earliest"}, "did you mean 'startingOffsets'"),
        ({"kafka.bootstrap.server": "x"}, 'No such configuration property: "bootstrap.server"'),
    ],
)
def test_mistakes_are_named(
    load: Callable[..., Any],
    new_topic: Callable[..., str],
    options: dict[str, str],
    message: str,
) -> None:
    """The exception that the user sees names the wrong option or column."""
    topic = new_topic()
    with pytest.raises(Exception, match=message):
        load(topic, **options).count()
