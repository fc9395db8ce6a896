"""The progress of commands that send messages, on a terminal."""

from __future__ import annotations

import time

from confluent_kafka.cli.base.terminal import open_console


class Display:
    """The progress on the terminal: how much of the input is processed, and the rate.

    Args:
        total: the size of the input; None if it is not known. The bar then only shows that the
            command is working.
        done: what happens with messages: "delivered" or "copied".
    """

    def __init__(self, total: float | None, done: str = "delivered") -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._done = done
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            console=open_console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task(f"0 {done}", total=total)
        self._since = time.monotonic()

    def __enter__(self) -> None:
        self._progress.start()

    def __exit__(self, *exception: object) -> None:
        self._progress.stop()

    def update(self, count: int, size: float) -> None:
        """Show how many messages and how much of the input are processed, and the rate."""
        rate = count / max(time.monotonic() - self._since, 1e-3)
        self._progress.update(
            self._task, description=f"{count:,} {self._done}, {rate:,.0f}/s", completed=size
        )
