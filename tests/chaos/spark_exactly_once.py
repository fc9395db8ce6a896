"""A Spark query from Kafka to Kafka; driver, executors and Python workers are killed at random."""

from __future__ import annotations

import json
import random
import select
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO, Any
from unittest import SkipTest

from confluent_kafka import Consumer, TopicPartition
from tests.chaos.processes import descendants, kill
from tests.chaos.row import Row
from tests.chaos.traffic import PATIENCE, Reading, send_during
from tests.integration.kafka_cluster import OwnKafkaCluster
from tests.integration.topics import create_topic
from tests.spark.standalone import StandaloneCluster, standalone_cluster
from tests.support.waiting import wait_until

# Without a standalone cluster, the driver is the only executor, and starts faster.
SHORT = {
    "messages": 8_000,
    "rate": 300.0,
    "rows": 5000,
    "kills": 2,
    "seed": 2,
    "standalone": False,
}
FULL = {
    "messages": 100_000,
    "rate": 300.0,
    "rows": 5000,
    "kills": 30,
    "seed": 1,
    "standalone": True,
}

ROOT = Path(__file__).resolve().parents[2]
APPLICATION = "tests.chaos.spark_application"
PARTITIONS = 4
# Some micro-batches end in this time, so a kill can hit any point of a micro-batch.
LONGEST_LIFE = 4.0
# Messages that were sent while drivers started are processed at the end.
CATCHING_UP = 4 * PATIENCE
SOON = 0.3
DRIVER, EXECUTOR, WORKER = "the driver", "an executor", "a Python worker"


def run(
    kafka: OwnKafkaCluster,
    *,
    messages: int,
    rate: float,
    rows: int,
    kills: int,
    seed: int,
    standalone: bool,
    guarantee: str = "exactly-once",
) -> Row:
    try:
        import pyspark  # noqa: F401 - the application needs it
    except ImportError as reason:
        raise SkipTest("PySpark is not installed") from reason
    name = f"spark-{uuid.uuid4().hex[:12]}"
    source, output = f"{name}-in", f"{name}-out"
    create_topic(kafka, source, PARTITIONS)
    create_topic(kafka, output, PARTITIONS)
    chance = random.Random(seed)
    with ExitStack() as stack:
        folder = Path(
            # A killed process may have written a last file after the deletion began.
            stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))
        )
        log = stack.enter_context(tempfile.TemporaryFile("w+"))
        cluster = stack.enter_context(standalone_cluster(folder)) if standalone else None
        application = _Application(
            {
                "master": "local[2,4]" if cluster is None else cluster.master,
                "client": kafka.config(),
                "source": source,
                "output": output,
                "checkpoint": str(folder / "checkpoint"),
                "guarantee": guarantee,
                "rows": rows,
                "until_end": False,
            },
            log,
            cluster,
        )

        def kill_now_and_then() -> None:
            with Consumer(
                kafka.config() | {"group.id": name, "isolation.level": "read_uncommitted"}
            ) as observer:
                for _ in range(kills):
                    _wait_for_a_moment(chance, partial(_end, observer, output))
                    application.kill(chance)

        try:
            sent = send_during(kafka.config(), source, messages, rate, kill_now_and_then)
            application.run_to_end()
        finally:
            application.stop()
    with Reading(
        kafka.config() | {"isolation.level": "read_committed"}, output, PARTITIONS
    ) as reading:
        came = reading.ledger()
    killed = application.killed
    return Row(
        scenario="spark exactly once",
        fault=f"SIGKILL of {', '.join(f'{who} ({killed[who]})' for who in killed)}, seed {seed}",
        times=killed.total(),
        messages=sent.messages,
        lost=came.lost(sent.messages),
        duplicated=came.duplicated,
        out_of_order=came.out_of_order,
        unreported=sent.unreported,
        broken=tuple(application.complaints),
        notes=f"{guarantee}, {rows} rows in a micro-batch",
    )


def _wait_for_a_moment(chance: random.Random, end: Callable[[], int]) -> None:
    """Wait for a random moment, or for one soon after a micro-batch's first rows.

    Then some of its tasks are done and others are not, so a repeated batch would write rows twice.
    Such moments are a small part of the time.
    """
    time.sleep(chance.uniform(0, LONGEST_LIFE))
    if chance.random() < 0.5:
        before = end()
        wait_until(lambda: end() > before, timeout=PATIENCE)
        time.sleep(chance.uniform(0, SOON))


def _end(observer: Consumer, topic: str) -> int:
    """The sum of the end offsets of all partitions, committed or not."""
    partitions = [TopicPartition(topic, number) for number in range(PARTITIONS)]
    return sum(observer.get_watermark_offsets(each, PATIENCE)[1] for each in partitions)


class _Application:
    """The query as a process, with the JVM and Python workers below it."""

    def __init__(
        self, settings: dict[str, Any], log: IO[str], cluster: StandaloneCluster | None
    ) -> None:
        self._settings = settings
        self._log = log
        self._cluster = cluster
        self.killed: Counter[str] = Counter()
        self.complaints: list[str] = []
        self._process = self._start()

    def kill(self, chance: random.Random) -> None:
        """Kill the driver, or one of its Python workers or executors, if there are any."""
        if self._process.poll() is not None:
            self.complaints.append("the query ended by itself")
            self._process = self._start()
        below = {WORKER: self._workers(), EXECUTOR: self._executors()}
        victims = [DRIVER, *(who for who, pids in below.items() if pids)]
        victim = chance.choice(victims)
        self.killed[victim] += 1
        if victim != DRIVER:
            kill(chance.choice(below[victim]))
            return
        # Its Python workers end by themselves while the next driver starts.
        self._kill_driver()
        self._process = self._start()

    def run_to_end(self) -> None:
        """Run until the query has processed the whole source topic."""
        self._kill_driver()
        self._settings["until_end"] = True
        self._process = self._start()
        if self._process.wait(CATCHING_UP) != 0:
            self._log.seek(0)
            self.complaints.append(f"the last run of the query failed: {self._log.read()[-2000:]}")

    def stop(self) -> None:
        for pid, _ in descendants(self._process.pid):
            kill(pid)
        self._end_driver()

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", APPLICATION, json.dumps(self._settings)]
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=self._log, text=True
        )
        assert process.stdout is not None
        said, _, _ = select.select([process.stdout], [], [], PATIENCE)
        assert said, "the query got no messages"
        return process

    def _kill_driver(self) -> None:
        below = descendants(self._process.pid)
        for pid, command in below:
            if "pyspark.daemon" not in command:
                kill(pid)
        self._end_driver()

    def _end_driver(self) -> None:
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _workers(self) -> list[int]:
        """The workers that run tasks: a daemon with the same command line forks them."""
        below = {
            pid: command
            for root in (self._process.pid, *self._executors())
            for pid, command in descendants(root)
        }
        daemons = [pid for pid, command in below.items() if "pyspark.daemon" in command]
        return [pid for daemon in daemons for pid, _ in descendants(daemon)]

    def _executors(self) -> list[int]:
        """The executors of a standalone cluster, including executors that an earlier driver
        left."""
        return [] if self._cluster is None else self._cluster.executors()
