"""Python in a process of its own: for what could crash, hang, fork or end the interpreter."""

from __future__ import annotations

import subprocess
import sys
import textwrap


def run_script(source: str, *args: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Runs `source` (indentation is removed) with sys.argv[1:] = args; captures its output.

    A script that takes longer than `timeout` seconds prints the stacks of all its threads
    and ends with an error: the result never waits for ever.
    """
    guard = f"import faulthandler; faulthandler.dump_traceback_later({timeout}, exit=True)\n"
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", guard + textwrap.dedent(source), *args],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout + 30,
        check=False,
    )


def check_script(source: str, *args: str, timeout: float = 60) -> str:
    """The same for a script that must succeed and write nothing to stderr: its stdout."""
    result = run_script(source, *args, timeout=timeout)
    assert (result.returncode, result.stderr) == (0, ""), result.stderr + result.stdout
    return result.stdout
