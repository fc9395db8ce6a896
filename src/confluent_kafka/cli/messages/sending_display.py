"""The progress of `produce` on a terminal."""

from __future__ import annotations

from confluent_kafka.cli.base.terminal import open_console


class Display:
    """The progress on the terminal: how much of the input is delivered.

    Args:
        total: the size of the input; None if it is not known. The bar then only shows that the
            command is working.
    """

    def __init__(self, total: float | None) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TimeElapsedColumn(),
            console=open_console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task("0 delivered", total=total)

    def __enter__(self) -> None:
        self._progress.start()

    def __exit__(self, *exception: object) -> None:
        self._progress.stop()

    def update(self, delivered: int, size: float) -> None:
        """Show how many messages are delivered, and how much of the input that is."""
        self._progress.update(self._task, description=f"{delivered:,} delivered", completed=size)
