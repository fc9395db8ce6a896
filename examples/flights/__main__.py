"""Runs the demo: ``python -m examples.flights``, on its own cluster or on ``BOOTSTRAP``'s."""

import argparse
import shutil
import signal
import sys
from pathlib import Path

from rich.console import Console

from . import chart, report
from .children import ChildFailed
from .demo import Demo, Stalled

_OUTPUT = Path("build/demo")
_EQUAL, _FAILED, _INTERRUPTED = 0, 1, 130


def main() -> int:
    """Run the demo and return its exit code: 0 if all rows are equal, 1 if not, 130 on Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m examples.flights", description=__doc__)
    parser.add_argument("--limit", type=int, help="send only so many flights, the first ones")
    arguments = parser.parse_args()
    console = Console()
    # The same clean end for who asks politely: a service manager, a time limit.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return _run(console, arguments.limit)
    except KeyboardInterrupt:
        console.print("interrupted: everything that was started has ended")
        return _INTERRUPTED
    except (ChildFailed, Stalled) as failure:
        console.print(f"[red]failed[/]: {failure}", highlight=False)
        return _FAILED


def _run(console: Console, limit: int | None) -> int:
    shutil.rmtree(_OUTPUT, ignore_errors=True)
    _OUTPUT.mkdir(parents=True)
    demo = Demo(console, _OUTPUT.absolute(), limit)
    rows, problems = demo.run()
    picture = _OUTPUT / "flights.png"
    chart.draw(demo.state, rows, picture)
    console.print(report.table(rows))
    console.print(f"delays and throughput over time: {picture}", highlight=False)
    if problems:
        console.print("[bold red]different[/]", *problems, sep="\n", highlight=False)
        return _FAILED
    console.print(
        f"[bold green]equal[/]: {len(rows):,} rows per carrier and hour, by Spark into Kafka "
        "and Parquet, are those computed directly, row for row",
        highlight=False,
    )
    return _EQUAL


if __name__ == "__main__":
    sys.exit(main())
