"""Run the transactions of one client under faults, and check their history."""

from __future__ import annotations

import contextlib
import json
import random
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from tests.chaos.request_proxy import RequestProxy
from tests.chaos.transactions import application
from tests.chaos.transactions.checker import (
    Anomalies,
    Copied,
    Histories,
    Key,
    Transaction,
    check,
    parsed,
)
from tests.chaos.transactions.network import HostileNetwork
from tests.integration.kafka_cluster import RealKafkaCluster
from tests.integration.topics import create_topic
from tests.integration.transactional import committed_reader, set_version, wait_for_markers
from tests.support.java import QUICK_START
from tests.support.peers import environment
from tests.support.waiting import TIMEOUT

PARTITIONS = 6
# The clients' request timeout and transaction timeout.
REQUEST_MS, TRANSACTION_MS = 1000, 10_000
LATE = (1.2, 5.0)  # seconds

# The clients, and the packages of clients that need an environment of their own.
PACKAGES = {
    "ours": None,
    "java": None,
    "confluent-kafka": "confluent-kafka==2.16.1",
    "aiokafka": "aiokafka==0.14.0",
    "kafka-python": "kafka-python==3.0.12",
}


@dataclass(frozen=True)
class Found:
    """The counts and anomalies of a run."""

    client: str
    version: str
    transactions: Counter[str]  # by their outcome
    records: int
    faults: Counter[str]
    anomalies: Anomalies


def run(
    kafka: RealKafkaCluster,
    folder: Path,
    *,
    client: str,
    versions: list[int],
    seconds: float,
    applications: int = 4,
    numbers: int = 200,
    fault_seconds: float = 5.0,
    late: float = 0.01,
    cut: float = 0.01,
    brokers: bool = True,
    seed: int = 1,
) -> Found:
    """Run applications, and cause faults at the same time.

    Args:
        kafka: the cluster.
        folder: the folder of the histories.
        client: one of PACKAGES.
        versions: the cluster's versions of transactions: the first version, and the versions that a
            fault may change to.
        seconds: how long the applications begin transactions.
        applications: the number of applications.
        numbers: the highest number of records in a transaction.
        fault_seconds: the time between two faults, except for the network's faults.
        late: the share of requests that come late.
        cut: the share of requests whose connections are cut.
        brokers: whether brokers are killed and stopped, too.
        seed: the seed of all random decisions.
    """
    chance = random.Random(seed)
    name = f"transactions-{uuid.uuid4().hex[:8]}"
    output, source = f"{name}-output", f"{name}-source"
    create_topic(kafka, output, PARTITIONS)
    create_topic(kafka, source, 1)
    set_version(kafka, versions[0])
    faults: Counter[str] = Counter()
    network = HostileNetwork(seed, late=late, cut=cut, delay=LATE)
    with contextlib.ExitStack() as stack:
        for broker in kafka.brokers:
            proxy = RequestProxy(broker.listeners["PROXIED"], broker.behind_proxy, network)
            stack.enter_context(proxy)
        common = {
            "client": client,
            "bootstrap": kafka.servers("PROXIED"),
            "output": output,
            "source": source,
            "partitions": PARTITIONS,
            "numbers": numbers,
            "request_ms": REQUEST_MS,
            "transaction_ms": TRANSACTION_MS,
            "call_seconds": 15,
            "libraries": f"{kafka.brokers[0].conf['kafka_path']}/libs",
        }
        running = [
            stack.enter_context(Application(f"{name}-{index}", folder, common, seed + index))
            for index in range(applications)
        ]
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, chance.uniform(0.2, 2 * fault_seconds)))
            _fault(kafka, chance, running, versions, brokers, faults)
        for each in running:
            each.end()
        network.end()
        faults.update({fate.value: count for fate, count in network.counts.items()})
        set_version(kafka, 2)
        transactions = _transactions(running)
        assert transactions, f"no application has begun a transaction: {folder}/{name}*.errors"
        # Coordinators abort the transactions that no application ends.
        wait_for_markers(kafka, output, PARTITIONS)
        log = _log(kafka, output)
        committed = {each.name: _committed(kafka, each.name, source) for each in running}
    return Found(
        client=client,
        version=" and ".join(map(str, versions)),
        transactions=Counter(each.outcome for each in transactions.values()),
        records=sum(len(partition) for partition in log),
        faults=faults,
        anomalies=check(transactions, log, committed),
    )


class Application:
    """A transactional.id and its process, which is restarted after each kill."""

    def __init__(self, name: str, folder: Path, common: dict[str, Any], seed: int) -> None:
        self.name = name
        self.history = folder / f"{name}.history"
        self._settings = common | {
            "name": name,
            "group": name,
            "transactional_id": name,
            "history": str(self.history),
        }
        self._program = _program(common)
        self._errors = (folder / f"{name}.errors").open("a", encoding="utf-8")
        self._seed = seed
        self._zombies: list[subprocess.Popen[bytes]] = []
        self._awake: list[subprocess.Popen[bytes]] = []
        self._process = self._start()

    def __enter__(self) -> Application:
        return self

    def __exit__(self, *error: object) -> None:
        for process in (*self._zombies, *self._awake, self._process):
            process.kill()
            process.wait()
        self._errors.close()

    def kill_and_restart(self) -> None:
        self._process.kill()
        self._process.wait()
        self._process = self._start()

    def leave_a_zombie(self) -> None:
        """Stop its process, and start another one with the same transactional.id."""
        self._process.send_signal(signal.SIGSTOP)
        self._zombies.append(self._process)
        self._process = self._start()

    def wake_zombies(self) -> None:
        """Let stopped processes continue in the middle of a transaction.

        The zombies of the last call are killed: a zombie and its successor fence each other for
        ever.
        """
        for zombie in self._awake:
            zombie.kill()
            zombie.wait()
        self._awake, self._zombies = self._zombies, []
        for zombie in self._awake:
            zombie.send_signal(signal.SIGCONT)

    def end(self) -> None:
        """Let every process end its transaction and then exit."""
        self.wake_zombies()
        for process in (*self._awake, self._process):
            process.send_signal(signal.SIGTERM)
        for process in (*self._awake, self._process):
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(TIMEOUT)

    def _start(self) -> subprocess.Popen[bytes]:
        self._seed += 1000
        settings = self._settings | {"seed": self._seed}
        if settings["client"] == "java":
            arguments = [f"{name}={value}" for name, value in settings.items()]
        else:
            arguments = [json.dumps(settings)]
        return subprocess.Popen(
            [*self._program, *arguments], stdout=self._errors, stderr=self._errors
        )


def _program(common: dict[str, Any]) -> list[str]:
    """The command of an application, without its settings."""
    client = common["client"]
    if client == "java":
        source = Path(__file__).with_name("Transactions.java")
        return ["java", *QUICK_START.split(), "-cp", f"{common['libraries']}/*", str(source)]
    package = PACKAGES[client]
    python = sys.executable if package is None else environment(package)
    return [str(python), application.__file__]


def _fault(
    kafka: RealKafkaCluster,
    chance: random.Random,
    running: list[Application],
    versions: list[int],
    brokers: bool,
    faults: Counter[str],
) -> None:
    """Cause one of the possible faults."""
    kinds = ["application killed", "zombie"]
    kinds += ["broker killed", "broker stopped"] if brokers else []
    kinds += ["version changed"] if len(versions) > 1 else []
    kind = chance.choice(kinds)
    faults[kind] += 1
    each, broker = chance.choice(running), chance.choice(kafka.brokers)
    if kind == "application killed":
        each.kill_and_restart()
    elif kind == "zombie":
        each.wake_zombies()
        each.leave_a_zombie()
    elif kind == "broker killed":
        broker.kill()
        broker.start()
        kafka.wait_ready()
    elif kind == "broker stopped":
        broker.pause()
        time.sleep(chance.uniform(1, 4))
        broker.resume()
    else:
        set_version(kafka, chance.choice(versions))


def _transactions(running: list[Application]) -> dict[Key, Transaction]:
    histories = Histories()
    for each in running:
        histories.read(each.name, each.history)
    return histories.transactions


def _log(kafka: RealKafkaCluster, topic: str) -> list[list[Copied]]:
    """The records that a read_committed consumer sees, by partition."""
    log: list[list[Copied]] = [[] for _ in range(PARTITIONS)]
    with committed_reader(kafka, {"enable.partition.eof": True}) as consumer:
        consumer.assign([TopicPartition(topic, each, 0) for each in range(PARTITIONS)])
        left = set(range(PARTITIONS))
        while left:
            for message in consumer.consume(1000, TIMEOUT):
                error = message.error()
                if error is None:
                    value = message.value()
                    assert value is not None
                    log[message.partition()].append(parsed(value))
                elif error == KafkaError._PARTITION_EOF:
                    left.discard(message.partition())
                elif not error.retriable():
                    raise KafkaException(error)
    return log


def _committed(kafka: RealKafkaCluster, group: str, source: str) -> int:
    """A group's next number, after its last transaction has ended."""
    with Consumer(kafka.config() | {"group.id": group}) as consumer:
        (found,) = consumer.committed([TopicPartition(source, 0)], TIMEOUT)
        return max(0, found.offset)
