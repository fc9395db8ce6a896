"""Workers on real brokers while members of their group come and go."""

from __future__ import annotations

import threading
from collections import defaultdict

import pytest

from confluent_kafka import Message
from tests.integration.conftest import MakeTopic
from tests.integration.group_members import PROTOCOLS, with_long_sessions
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import writer
from tests.support.threads import Thread
from tests.support.waiting import TIMEOUT, wait_until
from tests.support.workers import AnyWorker, end, make_worker

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

KEYS = 1000
PER_KEY = 20
PARTITIONS = 6
GENERATIONS = 4  # how often a member joins and another one leaves


@pytest.mark.parametrize(
    ("protocol", "kind"),
    [
        ("range", "asyncio"),
        ("cooperative-sticky", "blocking"),
        ("consumer", "blocking"),
        ("consumer", "asyncio"),
    ],
)
def test_members_come_and_go(
    kafka: KafkaCluster, make_topic: MakeTopic, group: str, protocol: str, kind: str
) -> None:
    """While members join and leave, each message is handled once, in the order of its key."""
    topic = make_topic(partitions=PARTITIONS)
    lock = threading.Lock()
    handled: dict[bytes | str | None, list[int]] = defaultdict(list)

    def handle(message: Message) -> None:
        with lock:
            handled[message.key()].append(int(message.value() or b""))

    config = kafka.config() | PROTOCOLS[protocol] | with_long_sessions(kafka, group, protocol)
    config |= {"group.id": group, "auto.offset.reset": "earliest", "fetch.wait.max.ms": 50}

    def started() -> tuple[AnyWorker, Thread]:
        worker = make_worker(kind, config, [topic], handle, workers=4, commit_interval=0.1)
        return worker, Thread(worker.run)

    members = [started(), started()]
    with writer(kafka, {"linger.ms": 20}) as producer:
        for generation in range(GENERATIONS):
            part = range(
                generation * PER_KEY // GENERATIONS, (generation + 1) * PER_KEY // GENERATIONS
            )
            for number in part:
                for key in range(KEYS):
                    producer.produce(topic, str(number), str(key), block=TIMEOUT)
            members.append(started())
            leaving, run = members.pop(0)
            expected = KEYS * part.start
            wait_until(lambda expected=expected: total(handled) > expected)  # type: ignore[misc]
            leave(leaving, run)
        assert producer.flush(TIMEOUT) == 0
    wait_until(lambda: total(handled) >= KEYS * PER_KEY)
    for worker, run in members:
        leave(worker, run)
    assert {key: values for key, values in handled.items() if values != list(range(PER_KEY))} == {}
    assert len(handled) == KEYS


def leave(worker: AnyWorker, run: Thread) -> None:
    worker.stop()
    run.result()
    end(worker)


def total(handled: dict[bytes | str | None, list[int]]) -> int:
    return sum(len(values) for values in list(handled.values()))
