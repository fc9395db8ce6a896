"""Runs all programs in turn and collects their results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import TypeVar

from rich.console import Console
from rich.progress import track

from benchmarks.cluster import Cluster
from benchmarks.figures import figure
from benchmarks.programs import Programs
from benchmarks.rows import (
    IMPORT_RUNS,
    PENDING_MESSAGES,
    PENDING_PROGRAM,
    PENDING_ROW,
    WAITING_SECONDS,
    MemoryRow,
    Row,
    Side,
    WaitingRow,
)

T = TypeVar("T")


@dataclass(frozen=True)
class Sample:
    """One run of one program."""

    rate: float  # messages per second, in the time that the program measured
    delivered_rate: float | None  # messages per second until all were delivered (producers)
    thread_nanoseconds: float  # CPU time of the calling thread, per message


@dataclass(frozen=True)
class Result:
    """The result of the rounds of one row: medians, and the spread of the ratios."""

    row: Row
    rates: Mapping[Side, float]  # messages per second
    ratios: Mapping[Side, float]  # our rate divided by the side's rate
    thread_nanoseconds: Mapping[Side, float]
    delivered_rates: Mapping[Side, float]
    lowest: float  # the lowest of our ratios to the peer
    highest: float
    thread_ratio: float  # our ratio to the peer by CPU time


@dataclass
class Speed:
    """The samples of one row, in the order of the rounds."""

    row: Row
    samples: dict[Side, list[Sample]] = field(default_factory=lambda: defaultdict(list))

    def result(self) -> Result:
        """Return the medians."""
        delivered = {
            side: [s.delivered_rate for s in samples if s.delivered_rate]
            for side, samples in self.samples.items()
        }
        ratios = self.ratios(Side.PEER)
        return Result(
            self.row,
            {side: median(s.rate for s in samples) for side, samples in self.samples.items()},
            {side: median(self.ratios(side)) for side in self.samples if side is not Side.OURS},
            {
                side: median(s.thread_nanoseconds for s in samples)
                for side, samples in self.samples.items()
            },
            {side: median(rates) for side, rates in delivered.items() if rates},
            min(ratios),
            max(ratios),
            median(self.thread_ratios(Side.PEER)),
        )

    def ratios(self, side: Side) -> list[float]:
        """Return our rate divided by the side's rate for each round. Load affects both rates."""
        return [ours.rate / theirs.rate for ours, theirs in self._pairs(side)]

    def thread_ratios(self, side: Side) -> list[float]:
        """Return the peer's CPU time divided by ours for each round, in the calling threads."""
        return [
            theirs.thread_nanoseconds / ours.thread_nanoseconds
            for ours, theirs in self._pairs(side)
        ]

    def _pairs(self, side: Side) -> Iterable[tuple[Sample, Sample]]:
        return zip(self.samples[Side.OURS], self.samples[side], strict=True)


@dataclass(frozen=True)
class Pending:
    """The resident bytes of messages in the queue, with and without a future for each."""

    messages: int
    messages_bytes: int
    futures_bytes: int


@dataclass(frozen=True)
class Memory:
    """Resident bytes after each round."""

    row: MemoryRow
    side: Side
    resident: list[int]


@dataclass
class Waiting:
    """The percentiles of each round, in seconds."""

    row: WaitingRow
    p50: list[float] = field(default_factory=list)
    p99: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Import:
    """The seconds of the import in each run, and the modules that it loaded."""

    side: Side
    seconds: list[float]
    foreign_modules: list[str]


def measure_speed(
    programs: Programs,
    cluster: Cluster,
    rows: Sequence[Row],
    rounds: int,
    messages: int,
    console: Console,
) -> list[Speed]:
    """Run every program of every row once per round. Each round changes the order of the sides."""
    speeds = [Speed(row) for row in rows]
    turns = [(number, speed) for number in range(rounds) for speed in speeds]
    for number, speed in _track(turns, "speed", console):
        sides = list(speed.row.programs)
        for position in range(len(sides)):
            side = sides[(number + position) % len(sides)]
            sample = _sample(programs, cluster, speed.row, side, messages)
            speed.samples[side].append(sample)
        rates = ", ".join(f"{side} {figure(speed.samples[side][-1].rate / 1e6)}" for side in sides)
        _say(console, f"round {number + 1}/{rounds}  {speed.row.name}: {rates} M/s")
    return speeds


def _sample(programs: Programs, cluster: Cluster, row: Row, side: Side, messages: int) -> Sample:
    result = programs.run(side, row.programs[side], cluster, "--messages", str(messages))
    count = result["messages"]
    return Sample(
        rate=count / result[row.clock],
        delivered_rate=count / result["total_seconds"] if "total_seconds" in result else None,
        thread_nanoseconds=result["thread_seconds"] / count * 1e9,
    )


def measure_memory(
    programs: Programs,
    cluster: Cluster,
    rows: Sequence[MemoryRow],
    rounds: int,
    messages: int,
    console: Console,
) -> list[Memory]:
    """Run each program once per side. The program itself repeats the rounds."""
    options = ("--messages", str(messages), "--rounds", str(rounds))
    memories = []
    turns = [(row, side) for row in rows for side in row.sides]
    for row, side in _track(turns, "memory", console):
        resident = programs.run(side, row.program, cluster, *options)["resident_bytes"]
        memories.append(Memory(row, side, resident))
        megabytes = " ".join(f"{size / 1e6:.0f}" for size in resident)
        _say(console, f"memory  {row.name}: {side} {megabytes} MB")
    return memories


def measure_waiting(
    programs: Programs,
    cluster: Cluster,
    rows: Sequence[WaitingRow],
    rounds: int,
    console: Console,
) -> list[Waiting]:
    """Run our program of every row once per round."""
    found = [Waiting(row) for row in rows]
    for _ in _track(range(rounds), "waiting", console):
        for one in found:
            result = programs.run(
                Side.OURS, one.row.program, cluster, "--seconds", str(WAITING_SECONDS)
            )
            one.p50.append(result["p50_seconds"])
            one.p99.append(result["p99_seconds"])
            p50, p99 = (figure(found[-1] * 1e3) for found in (one.p50, one.p99))
            _say(console, f"{one.row.name}: {p50}, {p99} ms")
    return found


def measure_pending(programs: Programs, cluster: Cluster, console: Console) -> Pending:
    """Fill a producer's queue with messages, with a future for each and without."""
    options = ("--messages", str(PENDING_MESSAGES))
    result = programs.run(Side.OURS, PENDING_PROGRAM, cluster, *options)
    before, messages, futures = result["resident_bytes"]
    pending = Pending(result["messages"], messages - before, futures - before)
    _say(console, f"memory  {PENDING_ROW}: {pending.futures_bytes / 1e6:.0f} MB")
    return pending


def measure_import(programs: Programs, console: Console) -> list[Import]:
    """Import the clients in turn, each time in a new process."""
    imports = [Import(side, [], []) for side in (Side.OURS, Side.PEER)]
    for _ in _track(range(IMPORT_RUNS), "import", console):
        for one in imports:
            result = programs.import_once(one.side)
            one.seconds.append(result["seconds"])
            one.foreign_modules[:] = result["foreign_modules"]
    for one in imports:
        _say(console, f"import  {one.side} {median(one.seconds) * 1e3:.1f} ms")
    return imports


def _track(turns: Sequence[T], what: str, console: Console) -> Iterable[T]:
    return track(turns, what, console=console, transient=True, disable=not console.is_terminal)


def _say(console: Console, text: str) -> None:
    console.print(text, highlight=False, soft_wrap=True)
