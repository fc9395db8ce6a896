"""Shows the progress on the terminal, or as plain lines if there is no terminal."""

from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn

from .state import Member, Run


class Display:
    """Shows bars for the producer, for the job, and for the members of the group."""

    def __init__(self, console: Console, run: Run) -> None:
        self._console = console
        self._run = run
        self._progress = Progress(
            TextColumn("{task.description:<9}"),
            BarColumn(bar_width=28),
            TextColumn("{task.completed:>9,.0f}"),
            TextColumn(" {task.fields[note]}", style="dim"),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )
        self._producer = self._add("producer", run.flights)
        self._job = self._add("Spark", run.flights)
        self._members = [self._add(member.name, None) for member in run.members]

    def __enter__(self) -> "Display":
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def say(self, text: str) -> None:
        """Print a line that stays on the terminal."""
        self._console.print(
            f"[dim]{self._run.elapsed:5.1f} s[/]  {text}", highlight=False, soft_wrap=True
        )

    def update(self) -> None:
        """Show the progress of the run."""
        run = self._run
        self._show(self._producer, run.deliveries.delivered, self._producer_note())
        self._show(self._job, run.job.rows, self._job_note())
        for task, member in zip(self._members, run.members, strict=True):
            self._progress.update(task, total=run.results or None)
            self._show(task, member.rows, _member_note(member))

    def _add(self, name: str, total: float | None) -> TaskID:
        return self._progress.add_task(name, total=total, note="")

    def _show(self, task: TaskID, completed: int, note: str) -> None:
        self._progress.update(task, completed=completed, note=note)

    def _producer_note(self) -> str:
        deliveries = self._run.deliveries
        return f"{deliveries.waiting:,} on their way · {deliveries.round_trip:.1f} ms round trip"

    def _job_note(self) -> str:
        job = self._run.job
        if not job.version:
            return "starting"
        return f"{job.windows:,} open windows · watermark {job.watermark[:10] or '-'}"


def _member_note(member: Member) -> str:
    partitions = ", ".join(map(str, sorted(member.partitions))) or "none yet"
    return f"partitions {partitions} · {member.commits} commits"
