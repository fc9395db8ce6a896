"""Every coroutine of the clients of `compat.aiokafka` is cancelled at each of its first
suspensions."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Producer
from confluent_kafka.compat import aiokafka
from confluent_kafka.compat.aiokafka import (
    AIOKafkaClient,
    AIOKafkaConsumer,
    AIOKafkaProducer,
    TopicPartition,
)
from confluent_kafka.compat.aiokafka.abc import AbstractTokenProvider
from confluent_kafka.compat.aiokafka.admin import AIOKafkaAdminClient
from confluent_kafka.compat.aiokafka.errors import IllegalOperation, KafkaError
from confluent_kafka.compat.aiokafka.producer.producer import TransactionContext
from confluent_kafka.testing import MockCluster
from tests.support.aio import LOOPS, run_in
from tests.support.aiokafka_calls import CALLS
from tests.support.cancelling import Cut, coroutines_of, cut_everywhere, read_in_pieces
from tests.support.kafka import numbers, send

MESSAGES = 40

# The calls that begin and end the life of a client.
STARTS = {"start", "bootstrap", "__aenter__"}
ENDS = {"stop", "close", "__aexit__"}

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
    """Each message is returned once and in order, and only returned messages are committed."""
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

            async def next_offsets() -> list[int]:
                return offsets_of(await READS[read](consumer))

            async def check(count: int) -> None:
                assert await consumer.position(place) == count
                await consumer.commit()
                assert await consumer.committed(place) == count

            await read_in_pieces(next_offsets, MESSAGES, check)

    run_in(LOOPS["asyncio"], work())


def test_no_call_is_left_out() -> None:
    """The tables contain all public coroutines, except for the token provider's token()."""
    covered = {(kind, name) for kind, calls in CALLS.items() for name in calls}
    covered |= {(TransactionContext, name) for name in ("__aenter__", "__aexit__")}
    assert coroutines_of(aiokafka) - {(AbstractTokenProvider, "token")} == covered


@pytest.mark.parametrize("name", CALLS[AIOKafkaConsumer])
def test_the_consumer_works_after_every_call(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, name: str
) -> None:
    """After a call is cancelled at any suspension, the consumer can read and can be stopped."""
    send(producer, kafka_topic, numbers(0, 3))
    place = TopicPartition(kafka_topic, 0)

    async def once(at: int, moment: str) -> bool:
        consumer = AIOKafkaConsumer(
            bootstrap_servers=kafka_cluster.bootstrap_servers,
            group_id=kafka_topic,
            fetch_max_wait_ms=20,
        )
        if name not in STARTS:
            await consumer.start()
            consumer.assign([place])
            await consumer.seek_to_beginning(place)
        cut = Cut(CALLS[AIOKafkaConsumer][name](consumer, place), at, moment)
        await cut.run()
        if name not in STARTS | ENDS:  # a consumer can be started only once
            consumer.seek(place, 0)
            assert (await consumer.getone()).offset == 0
        await consumer.stop()
        return cut.was_reached

    run_in(LOOPS["asyncio"], cut_everywhere(once))


async def begun(producer: Any) -> None:
    """Begin a transaction after the previous one, whose end was cancelled, has really ended."""
    while True:
        try:
            return await producer.begin_transaction()
        except IllegalOperation:
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("name", CALLS[AIOKafkaProducer])
def test_the_producer_works_after_every_call(
    kafka_cluster: MockCluster, kafka_topic: str, name: str
) -> None:
    """If a call is cancelled at any suspension, the producer still sends, also in transactions."""
    place = TopicPartition(kafka_topic, 0)
    transactional = "transaction" in name

    async def once(at: int, moment: str) -> bool:
        more = {"transactional_id": kafka_topic} if transactional else {}
        producer = AIOKafkaProducer(
            bootstrap_servers=kafka_cluster.bootstrap_servers, linger_ms=0, **more
        )
        if name not in STARTS:
            await producer.start()
        if transactional and name != "begin_transaction":
            await producer.begin_transaction()
            await producer.send_and_wait(kafka_topic, b"v", partition=0)
        cut = Cut(CALLS[AIOKafkaProducer][name](producer, place), at, moment)
        await cut.run()
        if name in STARTS:
            await producer.start()
        if transactional:
            with contextlib.suppress(IllegalOperation):  # there is no open transaction
                await producer.abort_transaction()
            await begun(producer)
            await producer.send(kafka_topic, b"v", partition=0)
            await producer.commit_transaction()
        elif name not in ENDS:
            await producer.send_and_wait(kafka_topic, b"v", partition=0)
        await producer.stop()
        return cut.was_reached

    run_in(LOOPS["asyncio"], cut_everywhere(once))


@pytest.mark.parametrize("end", ["commit", "abort"])
def test_blocks_of_transactions(kafka_cluster: MockCluster, kafka_topic: str, end: str) -> None:
    """If `async with producer.transaction()` is cancelled at any suspension, no transaction stays
    open."""

    async def once(at: int, moment: str) -> bool:
        producer = AIOKafkaProducer(
            bootstrap_servers=kafka_cluster.bootstrap_servers, transactional_id=kafka_topic
        )

        async def block() -> None:
            async with producer.transaction():
                await producer.send_and_wait(kafka_topic, b"v", partition=0)
                assert end == "commit", "aborts the transaction"

        async with producer:
            cut = Cut(block(), at, moment)
            with contextlib.suppress(AssertionError):
                await cut.run()
            await begun(producer)
            await producer.commit_transaction()
        return cut.was_reached

    run_in(LOOPS["asyncio"], cut_everywhere(once))


async def admin_works(admin: AIOKafkaAdminClient, topic: str) -> None:
    assert topic in await admin.list_topics()
    assert await admin.find_coordinator("group") > 0


async def client_works(client: AIOKafkaClient, topic: str) -> None:
    assert topic in (await client.fetch_all_metadata()).topics()
    assert await client.coordinator_lookup(0, "group") > 0


OTHERS: dict[type[Any], Callable[..., Any]] = {
    AIOKafkaAdminClient: admin_works,
    AIOKafkaClient: client_works,
}


@pytest.mark.parametrize(
    ("kind", "name"),
    [(kind, name) for kind in OTHERS for name in CALLS[kind]],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_other_clients_work_after_every_call(
    kafka_cluster: MockCluster, kafka_topic: str, kind: type[Any], name: str
) -> None:
    """If a call is cancelled at any suspension, the client can send requests, or can be started
    again."""
    place = TopicPartition(kafka_topic, 0)
    start = "start" if kind is AIOKafkaAdminClient else "bootstrap"

    async def once(at: int, moment: str) -> bool:
        client = kind(bootstrap_servers=kafka_cluster.bootstrap_servers)
        if name not in STARTS:
            await getattr(client, start)()
        cut = Cut(CALLS[kind][name](client, place), at, moment)
        with contextlib.suppress(KafkaError):  # the embedded cluster does not support some requests
            await cut.run()
        if name in STARTS | ENDS:
            await client.close()
            await getattr(client, start)()
        await OTHERS[kind](client, kafka_topic)
        await client.close()
        return cut.was_reached

    run_in(LOOPS["asyncio"], cut_everywhere(once))
