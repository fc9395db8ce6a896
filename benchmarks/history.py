"""The ratios of each full run, one JSON object per line, and the rows that became slower."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.figures import figure
from benchmarks.measure import Result
from benchmarks.native_program import ROOT
from benchmarks.programs import Programs
from benchmarks.rows import Side

FILE = ROOT / "benchmarks" / "history.jsonl"
# If a ratio falls by more than this fraction, it is a regression.
TOLERANCE = 0.10
_MACHINE = ("cpu", "cores")

Entry = dict[str, Any]


def entry_of(results: Sequence[Result], programs: Programs) -> Entry:
    """Return the entry of a run for the history file."""
    _, ours = programs.versions(Side.OURS)
    peer, theirs = programs.versions(Side.PEER)
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "librdkafka": {"ours": ours, "peer": theirs},
        "confluent-kafka": peer,
        "rows": rows_of(results),
    }


def rows_of(results: Sequence[Result]) -> dict[str, dict[str, float]]:
    """Return the ratio and both rates (messages per second) of each row, by the row's name."""
    return {
        result.row.name: {
            "ratio": float(f"{result.ratios[Side.PEER]:.4g}"),
            "ours": float(f"{result.rates[Side.OURS]:.4g}"),
            "peer": float(f"{result.rates[Side.PEER]:.4g}"),
        }
        for result in results
    }


def cpu_model(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return the name of the processor; outside Linux, the name that Python reports."""
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def read(file: Path = FILE) -> list[Entry]:
    """Return all runs, the oldest first."""
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]


def append(entry: Entry, file: Path = FILE) -> None:
    """Append a run to the file."""
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(entry, ensure_ascii=False) + "\n")


def regressions(entry: Entry, earlier: Iterable[Entry]) -> list[str]:
    """Return a line for each row whose ratio fell since the last run on the same machine."""
    same = [one for one in earlier if all(one[key] == entry[key] for key in _MACHINE)]
    if not same:
        return []
    last = same[-1]
    return [
        f"regression: {name}: ratio {figure(row['ratio'])}, on {last['date']} it was "
        f"{figure(before['ratio'])}"
        for name, row in entry["rows"].items()
        if (before := last["rows"].get(name)) and row["ratio"] < before["ratio"] * (1 - TOLERANCE)
    ]
