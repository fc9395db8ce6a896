"""Output to stderr during a start is dropped, and shown if the start fails."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka.cli.pipelines import held_back

PROGRAM = """
import subprocess, sys, threading
from confluent_kafka.cli.pipelines.held_back import held_back

child = "import sys; print('noise', file=sys.stderr, flush=True); input();" \
    "print('later', file=sys.stderr, flush=True)"
try:
    with held_back(threading.Event()):
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
    """stderr during the start is shown only if the start fails, even a megabyte of it."""
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


INTERRUPTED = """
import subprocess, sys, threading
from confluent_kafka.cli.pipelines.held_back import held_back

child = "import sys; input(); print('at the end', file=sys.stderr, flush=True)"
dropped = threading.Event()
with held_back(dropped):
    process = subprocess.Popen([sys.executable, "-c", child], stdin=subprocess.PIPE)
{before}
process.communicate(b"\\n")
# The pipe's other end is open for as long as somebody reads it.
while any(thread.name.endswith("(pass_on)") for thread in threading.enumerate()):
    threading.Event().wait(0.01)
print("end", file=sys.stderr, flush=True)
"""


@pytest.mark.parametrize("is_dropped", [False, True])
def test_what_is_written_at_an_interruption_is_dropped(is_dropped: bool) -> None:
    """After Ctrl-C, which the started programs also get, their tracebacks are dropped.

    Other output is kept.
    """
    program = INTERRUPTED.replace("{before}", "dropped.set()" if is_dropped else "")
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == (["end"] if is_dropped else ["at the end", "end"])


FRAME = (
    b'  File "/x/site-packages/pyspark/python/lib/pyspark.zip/pyspark/daemon.py", line 264, in f\n'
)
OWN = b'  File "/home/me/functions.py", line 1, in louder\n    raise BrokenPipeError\n'
BEGIN = b"Traceback (most recent call last):\n"
BROKEN = b"BrokenPipeError: [Errno 32] Broken pipe\n"


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        (BEGIN + FRAME + FRAME + BROKEN, b""),
        (b"a\n" + BEGIN + FRAME + BROKEN + b"b\n", b"a\nb\n"),
        (BEGIN + FRAME + BEGIN + FRAME + BROKEN + BROKEN + b"b", b"b"),
        (BEGIN + OWN + BROKEN, BEGIN + OWN + BROKEN),
        (BEGIN + FRAME + b"ValueError: x\n", BEGIN + FRAME + b"ValueError: x\n"),
        (BEGIN + FRAME, BEGIN + FRAME),
        (BEGIN + FRAME + b"Val", BEGIN + FRAME + b"Val"),
        (b"  indented\n" + BROKEN, b"  indented\n" + BROKEN),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_broken_pipes_of_pyspark(output: bytes, shown: bytes, size: int) -> None:
    """Only PySpark's tracebacks of broken pipes are left out of the output, whatever pieces the
    output arrives in."""
    lines = held_back._Lines()
    parts = [output[begin : begin + size] for begin in range(0, len(output), size)]
    assert b"".join([*map(lines.add, parts), lines.rest()]) == shown
