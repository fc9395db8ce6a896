"""Runs Python scripts in processes of their own, because they could crash, hang, fork or exit."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from confluent_kafka import build_info

# A librdkafka that lacks patches logs a warning with the first client. The warning is not part of
# the script's output.
_QUIET = """
import logging
logging.getLogger("confluent_kafka").addFilter(
    lambda record: "librdkafka (%s) lacks patches" not in str(record.msg)
)
"""

_GUARD = "import faulthandler; faulthandler.dump_traceback_later({timeout}, exit=True)\n"

# faulthandler's own timer is a thread. A forked child does not have this thread, but would wait for
# it at exit. So these scripts use an alarm instead.
_GUARD_OF_FORKS = """
import faulthandler, os, signal, warnings
# CPython 3.12 and newer warn about fork() beside other threads, which is what these scripts test.
warnings.filterwarnings("ignore", ".*multi-threaded.*fork", DeprecationWarning)
faulthandler.register(signal.SIGALRM, chain=True)
signal.alarm({timeout})
os.register_at_fork(after_in_child=lambda: signal.alarm({timeout}))
"""


def run_script(
    source: str,
    *args: str,
    timeout: int = 60,
    forks: bool = False,
    flags: tuple[str, ...] = (),
    env: dict[str, str] | None = None,
    quiet: bool = True,
) -> subprocess.CompletedProcess[str]:
    """Runs `source` (indentation is removed) with sys.argv[1:] = args; captures its output.

    `flags` are options of the interpreter, such as -S; `env` is added to the environment.
    Unless `quiet` is false, no warning of a librdkafka without patches is written.

    If a script takes longer than `timeout` seconds, it prints the stacks of all its threads and
    ends with an error, so this function always returns. The children of a script that forks do the
    same.
    """
    if forks and any(name in os.environ for name in ("ASAN_OPTIONS", "TSAN_OPTIONS")):
        # If another thread holds the lock of a sanitizer's allocator during fork(), the child waits
        # for ever.
        pytest.skip("the sanitizers do not survive fork() beside other threads")
    guard = (_GUARD_OF_FORKS if forks else _GUARD).format(timeout=timeout)
    if quiet and not build_info()["patched"]:
        guard += _QUIET
    script = guard + textwrap.dedent(source)
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", *flags, "-c", script, *args],
        stdin=subprocess.DEVNULL,
        env=os.environ | (env or {}),
        capture_output=True,
        text=True,
        timeout=timeout + 30,
        check=False,
    )


def check_script(
    source: str,
    *args: str,
    timeout: int = 60,
    forks: bool = False,
    flags: tuple[str, ...] = (),
    env: dict[str, str] | None = None,
) -> str:
    """Runs a script that must succeed and write nothing to stderr; returns its stdout."""
    result = run_script(source, *args, timeout=timeout, forks=forks, flags=flags, env=env)
    assert (result.returncode, result.stderr) == (0, ""), result.stderr + result.stdout
    return result.stdout
