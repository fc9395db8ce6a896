"""Clients in loops that cannot watch sockets, and clients that are created without blocking a
loop."""

from __future__ import annotations

import asyncio
import gc
import threading
from typing import Any

import pytest

from confluent_kafka import KafkaException, Producer, TopicPartition
from confluent_kafka.admin import OffsetSpec
from confluent_kafka.aio import (
    AIOAdminClient,
    AIOConsumer,
    AIOProducer,
    AsyncDeserializingConsumer,
    AsyncSerializingProducer,
)
from confluent_kafka.serialization import StringDeserializer, StringSerializer
from confluent_kafka.testing import MockCluster
from tests.support.aio import LoopWithoutReaders, consumer_at, in_loop, run_in
from tests.support.clients import QUIET
from tests.support.kafka import NO_BROKER, numbers, send, values_of
from tests.support.waiting import TIMEOUT, wait_until

WAKE = "confluent_kafka.aio.wake"


def waking_threads() -> int:
    return sum(thread.name == WAKE for thread in threading.enumerate())


def test_loop_that_cannot_watch_sockets(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """A thread watches the socket for the loop, so messages, deliveries and answers wake tasks."""

    async def work() -> None:
        servers = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
        place = TopicPartition(kafka_topic, 0, 0)
        async with (
            consumer_at(kafka_cluster) as consumer,
            AIOProducer(servers) as own,
            AIOAdminClient(servers) as admin,
        ):
            assert waking_threads() == 3
            await consumer.assign([place])
            for value in numbers(0, 3):
                delivery = await own.produce(kafka_topic, value, partition=0)
                assert (await consumer.getone()).value() == value
                assert (await delivery).value() == value
            found = await admin.list_offsets({place: OffsetSpec.latest()})
            assert found[place].offset == 3
        wait_until(lambda: waking_threads() == 0)

    run_in(LoopWithoutReaders, work())


def test_client_that_outlives_such_a_loop(kafka_cluster: MockCluster) -> None:
    """The thread that watches a socket for a loop ends with its client."""
    clients: list[Any] = []

    async def work() -> None:
        clients.append(consumer_at(kafka_cluster, {"logger": QUIET}))

    run_in(LoopWithoutReaders, work())
    assert waking_threads() == 1
    with pytest.warns(ResourceWarning, match="Consumer"):  # noqa: PT031 - the collector runs when it likes
        clients.clear()
        gc.collect()
    wait_until(lambda: waking_threads() == 0)


MADE: dict[str, tuple[Any, dict[str, Any]]] = {
    "producer": (AIOProducer, {}),
    "consumer": (AIOConsumer, {"group.id": "group"}),
    "admin client": (AIOAdminClient, {}),
    "producer of objects": (AsyncSerializingProducer, {"value.serializer": StringSerializer()}),
    "consumer of objects": (
        AsyncDeserializingConsumer,
        {"group.id": "group", "value.deserializer": StringDeserializer()},
    ),
}


@pytest.mark.parametrize("kind", MADE)
@in_loop
async def test_create(kafka_cluster: MockCluster, kind: str) -> None:
    """create() does not block the loop; the client then belongs to that loop."""
    make, config = MADE[kind]
    begun = asyncio.Event()
    go_on = threading.Event()
    loop = asyncio.get_running_loop()

    def token(_: str) -> tuple[str, float]:
        loop.call_soon_threadsafe(begun.set)
        assert go_on.wait(TIMEOUT)
        return "token", 2e9

    servers = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "logger": QUIET}
    slow = {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanisms": "OAUTHBEARER",
        "oauth_cb": token,
    }
    making = asyncio.create_task(make.create(servers | slow | config, max_workers=1))
    await begun.wait()  # the constructor waits for the token
    go_on.set()
    async with await making as client:
        assert await client.stats() is None
    async with await make.create(servers | config) as client:
        assert (await client.list_topics(timeout=TIMEOUT)).brokers


@in_loop
async def test_create_with_a_wrong_configuration() -> None:
    """create() raises the same error as the class."""
    with pytest.raises(KafkaException, match="foo"):
        await AIOProducer.create({"foo": 1})
    with pytest.raises(ValueError, match=r"group\.id"):
        await AIOConsumer.create({})


@in_loop
async def test_create_that_is_cancelled() -> None:
    """If create() is cancelled, it closes the client."""
    closed = asyncio.Event()

    class Watched(AIOConsumer):
        async def _close(self) -> None:
            await super()._close()
            closed.set()

    config = {"bootstrap.servers": NO_BROKER, "group.id": "group", "logger": QUIET}
    making = asyncio.create_task(Watched.create(config))
    await asyncio.sleep(0)
    making.cancel()
    with pytest.raises(asyncio.CancelledError):
        await making
    await closed.wait()


@in_loop
async def test_created_consumer_wakes_its_loop(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """A consumer that create() made wakes its loop like a consumer that was made in the loop."""
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
    async with await AIOConsumer.create(config) as consumer:
        await consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        waiting = asyncio.create_task(consumer.consume(3))
        await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 3))
        assert values_of(await waiting) == numbers(0, 3)
