"""A broker is killed while 1,000 tasks wait: all of them end, and each message is read once."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator

import pytest

from confluent_kafka import KafkaException, Producer, TopicPartition
from confluent_kafka.aio import AIOConsumer, AIOProducer
from confluent_kafka.compat import aiokafka
from confluent_kafka.compat.aiokafka.errors import KafkaError
from tests.chaos.broker_kill import out_of_sync
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import READY_SECONDS, Broker, OwnKafkaCluster
from tests.support.aio import LOOPS, run_in, until
from tests.support.kafka import numbers
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

AWAITS = 1000
# Clients connect, a broker is killed, and another broker becomes the leader: each step may take
# long.
BOUND = 3 * READY_SECONDS


@contextlib.contextmanager
def leader_that_dies(kafka: OwnKafkaCluster, topic: str) -> Iterator[Broker]:
    """The leader of partition 0; after the block it runs again."""
    with Producer(kafka.config()) as observer:
        number = observer.list_topics(topic, TIMEOUT).topics[topic].partitions[0].leader
        (leader,) = (broker for broker in kafka.brokers if broker.appid == number)
        try:
            yield leader
        finally:
            leader.kill()
            leader.start()
            kafka.wait_ready()

            lacking = ["nobody knows"]

            def look() -> None:
                with contextlib.suppress(KafkaException):
                    lacking[:] = out_of_sync(observer)

            with contextlib.suppress(AssertionError):
                wait_until(lambda: not lacking, look, timeout=READY_SECONDS)
            assert lacking == []


async def check(
    leader: Broker,
    send: Callable[[bytes], Awaitable[asyncio.Future[object]]],
    read: Callable[[], Awaitable[bytes]],
    end: Callable[[], Awaitable[int]],
) -> None:
    """Kill the leader while tasks send and read; then check the outcome of every message.

    Args:
        leader: the leader of the topic. It does not answer while the messages are sent.
        send: puts a message into the queue.
        read: returns the next message's value.
        end: returns how many messages the topic has.
    """
    readers = [asyncio.ensure_future(read()) for _ in range(AWAITS)]
    leader.pause()
    deliveries = [await send(value) for value in numbers(0, AWAITS)]
    await asyncio.to_thread(leader.kill)
    ended = await asyncio.gather(*deliveries, return_exceptions=True)
    failures = [one for one in ended if isinstance(one, BaseException)]
    assert all(isinstance(one, KafkaException | KafkaError) for one in failures), failures
    written = await end()
    await until(lambda: sum(reader.done() for reader in readers) == written)
    found = Counter(reader.result() for reader in readers if reader.done())
    for reader in readers:
        reader.cancel()
    delivered = {
        value
        for value, result in zip(numbers(0, AWAITS), ended, strict=True)
        if not isinstance(result, BaseException)
    }
    assert set(found.values()) <= {1}
    assert delivered <= found.keys()


@pytest.mark.parametrize("kind", LOOPS)
def test_asyncio_clients(
    own_kafka: OwnKafkaCluster, make_topic: MakeTopic, group: str, kind: str
) -> None:
    """When a leader dies, deliveries of AIOProducer and calls of AIOConsumer.getone() end."""
    topic = make_topic()
    place = TopicPartition(topic, 0)

    async def work(leader: Broker) -> None:
        config = own_kafka.config()
        async with (
            AIOConsumer(config | {"group.id": group}) as consumer,
            AIOProducer(config | {"enable.idempotence": True}) as producer,
        ):
            await consumer.assign([TopicPartition(topic, 0, 0)])

            async def read() -> bytes:
                return (await consumer.getone()).value() or b""

            async def end() -> int:
                return (await consumer.end_offsets([place]))[place]

            await check(leader, lambda value: producer.produce(topic, value), read, end)

    with leader_that_dies(own_kafka, topic) as leader:
        run_in(LOOPS[kind], work(leader), BOUND)


@pytest.mark.parametrize("kind", LOOPS)
def test_aiokafka(own_kafka: OwnKafkaCluster, make_topic: MakeTopic, kind: str) -> None:
    """When a leader dies, futures of AIOKafkaProducer and calls of getone() end."""
    topic = make_topic()
    place = aiokafka.TopicPartition(topic, 0)
    servers = own_kafka.bootstrap_servers

    async def work(leader: Broker) -> None:
        consumer = aiokafka.AIOKafkaConsumer(
            bootstrap_servers=servers, auto_offset_reset="earliest"
        )
        consumer.assign([place])
        async with (
            consumer,
            aiokafka.AIOKafkaProducer(
                bootstrap_servers=servers, enable_idempotence=True
            ) as producer,
        ):
            await producer.partitions_for(topic)

            async def read() -> bytes:
                return (await consumer.getone()).value

            async def end() -> int:
                return (await consumer.end_offsets([place]))[place]

            await check(leader, lambda value: producer.send(topic, value), read, end)

    with leader_that_dies(own_kafka, topic) as leader:
        run_in(LOOPS[kind], work(leader), BOUND)
