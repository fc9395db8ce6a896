"""Runs the pipeline of flights.toml in a process of its own: ``python -m examples.flights.job``.

The job reads its settings as JSON from the first line of its standard input, and starts Spark. Then
it reports that it is ready, and waits for a second line. It runs until it has read all messages,
and reports its progress as lines of JSON on its standard output.
"""

import os
import threading
from pathlib import Path

from confluent_kafka.spark.pipeline import Progress, load, session, start

from .messages import receive, send

_FILE = Path(__file__).with_name("flights.toml")
_CORES = 4


def report(progress: Progress) -> None:
    """Report one micro-batch."""
    send(
        "batch",
        number=progress.batch,
        started=progress.started,
        seconds=progress.seconds,
        rows=progress.rows,
        watermark=progress.watermark,
        windows=progress.state_rows,
        dropped=progress.dropped,
    )


def main() -> None:
    """Run the pipeline."""
    cores = min(_CORES, os.cpu_count() or 1)
    pipeline = load(_FILE, {**receive(), "CORES": str(cores)})
    spark = session(pipeline)
    send("ready", version=spark.version)
    receive()
    start(spark, pipeline).watch(report, threading.Event())
    spark.stop()
    send("done")


if __name__ == "__main__":
    main()
