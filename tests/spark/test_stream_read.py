"""Streaming reads of the data source, in a real Spark session."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka.testing import MockCluster

from .queries import run_to_end
from .topics import fill, numbered

pytestmark = pytest.mark.spark


@pytest.fixture
def stream(spark: Any, cluster: MockCluster, tmp_path: Path) -> Callable[..., Any]:
    """Run a query over a topic's present messages; a second call continues from there."""
    table = f"rows_{uuid.uuid4().hex[:8]}"

    def run(topic: str, **options: str) -> Any:
        reader = spark.readStream.format("rdkafka").options(**options)
        reader = reader.option("kafka.bootstrap.servers", cluster.bootstrap_servers)
        frame = reader.option("subscribe", topic).load()

        def keep(rows: Any, batch: int) -> None:
            rows.write.mode("append").format("json").save(str(tmp_path / table))

        return run_to_end(
            frame.selectExpr("cast(value as string) value", "partition", "offset")
            .writeStream.foreachBatch(keep)
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
        )

    def rows() -> Counter[str]:
        return Counter(row.value for row in spark.read.json(str(tmp_path / table)).collect())

    run.rows = rows  # type: ignore[attr-defined]
    return run


def test_a_query_goes_on_where_its_checkpoint_ends(
    stream: Any, cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """Every message is read once over two runs of a query, and the checkpoint is Spark's JSON."""
    topic = new_topic()
    fill(cluster, topic, numbered(10))
    stream(topic, startingOffsets="earliest")
    fill(cluster, topic, [{"value": "late", "partition": 1}])
    query = stream(topic, startingOffsets="earliest")
    assert stream.rows() == Counter([*(f"v{number}" for number in range(10)), "late"])
    [source] = query.lastProgress.sources
    assert json.loads(source.endOffset) == {topic: {"0": 5, "1": 6}}


def test_micro_batches_keep_to_their_limit(
    stream: Any, cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """maxOffsetsPerTrigger limits each batch; together, the batches have every message once."""
    topic = new_topic()
    fill(cluster, topic, numbered(25))
    query = stream(topic, startingOffsets="earliest", maxOffsetsPerTrigger="10")
    sizes = [progress.numInputRows for progress in query.recentProgress]
    assert max(sizes) <= 10
    assert sum(sizes) == 25
    assert stream.rows() == Counter(f"v{number}" for number in range(25))


def test_a_new_query_starts_at_the_latest_offsets_by_default(
    stream: Any, cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """Earlier messages are not read; the next run starts at the end of this run."""
    topic = new_topic()
    fill(cluster, topic, numbered(10))
    query = stream(topic)
    assert sum(progress.numInputRows for progress in query.recentProgress) == 0


def test_offsets_of_a_new_query_can_be_given(
    stream: Any, cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """The JSON contains where each partition starts."""
    topic = new_topic()
    fill(cluster, topic, numbered(10))
    stream(topic, startingOffsets=json.dumps({topic: {"0": 4, "1": -1}}))
    assert stream.rows() == Counter(["v8"])


def test_lost_offsets_fail_the_query(
    stream: Any, cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """If offsets of the checkpoint are lost, the query fails; failOnDataLoss=false continues."""
    topic = new_topic(partitions=1)
    fill(cluster, topic, [{"value": "first", "partition": 0}])
    stream(topic, startingOffsets="earliest")
    large = [{"value": b"%d" % number + b" " * 900_000, "partition": 0} for number in range(12)]
    fill(cluster, topic, large)
    with pytest.raises(Exception, match="DataLoss"):
        stream(topic)
    stream(topic, failOnDataLoss="false")
    found = sorted(int(value) for value in stream.rows() if value != "first")
    assert found == list(range(found[0], 12))
    assert 0 < found[0] < 12
