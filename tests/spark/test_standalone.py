"""The data source on a standalone Spark cluster: driver and executors share no memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from confluent_kafka.testing import MockCluster
from tests.support.java import QUICK_START
from tests.support.waiting import wait_until

from .standalone import WORKERS, StandaloneCluster, look_again, standalone_cluster
from .topics import fill, messages, numbered

pytestmark = pytest.mark.spark

_ROOT = Path(__file__).resolve().parents[2]
_PARTITIONS = 2
_ROWS = 2_000
# A job starts a driver and two executors, and the machine may be busy.
_JOB_SECONDS = 560


@pytest.fixture(scope="module")
def standalone(java: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandaloneCluster]:
    """A master and two workers."""
    pytest.importorskip("pyspark", reason="PySpark is not installed")
    with standalone_cluster(tmp_path_factory.mktemp("standalone")) as cluster:
        yield cluster


@pytest.fixture
def source(cluster: MockCluster, new_topic: Callable[..., str]) -> str:
    """A topic with one task for each worker."""
    topic = new_topic(_PARTITIONS)
    fill(cluster, topic, numbered(_ROWS, _PARTITIONS))
    return topic


@pytest.fixture
def target(cluster: MockCluster, source: str) -> str:
    """The prefix of the topics that a job writes."""
    for end in ("copied", "streamed"):
        cluster.create_topic(f"{source}-{end}", _PARTITIONS)
    return source


@contextmanager
def running_job(
    log: Path, master: str, cluster: MockCluster, source: str, gate: Path
) -> Iterator[subprocess.Popen[str]]:
    """Start the job in a process of its own, because its master is not this session's."""
    command = [sys.executable, "-m", "tests.spark.standalone_job", "--master", master]
    command += ["--bootstrap", cluster.bootstrap_servers]
    command += ["--source", source, "--target", source, "--gate", str(gate)]
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command, env=_environment(), stdout=subprocess.PIPE, stderr=errors, text=True
        ) as job,
    ):
        try:
            yield job
        finally:
            job.kill()


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(_ROOT), *sys.path]),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def test_a_job_survives_the_loss_of_an_executor(
    standalone: StandaloneCluster, cluster: MockCluster, source: str, target: str, tmp_path: Path
) -> None:
    """Batch read, batch write and a stream return every row once; a lost executor only causes a
    retry.

    The test kills the executor while both executors process messages of the scan.
    """
    gate, log = tmp_path / "gate", tmp_path / "log"
    begun = [tmp_path / f"gate-{number}" for number in range(_PARTITIONS)]
    with running_job(log, standalone.master, cluster, source, gate) as job:
        wait_until(
            lambda: job.poll() is not None or all(map(Path.exists, begun)),
            step=look_again,
            timeout=_JOB_SECONDS,
        )
        assert job.poll() is None, log.read_text()[-5_000:]
        executors = standalone.executors()
        assert len(executors) == WORKERS
        os.kill(executors[0], signal.SIGKILL)
        gate.touch()
        output, _ = job.communicate(timeout=_JOB_SECONDS)
    assert job.returncode == 0, log.read_text()[-5_000:]
    found = json.loads(output.splitlines()[-1])
    sent = sorted(f"v{number}" for number in range(_ROWS))
    assert found["topics"] == dict.fromkeys((source, *_written(source)), sent)
    assert found["scan"] == {"values": sent, "attempts": 2}


def test_the_same_job_runs_in_one_process(
    spark: Any, cluster: MockCluster, source: str, target: str
) -> None:
    """The same job has the same result on a cluster and on a laptop with ``local[*]``."""
    from . import standalone_job

    found = standalone_job.run(spark, cluster.bootstrap_servers, source, target)
    sent = sorted(f"v{number}" for number in range(_ROWS))
    assert found == dict.fromkeys((source, *_written(source)), sent)


def test_a_pipeline_file_runs_on_the_cluster(
    standalone: StandaloneCluster, cluster: MockCluster, source: str, target: str, tmp_path: Path
) -> None:
    """Only the master differs from a run on ``local[*]``: the file stays as it is."""
    copied, _ = _written(source)
    file = tmp_path / "copy.toml"
    file.write_text(f"""
        name = "copy"
        checkpoint = "checkpoint"
        trigger = "availableNow"
        [kafka]
        bootstrap.servers = "{cluster.bootstrap_servers}"
        [sources.numbers]
        topics = ["{source}"]
        options = {{ startingOffsets = "earliest" }}
        [steps.upper]
        sql = "SELECT upper(cast(value AS string)) AS value FROM numbers"
        [sinks.copied]
        input = "upper"
        topic = "{copied}"
    """)
    command = [sys.executable, "-m", "confluent_kafka", "pipeline", "run", str(file)]
    command += ["--master", standalone.master]
    command += ["--conf", f"spark.executor.extraJavaOptions={QUICK_START}"]
    done = subprocess.run(
        command, cwd=tmp_path, env=_environment(), capture_output=True, timeout=_JOB_SECONDS
    )
    assert done.returncode == 0, done.stderr.decode()[-5_000:]
    found = [bytes(one.value() or b"").decode() for one in messages(cluster, copied, _ROWS)]
    assert sorted(found) == sorted(f'{{"value":"V{number}"}}' for number in range(_ROWS))


def _written(source: str) -> tuple[str, str]:
    return f"{source}-copied", f"{source}-streamed"
