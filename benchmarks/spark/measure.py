"""Runs every workload on all sides in turn, in one run on one broker."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median

from benchmarks.spark.rows import (
    AVRO,
    KAFKA_SIDES,
    LATENCY,
    MESSAGES_PER_SECOND,
    PARTITIONS,
    ROWS,
    SMALL,
    TRICKLE,
    VALUE_BYTES,
    Row,
    Side,
    Sizes,
)
from benchmarks.spark.sessions import Session
from benchmarks.spark.topics import count, trickle

Say = Callable[[str], None]
# Creates a topic with this number of partitions.
MakeTopic = Callable[[str, int], None]
# Fills a topic with this number of messages, like the messages of a topic of rows.py; returns the
# duration in seconds.
Fill = Callable[[str, str, int], float]

_WARM_UP = 80_000
# The first seconds of a stream are not measured, because its first batches are slower.
_SETTLE = 5
_numbers = itertools.count(1)


@dataclass
class Speed:
    """The seconds, and the CPU seconds, that each side needed for one row in each round."""

    row: Row
    rows: int
    seconds: dict[Side, list[float]] = field(default_factory=lambda: defaultdict(list))
    cpu_seconds: dict[Side, list[float]] = field(default_factory=lambda: defaultdict(list))

    def rate(self, side: Side) -> float:
        """Return the rows per second in the median round."""
        return self.rows / median(self.seconds[side])

    def cpu_microseconds(self, side: Side) -> float:
        """Return the median CPU time of one row over all rounds, in all processes of the side."""
        return median(self.cpu_seconds[side]) / self.rows * 1e6

    def ratios(self, other: Side) -> list[float]:
        """Return our rate divided by the other side's rate for each round. Load affects both."""
        pairs = zip(self.seconds[Side.OURS], self.seconds[other], strict=True)
        return [theirs / ours for ours, theirs in pairs]

    def cpu_ratio(self, other: Side) -> float:
        """Return the median ratio of our CPU time to the CPU time of another side."""
        pairs = zip(self.cpu_seconds[Side.OURS], self.cpu_seconds[other], strict=True)
        return median(ours / theirs for ours, theirs in pairs)


@dataclass
class Latency:
    """The seconds from the creation of a message to its arrival in the sink, for each round."""

    p50: dict[Side, list[float]] = field(default_factory=lambda: defaultdict(list))
    p99: dict[Side, list[float]] = field(default_factory=lambda: defaultdict(list))
    batches: dict[Side, list[int]] = field(default_factory=lambda: defaultdict(list))


@dataclass
class Measured:
    """All measurements. Memory is the peak of the largest Python worker, by row."""

    speeds: list[Speed] = field(default_factory=list)
    latency: Latency = field(default_factory=Latency)
    memory_mb: dict[str, float] = field(default_factory=lambda: defaultdict(float))


class Benchmark:
    """Runs the workloads. The sessions of all sides run until the last workload has ended."""

    def __init__(
        self,
        sessions: Mapping[Side, Session],
        bootstrap: str,
        make_topic: MakeTopic,
        sizes: Sizes,
        say: Say,
    ) -> None:
        self._sessions = sessions
        self._bootstrap = bootstrap
        self._make_topic = make_topic
        self._sizes = sizes
        self._say = say
        self._measured = Measured()

    def warm_up(self, fill: Fill) -> None:
        """Run every workload once with few messages, so that no round measures the start."""
        for kind in (SMALL, AVRO):
            self._make_topic(_warm_up_topic(kind), PARTITIONS)
            fill(_warm_up_topic(kind), kind, _WARM_UP)
        for side, session in self._sessions.items():
            for row in {row.workload: row for row in ROWS}.values():
                if side in row.sides:
                    topic = self._written_topic(row.workload) or _warm_up_topic(row.topic)
                    session.ask({"workload": row.workload, "topic": topic, "rows": _WARM_UP})
            self._say(f"{side} is warm")

    def run(self, rounds: int, only: str, latency_seconds: int) -> Measured:
        """Run the rows whose names contain a text; return the measurements."""
        rows = [row for row in ROWS if only in row.name]
        speeds = [Speed(row, row.command(self._sizes)["rows"]) for row in rows]
        self._measured.speeds = speeds
        for number in range(rounds):
            sides = list(Side)[:: 1 if number % 2 == 0 else -1]
            for speed in speeds:
                for side in sides:
                    if side in speed.row.sides:
                        self._time(speed, side)
                rates = ", ".join(
                    f"{side} {speed.rows / found[-1] / 1e6:.2f} M/s"
                    for side, found in speed.seconds.items()
                )
                self._say(
                    f"round {number + 1}/{rounds}  {speed.row.name}: {rates}, "
                    f"ratio {speed.ratios(Side.THEIRS)[-1]:.2f}"
                )
            if only in LATENCY:
                self._latency([side for side in sides if side in KAFKA_SIDES], latency_seconds)
        return self._measured

    def _time(self, speed: Speed, side: Side) -> None:
        session = self._sessions[side]
        row = speed.row
        command = row.command(self._sizes)
        command["topic"] = written = self._written_topic(row.workload) or row.topic
        session.reset_worker_peaks()
        cpu_before = session.cpu_seconds()
        speed.seconds[side].append(session.ask(command)["seconds"])
        speed.cpu_seconds[side].append(session.cpu_seconds() - cpu_before)
        if side is Side.OURS:
            peak = session.worker_peak_mb()
            self._measured.memory_mb[row.name] = max(peak, self._measured.memory_mb[row.name])
        if row.workload == "write" and side in KAFKA_SIDES:
            found = count(self._bootstrap, written, PARTITIONS)
            if found != command["rows"]:
                raise RuntimeError(f"{side} wrote {found:,} messages, not {command['rows']:,}")

    def _written_topic(self, workload: str) -> str | None:
        """Return a new topic for a workload that writes."""
        if workload != "write":
            return None
        name = f"written-{next(_numbers)}"
        self._make_topic(name, PARTITIONS)
        return name

    def _latency(self, sides: list[Side], seconds: int) -> None:
        command = {"workload": "latency", "topic": TRICKLE, "settle": _SETTLE, "seconds": seconds}
        found = self._measured.latency
        for side in sides:
            with trickle(self._bootstrap, TRICKLE, MESSAGES_PER_SECOND):
                answer = self._sessions[side].ask(command)
            for percentile in ("p50", "p99"):
                getattr(found, percentile)[side].append(answer[percentile])
            found.batches[side].append(answer["batches"])
            self._say(
                f"latency  {side}: p50 {answer['p50'] * 1e3:.0f} ms, p99 "
                f"{answer['p99'] * 1e3:.0f} ms of {answer['messages']:,} messages in "
                f"{answer['batches']} batches"
            )


def make_read_topics(make_topic: MakeTopic, fill: Fill, sizes: Sizes, say: Say) -> None:
    """Make and fill the topics that all rows read."""
    make_topic(TRICKLE, PARTITIONS)
    for topic in (*VALUE_BYTES, AVRO):
        make_topic(topic, PARTITIONS)
        messages = sizes.messages(topic)
        seconds = fill(topic, topic, messages)
        say(f"topic {topic}: {messages:,} messages, {messages / seconds / 1e6:.2f} M/s")


def _warm_up_topic(kind: str) -> str:
    return f"warm-up-{AVRO if kind == AVRO else SMALL}"
