"""Writes the measurements as Markdown, with the goals and whether they are reached."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from statistics import median

from benchmarks.figures import figure
from benchmarks.report import Verdict
from benchmarks.report import table as markdown_table
from benchmarks.spark.connector import Connector
from benchmarks.spark.measure import Measured
from benchmarks.spark.rows import (
    CPU_GOAL,
    KAFKA_SIDES,
    LATENCY_GOAL,
    MEMORY_GOAL_MB,
    MESSAGES_PER_SECOND,
    Side,
    Sizes,
)


def markdown(
    measured: Measured, sizes: Sizes, rounds: int, cores: int, spark: str, connector: Connector
) -> str:
    """Return the whole report."""
    verdicts: list[Verdict] = []
    parts = [_introduction(sizes, rounds, cores, spark, connector)]
    if measured.speeds:
        parts += [_speeds(measured, verdicts), _cpu(measured, verdicts)]
        if any(Side.CEILING in speed.row.sides for speed in measured.speeds):
            parts.append(_ceiling(measured, verdicts))
        parts.append(_memory(measured, verdicts))
    if measured.latency.p50:
        parts.append(_latency(measured, verdicts))
    parts.append(_summary(verdicts))
    return "\n\n".join(parts) + "\n"


def _introduction(sizes: Sizes, rounds: int, cores: int, spark: str, connector: Connector) -> str:
    return (
        "# rdkafka compared with Spark's own connector\n\n"
        f"`rdkafka` and Spark's `kafka` (spark-sql-kafka-0-10_2.13 {connector.version}) ran in "
        f"turn on PySpark {spark} with `local[{cores}]`. Each ran in its own session, with the "
        "same configuration, and with one broker of Apache Kafka on the same machine "
        f"({platform.python_implementation()} {platform.python_version()}, {platform.system()} "
        f"{platform.machine()}, {os.cpu_count()} cores). The topics have 8 partitions. They "
        f"contain {sizes.small:,} messages of 100 bytes, {sizes.large:,} messages of 1 kB, and "
        f"{sizes.avro:,} Avro records of six fields. The messages have a key of 8 bytes. "
        "`rdkafka` decodes the Avro records itself (`valueFormat`), and the connector uses "
        f"`from_avro` (spark-avro_2.13 {connector.avro_version}). {sizes.written:,} rows were "
        f"written. The figures are medians of {rounds} rounds, and a ratio is the median of the "
        "rounds' ratios."
    )


def _speeds(measured: Measured, verdicts: list[Verdict]) -> str:
    lines = []
    for speed in measured.speeds:
        row = speed.row
        ratios = speed.ratios(Side.THEIRS)
        verdict = _at_least(row.name, row.goal, median(ratios))
        verdicts.append(verdict)
        lines.append(
            [
                row.name,
                *(figure(speed.rate(side) / 1e6) for side in KAFKA_SIDES),
                verdict.measured,
                f"{figure(min(ratios))} to {figure(max(ratios))}",
                verdict.cell,
            ]
        )
    header = ["million rows per second", *KAFKA_SIDES, "ratio", "rounds", "goal"]
    return f"## Speed\n\n{markdown_table(header, lines)}"


def _cpu(measured: Measured, verdicts: list[Verdict]) -> str:
    lines = []
    for speed in measured.speeds:
        ratio = speed.cpu_ratio(Side.THEIRS)
        verdict = Verdict(
            f"CPU time compared with the connector: {speed.row.name}",
            f"at most {CPU_GOAL:.1f}",
            figure(ratio),
            ratio <= CPU_GOAL,
        )
        verdicts.append(verdict)
        times = [
            figure(speed.cpu_microseconds(side)) if side in speed.row.sides else "" for side in Side
        ]
        lines.append([speed.row.name, *times, verdict.measured, verdict.cell])
    header = ["CPU microseconds of a row", *Side, "ratio to kafka", "goal"]
    return (
        "## CPU\n\nThis is the CPU time of one row, in the JVM and the Python processes "
        "together.\n\n" + markdown_table(header, lines)
    )


def _ceiling(measured: Measured, verdicts: list[Verdict]) -> str:
    lines = []
    for speed in measured.speeds:
        if speed.row.of_ceiling is None:
            continue
        share = median(speed.ratios(Side.CEILING))
        verdict = _at_least(f"share of the ceiling: {speed.row.name}", speed.row.of_ceiling, share)
        verdicts.append(verdict)
        rates = [figure(speed.rate(side) / 1e6) for side in (Side.OURS, Side.CEILING)]
        by_cpu = figure(1 / speed.cpu_ratio(Side.CEILING))
        lines.append([speed.row.name, *rates, verdict.measured, by_cpu, verdict.cell])
    header = ["million rows per second", Side.OURS, Side.CEILING, "ratio", "by CPU time", "goal"]
    return (
        "## The ceiling\n\nThe ceiling is a data source in Python that does only what Spark "
        "requires. For reads it copies the same rows from one record batch, and for writes it "
        "drops the rows. It uses no broker, while `rdkafka` shares the machine's cores with the "
        "broker. The ratio by CPU time does not count the broker.\n\n"
        + markdown_table(header, lines)
    )


def _at_least(what: str, goal: float, found: float) -> Verdict:
    return Verdict(what, f"at least {figure(goal)}", figure(found), found >= goal)


def _memory(measured: Measured, verdicts: list[Verdict]) -> str:
    lines = []
    for name, peak in measured.memory_mb.items():
        verdict = Verdict(
            f"memory: {name}",
            f"less than {MEMORY_GOAL_MB} MB",
            f"{peak:.0f} MB",
            peak < MEMORY_GOAL_MB,
        )
        verdicts.append(verdict)
        lines.append([name, verdict.measured, verdict.cell])
    header = ["workload", "peak", "goal"]
    return (
        "## Memory\n\nThis is the peak of the resident memory (`VmHWM`) of the largest Python "
        "worker of `rdkafka`.\n\n" + markdown_table(header, lines)
    )


def _latency(measured: Measured, verdicts: list[Verdict]) -> str:
    lines = []
    for name, found in (("p50", measured.latency.p50), ("p99", measured.latency.p99)):
        ours, theirs = (median(found[side]) for side in KAFKA_SIDES)
        verdict = Verdict(
            f"latency: {name}",
            f"at most {LATENCY_GOAL:.1f}",
            figure(ours / theirs),
            ours / theirs <= LATENCY_GOAL,
        )
        verdicts.append(verdict)
        figures = [f"{ours * 1e3:.0f}", f"{theirs * 1e3:.0f}"]
        lines.append([name, *figures, verdict.measured, verdict.cell])
    batches = [f"{median(measured.latency.batches[side]):.0f}" for side in KAFKA_SIDES]
    lines.append(["micro-batches", *batches, "", ""])
    header = ["milliseconds", *KAFKA_SIDES, "ratio", "goal"]
    return (
        "## Latency\n\nThis is the time from the creation of a message until `foreachBatch` has "
        f"its row, at {MESSAGES_PER_SECOND} messages a second and with a trigger of 0 seconds.\n\n"
        + markdown_table(header, lines)
    )


def _summary(verdicts: Sequence[Verdict]) -> str:
    missed = [verdict for verdict in verdicts if not verdict.reached]
    text = f"## Goals\n\n{len(verdicts) - len(missed)} of {len(verdicts)} goals are reached."
    if not missed:
        return text
    lines = [f"- {v.what}: the result is {v.measured}, and the goal is {v.bar}." for v in missed]
    return f"{text} These goals are not reached:\n\n" + "\n".join(lines)
