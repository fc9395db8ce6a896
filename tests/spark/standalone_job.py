"""A job that runs on any master: batch read, batch write and a streaming query.

As a program, it runs on the master of `--master`, and prints its results as JSON::

    python -m tests.spark.standalone_job --master spark://... --bootstrap ... --source ...

With ``--gate``, the job scans the topic again at the end. Every task of this scan waits until a
file of that name exists.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession

from tests.spark.queries import run_to_end
from tests.support.java import QUICK_START

_GATE_SECONDS = 300.0


def run(spark: SparkSession, bootstrap: str, source: str, target: str) -> dict[str, Any]:
    """Copy a topic with a batch, and the copy with a stream; return the values of all three."""
    copied, streamed = f"{target}-copied", f"{target}-streamed"
    rows = _load(spark, bootstrap, source)
    _save(rows, bootstrap, copied)
    stream = spark.readStream.format("rdkafka").options(**_options(bootstrap, copied))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        run_to_end(
            stream.option("startingOffsets", "earliest")
            .load()
            .writeStream.foreachBatch(lambda batch, number: _save(batch, bootstrap, streamed))
            .option("checkpointLocation", folder)
            .trigger(availableNow=True)
        )
    return {name: _values(spark, bootstrap, name) for name in (source, copied, streamed)}


def gated_scan(spark: SparkSession, bootstrap: str, source: str, gate: str) -> dict[str, Any]:
    """Scan a topic. Each task reports that it has begun, and then waits for the gate file."""

    def wait(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        context = TaskContext.get()
        assert context is not None
        for batch in batches:
            # The task has received a message: it is reading its range.
            Path(f"{gate}-{context.partitionId()}").touch()
            deadline = time.monotonic() + _GATE_SECONDS
            while not os.path.exists(gate):
                if time.monotonic() > deadline:
                    raise TimeoutError(f"{gate} did not appear")
                time.sleep(0.02)
            attempt = pa.array([context.attemptNumber()] * batch.num_rows, pa.int32())
            yield pa.record_batch({"value": batch.column("value"), "attempt": attempt})

    frame = _load(spark, bootstrap, source).select("value")
    rows = frame.mapInArrow(wait, "value binary, attempt int").collect()
    return {
        "values": sorted(bytes(row.value).decode() for row in rows),
        "attempts": max(row.attempt for row in rows) + 1,
    }


def _options(bootstrap: str, topic: str) -> dict[str, str]:
    return {"kafka.bootstrap.servers": bootstrap, "subscribe": topic}


def _load(spark: SparkSession, bootstrap: str, topic: str) -> DataFrame:
    return spark.read.format("rdkafka").options(**_options(bootstrap, topic)).load()


def _save(frame: DataFrame, bootstrap: str, topic: str) -> None:
    writer = frame.select("key", "value", "partition").write.format("rdkafka")
    options = {"kafka.bootstrap.servers": bootstrap, "topic": topic}
    writer.options(**options).mode("append").save()


def _values(spark: SparkSession, bootstrap: str, topic: str) -> list[str]:
    rows = _load(spark, bootstrap, topic).selectExpr("cast(value AS string) AS value").collect()
    return sorted(row.value for row in rows)


def main() -> None:
    """Run the job on a master, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--master", "--bootstrap", "--source", "--target"):
        parser.add_argument(name, required=True)
    parser.add_argument("--gate")
    args = parser.parse_args()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (
        SparkSession.builder.master(args.master)
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executor.memory", "512m")
        .config("spark.driver.extraJavaOptions", QUICK_START)
        .config("spark.executor.extraJavaOptions", QUICK_START)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    found: dict[str, Any] = {"topics": run(spark, args.bootstrap, args.source, args.target)}
    if args.gate:
        found["scan"] = gated_scan(spark, args.bootstrap, args.source, args.gate)
    print(json.dumps(found), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
