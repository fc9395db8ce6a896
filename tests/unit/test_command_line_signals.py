"""Ctrl-C in commands that wait."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("typer", reason="the extra [cli] is not installed")

INTERRUPTED_INSIDE_WAIT = """\
import signal, threading
from confluent_kafka.cli.pipeline import _set_on_signals

stopped = threading.Event()
_set_on_signals(stopped)
with stopped._cond:  # as wait() holds it for a moment, again and again
    signal.raise_signal(signal.SIGINT)
assert stopped.wait(30)
"""


def test_ctrl_c_ends_a_pipeline_wherever_it_comes() -> None:
    """The handler does not wait for a lock that the thread it interrupts holds."""
    subprocess.run([sys.executable, "-c", INTERRUPTED_INSIDE_WAIT], check=True, timeout=60)
