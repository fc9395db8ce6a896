"""Builds the native program: the cluster, the loader and the C programs for librdkafka's limit."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = Path(__file__).resolve().parent / "native"
PROGRAM = ROOT / "build" / "benchmarks" / "native"


def build() -> Path:
    """Compile the program with the librdkafka of the extension; return its path."""
    PROGRAM.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        [
            *("cc", "-std=c11", "-O2", *_flags("cflags")),
            *("-o", str(PROGRAM), *map(str, sorted(SOURCES.glob("*.c"))), *_flags("libs")),
        ],
        check=True,
    )
    return PROGRAM


def _flags(kind: str) -> list[str]:
    tool = [sys.executable, str(ROOT / "tools" / "librdkafka.py"), "--print", kind]
    return shlex.split(subprocess.run(tool, check=True, capture_output=True, text=True).stdout)
