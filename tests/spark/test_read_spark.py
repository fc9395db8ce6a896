"""Reads in a real Spark session, for behaviour that only Spark can show."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.spark import source_metrics
from confluent_kafka.testing import MockCluster
from tests.support.documents import block_with, run
from tests.support.waiting import wait_until

from .queries import run_to_end
from .topics import fill, numbered

pytestmark = pytest.mark.spark


@pytest.fixture
def filled(cluster: MockCluster, new_topic: Callable[..., str]) -> str:
    """A topic of two partitions with v0 to v19 in turn."""
    topic = new_topic()
    fill(cluster, topic, numbered(20))
    return topic


def test_sql_knows_the_source(spark: Any, cluster: MockCluster, filled: str) -> None:
    """SQL makes a view of a topic, without registration or Python code."""
    spark.sql(
        f"""
        CREATE TEMPORARY VIEW topic_of_sql USING rdkafka OPTIONS (
            kafka.bootstrap.servers '{cluster.bootstrap_servers}',
            subscribePattern '{filled}',
            minPartitions '4'
        )
        """
    )
    found = spark.sql("SELECT cast(value AS string) v FROM topic_of_sql WHERE offset >= 9")
    assert sorted(row.v for row in found.collect()) == ["v18", "v19"]
    assert spark.table("topic_of_sql").rdd.getNumPartitions() == 4


def test_filters_are_pushed_down(spark: Any, cluster: MockCluster, filled: str) -> None:
    """If Spark pushes filters down, other partitions are not read; Spark applies the other
    filters."""
    frame = spark.read.format("rdkafka").option("subscribe", filled)
    frame = frame.option("kafka.bootstrap.servers", cluster.bootstrap_servers).load()
    wanted = "partition = 1 AND offset IN (2, 4) AND topic != 'x' AND value IS NOT NULL"
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    try:
        found = frame.where(wanted).selectExpr("cast(value AS string) v")
        assert found.rdd.getNumPartitions() == 1
        assert sorted(row.v for row in found.collect()) == ["v5", "v9"]
    finally:
        spark.conf.unset("spark.sql.python.filterPushdown.enabled")


def test_a_stream_s_offsets_are_seen_in_a_group(
    spark: Any, cluster: MockCluster, filled: str, tmp_path: Path
) -> None:
    """The last batch is committed when the query ends; a minimum does not keep it from ending."""
    group = f"lag-{uuid.uuid4().hex[:8]}"
    options = {
        "kafka.bootstrap.servers": cluster.bootstrap_servers,
        "subscribe": filled,
        "startingOffsets": "earliest",
        "minOffsetsPerTrigger": "1000",
        "commitOffsetsToGroup": group,
    }
    frame = spark.readStream.format("rdkafka").options(**options).load()
    query = run_to_end(
        frame.writeStream.format("noop")
        .option("checkpointLocation", str(tmp_path))
        .trigger(availableNow=True)
    )
    assert sum(progress.numInputRows for progress in query.recentProgress) == 20
    with Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": group}) as consumer:
        wanted = [TopicPartition(filled, number) for number in (0, 1)]

        def offsets() -> list[int]:
            return [one.offset for one in consumer.committed(wanted, timeout=20)]

        wait_until(lambda: offsets() == [10, 10])  # the query does not wait for a late commit


def test_progress_says_how_far_a_query_is_behind(
    spark: Any,
    cluster: MockCluster,
    filled: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each batch's progress has the latest offsets; the guide's code prints the last of them."""
    options = {
        "kafka.bootstrap.servers": cluster.bootstrap_servers,
        "subscribe": filled,
        "startingOffsets": "earliest",
        "maxOffsetsPerTrigger": "10",
    }
    frame = spark.readStream.format("rdkafka").options(**options).load()
    query = run_to_end(
        frame.writeStream.format("noop")
        .option("checkpointLocation", str(tmp_path))
        .trigger(availableNow=True)
    )
    batches = [progress.sources[0] for progress in query.recentProgress if progress.numInputRows]
    assert [source_metrics(one)["maxOffsetsBehindLatest"] for one in batches] == ["5", "0"]
    run(block_with("docs/guides/spark.md", "source_metrics("), query=query)
    assert "'avgOffsetsBehindLatest': '0.0'" in capsys.readouterr().out
