"""Runs the cases of a call in separate processes, and finds crashes, hangs and unexpected
results."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from dataclasses import dataclass, field

# In seconds; a worker that writes no line for this long should have detected its own hang.
SILENCE = 90


@dataclass
class Figures:
    """The results of the cases of one call or of several calls."""

    cases: int = 0
    used: int = 0  # number of cases in which a response was really changed
    returned: int = 0
    raised: int = 0
    slowest: float = 0.0
    found: list[str] = field(default_factory=list)  # the failures

    def add(self, other: Figures) -> None:
        self.cases += other.cases
        self.used += other.used
        self.returned += other.returned
        self.raised += other.raised
        self.slowest = max(self.slowest, other.slowest)
        self.found += other.found


def run(call: str, *options: str) -> Figures:
    """Run all cases of a call.

    If a process ends too early, another process runs the remaining cases.
    """
    figures, first = Figures(), 0
    while True:
        after = _process(call, first, figures, options)
        if after is None:
            return figures
        first = after


def _process(call: str, first: int, figures: Figures, options: tuple[str, ...]) -> int | None:
    """Run a worker from case `first`; return the next case to run, or None after the last case."""
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.matrix.worker", call]
    command += ["--first", str(first), *options]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines: queue.Queue[str] = queue.Queue()
    errors: list[str] = []
    assert process.stdout is not None
    assert process.stderr is not None
    readers = [
        threading.Thread(target=_pass_on, args=(process.stdout, lines), daemon=True),
        threading.Thread(target=lambda: errors.append(process.stderr.read()), daemon=True),
    ]
    for reader in readers:
        reader.start()
    number, change, ended = first - 1, "before the first case", False
    while True:
        try:
            line = lines.get(timeout=SILENCE)
        except queue.Empty:
            process.kill()
            line = ""
        if not line:
            break
        said = json.loads(line)
        if "case" in said:
            number, change = said["case"], said["change"]
        elif "outcome" in said:
            _count(figures, f"{call}: {change}", said)
        elif "clean" in said:
            ended = True
            if said["clean"].startswith("UNEXPECTED") or said["threads"] != ["MainThread"]:
                figures.found.append(f"{call}, afterwards: {said}")
    code = process.wait()
    for reader in readers:
        reader.join()
    process.stdout.close()
    process.stderr.close()
    if code == 0 and ended:
        return None
    when = "afterwards" if ended else change  # LeakSanitizer reports leaks at the end
    figures.found.append(f"{call}: {when}: ended with {code}\n{errors[0][-8000:]}")
    return None if ended or number < first else number + 1


def _pass_on(stream: object, lines: queue.Queue[str]) -> None:
    for line in stream:  # type: ignore[attr-defined]
        if line.startswith("{"):
            lines.put(line)
    lines.put("")


def _count(figures: Figures, case: str, said: dict[str, object]) -> None:
    outcome, seconds, used = said["outcome"], said["seconds"], said["used"]
    assert isinstance(outcome, str)
    assert isinstance(seconds, float)
    figures.cases += 1
    figures.used += bool(used)
    figures.returned += outcome == "returned"
    figures.raised += outcome.startswith("raised")
    figures.slowest = max(figures.slowest, seconds)
    if outcome.startswith("UNEXPECTED"):
        figures.found.append(f"{case}: {outcome}")
