"""Batch writes of the data source, in a real Spark session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import KafkaError
from confluent_kafka.testing import MockCluster

from .topics import fill, messages, numbered

pytestmark = pytest.mark.spark


@pytest.fixture
def save(cluster: MockCluster) -> Callable[..., None]:
    """Write a DataFrame through the data source, with more options."""

    def write(frame: Any, mode: str = "append", **options: str) -> None:
        writer = frame.write.format("rdkafka").options(**options).mode(mode)
        writer.option("kafka.bootstrap.servers", cluster.bootstrap_servers).save()

    return write


def test_rows_become_messages(
    spark: Any, save: Callable[..., None], cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """Strings and bytes, nulls, partitions and headers arrive; other columns are left out."""
    topic = new_topic(partitions=3)
    frame = spark.createDataFrame(
        [
            ("k1", bytearray(b"v\x00"), 2, [("a", bytearray(b"1")), ("b", None)], 7),
            (None, None, 1, None, 8),
        ],
        "key string, value binary, partition int, "
        "headers array<struct<key: string, value: binary>>, ignored int",
    )
    save(frame, topic=topic)
    first, second = sorted(messages(cluster, topic, 2), key=lambda one: one.partition() or 0)
    assert (first.key(), first.value(), first.partition(), first.headers()) == (None, None, 1, None)
    assert (second.key(), second.value(), second.partition()) == (b"k1", b"v\x00", 2)
    assert second.headers() == [("a", b"1"), ("b", None)]


def test_a_column_may_name_the_topic_and_the_option_goes_before_it(
    spark: Any, save: Callable[..., None], cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """As in Spark's sink, the option takes precedence over the column."""
    first, second = new_topic(), new_topic()
    frame = spark.createDataFrame([(first, "a"), (second, "b")], "topic string, value string")
    save(frame)
    save(frame, topic=second)
    assert [message.value() for message in messages(cluster, first, 1)] == [b"a"]
    written = Counter(message.value() for message in messages(cluster, second, 3))
    assert written == Counter([b"a", b"b", b"b"])


def test_what_is_read_can_be_written_again(
    spark: Any, save: Callable[..., None], cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """A read's columns, written again, make a copy of the topic, partition by partition."""
    source, copy = new_topic(), new_topic()
    fill(cluster, source, numbered(3_000))
    reader = spark.read.format("rdkafka").option("subscribe", source)
    save(
        reader.option("kafka.bootstrap.servers", cluster.bootstrap_servers).load(),
        topic=copy,
    )

    def content(topic: str) -> list[Any]:
        found = messages(cluster, topic, 3_000)
        return sorted((one.partition(), one.offset(), one.value()) for one in found)

    assert content(copy) == content(source)


def test_a_row_without_a_topic_fails_the_task(spark: Any, save: Callable[..., None]) -> None:
    """The error names the row; no row is skipped silently."""
    frame = spark.createDataFrame([(None, "a")], "topic string, value string").coalesce(1)
    with pytest.raises(Exception, match=r"row 0.*topic is null"):
        save(frame)


def test_a_row_that_is_too_large_fails_the_task(
    spark: Any, save: Callable[..., None], new_topic: Callable[..., str]
) -> None:
    """The error contains the number of the row and MSG_SIZE_TOO_LARGE."""
    frame = spark.createDataFrame([("x" * 2_000_000,)], "value string").coalesce(1)
    with pytest.raises(Exception, match=r"row 0.*MSG_SIZE_TOO_LARGE|MSG_SIZE_TOO_LARGE.*row 0"):
        save(frame, topic=new_topic())


def test_a_message_that_the_broker_refuses_fails_the_task(
    spark: Any, save: Callable[..., None], cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """A write succeeds only if the brokers have accepted every row."""
    topic = new_topic(partitions=1)
    cluster.inject_errors("Produce", [KafkaError.TOPIC_AUTHORIZATION_FAILED])
    try:
        with pytest.raises(Exception, match=rf"not delivered, the first to topic '{topic}'"):
            save(spark.createDataFrame([("a",)], "value string").coalesce(1), topic=topic)
    finally:
        cluster.clear_errors("Produce")


def test_a_topic_cannot_be_overwritten(
    spark: Any, save: Callable[..., None], new_topic: Callable[..., str]
) -> None:
    """Messages can only be appended to a topic."""
    with pytest.raises(Exception, match="a topic can only be appended to"):
        save(spark.createDataFrame([("a",)], "value string"), "overwrite", topic=new_topic())


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ("value string", {}, "neither an option topic nor a column topic"),
        ("key string", {"topic": "t"}, "no column value to write"),
        ("value int", {"topic": "t"}, "it must be string or binary"),
        ("value string", {"topics": "t"}, "did you mean 'topic'"),
    ],
)
def test_mistakes_are_named(
    spark: Any, save: Callable[..., None], columns: str, options: dict[str, str], message: str
) -> None:
    """The exception that the user sees names the wrong option or column."""
    with pytest.raises(Exception, match=message):
        save(spark.createDataFrame([], columns), **options)
