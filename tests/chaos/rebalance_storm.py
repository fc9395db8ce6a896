"""Members of a group of eight join, leave, crash and stop polling, one after the other."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition
from tests.chaos.row import Row
from tests.chaos.storm_log import StormLog
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.topics import create_topic
from tests.support.waiting import TIMEOUT, wait_until

SHORT = {"faults": 5, "interval": 0.7, "rate": 2000}
FULL = {"faults": 100, "interval": 2.0, "rate": 2000}

MEMBERS, PARTITIONS = 8, 12
# The brokers notice a crash after SESSION_MS. A member that does not poll leaves after MAX_POLL_MS.
SESSION_MS = MAX_POLL_MS = 3000
SEED = 3
ROOT = Path(__file__).resolve().parents[2]

# The next join replaces the member that leaves or crashes.
FAULTS = ("crash", "join", "overrun", "leave", "join")

PROTOCOLS: dict[str, dict[str, Any]] = {
    "eager": {"partition.assignment.strategy": "range"},
    "cooperative": {"partition.assignment.strategy": "cooperative-sticky"},
    "KIP-848": {"group.protocol": "consumer"},
}


def run(kafka: KafkaCluster, protocol: str, faults: int, interval: float, rate: int) -> Row:
    topic = f"storm-{uuid.uuid4().hex[:8]}"
    create_topic(kafka, topic, PARTITIONS)
    with tempfile.TemporaryDirectory() as folder:
        storm = _Storm(kafka, topic, protocol, Path(folder))
        try:
            storm.settle(interval, rate)
            for number in range(faults):
                storm.fault(FAULTS[number % len(FAULTS)])
                storm.let_pass(interval, rate)
            storm.finish()
        finally:
            storm.kill()
        return storm.row(faults)


class _Storm:
    """The group, its messages, and a consumer that watches its committed offsets."""

    def __init__(self, kafka: KafkaCluster, topic: str, protocol: str, folder: Path) -> None:
        self._random = random.Random(SEED)
        self._topic, self._protocol, self._folder = topic, protocol, folder
        self._config = kafka.config() | {"group.id": topic, "enable.auto.commit": False}
        self._processes: list[subprocess.Popen[bytes]] = []
        self._logs: dict[int, Path] = {}
        self._producer = Producer(kafka.config() | {"linger.ms": 5, "acks": "all"})
        self._sent = 0
        # This consumer does not join the group: it only reads committed offsets.
        self._watcher = Consumer(self._config)
        self._committed = dict.fromkeys(range(PARTITIONS), 0)
        self._seen_backwards = 0
        self._ends: dict[int, int] = {}
        self._failed: list[str] = []
        for _ in range(MEMBERS):
            self._join()

    def settle(self, seconds: float, rate: int) -> None:
        """Wait until the group has committed an offset in every partition."""
        wait_until(
            lambda: all(self._committed.values()),
            lambda: self.let_pass(seconds, rate),
            timeout=2 * TIMEOUT,
        )

    def fault(self, kind: str) -> None:
        if kind == "join":
            self._join()
            return
        victim = self._random.choice(self._processes)
        # Before its log exists, the member does not handle the signals.
        wait_until(self._logs[victim.pid].exists)
        if kind == "overrun":
            victim.send_signal(signal.SIGUSR1)
            return
        self._processes.remove(victim)
        if kind == "crash":
            victim.kill()
            victim.wait()
        else:
            self._end(victim)

    def let_pass(self, seconds: float, rate: int) -> None:
        """Send messages and watch the committed offsets for `seconds`."""
        start, before = time.monotonic(), self._sent
        while (elapsed := time.monotonic() - start) < seconds:
            while self._sent - before < elapsed * rate:
                self._producer.produce(self._topic, b"%d" % self._sent, block=TIMEOUT)
                self._sent += 1
            self._producer.poll(0.05)
            self._watch()

    def finish(self) -> None:
        """Wait until every sent message is committed; then all members leave in order."""
        assert self._producer.flush(TIMEOUT) == 0
        self._ends = {
            partition: self._watcher.get_watermark_offsets(
                TopicPartition(self._topic, partition), TIMEOUT
            )[1]
            for partition in range(PARTITIONS)
        }
        assert sum(self._ends.values()) == self._sent

        def all_committed() -> bool:
            self._watch()
            return self._committed == self._ends

        wait_until(all_committed, lambda: time.sleep(0.1), timeout=2 * TIMEOUT)
        while self._processes:
            self._end(self._processes.pop())

    def kill(self) -> None:
        """Kill the processes that are left after a failure."""
        for process in self._processes:
            process.kill()
            process.wait()
        self._watcher.close()
        self._producer.close()

    def row(self, faults: int) -> Row:
        log = StormLog(self._logs.values())
        counts = {
            f"{log.backwards + self._seen_backwards} commits went backwards": log.backwards
            + self._seen_backwards,
            f"{log.read_again} assignments began below the committed offset": log.read_again,
            f"{len(log.strays)} records of partitions not owned": len(log.strays),
        }
        refused = ", ".join(f"{count} {name}" for name, count in log.refused.items())
        uncommitted = sum(span.end == "U" for span in log.spans)
        return Row(
            scenario=f"rebalance storm, {self._protocol}",
            fault="a member joins, leaves, crashes or overruns max.poll.interval.ms",
            times=faults,
            messages=self._sent,
            lost=log.lost(self._ends),
            duplicated=log.duplicated,
            out_of_order=log.out_of_order,
            notes=(
                f"{log.copies} read again after crashes, {log.overruns} overruns and "
                f"{uncommitted} refused commits of revoked partitions, "
                f"{len(log.spans)} assignments, {len(log.commits)} commits, "
                f"refused: {refused or 'none'}"
            ),
            broken=(*self._failed, *(text for text, count in counts.items() if count)),
        )

    def _join(self) -> None:
        number = len(self._logs)
        log = self._folder / f"{number}.log"
        arguments = {
            "config": self._config | self._group_config(),
            "topic": self._topic,
            "log": str(log),
            "overrun": MAX_POLL_MS / 1000 + 1,
            "batches": number % 2 == 1,
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.storm_member", json.dumps(arguments)], cwd=ROOT
        )
        self._processes.append(process)
        self._logs[process.pid] = log

    def _group_config(self) -> dict[str, Any]:
        config: dict[str, Any] = {
            "auto.offset.reset": "earliest",
            "max.poll.interval.ms": MAX_POLL_MS,
        } | PROTOCOLS[self._protocol]
        if "group.protocol" not in config:  # with KIP-848, the brokers set these
            config |= {"session.timeout.ms": SESSION_MS, "heartbeat.interval.ms": 300}
        return config

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Let the member leave in order, like an application at SIGTERM."""
        process.send_signal(signal.SIGTERM)
        try:
            code = process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        if code != 0:
            self._failed.append(f"a member ended with {code}")

    def _watch(self) -> None:
        """Note the group's committed offsets; none may decrease."""
        partitions = [TopicPartition(self._topic, partition) for partition in self._committed]
        for each in self._watcher.committed(partitions, TIMEOUT):
            assert each.error is None, each.error
            offset = max(each.offset, 0)  # a negative offset means that nothing is committed
            self._seen_backwards += offset < self._committed[each.partition]
            self._committed[each.partition] = offset
