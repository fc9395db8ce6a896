"""The Spark session of one side: a program that reads commands from its standard input.

Each command is a line of JSON, and the response is a line of JSON with the measurements. Spark's
output goes to standard error.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.avro.functions import from_avro
from pyspark.sql.functions import col, expr

from benchmarks.spark.avro import SCHEMA
from benchmarks.spark.ceiling import CeilingDataSource
from benchmarks.spark.rows import PARTITIONS, SMALL, VALUE_BYTES, Side

_TWO_COLUMNS = "value binary, offset bigint"


class Workloads:
    """The workloads. They are the same for all formats, except for how columns are left out."""

    def __init__(self, spark: SparkSession, side: Side, bootstrap: str, registry: str) -> None:
        self._spark = spark
        self._side = side
        self._bootstrap = bootstrap
        self._registry = registry

    def scan(self, topic: str, rows: int, **options: str) -> dict[str, Any]:
        """Count a topic's messages and sum up the lengths of their values."""
        frame = self._load(topic, rows, **options)
        return _timed(lambda: _sums(frame, rows))

    def columns(self, topic: str, rows: int) -> dict[str, Any]:
        """Do the same as scan(), but read only two columns."""
        if self._side is Side.THEIRS:
            frame = self._load(topic, rows).select("value", "offset")
        else:
            frame = self._load(topic, rows, _TWO_COLUMNS)
        return _timed(lambda: _sums(frame, rows, "max(offset)"))

    def avro(self, topic: str, rows: int) -> dict[str, Any]:
        """Sum up fields of a topic's records. The connector's side gets the schema directly."""
        if self._side is Side.THEIRS:
            frame = self._load(topic, rows)
            # The record follows the zero byte and the id of the registry's framing.
            value = from_avro(expr("substring(value, 6)"), SCHEMA)
        else:
            options = {"valueFormat": "avro", "schema.registry.url": self._registry}
            frame = self._load(topic, rows, **options)
            value = col("value")
        flights = frame.select(value.alias("value")).select("value.*")
        sums = ("sum(number)", "max(carrier)", "sum(delay)", "sum(price)", "max(at)")
        return _timed(lambda: _check(rows, _first(flights, "count(*)", "count(cancelled)", *sums)))

    def catch_up(self, topic: str, rows: int) -> dict[str, Any]:
        """Stream all messages of a topic to a sink that drops them."""
        stream = self._spark.readStream.format(self._side).options(**self._options(topic, rows))
        if self._side is not Side.CEILING:
            stream = stream.option("startingOffsets", "earliest")
        frame = stream.load()

        def run() -> None:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                query = (
                    frame.writeStream.format("noop")
                    .option("checkpointLocation", folder)
                    .trigger(availableNow=True)
                    .start()
                )
                query.awaitTermination()
            _check(rows, sum(one["numInputRows"] for one in query.recentProgress))

        return _timed(run)

    def write(self, topic: str, rows: int) -> dict[str, Any]:
        """Write rows with a value of 100 bytes from as many tasks as the topic has partitions."""
        text = "cast(id AS string)"
        frame = self._spark.range(0, rows, 1, PARTITIONS)
        frame = frame.selectExpr(f"{text} AS key", f"lpad({text}, 100, '0') AS value")
        writer = frame.write.format(self._side).mode("append")
        if self._side is not Side.CEILING:
            writer = writer.option("topic", topic)
            writer = writer.option("kafka.bootstrap.servers", self._bootstrap)
        return _timed(writer.save)

    def latency(self, topic: str, settle: int, seconds: int) -> dict[str, Any]:
        """Stream a topic while another program writes; return the messages' ages on arrival."""
        ages: list[pa.Array] = []
        measured_from = time.monotonic() + settle
        batches = 0

        def arrive(frame: DataFrame, number: int) -> None:
            nonlocal batches
            sent = frame.select("timestamp").toArrow().column("timestamp").cast(pa.int64())
            now = time.time()
            if time.monotonic() > measured_from:
                batches += 1
                ages.append(pc.subtract(now, pc.divide(sent.cast(pa.float64()), 1e6)))

        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            query = (
                self._spark.readStream.format(self._side)
                .options(**self._options(topic, 0))
                .load()
                .writeStream.foreachBatch(arrive)
                .option("checkpointLocation", folder)
                .trigger(processingTime="0 seconds")
                .start()
            )
            query.awaitTermination(settle + seconds)
            query.stop()
        every = pa.chunked_array([chunk for one in ages for chunk in one.chunks])
        p50, p99 = pc.quantile(every, [0.5, 0.99]).to_pylist()
        return {"p50": p50, "p99": p99, "messages": len(every), "batches": batches}

    def _load(self, topic: str, rows: int, schema: str | None = None, **options: str) -> DataFrame:
        reader = self._spark.read.format(self._side).options(**self._options(topic, rows))
        reader = reader.options(**options)
        return (reader.schema(schema) if schema else reader).load()

    def _options(self, topic: str, rows: int) -> dict[str, str]:
        if self._side is Side.CEILING:
            size = VALUE_BYTES.get(topic, VALUE_BYTES[SMALL])
            return {"rows": str(rows), "valueBytes": str(size)}
        return {"kafka.bootstrap.servers": self._bootstrap, "subscribe": topic}


def _sums(frame: DataFrame, rows: int, *more: str) -> None:
    _check(rows, _first(frame, "count(*)", "sum(length(value))", *more))


def _first(frame: DataFrame, *aggregates: str) -> int:
    """Compute aggregates of all rows; return the first one."""
    found = frame.selectExpr(*aggregates).first()
    assert found is not None
    count: int = found[0]
    return count


def _check(expected: int, found: int) -> None:
    if found != expected:
        raise RuntimeError(f"{found:,} rows instead of {expected:,}")


def _timed(run: Callable[[], object]) -> dict[str, Any]:
    started = time.monotonic()
    run()
    return {"seconds": time.monotonic() - started}


def _session(cores: int, jars: str) -> SparkSession:
    session = (
        SparkSession.builder.master(f"local[{cores}]")
        .appName("benchmarks")
        .config("spark.jars", jars)
        .config("spark.driver.memory", "2g")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        # docs/guides/spark.md recommends this setting. It does not affect the connector, which has
        # no Python workers.
        .config("spark.python.unix.domain.socket.enabled", "true")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    return session


def main() -> None:
    """Answer commands until standard input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=Side, required=True)
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--cores", type=int, required=True)
    parser.add_argument("--jars", default="")
    parser.add_argument("--registry", default="")
    args = parser.parse_args()
    # The JVM inherits standard output and may print to it.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = _session(args.cores, args.jars)
    if args.side is Side.CEILING:
        spark.dataSource.register(CeilingDataSource)
    workloads = Workloads(spark, args.side, args.bootstrap, args.registry)
    print(json.dumps({"spark": spark.version}), file=answers, flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        answer = getattr(workloads, command.pop("workload"))(**command)
        print(json.dumps(answer), file=answers, flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
