"""The progress of a pipeline on the terminal; plain lines where there is no terminal."""

from __future__ import annotations

import time
from dataclasses import dataclass
from types import TracebackType

from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table

from confluent_kafka.spark.pipeline import Progress

# A topic may have thousands of partitions: those furthest behind are shown.
_MOST_PARTITIONS = 10


@dataclass
class _Totals:
    """What a query has come to in this run."""

    batches: int = 0
    rows: int = 0
    dropped: int = 0

    def add(self, progress: Progress) -> None:
        self.batches += 1
        self.rows += progress.rows
        self.dropped += progress.dropped


class Board:
    """The state of the queries of a run; shows it while it is entered.

    Args:
        console: where it is shown.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._started = time.monotonic()
        self._last: dict[str, Progress] = {}
        self._totals: dict[str, _Totals] = {}
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> Board:
        self._console.print(f"running, {_seconds(self._started)} s to start; Ctrl-C ends it")
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
            batches = f"{totals.batches:,} batch{'' if totals.batches == 1 else 'es'}"
            self._console.print(f"query {name}: {totals.rows:,} rows in {batches}{late}")
        self._console.print(f"ended after {_seconds(self._started)} s")

    def _queries(self) -> Table:
        shown = Table(box=box.SIMPLE_HEAD)
        shown.add_column("query")
        for name in ("batch", "rows", "rows/s", "batch takes", "lag", "state", "watermark"):
            shown.add_column(name, justify="right")
        for name, last in self._last.items():
            shown.add_row(
                name,
                f"{last.batch:,}",
                f"{self._totals[name].rows:,}",
                f"{last.rows_per_second:,.0f}",
                f"{last.seconds:.2f} s",
                f"{sum(last.lag.values()):,}",
                _state(last),
                last.watermark[:19] or "-",
            )
        return shown

    def _partitions(self) -> Table:
        behind = {
            partition: lag
            for progress in self._last.values()
            for partition, lag in progress.lag.items()
        }
        furthest = sorted(behind.items(), key=lambda item: (-item[1], item[0]))
        shown = Table(box=box.SIMPLE_HEAD)
        shown.add_column("partition")
        shown.add_column("lag", justify="right")
        for partition, lag in furthest[:_MOST_PARTITIONS]:
            shown.add_row(str(partition), f"{lag:,}")
        if len(furthest) > _MOST_PARTITIONS:
            shown.add_row(f"and {len(furthest) - _MOST_PARTITIONS} more with less lag", "")
        return shown


def _line(progress: Progress) -> str:
    behind = {str(one): lag for one, lag in progress.lag.items() if lag}
    furthest = sorted(behind.items(), key=lambda item: -item[1])[:_MOST_PARTITIONS]
    details = ", ".join(f"{partition} {lag:,}" for partition, lag in furthest)
    lag = f"{sum(behind.values()):,}" + (f" ({details})" if details else "")
    return (
        f"query {progress.query}: batch {progress.batch}, {progress.rows:,} rows, "
        f"{progress.rows_per_second:,.0f} rows/s, {progress.seconds:.2f} s, lag {lag}, "
        f"state {_state(progress)}"
    )


def _state(progress: Progress) -> str:
    return f"{progress.state_rows:,} rows, {progress.state_bytes / 1e6:,.1f} MB"


def _seconds(since: float) -> str:
    return f"{time.monotonic() - since:.1f}"
