"""Members of a group of workers are killed or end, and others replace them."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition
from tests.chaos.rebalance_storm import PROTOCOLS
from tests.chaos.row import Row
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.topics import create_topic
from tests.support.waiting import TIMEOUT, wait_until

SHORT = {"faults": 3, "interval": 1.0, "rate": 2000, "seed": 1}
FULL = {"faults": 50, "interval": 2.0, "rate": 2000, "seed": 1}

FAULTS = {"SIGKILL": signal.SIGKILL, "SIGTERM": signal.SIGTERM}
MEMBERS, PARTITIONS, KEYS = 3, 6, 1000
ROOT = Path(__file__).resolve().parents[2]


def run(
    kafka: KafkaCluster,
    protocol: str,
    fault: str,
    faults: int,
    interval: float,
    rate: int,
    seed: int,
) -> Row:
    topic = f"workers-{uuid.uuid4().hex[:8]}"
    create_topic(kafka, topic, PARTITIONS)
    with tempfile.TemporaryDirectory() as folder:
        storm = _Storm(kafka, topic, protocol, Path(folder), random.Random(seed))
        try:
            for _ in range(faults):
                storm.let_pass(interval, rate)
                storm.replace(FAULTS[fault], rate)
            storm.finish()
        finally:
            storm.kill()
        return storm.row(fault, faults, seed)


class _Storm:
    """The workers, their messages, and a consumer that reads committed offsets."""

    def __init__(
        self, kafka: KafkaCluster, topic: str, protocol: str, folder: Path, chance: random.Random
    ) -> None:
        self._topic, self._protocol, self._folder, self._chance = topic, protocol, folder, chance
        self._config: dict[str, Any] = kafka.config() | {
            "group.id": topic,
            "auto.offset.reset": "earliest",
            **PROTOCOLS[protocol],
        }
        if "group.protocol" not in self._config:  # with KIP-848, the brokers set this
            self._config |= {"heartbeat.interval.ms": 300}
        self._producer = Producer(kafka.config() | {"linger.ms": 5, "acks": "all"})
        self._sent = 0
        self._watcher = Consumer(kafka.config() | {"group.id": topic})
        self._members: list[tuple[subprocess.Popen[bytes], Path]] = []
        self._logs: list[Path] = []
        self._failed: list[str] = []
        for _ in range(MEMBERS):
            self._join()

    def let_pass(self, seconds: float, rate: int) -> None:
        """Send messages for some seconds. The numbers of each key ascend."""
        start, before = time.monotonic(), self._sent
        while (elapsed := time.monotonic() - start) < seconds:
            while self._sent - before < elapsed * rate:
                number, key = divmod(self._sent, KEYS)
                self._producer.produce(self._topic, str(number), str(key), block=TIMEOUT)
                self._sent += 1
            self._producer.poll(0.05)

    def replace(self, number: signal.Signals, rate: int) -> None:
        """End a member that has handled messages, and start another one."""
        member = self._chance.choice(self._members)
        process, log = member
        wait_until(lambda: log.exists() and log.stat().st_size, lambda: self.let_pass(0.1, rate))
        process.send_signal(number)
        code = process.wait(TIMEOUT)
        self._members.remove(member)
        if code != (-number if number == signal.SIGKILL else 0):
            self._failed.append(f"a member ended with {code}")
        self._join()

    def finish(self) -> None:
        """Wait until all messages are committed; then all members end."""
        assert self._producer.flush(TIMEOUT) == 0
        places = [TopicPartition(self._topic, number) for number in range(PARTITIONS)]
        ends = [self._watcher.get_watermark_offsets(each, TIMEOUT)[1] for each in places]
        assert sum(ends) == self._sent
        wait_until(
            lambda: [each.offset for each in self._watcher.committed(places, TIMEOUT)] == ends,
            lambda: time.sleep(0.1),
            timeout=4 * TIMEOUT,
        )
        for process, _ in self._members:
            process.send_signal(signal.SIGTERM)
        for process, _ in self._members:
            if (code := process.wait(TIMEOUT)) != 0:
                self._failed.append(f"a member ended with {code}")

    def kill(self) -> None:
        """Kill the processes that are left after a failure."""
        for process, _ in self._members:
            process.kill()
            process.wait()
        self._watcher.close()
        self._producer.close(0)

    def row(self, fault: str, faults: int, seed: int) -> Row:
        handled = self._handled()
        copies = sum(len(numbers) - len(set(numbers)) for numbers in handled.values())
        killed = fault == "SIGKILL"
        return Row(
            scenario=f"workers by key, {self._protocol}",
            fault=f"{fault} of one of {MEMBERS} workers, seed {seed}",
            times=faults,
            messages=self._sent,
            lost=self._sent - sum(len(set(numbers)) for numbers in handled.values()),
            duplicated=0 if killed else copies,
            out_of_order=sum(map(_out_of_order, handled.values())),
            notes=f"{KEYS:,} keys; {copies} handled again after kills"
            if killed
            else f"{KEYS:,} keys",
            broken=tuple(self._failed),
        )

    def _handled(self) -> dict[bytes, list[int]]:
        """The numbers of each key, in the order in which handlers began."""
        lines = [
            line.split()
            for log in self._logs
            if log.exists()
            for line in log.read_bytes().splitlines()
            if line.count(b" ") == 2
        ]
        handled: dict[bytes, list[int]] = defaultdict(list)
        for _, key, number in sorted(lines, key=lambda line: float(line[0])):
            handled[key].append(int(number))
        return handled

    def _join(self) -> None:
        log = self._folder / f"{len(self._logs)}.log"
        kind = "blocking" if len(self._logs) % 2 == 0 else "asyncio"
        arguments = {"config": self._config, "topic": self._topic, "log": str(log), "kind": kind}
        command = [sys.executable, "-m", "tests.chaos.worker_member", json.dumps(arguments)]
        self._members.append((subprocess.Popen(command, cwd=ROOT), log))
        self._logs.append(log)


def _out_of_order(numbers: list[int]) -> int:
    """How many numbers were handled for the first time after a higher one."""
    first = list(dict.fromkeys(numbers))
    return sum(before > after for before, after in pairwise(first))
