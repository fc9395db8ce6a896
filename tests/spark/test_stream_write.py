"""Streaming writes of the data source, in a real Spark session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka.testing import MockCluster
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import writer
from tests.spark.committed import committed_values
from tests.support.real_kafka import MakeTopic

from .queries import run_to_end
from .topics import fill, messages, numbered

pytestmark = pytest.mark.spark


@pytest.fixture
def run(spark: Any, tmp_path: Path) -> Callable[..., Any]:
    """Copy a topic's present messages to another topic; the next call continues from there."""

    def start(
        config: dict[str, Any],
        source: str,
        target: str,
        change: Callable[[Any], Any] = lambda rows: rows,
        mode: str = "append",
        **options: str,
    ) -> Any:
        client = {f"kafka.{name}": str(text) for name, text in config.items()}
        reader = spark.readStream.format("rdkafka").options(**client).option("subscribe", source)
        # Other tests can keep the brokers and this machine busy for longer than the default.
        reader = reader.option("kafka.default.api.timeout.ms", "60000")
        rows = reader.option("startingOffsets", "earliest").option("maxOffsetsPerTrigger", 10_000)
        return run_to_end(
            change(rows.load())
            .writeStream.format("rdkafka")
            .options(**client, **options)
            .option("topic", target)
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .outputMode(mode)
            .trigger(availableNow=True)
        )

    return start


def test_a_query_writes_what_it_reads(
    run: Any, cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """Each row arrives with its key, partition and headers, and once if nothing fails.

    A second run adds the later rows.
    """
    source, target = new_topic(), new_topic()
    config = {"bootstrap.servers": cluster.bootstrap_servers}
    fill(cluster, source, [{**row, "key": "k"} for row in numbered(30)])
    run(config, source, target)
    fill(cluster, source, [{"value": "late", "partition": 1}])
    run(config, source, target)
    found = messages(cluster, target, 31)
    assert Counter(one.value() for one in found) == Counter(
        [*(b"v%d" % number for number in range(30)), b"late"]
    )
    assert {(one.key(), one.partition()) for one in found} == {(b"k", 0), (b"k", 1), (None, 1)}


def test_results_that_change_are_written_again(
    run: Any, cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """In mode complete, each run writes the whole result again; Spark refuses mode update."""
    source, target = new_topic(), new_topic()
    config = {"bootstrap.servers": cluster.bootstrap_servers}

    def count(rows: Any) -> Any:
        counts = rows.groupBy("partition").count()
        return counts.selectExpr("concat(partition, ':', count) as value")

    fill(cluster, source, numbered(6))
    run(config, source, target, count, "complete")
    fill(cluster, source, [{"value": "late", "partition": 1}])
    run(config, source, target, count, "complete")
    found = sorted(one.value() or b"" for one in messages(cluster, target, 4))
    assert found == [b"0:3", b"0:3", b"1:3", b"1:4"]
    fill(cluster, source, [{"value": "later", "partition": 1}])
    with pytest.raises(Exception, match="does not support Update mode"):
        run(config, source, target, count, "update")


@pytest.mark.integration
def test_a_batch_whose_rows_could_not_be_computed_is_written_once(
    spark: Any, run: Any, kafka: KafkaCluster, make_topic: MakeTopic, tmp_path: Path
) -> None:
    """If a task's rows end too early, the writer does not commit them as the complete task.

    Spark then closes the stream to the writer's worker between two record batches, which looks like
    a regular end. The next run finds that the batch is not written, and writes it.
    """
    source, target = make_topic(partitions=2), make_topic(partitions=2)
    failed = tmp_path / "failed"

    def fail_once(batches: Iterator[Any]) -> Iterator[Any]:
        for number, batch in enumerate(batches):
            if number == 50 and not failed.exists():
                failed.touch()
                raise RuntimeError("the rows of this task cannot be computed")
            yield batch

    with writer(kafka) as producer:
        for number in range(4_000):
            producer.produce(source, b"%d" % number, partition=number % 2)
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 10)
    try:
        steps = (
            kafka.config(),
            source,
            target,
            lambda rows: rows.select("value").mapInArrow(fail_once, "value binary"),
        )
        with pytest.raises(Exception, match="cannot be computed"):
            run(*steps, deliveryGuarantee="exactly-once")
        run(*steps, deliveryGuarantee="exactly-once")
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    assert committed_values(kafka, target) == sorted(str(number) for number in range(4_000))
