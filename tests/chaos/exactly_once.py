"""Applications that consume, process and produce in transactions are killed at random points."""

from __future__ import annotations

import json
import random
import select
import subprocess
import sys
import time
import uuid
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, TopicPartition
from tests.chaos.row import Row
from tests.chaos.traffic import PATIENCE, Reading, send_during
from tests.integration.kafka_cluster import OwnKafkaCluster
from tests.integration.topics import create_topic
from tests.support.waiting import wait_until

SHORT = {"messages": 6_000, "rate": 1000.0, "kills": 3, "seed": 1}
FULL = {"messages": 200_000, "rate": 1000.0, "kills": 50, "seed": 1}

ROOT = Path(__file__).resolve().parents[2]
APPLICATION = "tests.chaos.exactly_once_application"
PARTITIONS = 4
# The applications share a group: if one is killed, the other takes over its partitions.
APPLICATIONS = 2
# The brokers abort a killed application's transaction after this time. The time is longer than a
# pause of the machine. A killed application is restarted much earlier, and aborts the transaction
# itself.
TRANSACTION_TIMEOUT_MS = 15_000
# Some transactions end in this time, so a kill can hit any point of a transaction.
LONGEST_LIFE = 0.5


def run(kafka: OwnKafkaCluster, *, messages: int, rate: float, kills: int, seed: int) -> Row:
    name = f"exactly-once-{uuid.uuid4().hex[:12]}"
    source, output = f"{name}-in", f"{name}-out"
    create_topic(kafka, source, PARTITIONS)
    create_topic(kafka, output, PARTITIONS)
    settings = {"client": kafka.config(), "source": source, "output": output, "name": name}
    applications = [_Application(index, settings) for index in range(APPLICATIONS)]
    chance = random.Random(seed)

    def kill_and_restart() -> None:
        for _ in range(kills):
            chance.choice(applications).kill_and_restart(chance.uniform(0, LONGEST_LIFE))

    try:
        sent = send_during(kafka.config(), source, messages, rate, kill_and_restart)
        _wait_until_processed(kafka, source, name)
    finally:
        for application in applications:
            application.stop()
    config = kafka.config() | {"isolation.level": "read_committed"}
    with Reading(config, output, PARTITIONS) as reading:
        came = reading.ledger()
    return Row(
        scenario="exactly once",
        fault=f"SIGKILL of one of {APPLICATIONS} applications, seed {seed}",
        times=kills,
        messages=sent.messages,
        lost=came.lost(sent.messages),
        duplicated=came.duplicated,
        out_of_order=came.out_of_order,
        unreported=sent.unreported,
        broken=tuple(each.name + " ended by itself" for each in applications if each.ended),
        notes=f"{APPLICATIONS} applications in one group",
    )


class _Application:
    """A child process that is restarted whenever it ends."""

    def __init__(self, index: int, settings: dict[str, Any]) -> None:
        self.name = f"application {index}"
        # No warnings: librdkafka would warn about a transaction that a killed application left
        # open.
        client = settings["client"] | {"log_level": 3}
        self._settings = settings | {
            "client": client,
            "transactional.id": f"{settings['name']}-{index}",
            "transaction.timeout.ms": TRANSACTION_TIMEOUT_MS,
        }
        self.ended = False  # whether the application has ended by itself, and not because of a kill
        self._process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", APPLICATION, json.dumps(self._settings)]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)

    def kill_and_restart(self, seconds: float) -> None:
        """Kill the application `seconds` after its first transaction began, and restart it."""
        assert self._process.stdout is not None
        said, _, _ = select.select([self._process.stdout], [], [], PATIENCE)
        assert said, "the application got no messages"
        time.sleep(seconds)
        self.stop()
        self._process = self._start()

    def stop(self) -> None:
        self.ended = self.ended or self._process.poll() is not None
        self._process.kill()
        self._process.communicate()


def _wait_until_processed(kafka: OwnKafkaCluster, source: str, group: str) -> None:
    """Wait until the group has committed all of the input."""
    partitions = [TopicPartition(source, partition) for partition in range(PARTITIONS)]
    with Consumer(kafka.config() | {"group.id": group}) as observer:
        ends = [observer.get_watermark_offsets(each, PATIENCE)[1] for each in partitions]
        wait_until(
            lambda: [each.offset for each in observer.committed(partitions, PATIENCE)] == ends,
            step=lambda: time.sleep(0.1),
            timeout=PATIENCE,
        )
