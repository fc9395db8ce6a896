"""Writes the measurements as Markdown, with the bars and whether they are reached."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.cluster import Cluster
from benchmarks.figures import figure
from benchmarks.measure import Import, Memory, Pending, Speed, Waiting
from benchmarks.programs import Programs
from benchmarks.rows import (
    AIO_LATENCY,
    BLOCKING_LATENCY,
    IMPORT_BAR_SECONDS,
    IMPORT_RUNS,
    MEMORY_BAR_BYTES,
    MEMORY_SETTLING_ROUNDS,
    WAITING_BAR_SECONDS,
    Side,
)

NOTHING = ""


@dataclass(frozen=True)
class Verdict:
    """A bar, what was measured against it, and whether that is enough."""

    what: str
    bar: str
    measured: str
    reached: bool

    @property
    def cell(self) -> str:
        """The bar as it stands in a table."""
        return f"{self.bar}: {'reached' if self.reached else '**not reached**'}"


def markdown(
    programs: Programs,
    cluster: Cluster,
    speeds: Sequence[Speed],
    waits: Sequence[Waiting],
    memories: Sequence[Memory],
    pending: Pending | None,
    imports: Sequence[Import],
    rounds: int,
    messages: int,
) -> str:
    """Return the whole report."""
    parts = [_introduction(programs, cluster, rounds, messages)]
    verdicts: list[Verdict] = []
    if speeds:
        parts += [_speed_table(speeds, verdicts), _detail_table(speeds)]
    if waits:
        parts.append(_waiting_table(waits, verdicts))
    if memories:
        parts.append(_memory_table(memories, verdicts))
    if pending:
        parts.append(_pending(pending))
    if imports:
        parts.append(_import_table(imports, verdicts))
    parts.append(_summary(verdicts))
    return "\n\n".join(parts) + "\n"


def _introduction(programs: Programs, cluster: Cluster, rounds: int, messages: int) -> str:
    # Ours has the number of the API that both have, which says nothing.
    _, our_librdkafka = programs.versions(Side.OURS)
    peer, peer_librdkafka = programs.versions(Side.PEER)
    return (
        "# Benchmarks\n\n"
        f"Ours (librdkafka {our_librdkafka}), confluent-kafka {peer} (librdkafka "
        f"{peer_librdkafka}) and native C (librdkafka {cluster.librdkafka}) in turn on one "
        f"embedded cluster over TCP; {platform.python_implementation()} "
        f"{platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores. {messages:,} messages of 100 bytes in each run; medians of "
        f"{rounds} rounds. A ratio is the median of the rounds' ratios."
    )


def _speed_table(speeds: Sequence[Speed], verdicts: list[Verdict]) -> str:
    lines = []
    for speed in speeds:
        verdict = _speed_verdict(speed)
        if verdict:
            verdicts.append(verdict)
        lines.append(
            [
                speed.row.name,
                *(_millions(speed.rate(s)) if s in speed.samples else NOTHING for s in Side),
                _ratio(speed, Side.PEER),
                _ratio(speed, Side.NATIVE),
                verdict.cell if verdict else NOTHING,
            ]
        )
    header = ["million messages per second", *Side]
    header += [f"ours / {Side.PEER}", f"ours / {Side.NATIVE}", "bar"]
    return "## Speed\n\n" + table(header, lines)


def _speed_verdict(speed: Speed) -> Verdict | None:
    bar = speed.row.bar
    if bar is None:
        return None
    ratio = median(speed.ratios(bar.side))
    return Verdict(
        speed.row.name, f"{bar.ratio:g} times {bar.side}", figure(ratio), ratio >= bar.ratio
    )


def _ratio(speed: Speed, side: Side) -> str:
    return figure(median(speed.ratios(side))) if side in speed.samples else NOTHING


def _detail_table(speeds: Sequence[Speed]) -> str:
    lines = []
    for speed in speeds:
        lines.append([speed.row.name])
        for side in Side:
            samples = speed.samples.get(side, [])
            lines[-1].append(
                f"{median(s.thread_nanoseconds for s in samples):.0f}" if samples else NOTHING
            )
        for side in Side:
            rates = [s.delivered_rate for s in speed.samples.get(side, []) if s.delivered_rate]
            lines[-1].append(_millions(median(rates)) if rates else NOTHING)
        ratios = speed.ratios(Side.PEER)
        lines[-1] += [
            f"{figure(min(ratios))} to {figure(max(ratios))}",
            figure(median(speed.thread_ratios(Side.PEER))),
        ]
    header = ["path", *(f"ns, {side}" for side in Side), *(f"M/s, {side}" for side in Side)]
    header += [f"ours / {Side.PEER}", "by CPU time"]
    return (
        "CPU time of the calling thread per message; millions per second until all were "
        "delivered; how far the rounds lie apart; and what the ratio is by CPU time, which other "
        "work on the machine disturbs less:\n\n" + table(header, lines)
    )


def _waiting_table(waits: Sequence[Waiting], verdicts: list[Verdict]) -> str:
    lines = []
    blocking = next((one for one in waits if one.row is BLOCKING_LATENCY), None)
    for one in waits:
        verdict = _waiting_verdict(one, blocking)
        if verdict:
            verdicts.append(verdict)
        lines.append(
            [
                one.row.name,
                *(figure(median(found) * 1e3) for found in (one.p50, one.p99)),
                verdict.cell if verdict else NOTHING,
            ]
        )
    return "## Waiting\n\nThe first two are of 1,000 messages a second, one by one.\n\n" + table(
        ["ms", "p50", "p99", "bar"], lines
    )


def _waiting_verdict(one: Waiting, blocking: Waiting | None) -> Verdict | None:
    if one.row.p99_bar_seconds is not None:
        worst = median(one.p99)
        bar = f"p99 < {one.row.p99_bar_seconds * 1e3:g} ms"
        reached = worst < one.row.p99_bar_seconds
        return Verdict(one.row.name, bar, f"{worst * 1e3:.1f} ms", reached)
    if one.row is not AIO_LATENCY or blocking is None:
        return None
    pairs = ((one.p50, blocking.p50), (one.p99, blocking.p99))
    longer = [median(ours - theirs for ours, theirs in zip(*pair, strict=True)) for pair in pairs]
    return Verdict(
        one.row.name,
        f"p50 and p99 within {WAITING_BAR_SECONDS * 1e6:.0f} µs of threads",
        ", ".join(f"{difference * 1e6:+.0f} µs" for difference in longer),
        max(longer) <= WAITING_BAR_SECONDS,
    )


def _memory_table(memories: Sequence[Memory], verdicts: list[Verdict]) -> str:
    lines = []
    for memory in memories:
        settled = memory.resident[MEMORY_SETTLING_ROUNDS - 1]
        farthest = max(abs(size - settled) for size in memory.resident[MEMORY_SETTLING_ROUNDS:])
        verdict = Verdict(
            f"memory: {memory.row.name}",
            f"± {MEMORY_BAR_BYTES / 1e6:g} MB after round {MEMORY_SETTLING_ROUNDS}",
            f"± {farthest / 1e6:.1f} MB",
            farthest <= MEMORY_BAR_BYTES,
        )
        if memory.side is Side.OURS:
            verdicts.append(verdict)
        lines.append(
            [
                memory.row.name,
                str(memory.side),
                " ".join(f"{size / 1e6:.1f}" for size in memory.resident),
                verdict.measured,
                verdict.cell if memory.side is Side.OURS else NOTHING,
            ]
        )
    header = ["path", "client", "resident MB after each round", "changes", "bar"]
    return (
        "## Memory\n\nWithout the free memory that the C library keeps (`malloc_trim`).\n\n"
        + table(header, lines)
    )


def _pending(pending: Pending) -> str:
    future = (pending.futures_bytes - pending.messages_bytes) / pending.messages
    return (
        f"## Pending deliveries\n\n{pending.messages:,} messages in a producer's queue take "
        f"{pending.messages_bytes / 1e6:.0f} MB; with a future of asyncio for each of them "
        f"{pending.futures_bytes / 1e6:.0f} MB, {future:.0f} bytes more a message."
    )


def _import_table(imports: Sequence[Import], verdicts: list[Verdict]) -> str:
    lines = []
    for one in imports:
        seconds = median(one.seconds)
        verdict = Verdict(
            "import confluent_kafka",
            f"< {IMPORT_BAR_SECONDS * 1e3:g} ms, standard library only",
            f"{seconds * 1e3:.1f} ms",
            seconds < IMPORT_BAR_SECONDS and not one.foreign_modules,
        )
        if one.side is Side.OURS:
            verdicts.append(verdict)
        lines.append(
            [
                str(one.side),
                verdict.measured,
                ", ".join(one.foreign_modules) or "nothing",
                verdict.cell if one.side is Side.OURS else NOTHING,
            ]
        )
    header = ["client", f"median of {IMPORT_RUNS} imports", "loads beside the standard library"]
    return "## Import\n\n" + table([*header, "bar"], lines)


def _summary(verdicts: Sequence[Verdict]) -> str:
    missed = [verdict for verdict in verdicts if not verdict.reached]
    lines = [f"{len(verdicts) - len(missed)} of {len(verdicts)} bars are reached."]
    lines += [f"- not reached: {v.what}: {v.measured}, the bar is {v.bar}" for v in missed]
    return "## Bars\n\n" + "\n".join(lines)


def _millions(rate: float) -> str:
    return figure(rate / 1e6)


def table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = ["---"] + ["---:" if _is_numeric(lines, i) else "---" for i in range(1, len(header))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, rule, *lines])


def _is_numeric(lines: Sequence[Sequence[str]], column: int) -> bool:
    return all(line[column].replace(".", "").isdigit() or not line[column] for line in lines)
