"""A run of `make test` that is killed leaves no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.support.children import MARK, marked
from tests.support.waiting import wait_until

# Starts a shell in a session of its own. The shell starts a program in another session. Prints the
# mark of the descendants.
PROGRAM = """
import subprocess, sys
from tests.support.children import MARK, watch_over_children
import os
watch_over_children()
shell = subprocess.Popen(["setsid", "sh", "-c", "setsid sleep 600 & wait"], start_new_session=True)
print(os.environ[MARK], flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="there are no pidfds")
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGABRT, signal.SIGTERM])
def test_children_end_with_their_test_process(ending: signal.Signals) -> None:
    """A test process that is killed or crashes leaves no descendant, even in other sessions."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        mark = process.stdout.readline().strip()
        wait_until(lambda: len(marked(mark)) == 2)  # wait for the shell and the program
        os.kill(process.pid, ending)
        wait_until(lambda: not marked(mark))


def test_this_process_is_watched() -> None:
    """The environment of this process has the mark before a test starts another process."""
    assert os.environ.get(MARK) or not hasattr(os, "pidfd_open")
