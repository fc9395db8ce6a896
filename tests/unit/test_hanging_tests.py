"""The test suite reports a test that never ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import TIMEOUT

pytest.importorskip("xdist", reason="pytest-xdist is not installed")

REPOSITORY = Path(__file__).parents[2]
HOOKS = """
from tests.support.failures import pytest_sessionstart
from tests.support.side_by_side import pytest_xdist_make_scheduler
"""
TESTS = """
import threading

def test_before(): assert "this" == "that"
def test_hangs(): threading.Event().wait()
def test_after(): pass
def test_and_another(): pass
"""
# Even on a busy machine, no other test takes this long.
HANGS = ["-n", "2", "-o", "faulthandler_timeout=15", "-o", "faulthandler_exit_on_timeout=true"]


def test_it_fails_and_the_others_run(tmp_path: Path) -> None:
    """A hanging test is reported once, with its stack, and other failures are named at once."""
    (tmp_path / "conftest.py").write_text(HOOKS)
    (tmp_path / "test_it.py").write_text(TESTS)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *HANGS],
        cwd=tmp_path,
        env={"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=3 * TIMEOUT,
    )
    assert done.returncode == 1
    assert "2 failed, 2 passed" in done.stdout
    assert "\nfailed: test_it.py::test_before: AssertionError: assert 'this' ==" in done.stdout
    assert done.stdout.count("\nfailed: test_it.py::test_hangs: worker ") == 1
    assert ", line 5 in test_hangs" in done.stderr
