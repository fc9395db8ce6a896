"""Compiles C programs and preloaded libraries for tests.

The programs use the extension's librdkafka. The system's loader loads a preloaded library before
all other libraries.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The limit in seconds for compiling a file, which takes about one second.
_COMPILES_WITHIN = 300


def build_program(source: Path, folder: Path, *options: str, watched: bool = False) -> Path:
    """Compiles `source`. `options` go to the compiler.

    If the thread sanitizer watches the program, it must also watch librdkafka. `make tsan` builds
    such a librdkafka.
    """
    program = folder / source.stem
    sanitizer = {"SANITIZE": "thread"} if watched else {}
    if watched:
        options = (*options, "-fsanitize=thread", "-g")
    command = ["cc", "-std=gnu11", *options, "-o", program, *_flags("cflags", sanitizer), source]
    subprocess.run([*command, *_flags("libs", sanitizer)], check=True, timeout=_COMPILES_WITHIN)
    return program


def build_preload(source: Path, folder: Path) -> dict[str, str]:
    """Compiles `source` as a library; returns the environment that preloads it.

    Its functions then replace the process's own functions. Only a sanitizer's functions take
    precedence.
    """
    library = folder / f"{source.stem}.so"
    command = ["cc", "-std=gnu11", "-shared", "-fPIC", "-o", str(library), str(source)]
    subprocess.run(command, check=True, timeout=_COMPILES_WITHIN)
    before = os.environ.get("LD_PRELOAD", "").split()
    return {"LD_PRELOAD": " ".join([*before, str(library)])}


def run_program(
    program: Path, *arguments: str, timeout: int = 120, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs a program without the sanitizer's preloaded library, which is only for the extension."""
    inherited = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    return subprocess.run(
        [program, *arguments],
        env=inherited | environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def _flags(kind: str, environment: dict[str, str]) -> list[str]:
    command = [sys.executable, str(ROOT / "tools" / "librdkafka.py"), "--print", kind]
    done = subprocess.run(
        command, env=os.environ | environment, check=True, capture_output=True, text=True
    )
    return shlex.split(done.stdout)
