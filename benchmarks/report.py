"""Writes the measurements as Markdown, and lists the bars that are not reached."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.cluster import Cluster
from benchmarks.figures import figure
from benchmarks.measure import Import, Memory, Pending, Result, Waiting
from benchmarks.programs import Programs
from benchmarks.rows import (
    AIO_LATENCY,
    BLOCKING_LATENCY,
    IMPORT_BAR_SECONDS,
    IMPORT_RUNS,
    MEMORY_BAR_BYTES,
    MEMORY_SETTLING_ROUNDS,
    WAITING_BAR_SECONDS,
    Group,
    Side,
)

NOTHING = ""
# The texts below the tables of the groups.
NOTES = {
    Group.CONSUMING: (
        "The client has fetched all messages before a row begins, unless the row says that the "
        "client fetches at the same time."
    ),
    Group.ASYNCIO: (
        "confluent-kafka's `AIOProducer` keeps messages back for its `buffer_timeout`, 1 s by "
        "default. A program that awaits each delivery measures that timer, so the rows about "
        "deliveries compare with aiokafka."
    ),
    Group.KAFKA_PYTHON: (
        "In the row of `topics()`, kafka-python waits for about 0.1 s in each round. It does not "
        "compute in that time, so the ratio compares waiting times."
    ),
}


@dataclass(frozen=True)
class Verdict:
    """A bar, the measured value, and whether the value reaches the bar."""

    what: str
    bar: str
    measured: str
    reached: bool

    @property
    def cell(self) -> str:
        """The text of the bar in a table."""
        return f"{self.bar}: {'reached' if self.reached else '**not reached**'}"


def markdown(
    programs: Programs,
    cluster: Cluster,
    results: Sequence[Result],
    waits: Sequence[Waiting],
    memories: Sequence[Memory],
    pending: Pending | None,
    imports: Sequence[Import],
    rounds: int,
    messages: int,
) -> str:
    """Return the whole report."""
    parts = [_introduction(programs, cluster, rounds, messages)]
    if results:
        parts.append(speed_tables(results))
    if waits:
        parts.append(_waiting_table(waits))
    if memories:
        parts.append(_memory_table(memories))
    if pending:
        parts.append(_pending(pending))
    if imports:
        parts.append(_import_table(imports))
    return "\n\n".join(parts) + "\n"


def verdicts(
    results: Sequence[Result],
    waits: Sequence[Waiting],
    memories: Sequence[Memory],
    imports: Sequence[Import],
) -> list[Verdict]:
    """Return the verdicts on all bars. They are for maintainers and are not in the report."""
    blocking = next((one for one in waits if one.row is BLOCKING_LATENCY), None)
    found = [
        *(_speed_verdict(result) for result in results),
        *(_waiting_verdict(one, blocking) for one in waits),
        *(_memory_verdict(memory) for memory in memories if memory.side is Side.OURS),
        *(_import_verdict(one) for one in imports if one.side is Side.OURS),
    ]
    return [verdict for verdict in found if verdict]


def _introduction(programs: Programs, cluster: Cluster, rounds: int, messages: int) -> str:
    # The report does not show our version: it is the version of the API, which the peer shares.
    _, our_librdkafka = programs.versions(Side.OURS)
    peer, peer_librdkafka = programs.versions(Side.PEER)
    return (
        "# Benchmarks\n\n"
        f"This package (librdkafka {our_librdkafka}), confluent-kafka {peer} (librdkafka "
        f"{peer_librdkafka}) and a program in C (librdkafka {cluster.librdkafka}) ran in turn on "
        f"one embedded cluster over TCP; {platform.python_implementation()} "
        f"{platform.python_version()}, {platform.system()} {platform.machine()}, "
        f"{os.cpu_count()} cores. Each run had {messages:,} messages of 100 bytes. The figures are "
        f"medians of {rounds} rounds, and a ratio is the median of the rounds' ratios. "
        "`make bench` runs everything again."
    )


def speed_tables(results: Sequence[Result]) -> str:
    """Return the tables of rates, of native C and of CPU time."""
    parts = ["## Speed", "The unit of all rates is a million messages, or rows, per second."]
    for group in Group:
        members = [result for result in results if result.row.group is group]
        if members:
            parts += [f"### {group}", _rates(members)]
            parts += [NOTES[group]] if group in NOTES else []
    native = [result for result in results if Side.NATIVE in result.rates]
    if native:
        parts += [
            "### Compared with native C",
            "The program in C calls librdkafka directly and creates no Python objects.",
            _native(native),
        ]
    explanation = (
        "This table has the CPU time of the calling thread for one message, the rate until all "
        "messages were delivered (for producers), and the lowest and highest ratio of the rounds. "
        "The last column is the ratio by CPU time, which other work on the machine disturbs less."
    )
    return "\n\n".join([*parts, "### CPU time and spread", explanation, _details(results)])


def _rates(results: Sequence[Result]) -> str:
    lines = [
        [
            result.row.what,
            result.row.ours,
            _millions(result.rates[Side.OURS]),
            f"{result.row.peer}: {result.row.theirs}",
            _millions(result.rates[Side.PEER]),
            figure(result.ratios[Side.PEER]),
        ]
        for result in results
    ]
    return table(["what was measured", "this package", "rate", "peer", "rate", "ratio"], lines)


def _native(results: Sequence[Result]) -> str:
    lines = [
        [
            result.row.what,
            result.row.ours,
            _millions(result.rates[Side.OURS]),
            _millions(result.rates[Side.NATIVE]),
            figure(result.ratios[Side.NATIVE]),
        ]
        for result in results
    ]
    return table(["what was measured", "this package", "rate", "native C", "ratio"], lines)


def _details(results: Sequence[Result]) -> str:
    lines = [
        [
            f"{result.row.what}: {result.row.ours}",
            result.row.peer,
            *(_nanoseconds(result, side) for side in Side),
            *(_delivered(result, side) for side in Side),
            f"{figure(result.lowest)} to {figure(result.highest)}",
            figure(result.thread_ratio),
        ]
        for result in results
    ]
    sides = ("this package", "peer", "native C")
    header = ["what was measured", "peer", *(f"ns, {side}" for side in sides)]
    header += [*(f"delivered, {side}" for side in sides), "ratios", "by CPU time"]
    return table(header, lines)


def _nanoseconds(result: Result, side: Side) -> str:
    found = result.thread_nanoseconds.get(side)
    return NOTHING if found is None else f"{found:.0f}"


def _delivered(result: Result, side: Side) -> str:
    found = result.delivered_rates.get(side)
    return NOTHING if found is None else _millions(found)


def _speed_verdict(result: Result) -> Verdict | None:
    bar = result.row.bar
    if bar is None:
        return None
    ratio = result.ratios[bar.side]
    peer = result.row.peer if bar.side is Side.PEER else str(bar.side)
    return Verdict(
        result.row.name, f"{bar.ratio:g} times {peer}", figure(ratio), ratio >= bar.ratio
    )


def _waiting_table(waits: Sequence[Waiting]) -> str:
    lines = [
        [one.row.name, *(figure(median(found) * 1e3) for found in (one.p50, one.p99))]
        for one in waits
    ]
    return (
        "## Waiting\n\nThe first two rows send 1,000 messages a second, one by one. Times are in "
        "milliseconds.\n\n" + table(["what was measured", "p50", "p99"], lines)
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


def _memory_table(memories: Sequence[Memory]) -> str:
    lines = [
        [
            memory.row.name,
            _name(memory.side),
            " ".join(f"{size / 1e6:.1f}" for size in memory.resident),
            f"± {_farthest(memory) / 1e6:.1f} MB",
        ]
        for memory in memories
    ]
    return (
        "## Memory\n\nThe figures do not contain the free memory that the C library keeps "
        "(`malloc_trim`). The last column shows how much the memory changes after round "
        f"{MEMORY_SETTLING_ROUNDS}.\n\n"
        + table(["what was measured", "client", "resident MB after each round", "changes"], lines)
    )


def _memory_verdict(memory: Memory) -> Verdict:
    farthest = _farthest(memory)
    return Verdict(
        f"memory: {memory.row.name}",
        f"± {MEMORY_BAR_BYTES / 1e6:g} MB after round {MEMORY_SETTLING_ROUNDS}",
        f"± {farthest / 1e6:.1f} MB",
        farthest <= MEMORY_BAR_BYTES,
    )


def _farthest(memory: Memory) -> int:
    settled = memory.resident[MEMORY_SETTLING_ROUNDS - 1]
    return max(abs(size - settled) for size in memory.resident[MEMORY_SETTLING_ROUNDS:])


def _pending(pending: Pending) -> str:
    future = (pending.futures_bytes - pending.messages_bytes) / pending.messages
    return (
        f"## Pending deliveries\n\n{pending.messages:,} messages in a producer's queue take "
        f"{pending.messages_bytes / 1e6:.0f} MB. With an asyncio future for each message they take "
        f"{pending.futures_bytes / 1e6:.0f} MB, which is {future:.0f} bytes more per message."
    )


def _import_table(imports: Sequence[Import]) -> str:
    lines = [
        [
            _name(one.side),
            f"{median(one.seconds) * 1e3:.1f} ms",
            ", ".join(one.foreign_modules) or "nothing",
        ]
        for one in imports
    ]
    header = ["client", f"median of {IMPORT_RUNS} imports", "modules outside the standard library"]
    return "## Import\n\n" + table(header, lines)


def _import_verdict(one: Import) -> Verdict:
    seconds = median(one.seconds)
    return Verdict(
        "import confluent_kafka",
        f"< {IMPORT_BAR_SECONDS * 1e3:g} ms, standard library only",
        f"{seconds * 1e3:.1f} ms",
        seconds < IMPORT_BAR_SECONDS and not one.foreign_modules,
    )


def missed_bars(found: Sequence[Verdict]) -> list[str]:
    """Return a line for each bar that is not reached."""
    return [
        f"not reached: {v.what}: {v.measured}, the bar is {v.bar}" for v in found if not v.reached
    ]


def _name(side: Side) -> str:
    return "this package" if side is Side.OURS else str(side)


def _millions(rate: float) -> str:
    return figure(rate / 1e6)


def table(header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    rule = ["---"] + ["---:" if _is_numeric(lines, i) else "---" for i in range(1, len(header))]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, rule, *lines])


def _is_numeric(lines: Sequence[Sequence[str]], column: int) -> bool:
    return all(line[column].replace(".", "").isdigit() or not line[column] for line in lines)
