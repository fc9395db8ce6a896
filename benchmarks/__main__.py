"""Compares this client with other clients and with native C, and prints the tables as Markdown.

A full run also writes results.md, appends its ratios to history.jsonl and draws the pictures.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from benchmarks import history, native_program, picture
from benchmarks.cluster import running_cluster
from benchmarks.measure import (
    measure_import,
    measure_memory,
    measure_pending,
    measure_speed,
    measure_waiting,
)
from benchmarks.native_program import ROOT
from benchmarks.programs import ProgramError, Programs
from benchmarks.report import markdown, missed_bars, verdicts
from benchmarks.rows import (
    MAX_MESSAGES,
    MEMORY_ROUNDS,
    MEMORY_ROWS,
    PARTITIONS,
    PENDING_ROW,
    ROWS,
    RUN_LENGTH,
    WAITING_ROWS,
)

RESULTS = ROOT / "benchmarks" / "results.md"
PEER = ROOT / ".venv-peer" / "bin" / "python"


def main() -> int:
    """Run the benchmarks; return the exit status, which does not depend on the bars."""
    args = _arguments()
    console = Console(stderr=True)
    try:
        report = _run(args, console)
    except ProgramError as error:
        print(f"error: a measured program failed: {error}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(report.text, end="")
    for line in report.remarks:
        console.print(line, highlight=False, soft_wrap=True)
    if args.output:
        args.output.write_text(report.text, encoding="utf-8")
    if args.is_full:
        history.append(report.entry)
        picture.draw(history.read())
    return 0


@dataclass(frozen=True)
class Report:
    """The tables, the lines for the console only, and the entry for the history."""

    text: str
    remarks: list[str]
    entry: history.Entry


def _run(args: argparse.Namespace, console: Console) -> Report:
    console.print("building the native program")
    programs = Programs(args.ours, args.peer, native_program.build())
    rows = [row for row in ROWS if args.only in row.name]
    memory_rows = [row for row in MEMORY_ROWS if args.only in f"memory: {row.name}"]
    waiting_rows = [row for row in WAITING_ROWS if args.only in row.name]
    with running_cluster(programs.native, args.messages) as cluster:
        waits = measure_waiting(programs, cluster, waiting_rows, args.rounds, console)
        speeds = measure_speed(programs, cluster, rows, args.rounds, args.messages, console)
        memories = measure_memory(
            programs, cluster, memory_rows, MEMORY_ROUNDS, args.messages, console
        )
        asks_pending = args.only in f"memory: {PENDING_ROW}"
        pending = measure_pending(programs, cluster, console) if asks_pending else None
        imports = measure_import(programs, console) if args.only in "import" else []
        results = [speed.result() for speed in speeds]
        text = markdown(
            *(programs, cluster, results, waits, memories, pending, imports),
            *(args.rounds, args.messages),
        )
    entry = history.entry_of(results, programs)
    remarks = missed_bars(verdicts(results, waits, memories, imports))
    if args.is_full:
        remarks += history.regressions(entry, history.read())
    return Report(text, remarks, entry)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, help="rounds of each speed row (default: 5)")
    parser.add_argument(
        "--messages", type=int, help=f"messages of each run (default: {MAX_MESSAGES})"
    )
    parser.add_argument("--quick", action="store_true", help="fewer and smaller rounds")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="rows with TEXT in their name (rows.py)"
    )
    parser.add_argument(
        "--output", type=Path, help=f"where a full run writes the report (default: {RESULTS})"
    )
    parser.add_argument("--peer", type=Path, default=PEER, help="interpreter of confluent-kafka")
    parser.add_argument(
        "--ours", type=Path, default=Path(sys.executable), help="interpreter of this client"
    )
    args = parser.parse_args()
    if not args.peer.exists():
        parser.error(f"there is no {args.peer}: 'make bench' creates it, or name one with --peer")
    args.rounds = args.rounds or (2 if args.quick else 5)
    args.messages = args.messages or (MAX_MESSAGES // 5 if args.quick else MAX_MESSAGES)
    if not 0 < args.messages <= MAX_MESSAGES or args.messages % (PARTITIONS * RUN_LENGTH):
        parser.error(
            f"--messages must be a multiple of {PARTITIONS * RUN_LENGTH} up to {MAX_MESSAGES} "
            f"(what the cluster keeps), not {args.messages}"
        )
    # A partial or quick run must not replace the results of a full run.
    args.is_full = args.output is None and not args.quick and not args.only
    if args.is_full:
        args.output = RESULTS
    return args


if __name__ == "__main__":
    sys.exit(main())
