"""Runs the demo on its own cluster or on the cluster in ``BOOTSTRAP``.

``python -m examples.flights``.
"""

import argparse
import shutil
import signal
import sys
from pathlib import Path

_OUTPUT = Path("build/demo")
_EQUAL, _FAILED, _INTERRUPTED = 0, 1, 130


def main() -> int:
    """Run the demo and return its exit code: 0 if all rows are equal, 1 if not, 130 on Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m examples.flights", description=__doc__)
    parser.add_argument("--limit", type=_count, help="send only the first flights, this many")
    arguments = parser.parse_args()
    # SIGTERM, for example from a service manager or a time limit, ends the demo like Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return _run(arguments.limit)
    except KeyboardInterrupt:
        print("interrupted: everything that was started has ended")
        return _INTERRUPTED


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def _run(limit: int | None) -> int:
    # Import inside the block, because Ctrl-C may come during the slow import.
    from rich.console import Console

    from confluent_kafka import KafkaException

    from . import chart, report
    from .children import ChildFailed
    from .demo import Demo, Stalled

    console = Console()
    shutil.rmtree(_OUTPUT, ignore_errors=True)
    _OUTPUT.mkdir(parents=True)
    demo = Demo(console, _OUTPUT.absolute(), limit)
    try:
        rows, problems = demo.run()
    except (ChildFailed, KafkaException, Stalled) as failure:
        console.print("[bold red]failed[/]:", failure, highlight=False)
        return _FAILED
    if rows:
        picture = _OUTPUT / "flights.png"
        chart.draw(demo.state, rows, picture)
        console.print(report.table(rows))
        console.print(f"delays and throughput over time: {picture}", highlight=False)
    if problems:
        console.print("[bold red]different[/]", *problems, sep="\n", highlight=False)
        return _FAILED
    console.print(
        f"[bold green]equal[/]: {len(rows):,} rows per carrier and hour, which Spark wrote to "
        "Kafka and Parquet, are the same as the rows that were computed directly",
        highlight=False,
        soft_wrap=True,
    )
    return _EQUAL


if __name__ == "__main__":
    sys.exit(main())
