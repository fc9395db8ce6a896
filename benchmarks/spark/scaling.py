"""Measures how a scan's rate depends on partitions and task slots, and the cost of planning."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from pyspark.sql.streaming.datasource import ReadAllAvailable

from benchmarks.report import table
from benchmarks.spark.measure import MakeTopic, Say
from benchmarks.spark.rows import Side
from benchmarks.spark.sessions import running_session
from confluent_kafka.spark import RdKafkaDataSource

PARTITIONS = (1, 2, 4, 8, 16, 32, 64)
SLOTS = (1, 2, 3, 4)
MESSAGES = 4_000_000
VALUE_BYTES = 100

_MANY = 1_000
# Each range has its own task, to show the cost of a task.
_OWN_TASKS = {"maxRangesPerTask": "1"}
_RUNS = 3
_WARM_UP_RUNS = 2


@dataclass(frozen=True)
class Planning:
    """The cost of many partitions: seconds per plan on the driver, and seconds for the scan."""

    plan: float
    scan: float


def measure_scaling(
    bootstrap: str,
    make_topic: MakeTopic,
    fill: Callable[[str, int, int, int], float],
    scale: float,
    folder: Path,
    say: Say,
) -> str:
    """Scan the same number of messages from 1 to 64 partitions, in 1 to 4 task slots."""
    messages = max(1, round(MESSAGES * scale / 64_000)) * 64_000
    for partitions in PARTITIONS:
        make_topic(_topic(partitions), partitions)
        fill(_topic(partitions), partitions, messages, VALUE_BYTES)
        say(f"topic of {partitions} partitions: {messages:,} messages")
    make_topic(_topic(_MANY), _MANY)
    fill(_topic(_MANY), _MANY, _MANY, VALUE_BYTES)
    rates: dict[tuple[int, int], float] = {}
    for slots in SLOTS:
        with running_session(Side.OURS, bootstrap, slots, (), folder) as session:

            def scan(partitions: int, rows: int, **options: str) -> float:
                command = {"workload": "scan", "topic": _topic(partitions), "rows": rows, **options}
                return float(session.ask(command)["seconds"])

            for _ in range(_WARM_UP_RUNS):
                scan(PARTITIONS[-1], messages)
            for partitions in PARTITIONS:
                seconds = median(scan(partitions, messages) for _ in range(_RUNS))
                rates[partitions, slots] = messages / seconds
                say(f"{partitions} partitions, {slots} slots: {messages / seconds / 1e6:.2f} M/s")
            if slots == 2:
                many = median(scan(_MANY, _MANY, **_OWN_TASKS) for _ in range(_RUNS))
    planning = Planning(_plan(bootstrap), many)
    say(f"{_MANY} partitions: planned in {planning.plan * 1e3:.0f} ms, read in {many:.2f} s")
    return _report(rates, planning, messages)


def _topic(partitions: int) -> str:
    return f"wide-{partitions}"


def _plan(bootstrap: str) -> float:
    """Do the driver's work for a micro-batch: request the ends of the topic, and cut the ranges."""
    options = {"kafka.bootstrap.servers": bootstrap, "subscribe": _topic(_MANY)}
    options |= {"startingOffsets": "earliest", **_OWN_TASKS}
    source = RdKafkaDataSource({name.lower(): text for name, text in options.items()})
    reader = source.streamReader(source.schema())
    start = reader.initialOffset()
    seconds = []
    for _ in range(2 * _RUNS):
        started = time.monotonic()
        end = reader.latestOffset(start, ReadAllAvailable())
        ranges = reader.partitions(start, end)
        seconds.append(time.monotonic() - started)
    reader.stop()
    if len(ranges) != _MANY:
        raise RuntimeError(f"{len(ranges)} ranges were planned, not {_MANY}")
    return median(seconds)


def _report(rates: dict[tuple[int, int], float], planning: Planning, messages: int) -> str:
    lines = [
        [str(partitions), *(f"{rates[partitions, slots] / 1e6:.2f}" for slots in SLOTS)]
        for partitions in PARTITIONS
    ]
    header = ["partitions", *(f"local[{slots}]" for slots in SLOTS)]
    a_task = planning.scan / _MANY * 1e3
    return (
        "# Partitions and task slots\n\n"
        f"The broker, the driver and the Python workers share {os.cpu_count()} cores. The table "
        f"shows million rows per second in a scan of {messages:,} messages of {VALUE_BYTES} bytes "
        f"(median of {_RUNS} runs):\n\n{table(header, lines)}\n\n"
        f"The driver plans a micro-batch of {_MANY:,} partitions in {planning.plan * 1e3:.0f} ms. "
        "A scan of one message in each partition, with a task for each partition, takes "
        f"{planning.scan:.2f} s in `local[2]`: {a_task:.1f} ms a task.\n"
    )
