"""Spark Connect and Spark Declarative Pipelines, each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed")
pytest.importorskip("grpc_status", reason="pyspark[pipelines] is not installed")
pytest.importorskip("yaml", reason="pyspark[pipelines] is not installed")

import pyspark

from confluent_kafka.spark.pipeline import PipelineError, load
from confluent_kafka.spark.pipeline.declarative import declare
from confluent_kafka.testing import MockCluster
from tests.support.documents import ADDRESS, block_with

from .topics import fill, messages

pytestmark = pytest.mark.spark

ROWS = [f'{{"carrier": "UA", "delay": {number}}}' for number in range(10)]

PIPELINE = """\
name = "delays"
checkpoint = "not used here"

[kafka]
bootstrap.servers = "${SERVERS}"

[sources.flights]
topics = ["${FLIGHTS}"]
value = { format = "json", schema = "carrier STRING, delay INT" }
options.startingOffsets = "earliest"

[steps.late]
sql = "SELECT value.carrier, value.delay FROM flights WHERE value.delay > 6"

[sinks.results]
input = "late"
topic = "${RESULTS}"
"""
SPEC = """\
name: flights
storage: "file://{folder}/storage"
libraries:
  - glob:
      include: transformations/**
configuration:
  spark.sql.shuffle.partitions: "2"
"""
CONNECT = """\
import os

from pyspark.sql import SparkSession

spark = SparkSession.builder.remote("local[2]").getOrCreate()
options = {
    "kafka.bootstrap.servers": os.environ["SERVERS"],
    "subscribe": os.environ["FLIGHTS"],
}
frame = spark.read.format("rdkafka").options(**options).load()
print("offsets", sorted(row.offset for row in frame.select("offset").collect()))
writer = frame.select("value").write.format("rdkafka").mode("append")
writer = writer.option("kafka.bootstrap.servers", os.environ["SERVERS"])
writer.option("topic", os.environ["RESULTS"]).save()
print(type(spark).__module__)
"""


def run(command: list[str], folder: Path, **environment: str) -> str:
    """Run a command, which must succeed, and return its output."""
    home = Path(str(pyspark.__file__)).parent
    process = subprocess.run(
        command,
        cwd=folder,
        env={
            **os.environ,
            **environment,
            "SPARK_HOME": str(home),
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
    )
    assert process.returncode == 0, process.stdout
    return process.stdout


def test_declarative_pipelines(
    java: None, tmp_path: Path, cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """`spark-pipelines run` runs the guide's pipeline file and tables that read from rdkafka."""
    flights, results = "flights", new_topic(1)
    cluster.create_topic(flights, 1)
    fill(cluster, flights, [{"value": row, "partition": 0} for row in ROWS])
    (tmp_path / "delays.toml").write_text(PIPELINE)
    (tmp_path / "spark-pipeline.yml").write_text(SPEC.format(folder=tmp_path))
    (tmp_path / "transformations").mkdir()
    for name, text in (("declared", "declare(load("), ("tables", "@dp.table")):
        block = block_with("docs/guides/pipelines.md", text).replace(
            ADDRESS, cluster.bootstrap_servers
        )
        (tmp_path / "transformations" / f"{name}.py").write_text(block)
    script = Path(str(pyspark.__file__)).parent / "bin" / "spark-pipelines"
    run(
        [str(script), "run", "--spec", "spark-pipeline.yml"],
        tmp_path,
        SERVERS=cluster.bootstrap_servers,
        FLIGHTS=flights,
        RESULTS=results,
    )
    values = sorted(message.value() or b"" for message in messages(cluster, results, 3))
    assert values == [b'{"carrier":"UA","delay":%d}' % delay for delay in (7, 8, 9)]
    import pyarrow.parquet as pq

    tables = [
        pq.read_table(path)
        for path in (tmp_path / "spark-warehouse" / "everything").glob("*.parquet")
    ]
    assert sorted(offset for table in tables for offset in table["offset"].to_pylist()) == list(
        range(10)
    )


def test_spark_connect(
    java: None, tmp_path: Path, cluster: MockCluster, new_topic: Callable[..., str]
) -> None:
    """format("rdkafka") reads and writes in a session of Spark Connect, without registration."""
    flights, results = new_topic(1), new_topic(1)
    fill(cluster, flights, [{"value": row, "partition": 0} for row in ROWS])
    (tmp_path / "job.py").write_text(CONNECT)
    printed = run(
        [sys.executable, "job.py"],
        tmp_path,
        SERVERS=cluster.bootstrap_servers,
        FLIGHTS=flights,
        RESULTS=results,
    )
    assert f"offsets {list(range(10))}" in printed
    assert "pyspark.sql.connect.session" in printed
    assert sorted(message.value() or b"" for message in messages(cluster, results, len(ROWS))) == [
        row.encode() for row in ROWS
    ]


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (
            '[sinks.more]\ninput = "late"\nformat = "console"',
            "sinks.more.format: Declarative Pipelines do not support console",
        ),
        (
            '[sinks.more]\ninput = "flights"\nformat = "parquet"\npath = "x"\n'
            'output_mode = "complete"',
            "sinks.more.output_mode: Declarative Pipelines append only",
        ),
        (
            '[steps.more]\ninput = "late"\nmap_in_pandas = "os:abort"\nschema = "delay INT"',
            "steps.more.map_in_pandas: Declarative Pipelines have no Python functions over views",
        ),
    ],
)
def test_what_declarative_pipelines_cannot_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, message: str
) -> None:
    """The error names the key, and is raised before the pipeline calls Spark."""
    for name in ("SERVERS", "FLIGHTS", "RESULTS"):
        monkeypatch.setenv(name, "localhost:1")
    file = tmp_path / "delays.toml"
    file.write_text(f"{PIPELINE}\n{part}\n")
    pipeline = load(str(file))
    with pytest.raises(PipelineError) as caught:
        declare(pipeline)
    assert message in str(caught.value)
