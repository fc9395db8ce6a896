"""Runs the measured programs, each in its own process, which prints one line of JSON."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.cluster import Cluster
from benchmarks.native_program import ROOT
from benchmarks.rows import Side

TIMEOUT_SECONDS = 300


class ProgramError(Exception):
    """A measured program failed; the message contains the command and its output."""


@dataclass(frozen=True)
class Programs:
    """The interpreter of each client, and the native program."""

    ours: Path
    peer: Path
    native: Path

    def run(
        self, side: Side, program: tuple[str, ...], cluster: Cluster, *options: str
    ) -> dict[str, Any]:
        """Run one program on the cluster; return its result."""
        name, *arguments = program
        command = (
            [str(self.native), name]
            if side is Side.NATIVE
            else [str(self._python(side)), "-m", f"benchmarks.workloads.{name}"]
        )
        return _json_line(
            [*command, *arguments, "--bootstrap", cluster.bootstrap_servers, *options],
            _environment(side),
        )

    def import_once(self, side: Side) -> dict[str, Any]:
        """Import the client in a new process; return the duration and the loaded modules."""
        script = ROOT / "benchmarks" / "workloads" / "imports.py"
        return _json_line([str(self._python(side)), str(script)], _environment(side))

    def versions(self, side: Side) -> tuple[str, str]:
        """Return the versions of a client and of its librdkafka."""
        code = (
            "import confluent_kafka, importlib.metadata, json;"
            "print(json.dumps({'client': importlib.metadata.version('confluent-kafka'),"
            " 'librdkafka': confluent_kafka.libversion()[0]}))"
        )
        versions = _json_line([str(self._python(side)), "-c", code], _environment(side))
        return versions["client"], versions["librdkafka"]

    def _python(self, side: Side) -> Path:
        return self.ours if side is Side.OURS else self.peer


def _environment(side: Side) -> dict[str, str]:
    """Return the environment of a program. Our PYTHONPATH must not change the peer's imports."""
    environment = dict(os.environ)
    if side is Side.PEER:
        environment.pop("PYTHONPATH", None)
    return environment


def _json_line(command: list[str], environment: dict[str, str]) -> dict[str, Any]:
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise ProgramError(f"{' '.join(command)}\nran for {TIMEOUT_SECONDS} s") from error
    if done.returncode != 0:
        raise ProgramError(f"{' '.join(command)}\n{done.stderr.strip()}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result
