"""A standalone Spark cluster from pip's PySpark: a master and two workers, each a process."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.java import QUICK_START
from tests.support.waiting import wait_until

WORKERS = 2
# Each process starts a Java virtual machine, and the machine may be busy.
_READY_SECONDS = 180.0
_STOP_SECONDS = 30.0


@dataclass(frozen=True)
class StandaloneCluster:
    """The address of the master, and the processes of the workers."""

    master: str
    workers: tuple[int, ...]

    def executors(self) -> list[int]:
        """Return the processes that run the tasks of an application: children of the workers."""
        return [
            int(process.name)
            for process in Path("/proc").glob("[0-9]*")
            if _parent(process) in self.workers
            and b"CoarseGrainedExecutorBackend" in _read(process / "cmdline")
        ]


@contextmanager
def standalone_cluster(folder: Path) -> Iterator[StandaloneCluster]:
    """Run a cluster with one core in each worker until the exit; logs in ``folder``."""
    processes: list[subprocess.Popen[bytes]] = []
    try:
        log = folder / "master.log"
        processes.append(_start("master.Master", log, "--port", "0"))
        master = _wait_for(log, r"Starting Spark master at (spark://\S+)", processes[0])
        logs = [folder / f"worker-{number}.log" for number in range(WORKERS)]
        options = ("--cores", "1", "--memory", "1g", "--work-dir", str(folder / "work"))
        workers = [_start("worker.Worker", log, master, "--port", "0", *options) for log in logs]
        processes += workers
        for log, worker in zip(logs, workers, strict=True):
            _wait_for(log, r"(Successfully registered with master)", worker)
        yield StandaloneCluster(master, tuple(worker.pid for worker in workers))
    finally:
        # Stop the workers first: they stop their executors.
        for process in reversed(processes):
            _stop(process)


def look_again() -> None:
    """The pause between two checks: frequent checks would slow the start of Java."""
    time.sleep(0.05)


def _start(name: str, log: Path, *arguments: str) -> subprocess.Popen[bytes]:
    import pyspark

    home = Path(pyspark.__file__).parent
    command = [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *arguments]
    environment = {
        **os.environ,
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": QUICK_START,
        # No test submits jobs over REST.
        "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",
    }
    with log.open("wb") as output:
        # spark-class replaces itself with Java, so this process id is Java's.
        return subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--webui-port", "0"],
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )


def _wait_for(log: Path, pattern: str, process: subprocess.Popen[bytes]) -> str:
    """Wait for a line in a log; return the group in it."""
    found: list[str] = []

    def is_there() -> bool:
        text = log.read_text(errors="replace")
        assert process.poll() is None, f"{log} ends with:\n{text[-2_000:]}"
        found[:] = re.findall(pattern, text)
        return bool(found)

    wait_until(is_there, step=look_again, timeout=_READY_SECONDS)
    return found[0]


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _parent(process: Path) -> int:
    # The command is in brackets and may contain anything. The parent is the second field after it.
    fields = _read(process / "stat").rpartition(b")")[2].split()
    return int(fields[1]) if fields else 0


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""  # The process has ended meanwhile.
