"""What is written to stderr during a start is dropped, shown when the start fails."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("typer", reason="Typer is not installed")

PROGRAM = """
import subprocess, sys
from confluent_kafka.cli.held_back import held_back

child = "import sys; print('noise', file=sys.stderr, flush=True); input();" \
    "print('later', file=sys.stderr, flush=True)"
try:
    with held_back():
        print("x" * 1_000_000, file=sys.stderr, flush=True)
        # Behind that: one write of so much lets others in between.
        process = subprocess.Popen([sys.executable, "-c", child], stdin=subprocess.PIPE)
        {ending}
except RuntimeError as error:
    print(error, file=sys.stderr)
print("between", file=sys.stderr, flush=True)
process.communicate(b"\\n")
"""


@pytest.mark.parametrize("fails", [False, True])
def test_only_a_failed_start_is_shown(fails: bool) -> None:
    """More than a pipe holds; what the started program writes later is always shown."""
    ending = "raise RuntimeError('failed')" if fails else "pass"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("{ending}", ending)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if line not in ("noise", "later")]
    assert lines == (["x" * 1_000_000, "failed", "between"] if fails else ["between"])
