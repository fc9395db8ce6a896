"""The snippets of the Spark guides run unchanged, except for the folders' names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")

from confluent_kafka.testing import MockCluster
from tests.support.documents import ADDRESS, block_with, run

from .topics import fill, messages, numbered

pytestmark = pytest.mark.spark

ROWS = 1003  # three of them from offset 1000


@pytest.fixture
def guided() -> Iterator[MockCluster]:
    """A cluster with the topics that the guides name; executors reach it over TCP."""
    with MockCluster() as cluster:
        for topic in ("flights", "flights.dead", "copy-of-flights", "delays"):
            cluster.create_topic(topic, 1)
        yield cluster


def test_reading_and_writing(
    spark: Any, guided: MockCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Batches and a stream copy all rows three times; SQL counts the rows that pass its filter."""
    fill(guided, "flights", numbered(ROWS, 1))
    names = run(block_with("docs/guides/spark.md", "SparkSession.builder.getOrCreate()"), guided)
    assert "|   v0|        0|     0|" in capsys.readouterr().out

    writing = block_with("docs/guides/spark-writing.md", "exactly-once")
    run(writing.replace("checkpoints/", f"{tmp_path}/"), guided, **names)
    [query] = spark.streams.active
    try:
        query.processAllAvailable()
    finally:
        query.stop()
    found = sorted(one.value() or b"" for one in messages(guided, "copy-of-flights", 3 * ROWS))
    assert found == sorted(b"v%d" % number for number in range(ROWS) for _ in range(3))

    block = block_with("docs/guides/spark.md", "CREATE TEMPORARY VIEW")
    create, select, _ = block.replace(ADDRESS, guided.bootstrap_servers).split(";")
    spark.sql(create)
    try:
        assert spark.sql(select).collect() == [(3,)]
    finally:
        spark.catalog.dropTempView("flights")


def test_pipeline_in_python(
    spark: Any, guided: MockCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The guide's pipeline file sends the average of its input rows; progress is printed."""
    rows = [b'{"carrier": "UA", "dep_delay": %d}' % delay for delay in (4, 10)]
    fill(guided, "flights", [{"value": row, "timestamp": 1_767_225_600_000} for row in rows])
    monkeypatch.chdir(tmp_path)
    file = block_with("docs/guides/pipelines.md", "[sources.flights]")
    file = file.replace('"checkpoint/', f'"{tmp_path}/').replace(ADDRESS, guided.bootstrap_servers)
    Path("delays.toml").write_text(file)
    shown = []

    def show(progress: Any) -> None:
        shown.append(progress.query)
        for query in spark.streams.active:
            query.stop()

    run(block_with("docs/guides/pipelines.md", "threading.Event()"), print=show)
    assert set(shown) == {"delays"}
    [result] = messages(guided, "delays", 1)
    assert result.key() == b"UA"
    assert json.loads(result.value() or b"")["delay"] == 7
