"""produce_arrow(partition_count=...) enqueues rows in another order, for the same partitions."""

from __future__ import annotations

import random
from collections import defaultdict
from typing import Any

import pytest

from confluent_kafka import (
    Consumer,
    KafkaException,
    Producer,
    TopicPartition,
    consistent,
    fnv1a,
    murmur2,
)
from tests.embedded.conftest import MakeProducer

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

PARTITIONS = 4
ROWS = 2000
# librdkafka's partitioners, with the function that chooses a key's partition. None means any
# partition.
PARTITIONERS = {
    "random": None,
    "consistent": consistent,
    "consistent_random": consistent,
    "murmur2": murmur2,
    "murmur2_random": murmur2,
    "fnv1a": fnv1a,
    "fnv1a_random": fnv1a,
}


def batch_of(**columns: list[Any]) -> Any:
    return pa.record_batch({name: pa.array(column) for name, column in columns.items()})


def read(consumer: Consumer, topic: str, partitions: int, count: int) -> list[dict[str, Any]]:
    consumer.assign([TopicPartition(topic, number, 0) for number in range(partitions)])
    rows: list[dict[str, Any]] = []
    while len(rows) < count:
        batch = consumer.consume_arrow(count, 30)
        assert len(batch) > 0
        rows += pa.record_batch(batch).to_pylist()
    return rows


@pytest.mark.kafka_topic(PARTITIONS)
@pytest.mark.parametrize("partition_count", [1, 3, PARTITIONS, 1_000_000])
@pytest.mark.parametrize("partitioner", PARTITIONERS)
def test_every_row_goes_where_it_would_go_without(
    make_producer: MakeProducer,
    consumer: Consumer,
    kafka_topic: str,
    partitioner: str,
    partition_count: int,
) -> None:
    """Each row goes to the same partition with any given count, and rows of one key keep their
    order."""
    choice = random.Random(partitioner)
    keys = [choice.choice([None, "", *"abcdefghij"]) for _ in range(ROWS)]
    values = [str(number) for number in range(ROWS)]
    chosen = [choice.choice([None, None, -1, 0, 3]) for _ in range(ROWS)]
    batch = batch_of(key=keys, value=values, partition=chosen)
    producer = make_producer({"partitioner": partitioner})
    assert producer.produce_arrow(batch, kafka_topic, partition_count=partition_count) == ROWS
    assert producer.flush(30) == 0
    rows = read(consumer, kafka_topic, PARTITIONS, ROWS)
    assert sorted(int(row["value"]) for row in rows) == list(range(ROWS))
    function = PARTITIONERS[partitioner]
    orders: dict[Any, list[int]] = defaultdict(list)
    for row in rows:
        number = int(row["value"])
        asked = chosen[number]
        if asked in (0, 3):
            assert row["partition"] == asked
        elif function is not None and row["key"]:
            assert row["partition"] == function(row["key"], PARTITIONS)
        orders[row["partition"], asked, row["key"]].append(number)
    for numbers in orders.values():
        assert numbers == sorted(numbers)


@pytest.mark.kafka_topic(PARTITIONS)
def test_partition_after_partition(make_producer: MakeProducer, kafka_topic: str) -> None:
    """If the queue is full, the rejected row is the first one of the last partition, not the last
    row."""
    small = make_producer({"queue.buffering.max.messages": 4, "linger.ms": 60_000})
    batch = batch_of(value=["a", "b", "c", "d", "e"], partition=[3, 0, 1, 0, 2])
    with pytest.raises(BufferError, match=r"batch row 0: .*Queue full"):
        small.produce_arrow(batch, kafka_topic, partition_count=PARTITIONS)
    assert len(small) == 4


@pytest.mark.kafka_topic(PARTITIONS)
def test_rows_with_keys_come_before_those_without(
    make_producer: MakeProducer, kafka_topic: str
) -> None:
    """Rows without keys are enqueued last, because their partitions are chosen at random only
    then."""
    small = make_producer({"queue.buffering.max.messages": 3, "linger.ms": 60_000})
    batch = batch_of(value=["a", "b", "c", "d"], key=[None, "key", "key", "key"])
    with pytest.raises(BufferError, match="batch row 0: "):
        small.produce_arrow(batch, kafka_topic, partition_count=PARTITIONS)
    assert len(small) == 3


@pytest.mark.kafka_topic(PARTITIONS)
def test_errors_name_the_row_of_the_batch(producer: Producer, kafka_topic: str) -> None:
    """The error contains the row's index in the batch, and not its index in the new order."""
    producer.list_topics(kafka_topic, timeout=30)
    batch = batch_of(value=["a", "b", "c"], partition=[77, 3, 0])
    with pytest.raises(KafkaException, match=r"batch row 0: .*[Uu]nknown partition"):
        producer.produce_arrow(batch, kafka_topic, partition_count=PARTITIONS)
    batch = batch_of(value=["a" * 2_000_000, "b"], partition=[3, 0])
    with pytest.raises(KafkaException, match=r"batch row 0: .*[Mm]essage size too large"):
        producer.produce_arrow(batch, kafka_topic, partition_count=PARTITIONS)


def test_no_rows(producer: Producer, kafka_topic: str) -> None:
    """For a batch without rows, nothing is enqueued."""
    batch = batch_of(value=["a"]).slice(1)
    assert producer.produce_arrow(batch, kafka_topic, partition_count=1) == 0


@pytest.mark.parametrize(
    ("count", "error", "text"),
    [
        (0, ValueError, "partition_count must be an int from 1 to 1000000, not 0"),
        (1_000_001, ValueError, "partition_count must be an int from 1 to 1000000"),
        ("4", TypeError, "partition_count must be int"),
    ],
)
def test_bad_counts(
    producer: Producer, kafka_topic: str, count: Any, error: type[Exception], text: str
) -> None:
    """A wrong count is refused before any row is enqueued."""
    with pytest.raises(error, match=text):
        producer.produce_arrow(batch_of(value=["a"]), kafka_topic, partition_count=count)
    assert len(producer) == 0


def test_a_count_is_that_of_one_topic(producer: Producer, kafka_topic: str) -> None:
    """If rows name their topics, a count is refused, because topics can have different numbers of
    partitions."""
    batch = batch_of(value=["a"], topic=[kafka_topic])
    with pytest.raises(ValueError, match="partition_count needs the argument topic"):
        producer.produce_arrow(batch, partition_count=1)
