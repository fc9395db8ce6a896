"""Measures the cost of nearly empty partitions, on the driver and in tasks."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from pyspark.sql.streaming.datasource import ReadAllAvailable

from benchmarks.report import table
from benchmarks.spark.measure import MakeTopic, Say
from benchmarks.spark.rows import Side
from benchmarks.spark.sessions import running_session
from benchmarks.spark.topics import fill
from confluent_kafka.spark import RdKafkaDataSource

PARTITIONS = 10_000
SLOTS = 2

_TOPIC = "nearly-empty"
_WARM_UP_TOPIC = "warm-up"
_RUNS = 3
# In the first way, each range has its own task. In the second way, which is the default, ranges
# share tasks.
_WAYS: dict[str, dict[str, str]] = {
    "a task for each (`maxRangesPerTask=1`)": {"maxRangesPerTask": "1"},
    "shared tasks": {},
}


def measure_many_partitions(
    bootstrap: str, make_topic: MakeTopic, scale: float, folder: Path, say: Say
) -> str:
    """Plan and scan a topic with one message in each partition, in both ways."""
    partitions = max(64, round(PARTITIONS * scale))
    for topic, number in ((_TOPIC, partitions), (_WARM_UP_TOPIC, SLOTS)):
        make_topic(topic, number)
        fill(bootstrap, topic, number, number, 100)
    lines = []
    with running_session(Side.OURS, bootstrap, SLOTS, (), folder) as session:
        session.ask({"workload": "scan", "topic": _WARM_UP_TOPIC, "rows": SLOTS})
        for way, options in _WAYS.items():
            tasks, plan = _plan(bootstrap, options)
            command = {"workload": "scan", "topic": _TOPIC, "rows": partitions, **options}
            # Measure once, because it takes minutes.
            seconds = float(session.ask(command)["seconds"])
            say(f"{partitions} partitions, {way}: {tasks} tasks, {seconds:.1f} s")
            lines.append([way, f"{tasks:,}", f"{plan * 1e3:.0f} ms", f"{seconds:.1f} s"])
    header = ["", "tasks", "a plan", "the scan"]
    return (
        "# Partitions that are nearly empty\n\n"
        f"A scan of {partitions:,} partitions with one message in each, on embedded brokers, in "
        f"`local[{SLOTS}]` on {os.cpu_count()} cores:\n\n{table(header, lines)}\n"
    )


def _plan(bootstrap: str, options: Mapping[str, str]) -> tuple[int, float]:
    """Return the number of tasks, and the seconds in which the driver plans a micro-batch."""
    given = {"kafka.bootstrap.servers": bootstrap, "subscribe": _TOPIC, **options}
    source = RdKafkaDataSource({name.lower(): text for name, text in given.items()})
    reader = source.streamReader(source.schema())
    seconds = []
    for _ in range(_RUNS):
        started = time.monotonic()
        ends = reader.latestOffset({}, ReadAllAvailable())
        tasks = reader.partitions({}, ends)
        seconds.append(time.monotonic() - started)
    reader.stop()
    return len(tasks), median(seconds)
