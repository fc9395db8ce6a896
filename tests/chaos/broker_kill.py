"""Brokers are killed, restarted and paused under an idempotent producer."""

from __future__ import annotations

import itertools
import time
import uuid
from collections.abc import Callable

from confluent_kafka import KafkaException, Producer
from tests.chaos.row import Row
from tests.chaos.traffic import PATIENCE, Reading, send_during
from tests.integration.kafka_broker import KraftBroker
from tests.integration.kafka_cluster import OwnKafkaCluster
from tests.integration.topics import create_topic
from tests.support.waiting import wait_until

SHORT = {"messages": 30_000, "rate": 2000.0, "kills": 1, "pauses": 1, "pause_seconds": 3.0}
FULL = {"messages": 2_000_000, "rate": 5000.0, "kills": 20, "pauses": 4, "pause_seconds": 10.0}

PARTITIONS = 6


def run(
    kafka: OwnKafkaCluster,
    *,
    messages: int,
    rate: float,
    kills: int,
    pauses: int,
    pause_seconds: float,
) -> Row:
    topic = f"broker-kill-{uuid.uuid4().hex[:12]}"
    create_topic(kafka, topic, PARTITIONS)

    def fault() -> None:
        with Producer(kafka.config()) as observer:
            brokers = itertools.cycle(kafka.brokers)
            for _ in range(kills):
                _kill_and_restart(observer, topic, next(brokers))
            for _ in range(pauses):
                _pause(observer, next(brokers), pause_seconds)

    with Reading(kafka.config(), topic, PARTITIONS) as reading:
        sent = send_during(kafka.config(), topic, messages, rate, fault)
        came = reading.ledger()
    return Row(
        scenario="broker kill",
        fault=f"{kills} times SIGKILL and restart, {pauses} times SIGSTOP for {pause_seconds:g} s",
        times=kills + pauses,
        messages=sent.messages,
        lost=came.lost(sent.messages),
        duplicated=came.duplicated,
        out_of_order=came.out_of_order,
        unreported=sent.unreported,
        notes=f"{len(sent.errors)} delivery errors",
    )


def _kill_and_restart(observer: Producer, topic: str, broker: KraftBroker) -> None:
    broker.kill()
    try:
        # Without this wait, the broker would still be listed as in sync from before the kill.
        _wait(lambda: not _in_sync(observer, broker.appid, topic))
    finally:
        broker.start()
    _wait(lambda: all_in_sync(observer))


def _pause(observer: Producer, broker: KraftBroker, seconds: float) -> None:
    broker.pause()
    try:
        time.sleep(seconds)
    finally:
        broker.resume()
    _wait(lambda: all_in_sync(observer))


def _wait(condition: Callable[[], bool]) -> None:
    """Wait until the condition holds; requests may fail, because a broker is down."""

    def holds() -> bool:
        try:
            return condition()
        except KafkaException:
            return False

    wait_until(holds, step=lambda: time.sleep(0.1), timeout=PATIENCE)


def _in_sync(observer: Producer, broker: int, topic: str) -> bool:
    """Whether the broker is in sync for any partition of the topic."""
    partitions = observer.list_topics(topic, timeout=5).topics[topic].partitions.values()
    return not partitions or any(broker in each.isrs for each in partitions)


def all_in_sync(observer: Producer) -> bool:
    """Whether all replicas of every partition are in sync.

    The scenario kills the next broker only when this is true.
    """
    return not out_of_sync(observer)


def out_of_sync(observer: Producer) -> list[str]:
    """The partitions whose replicas are not all in sync, if they have several replicas.

    Partitions with one replica do not count: Kafka 4.3.1 elects no leader for a partition that was
    moved to a single broker, after that broker was killed and restarted. Kafka still counts the
    former replicas as eligible.
    """
    return [
        f"{topic.topic} [{partition.id}]: {partition.isrs} of {partition.replicas}"
        for topic in observer.list_topics(timeout=5).topics.values()
        for partition in topic.partitions.values()
        if 1 < len(partition.replicas) != len(partition.isrs)
    ]
