"""The application of spark_exactly_once.py: a query that copies a topic until it is killed.

The only argument is JSON with these keys: ``master`` (Spark's), ``client`` (properties of the
reading and of the writing client), ``source``, ``output``, ``checkpoint``, ``guarantee``, ``rows``
(per micro-batch) and ``until_end``: stop after the topic's present messages.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from tests.support.java import QUICK_START


def main(settings: dict[str, Any]) -> None:
    # Otherwise, executors use the python3 on PATH, which may be another Python.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = session(settings["master"])
    query = start(spark, settings)
    while query.isActive and not query.status["isDataAvailable"]:
        time.sleep(0.02)
    # Tell the scenario that the query works; the scenario reads no further output.
    print("at work", flush=True)
    while not ended(query):
        query = start(spark, settings)


def ended(query: StreamingQuery) -> bool:
    """Wait for the query's end: True at its regular end.

    The query fails if a Python worker on the driver is killed.
    """
    try:
        query.awaitTermination()
    except StreamingQueryException as failure:
        print(failure, file=sys.stderr, flush=True)
        return False
    return True


def session(master: str) -> SparkSession:
    spark = (
        SparkSession.builder.master(master)
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "512m")
        .config("spark.driver.extraJavaOptions", QUICK_START)
        .config("spark.executor.extraJavaOptions", QUICK_START)
        .config("spark.executor.memory", "512m")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    return spark


def start(spark: SparkSession, settings: dict[str, Any]) -> StreamingQuery:
    client = {f"kafka.{name}": str(text) for name, text in settings["client"].items()}
    rows = (
        spark.readStream.format("rdkafka")
        .options(**client)
        .option("subscribe", settings["source"])
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", settings["rows"])
        .load()
    )
    writer = (
        rows.select("key", "value")
        .writeStream.format("rdkafka")
        .options(**client)
        .option("topic", settings["output"])
        .option("deliveryGuarantee", settings["guarantee"])
        .option("checkpointLocation", settings["checkpoint"])
    )
    trigger = {"availableNow": True} if settings["until_end"] else {"processingTime": "0 seconds"}
    return writer.trigger(**trigger).start()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
