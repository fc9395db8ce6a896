"""Clients of the test's own cluster, closed when it ends."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import Consumer, Producer
from confluent_kafka.testing import MockCluster
from tests.support.interrupting import Interrupter
from tests.support.kafka import numbers, send
from tests.support.waiting import TIMEOUT

FILLED = 100  # messages in the topic `filled`

MakeProducer = Callable[..., Producer]
MakeConsumer = Callable[..., Consumer]


@pytest.fixture
def make_producer(kafka_cluster: MockCluster) -> Iterator[MakeProducer]:
    """make_producer({"linger.ms": 0, ...}): a Producer of `kafka_cluster`."""
    with contextlib.ExitStack() as clients:

        def make(config: dict[str, Any] | None = None) -> Producer:
            common: dict[str, Any] = {
                "bootstrap.servers": kafka_cluster.bootstrap_servers,
                "linger.ms": 0,
                "retry.backoff.ms": 10,
                "reconnect.backoff.ms": 10,
                "reconnect.backoff.max.ms": 50,
            }
            producer = Producer(common | (config or {}))
            clients.callback(producer.close, 0)
            return producer

        yield make


@pytest.fixture
def make_consumer(kafka_cluster: MockCluster) -> Iterator[MakeConsumer]:
    """make_consumer({"enable.partition.eof": True, ...}): a Consumer of `kafka_cluster`.

    It starts at the beginning and commits only if the test calls commit().
    """
    with contextlib.ExitStack() as clients:

        def make(config: dict[str, Any] | None = None) -> Consumer:
            common: dict[str, Any] = {
                "bootstrap.servers": kafka_cluster.bootstrap_servers,
                "group.id": "group",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "heartbeat.interval.ms": 100,
                "fetch.wait.max.ms": 50,
                "retry.backoff.ms": 10,
                "reconnect.backoff.ms": 10,
                "reconnect.backoff.max.ms": 50,
            }
            consumer = Consumer(common | (config or {}))
            clients.callback(consumer.close)
            return consumer

        yield make


@pytest.fixture
def producer(make_producer: MakeProducer) -> Producer:
    return make_producer()


@pytest.fixture
def consumer(make_consumer: MakeConsumer) -> Consumer:
    return make_consumer()


@pytest.fixture
def small(make_producer: MakeProducer) -> Producer:
    """A producer whose queue has room for five messages, and which sends them only in flush()."""
    return make_producer({"queue.buffering.max.messages": 5, "linger.ms": 60_000})


@pytest.fixture
def filled(kafka_topic: str, make_producer: MakeProducer) -> str:
    """A topic with the values b"0" to b"99" in partition 0, at the offsets 0 to 99.

    They are one batch, so that a consumer that has one of them has them all.
    """
    producer = make_producer({"linger.ms": 60_000})
    producer.list_topics(kafka_topic, TIMEOUT)  # else flush() sends a batch too early
    send(producer, kafka_topic, numbers(0, FILLED))
    return kafka_topic


@pytest.fixture
def interrupter(kafka_cluster: MockCluster) -> Interrupter:
    """Interrupts calls of the clients of `kafka_cluster`."""
    return Interrupter(kafka_cluster)
