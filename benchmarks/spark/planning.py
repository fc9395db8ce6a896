"""Measures how long the driver plans a micro-batch of a thousand topics."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from statistics import median

from pyspark.sql.streaming.datasource import ReadAllAvailable

from benchmarks.report import table
from benchmarks.spark.measure import Say
from confluent_kafka.admin import AdminClient, NewTopic
from confluent_kafka.spark import RdKafkaDataSource

TOPICS = 1_000
PARTITIONS = 10

_AT_ONCE = 50  # topics in one request to make them
_RUNS = 20
_READY_SECONDS = 120


def measure_planning(bootstrap: str, scale: float, say: Say) -> str:
    """Plan micro-batches of many topics, which are named or match a pattern."""
    names = [f"planned-{number:04d}" for number in range(max(2, round(TOPICS * scale)))]
    _make_topics(bootstrap, names)
    say(f"{len(names)} topics of {PARTITIONS} partitions are there")
    lines = []
    for way, options in (
        ("`subscribe`", {"subscribe": ",".join(names)}),
        ("`subscribePattern`", {"subscribepattern": "planned-.*"}),
    ):
        wall, cpu = _plan(bootstrap, options, len(names) * PARTITIONS)
        say(f"{way}: {wall * 1e3:.0f} ms, {cpu * 1e3:.0f} ms of CPU time")
        lines.append([way, f"{wall * 1e3:.0f} ms", f"{cpu * 1e3:.0f} ms"])
    header = ["", "a plan", "CPU time of the driver"]
    return (
        "# Planning\n\n"
        f"The driver finds the end of a micro-batch of {len(names):,} topics with {PARTITIONS} "
        f"partitions each, and its ranges. A broker of Apache Kafka shares {os.cpu_count()} cores "
        f"with the driver. The times are medians of {_RUNS}.\n\n{table(header, lines)}\n"
    )


def _make_topics(bootstrap: str, names: list[str]) -> None:
    with AdminClient({"bootstrap.servers": bootstrap}) as admin:
        for first in range(0, len(names), _AT_ONCE):
            some = [NewTopic(name, PARTITIONS, 1) for name in names[first : first + _AT_ONCE]]
            for future in admin.create_topics(some).values():
                future.result(_READY_SECONDS)


def _plan(bootstrap: str, options: Mapping[str, str], partitions: int) -> tuple[float, float]:
    """Return the wall time and the driver's CPU time of a plan, in seconds."""
    given = {"kafka.bootstrap.servers": bootstrap, "startingoffsets": "earliest", **options}
    source = RdKafkaDataSource(given)
    end = time.monotonic() + _READY_SECONDS
    start: dict[str, dict[str, int]] = {}
    while sum(map(len, start.values())) < partitions:  # the broker receives the topics one by one
        if time.monotonic() > end:
            raise RuntimeError(f"the broker has not got all topics after {_READY_SECONDS} s")
        reader = source.streamReader(source.schema())
        with suppress(ValueError):  # the broker does not have a topic yet
            start = reader.initialOffset()
    seconds, cpu = [], []
    for _ in range(_RUNS):
        started, used = time.monotonic(), time.process_time()
        reader.partitions(start, reader.latestOffset(start, ReadAllAvailable()))
        seconds.append(time.monotonic() - started)
        cpu.append(time.process_time() - used)
    reader.stop()
    return median(seconds), median(cpu)
