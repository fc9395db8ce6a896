"""Every coroutine of `compat.aiokafka`'s clients, cancelled at each of its first suspensions."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Producer
from confluent_kafka.compat.aiokafka import (
    AIOKafkaConsumer,
    AIOKafkaProducer,
    TopicPartition,
)
from confluent_kafka.compat.aiokafka.errors import IllegalOperation
from confluent_kafka.testing import MockCluster
from tests.support.aio import LOOPS, run_in
from tests.support.cancelling import Cut, cuts
from tests.support.kafka import numbers, send

MESSAGES = 40

READS: dict[str, Callable[[Any], Any]] = {
    "getone": lambda consumer: consumer.getone(),
    "getmany": lambda consumer: consumer.getmany(timeout_ms=5000, max_records=3),
    "anext": lambda consumer: anext(consumer),
}


def offsets_of(result: Any) -> list[int]:
    records = (
        itertools.chain.from_iterable(result.values()) if isinstance(result, dict) else [result]
    )
    return [one.offset for one in records]


@pytest.mark.parametrize("read", READS)
def test_reads(kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, read: str) -> None:
    """Each message comes once, in order, and no more is committed than came."""
    send(producer, kafka_topic, numbers(0, MESSAGES))
    place = TopicPartition(kafka_topic, 0)

    async def work() -> None:
        consumer = AIOKafkaConsumer(
            bootstrap_servers=kafka_cluster.bootstrap_servers,
            group_id=kafka_topic,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
        )
        async with consumer:
            consumer.assign([place])
            seen: list[int] = []
            cut = itertools.cycle(cuts())

            async def noted() -> None:
                seen.extend(offsets_of(await READS[read](consumer)))

            while len(seen) < MESSAGES:
                await Cut(noted(), *next(cut)).run()
                if len(seen) < MESSAGES:
                    await noted()
                assert seen == list(range(len(seen)))
                assert await consumer.position(place) == len(seen)
                await consumer.commit()
                assert await consumer.committed(place) == len(seen)

    run_in(LOOPS["asyncio"], work())


CONSUMER: dict[str, Callable[[Any, TopicPartition], Any]] = {
    "start": lambda consumer, _: consumer.start(),
    "stop": lambda consumer, _: consumer.stop(),
    "commit": lambda consumer, place: consumer.commit({place: 1}),
    "committed": lambda consumer, place: consumer.committed(place),
    "position": lambda consumer, place: consumer.position(place),
    "seek_to_beginning": lambda consumer, place: consumer.seek_to_beginning(place),
    "seek_to_end": lambda consumer, place: consumer.seek_to_end(place),
    "seek_to_committed": lambda consumer, place: consumer.seek_to_committed(place),
    "beginning_offsets": lambda consumer, place: consumer.beginning_offsets([place]),
    "end_offsets": lambda consumer, place: consumer.end_offsets([place]),
    "offsets_for_times": lambda consumer, place: consumer.offsets_for_times({place: 0}),
    "topics": lambda consumer, _: consumer.topics(),
    "getone": lambda consumer, _: consumer.getone(),
    "getmany": lambda consumer, _: consumer.getmany(timeout_ms=100),
}

PRODUCER: dict[str, Callable[[Any, TopicPartition], Any]] = {
    "start": lambda producer, _: producer.start(),
    "stop": lambda producer, _: producer.stop(),
    "flush": lambda producer, _: producer.flush(),
    "partitions_for": lambda producer, place: producer.partitions_for(place.topic),
    "send": lambda producer, place: producer.send(place.topic, b"v", partition=0),
    "send_and_wait": lambda producer, place: producer.send_and_wait(place.topic, b"v", partition=0),
    "send_batch": lambda producer, place: producer.send_batch(
        batch_of(producer), place.topic, partition=0
    ),
    "begin_transaction": lambda producer, _: producer.begin_transaction(),
    "commit_transaction": lambda producer, _: producer.commit_transaction(),
    "abort_transaction": lambda producer, _: producer.abort_transaction(),
    "send_offsets_to_transaction": lambda producer, place: producer.send_offsets_to_transaction(
        {place: 1}, "group"
    ),
}


def batch_of(producer: Any) -> Any:
    batch = producer.create_batch()
    batch.append(key=None, value=b"v", timestamp=None)
    return batch


@pytest.mark.parametrize("kind", [AIOKafkaConsumer, AIOKafkaProducer])
def test_no_call_is_left_out(kind: type[Any]) -> None:
    """All public coroutines are in the tables."""
    names = {name for name in dir(kind) if not name.startswith("_")}
    coroutines = {name for name in names if inspect.iscoroutinefunction(getattr(kind, name))}
    assert coroutines <= set(CONSUMER if kind is AIOKafkaConsumer else PRODUCER)


@pytest.mark.parametrize("name", CONSUMER)
def test_the_consumer_works_after_every_call(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, name: str
) -> None:
    """Cut at any suspension, a call leaves a consumer that reads, and one that can be stopped."""
    send(producer, kafka_topic, numbers(0, 3))
    place = TopicPartition(kafka_topic, 0)

    async def work() -> None:
        for at, moment in cuts():
            consumer = AIOKafkaConsumer(
                bootstrap_servers=kafka_cluster.bootstrap_servers, group_id=kafka_topic
            )
            if name != "start":
                await consumer.start()
                consumer.assign([place])
                await consumer.seek_to_beginning(place)
            cut = Cut(CONSUMER[name](consumer, place), at, moment)
            await cut.run()
            if name not in ("start", "stop"):  # a consumer is started once
                consumer.seek(place, 0)
                assert (await consumer.getone()).offset == 0
            await consumer.stop()
            if not cut.was_reached:
                break

    run_in(LOOPS["asyncio"], work())


async def begun(producer: Any) -> None:
    """Begin a transaction as soon as the one whose end was cut has ended."""
    while True:
        try:
            return await producer.begin_transaction()
        except IllegalOperation:
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("name", PRODUCER)
def test_the_producer_works_after_every_call(
    kafka_cluster: MockCluster, kafka_topic: str, name: str
) -> None:
    """Cut at any suspension, a call leaves a producer that sends, also in transactions."""
    place = TopicPartition(kafka_topic, 0)
    transactional = "transaction" in name

    async def once(at: int, moment: str) -> bool:
        more = {"transactional_id": kafka_topic} if transactional else {}
        producer = AIOKafkaProducer(
            bootstrap_servers=kafka_cluster.bootstrap_servers, linger_ms=0, **more
        )
        if name != "start":
            await producer.start()
        if transactional and name != "begin_transaction":
            await producer.begin_transaction()
            await producer.send_and_wait(kafka_topic, b"v", partition=0)
        cut = Cut(PRODUCER[name](producer, place), at, moment)
        await cut.run()
        if name == "start":
            await producer.start()
        if transactional:
            with contextlib.suppress(IllegalOperation):  # none is open, or it has ended
                await producer.abort_transaction()
            await begun(producer)
            await producer.send(kafka_topic, b"v", partition=0)
            await producer.commit_transaction()
        elif name != "stop":
            await producer.send_and_wait(kafka_topic, b"v", partition=0)
        await producer.stop()
        return cut.was_reached

    async def work() -> None:
        for at, moment in cuts():
            if not await once(at, moment):
                break

    run_in(LOOPS["asyncio"], work())
