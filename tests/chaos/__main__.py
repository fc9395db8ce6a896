"""Run the chaos scenarios against three brokers and print the results, one row per scenario."""

from __future__ import annotations

import argparse
import logging
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import SkipTest

from rich.console import Console
from rich.table import Table

from tests.chaos.row import Row
from tests.chaos.scenarios import SCENARIOS
from tests.integration.kafka_cluster import running_cluster
from tests.support.waiting import Stopwatch

ROOT = Path(__file__).resolve().parents[2]
COUNTS = ("lost", "duplicated", "out_of_order", "unreported")


def main() -> int:
    """Run the scenarios; return 1 if a scenario broke a promise."""
    args = _arguments()
    console = Console()
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    logging.basicConfig(filename=folder / "clients.log", format="%(asctime)s %(message)s")
    kept = True
    with running_cluster(_kafka_home(), folder) as kafka:
        for scenario in SCENARIOS:
            if args.only in scenario.name:
                watch = Stopwatch()
                try:
                    row = scenario.run(kafka, **(scenario.short if args.short else scenario.full))
                except SkipTest as reason:
                    console.print(f"not run: {scenario.name} ({reason})")
                    continue
                console.print(_table(row, watch.elapsed))
                kept = kept and row.kept
    if kept:
        shutil.rmtree(folder)
        return 0
    console.print(f"a promise was not kept; the logs are in {folder}")
    return 1


def _kafka_home() -> Path:
    command = [sys.executable, str(ROOT / "tools" / "kafka.py")]
    return Path(
        subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT", help="scenarios whose name has TEXT")
    parser.add_argument("--short", action="store_true", help="run at the short scale of the tests")
    return parser.parse_args()


def _table(row: Row, seconds: float) -> Table:
    """A table of one row: a scenario may take an hour, so its row is printed at once."""
    table = Table(
        title=f"{row.scenario}: {row.fault}",
        caption="; ".join([*row.broken, row.notes, f"{seconds:.0f} s"]),
        min_width=78,
    )
    for heading in ("times", "messages", *COUNTS):
        table.add_column(heading.replace("_", " "), justify="right")
    counts = [
        f"{getattr(row, name):,}" + ("" if name in row.promised else " (allowed)")
        for name in COUNTS
    ]
    table.add_row(f"{row.times:,}", f"{row.messages:,}", *counts)
    return table


if __name__ == "__main__":
    sys.exit(main())
