"""The clients of confluent_kafka.compat.aiokafka leak no records, metadata or exceptions."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from confluent_kafka import Producer
from confluent_kafka.compat.aiokafka import AIOKafkaProducer, TopicPartition, errors
from confluent_kafka.testing import MockCluster
from tests.support.aiokafka_consumer import consumer_at
from tests.support.kafka import numbers, send
from tests.support.refcounts import assert_no_leaks

ROWS = 50
MANY, FEW = 100, 20


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


def repeated(
    runner: asyncio.Runner, work: Callable[[], Coroutine[Any, Any, object]], count: int
) -> None:
    assert_no_leaks(lambda: runner.run(work()), count)


def test_records(runner: asyncio.Runner, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Single records and batches do not leak, of one partition or of all. One record is part of a
    reference cycle."""
    servers = kafka_cluster.bootstrap_servers
    with Producer({"bootstrap.servers": servers, "linger.ms": 0}) as producer:
        send(producer, kafka_topic, numbers(0, 4 * ROWS))
    place = TopicPartition(kafka_topic, 0)
    consumer = consumer_at(servers, value_deserializer=lambda value: [value])
    consumer.assign([place])
    runner.run(consumer.start())

    async def work() -> None:
        consumer.seek(place, 0)
        record = await consumer.getone()
        record.value.append(record)
        assert (await consumer.getone(place)).offset == 1
        batches = await consumer.getmany(timeout_ms=30_000, max_records=ROWS)
        assert batches[place][0].offset == 2
        assert await consumer.getmany(place, timeout_ms=30_000, max_records=ROWS)

    try:
        repeated(runner, work, FEW)
    finally:
        runner.run(consumer.stop())


def test_deliveries(runner: asyncio.Runner, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Metadata, exceptions, cancelled futures and batches do not leak."""
    producer = AIOKafkaProducer(bootstrap_servers=kafka_cluster.bootstrap_servers)
    runner.run(producer.start())

    async def work() -> None:
        sent = [await producer.send(kafka_topic, value) for value in numbers(0, ROWS)]
        sent[-1].cancel()
        with pytest.raises(errors.MessageSizeTooLargeError):
            await producer.send(kafka_topic, bytes(2_000_000))
        batch = producer.create_batch()
        assert batch.append(key=None, value=b"", timestamp=None)
        sent.append(await producer.send_batch(batch, kafka_topic, partition=0))
        await producer.flush()
        found = await asyncio.gather(*sent, return_exceptions=True)
        assert sum(isinstance(one, BaseException) for one in found) == 1

    try:
        repeated(runner, work, MANY)
    finally:
        runner.run(producer.stop())


def test_made_and_stopped(
    runner: asyncio.Runner, kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """Clients do not leak if they are started and stopped, or if they are never started."""
    servers = kafka_cluster.bootstrap_servers

    async def work() -> None:
        AIOKafkaProducer(bootstrap_servers=servers)
        consumer_at(servers, kafka_topic)
        async with (
            AIOKafkaProducer(bootstrap_servers=servers) as producer,
            consumer_at(servers, kafka_topic, group_id="g"),
        ):
            await producer.send_and_wait(kafka_topic, b"")
        gc.collect()

    repeated(runner, work, FEW)
