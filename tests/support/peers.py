"""Installs other clients in environments of their own, and reads the output of programs there."""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

import pytest

ENVIRONMENTS = Path(__file__).resolve().parents[2] / "build" / "peers"
INSTALLATION, PROGRAM = 120, 100  # in seconds; the sum is less than faulthandler_timeout


class InstallationError(Exception):
    """A package cannot be installed here."""


def environment(requirement: str) -> Path:
    """An interpreter that has a package. The first test installs the package for all tests.

    Args:
        requirement: the package and its version, in pip's syntax.

    Raises:
        InstallationError: the package cannot be installed.
    """
    folder = ENVIRONMENTS / f"{requirement}-py{sys.version_info[0]}.{sys.version_info[1]}"
    ready = folder / "ready"
    ENVIRONMENTS.mkdir(parents=True, exist_ok=True)
    with (ENVIRONMENTS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run in several processes
        python = folder / "bin" / "python"
        if not ready.exists():
            venv.create(folder, with_pip=True, clear=True)
            install = [str(python), "-m", "pip", "install", "-q", requirement]
            try:
                subprocess.run(install, check=True, timeout=INSTALLATION, capture_output=True)
            except (OSError, subprocess.SubprocessError) as error:
                raise InstallationError(f"{requirement} cannot be installed: {error}") from error
            ready.touch()
    return python


def installed(requirement: str) -> Path:
    """The same as environment(), but skips the test if the package cannot be installed."""
    try:
        return environment(requirement)
    except InstallationError as error:
        pytest.skip(str(error))


def outcomes(process: subprocess.Popen[bytes]) -> dict[str, list[Any]]:
    """The results that the program has printed, by the names of the calls."""
    output, complaints = process.communicate(timeout=PROGRAM)
    assert process.returncode == 0, complaints.decode()[-4000:]
    found: dict[str, list[Any]] = {}
    for line in output.decode().splitlines():
        name, outcome = json.loads(line)
        found.setdefault(name, []).append(outcome)
    return found
