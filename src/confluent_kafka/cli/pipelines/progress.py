"""The progress of a pipeline: a display on a terminal, and plain lines elsewhere."""

from __future__ import annotations

import time
from dataclasses import dataclass
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live

from confluent_kafka.cli.base.tables import Drawn
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.spark.pipeline import Progress

# A topic can have thousands of partitions: the display shows the ones with the largest lag.
_MOST_PARTITIONS = 10
_NUMBERS = ("batch", "rows", "rows/s", "batch takes", "lag", "state", "watermark")


@dataclass
class _Totals:
    """The totals of a query in this run."""

    batches: int = 0
    rows: int = 0
    dropped: int = 0

    def add(self, progress: Progress) -> None:
        self.batches += 1
        self.rows += progress.rows
        self.dropped += progress.dropped


class Board:
    """The state of the queries of a run. Shows it inside a ``with`` block.

    Args:
        console: the console that shows it.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._started = time.monotonic()
        self._last: dict[str, Progress] = {}
        self._totals: dict[str, _Totals] = {}
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> Board:
        self._console.print(f"running after {_seconds(self._started)} s; press Ctrl-C to stop")
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._live.stop()

    def add(self, progress: Progress) -> None:
        """Add a micro-batch to the display."""
        self._last[progress.query] = progress
        self._totals.setdefault(progress.query, _Totals()).add(progress)
        if self._console.is_terminal:
            self._live.update(Group(self._queries(), self._partitions()), refresh=True)
        else:
            self._console.print(_line(progress), soft_wrap=True)

    def close(self) -> None:
        """Show the summary of the run."""
        for name, totals in self._totals.items():
            late = f", {totals.dropped:,} behind the watermark" if totals.dropped else ""
            rows = counted(totals.rows, "row")
            batches = counted(totals.batches, "batch", "batches")
            self._console.print(f"query {name}: {rows} in {batches}{late}")
        self._console.print(f"ended after {_seconds(self._started)} s")

    def _queries(self) -> Drawn:
        rows = [
            [
                name,
                f"{last.batch:,}",
                f"{self._totals[name].rows:,}",
                f"{last.rows_per_second:,.0f}",
                f"{last.seconds:.2f} s",
                f"{sum(last.lag.values()):,}",
                _state(last),
                last.watermark[:19] or "-",
            ]
            for name, last in self._last.items()
        ]
        return Drawn(("query", *_NUMBERS), rows, right=_NUMBERS)

    def _partitions(self) -> Drawn:
        behind = {
            partition: lag
            for progress in self._last.values()
            for partition, lag in progress.lag.items()
        }
        furthest = sorted(behind.items(), key=lambda item: (-item[1], item[0]))
        rows = [[str(partition), f"{lag:,}"] for partition, lag in furthest[:_MOST_PARTITIONS]]
        if len(furthest) > _MOST_PARTITIONS:
            rows.append([f"and {len(furthest) - _MOST_PARTITIONS} more with less lag", ""])
        return Drawn(("partition", "lag"), rows, right=("lag",))


def _line(progress: Progress) -> str:
    behind = {str(one): lag for one, lag in progress.lag.items() if lag}
    furthest = sorted(behind.items(), key=lambda item: -item[1])[:_MOST_PARTITIONS]
    details = ", ".join(f"{partition} {lag:,}" for partition, lag in furthest)
    lag = f"{sum(behind.values()):,}" + (f" ({details})" if details else "")
    return (
        f"query {progress.query}: batch {progress.batch}, {counted(progress.rows, 'row')}, "
        f"{progress.rows_per_second:,.0f} rows/s, {progress.seconds:.2f} s, lag {lag}, "
        f"state {_state(progress)}"
    )


def _state(progress: Progress) -> str:
    return f"{counted(progress.state_rows, 'row')}, {progress.state_bytes / 1e6:,.1f} MB"


def _seconds(since: float) -> str:
    return f"{time.monotonic() - since:.1f}"
