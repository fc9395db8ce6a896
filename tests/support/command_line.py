"""Runs the command line in this process, which is quick, or in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from typing import NamedTuple

from click.testing import CliRunner

from confluent_kafka.cli import app
from tests.support.waiting import TIMEOUT

COMMAND = [sys.executable, "-m", "confluent_kafka"]


class Ended(NamedTuple):
    """The result of a command."""

    status: int
    stdout: bytes
    stderr: str


def run(*arguments: str, stdin: bytes = b"", environment: dict[str, str] | None = None) -> Ended:
    """Run the command in this process. An exception that the command does not handle is raised."""
    result = CliRunner().invoke(
        app, arguments, input=stdin, env=environment, catch_exceptions=False
    )
    return Ended(result.exit_code, result.stdout_bytes, result.stderr)


def started(*arguments: str) -> subprocess.Popen[bytes]:
    """Start the command in a process of its own, for tests of signals and pipes."""
    return subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def ended(process: subprocess.Popen[bytes]) -> Ended:
    """Waits for the process.

    Kills the process if it does not end, so that it cannot disturb other tests.
    """
    with process:
        try:
            stdout, stderr = process.communicate(timeout=TIMEOUT)
        finally:
            process.kill()
    return Ended(process.returncode, stdout, stderr.decode())


def words(text: str) -> str:
    """The text with a space in place of each line break."""
    return " ".join(text.split())
