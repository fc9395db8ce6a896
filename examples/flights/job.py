"""The Structured Streaming job, a process of its own: ``python -m examples.flights.job``.

It reads its settings as JSON from the first line of its standard input, starts Spark, says
that it is ready, waits for a second line, runs until it has read everything, and reports its
progress as lines of JSON on its standard output.
"""

import os
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 - the name everybody knows it by
from pyspark.sql.streaming.readwriter import DataStreamWriter

from .messages import receive, send

_CORES = 4
_REPORT_EVERY = 0.2
_FIELDS = "carrier STRING, dep_delay INT, arr_delay INT"


def session(cores: int) -> SparkSession:
    """Start Spark on this machine alone, with little of its own to say."""
    spark = (
        SparkSession.builder.master(f"local[{cores}]")
        .appName("flights")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", cores)
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def per_carrier_and_hour(flights: DataFrame, watermark_days: int) -> DataFrame:
    """Departures and delays of each carrier in each hour of scheduled departure."""
    fields = F.from_json(F.col("value").cast("string"), _FIELDS)
    return (
        flights.select("timestamp", fields.alias("flight"))
        .select("timestamp", "flight.*")
        .withWatermark("timestamp", f"{watermark_days} days")
        .groupBy(F.window("timestamp", "1 hour"), "carrier")
        .agg(
            F.count("*").alias("flights"),
            F.count("dep_delay").alias("departures"),
            F.coalesce(F.sum("dep_delay"), F.lit(0)).alias("departure_delay"),
            F.max("dep_delay").alias("worst_delay"),
            F.coalesce(F.sum("arr_delay"), F.lit(0)).alias("arrival_delay"),
        )
        .select(
            "carrier",
            F.date_format("window.start", "yyyy-MM-dd'T'HH:mm:ss'Z'").alias("hour"),
            "flights",
            "departures",
            "departure_delay",
            "worst_delay",
            "arrival_delay",
        )
    )


class Sinks:
    """Writes each micro-batch to a topic and to Parquet.

    One query with two sinks, rather than two queries, reads the flights and keeps the windows
    once, so both sinks get the same rows.
    """

    def __init__(self, servers: str, topic: str, parquet: Path) -> None:
        self._servers = servers
        self._topic = topic
        self._parquet = parquet

    def __call__(self, rows: DataFrame, batch: int) -> None:
        # Both writes would each compute the windows, and their state, without it.
        rows.persist()
        try:
            # A batch that is run again replaces its own files.
            rows.write.mode("overwrite").parquet(str(self._parquet / f"batch={batch:05}"))
            messages = rows.select(F.col("carrier").alias("key"), _json(rows).alias("value"))
            (
                messages.write.format("rdkafka")
                .option("kafka.bootstrap.servers", self._servers)
                .option("topic", self._topic)
                .mode("append")
                .save()
            )
        finally:
            rows.unpersist()


def _json(rows: DataFrame) -> Any:
    return F.to_json(F.struct(*rows.columns), {"ignoreNullFields": "false"})


def prepare(spark: SparkSession, settings: dict[str, Any]) -> DataStreamWriter:
    """Return the query, ready to start; it ends when it has read what is in the topic then."""
    work = Path(settings["work"])
    flights = (
        spark.readStream.format("rdkafka")
        .option("kafka.bootstrap.servers", settings["servers"])
        .option("subscribe", settings["flights_topic"])
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", settings["rows_per_batch"])
        .load()
    )
    return (
        per_carrier_and_hour(flights, settings["watermark_days"])
        .writeStream.outputMode("append")
        .foreachBatch(Sinks(settings["servers"], settings["results_topic"], work / "parquet"))
        .option("checkpointLocation", str(work / "checkpoint"))
        .trigger(availableNow=True)
    )


def report(progress: Any) -> None:
    """Tell about one micro-batch."""
    states = progress.stateOperators
    send(
        "batch",
        number=progress.batchId,
        started=datetime.fromisoformat(progress.timestamp).timestamp(),
        seconds=progress.batchDuration / 1000,
        rows=progress.numInputRows,
        watermark=progress.eventTime.get("watermark", ""),
        windows=sum(state.numRowsTotal for state in states),
        dropped=sum(state.numRowsDroppedByWatermark for state in states),
    )


def main() -> None:
    """Run the job."""
    settings = receive()
    # Executors take the python3 on PATH otherwise, which may be another one.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = session(min(_CORES, os.cpu_count() or 1))
    prepared = prepare(spark, settings)
    send("ready", version=spark.version)
    receive()
    query = prepared.start()
    reported = 0
    active = True
    while active:
        active = query.isActive
        for progress in query.recentProgress[reported:]:
            report(progress)
            reported += 1
        time.sleep(_REPORT_EVERY)
    # Raises what ended the query, if that was not its end.
    query.awaitTermination()
    spark.stop()
    send("done")


if __name__ == "__main__":
    main()
