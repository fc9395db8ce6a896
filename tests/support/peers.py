"""Another client in an environment of its own, and what a program prints there."""

from __future__ import annotations

import json
import subprocess
import venv
from pathlib import Path
from typing import Any

import pytest

INSTALLATION, PROGRAM = 60, 100  # seconds; together less than faulthandler_timeout


def installed(folder: Path, requirement: str) -> Path:
    """An interpreter that has a package; the test is skipped where it cannot be installed."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    install = [str(python), "-m", "pip", "install", "-q", requirement]
    try:
        subprocess.run(install, check=True, timeout=INSTALLATION, capture_output=True)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"{requirement} cannot be installed: {error}")
    return python


def outcomes(process: subprocess.Popen[bytes]) -> dict[str, list[Any]]:
    """What the program has printed, by the names of the calls."""
    output, complaints = process.communicate(timeout=PROGRAM)
    assert process.returncode == 0, complaints.decode()[-4000:]
    found: dict[str, list[Any]] = {}
    for line in output.decode().splitlines():
        name, outcome = json.loads(line)
        found.setdefault(name, []).append(outcome)
    return found
