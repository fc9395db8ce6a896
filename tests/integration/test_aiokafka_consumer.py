"""AIOKafkaConsumer of compat.aiokafka on real brokers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from confluent_kafka import Producer
from confluent_kafka.compat.aiokafka import (
    AIOKafkaConsumer,
    ConsumerRebalanceListener,
    OffsetAndMetadata,
    OffsetAndTimestamp,
    TopicPartition,
)
from confluent_kafka.compat.aiokafka.errors import NoOffsetForPartitionError
from tests.integration.conftest import MakeTopic
from tests.integration.group_members import PROTOCOLS, with_long_sessions
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.topics import create_topic
from tests.support.aio import in_loop, until
from tests.support.aiokafka_consumer import Told, consumer_at, many, reading, values
from tests.support.kafka import numbers, send
from tests.support.waiting import TIMEOUT

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

Consumer = AIOKafkaConsumer[Any, Any]


def servers_of(kafka: KafkaCluster) -> str:
    return str(kafka.config()["bootstrap.servers"])


def fill(kafka: KafkaCluster, topic: str, start: int, stop: int, partitions: int = 1) -> None:
    """Produces numbers, to the partitions in turn."""
    producer = Producer(kafka.config() | {"linger.ms": 0})
    for number in range(start, stop):
        producer.produce(topic, b"%d" % number, partition=number % partitions)
    assert producer.flush(TIMEOUT) == 0
    producer.close()


class Commits(ConsumerRebalanceListener):
    """Commits the read offsets when partitions are revoked."""

    def __init__(self, consumer: Consumer) -> None:
        self._consumer = consumer

    async def on_partitions_revoked(self, revoked: Any) -> None:
        if revoked:
            await self._consumer.commit()

    def on_partitions_assigned(self, assigned: Any) -> None:
        pass


@pytest.mark.parametrize("protocol", PROTOCOLS)
@in_loop
async def test_listeners_that_commit(
    kafka: KafkaCluster, make_topic: MakeTopic, group: str, protocol: str
) -> None:
    """If a listener commits before a partition moves, no message is lost or read twice."""
    topic = make_topic(partitions=4)
    # for KIP-848; for other protocols, consumer_at() does that
    with_long_sessions(kafka, group, protocol)
    seen: list[bytes] = []

    async def read(consumer: Consumer) -> None:
        async for record in consumer:
            seen.append(record.value)  # noqa: PERF401 - others look at it meanwhile

    async def member() -> tuple[Consumer, asyncio.Task[None]]:
        consumer = consumer_at(servers_of(kafka), group_id=group, properties=PROTOCOLS[protocol])
        consumer.subscribe([topic], listener=Commits(consumer))
        await consumer.start()
        return consumer, asyncio.create_task(read(consumer))

    await asyncio.to_thread(fill, kafka, topic, 0, 400, 4)
    first, one = await member()
    await until(lambda: len(seen) > 50)
    second, two = await member()
    await until(second.assignment)
    await asyncio.to_thread(fill, kafka, topic, 400, 800, 4)
    await until(lambda: len(seen) >= 800)  # stop() does not call the listener, so commit here
    await second.commit()
    await asyncio.gather(second.stop(), two)
    await until(lambda: len(first.assignment()) == 4)
    await asyncio.to_thread(fill, kafka, topic, 800, 900, 4)
    await until(lambda: len(seen) >= 900)
    await asyncio.gather(first.stop(), one)
    assert sorted(map(int, seen)) == list(range(900))


@in_loop
async def test_rebalances(kafka: KafkaCluster, make_topic: MakeTopic, group: str) -> None:
    """A listener is called for each rebalance, even while the application reads nothing."""
    topic = make_topic(partitions=3)
    everything = {TopicPartition(topic, partition) for partition in range(3)}
    told = Told()
    consumer = consumer_at(servers_of(kafka), group_id=group)
    consumer.subscribe([topic], listener=told)
    async with consumer:
        assert told.calls == [("revoked", set()), ("assigned", everything)]
        async with consumer_at(servers_of(kafka), topic, group_id=group) as other:
            await until(lambda: len(told.calls) == 4)
            assert told.calls[2:] == [
                ("revoked", everything),
                ("assigned", everything - set(other.assignment())),
            ]
        await until(lambda: len(told.calls) == 6)
        assert told.calls[5] == ("assigned", everything)


@in_loop
async def test_commits_and_positions(kafka: KafkaCluster, topic: str, group: str) -> None:
    """The next consumer of the group gets the committed offsets with their metadata."""
    partition = TopicPartition(topic, 0)
    await asyncio.to_thread(fill, kafka, topic, 0, 20)
    async with consumer_at(servers_of(kafka), topic, group_id=group) as consumer:
        assert await values(consumer, 5) == numbers(0, 5)
        await consumer.commit()
        assert await consumer.committed(partition) == 5
        await consumer.commit({partition: OffsetAndMetadata(7, "text")})
    async with consumer_at(servers_of(kafka), topic, group_id=group) as consumer:
        assert await consumer.position(partition) == 7
        assert await values(consumer, 1) == [b"7"]
        assert await consumer.seek_to_end(partition)
        assert await consumer.position(partition) == 20
        assert await consumer.seek_to_committed() == {partition: 7}
        assert await values(consumer, 1) == [b"7"]
        assert await consumer.end_offsets([partition]) == {partition: 20}
        assert await consumer.beginning_offsets([partition]) == {partition: 0}


@pytest.mark.parametrize("is_by_hand", [False, True])
@pytest.mark.parametrize("has_group", [False, True])
@in_loop
async def test_start_with_a_topic_that_is_not_there(
    kafka: KafkaCluster, group: str, has_group: bool, is_by_hand: bool
) -> None:
    """If a topic is missing, start() makes a broker create it, and later messages are received."""
    topic = f"new-{group}"
    place = TopicPartition(topic, 0)
    common: dict[str, Any] = {
        "group_id": group if has_group else None,
        "auto_offset_reset": "latest",
    }
    consumer = consumer_at(servers_of(kafka), *(() if is_by_hand else [topic]), **common)
    if is_by_hand:
        consumer.assign([place])
    async with consumer:
        assert place in consumer.assignment()
        assert await consumer.position(place) == 0
        await asyncio.to_thread(fill, kafka, topic, 0, 1)
        assert (await consumer.getone()).value == b"0"


@in_loop
async def test_a_topic_that_comes_after_start(kafka: KafkaCluster, group: str) -> None:
    """assign() and subscribe() also let the brokers create a missing topic."""
    assigned, subscribed = f"a-{group}", f"b-{group}"
    async with consumer_at(servers_of(kafka)) as consumer:
        for topic in (assigned, subscribed):
            if topic == assigned:
                consumer.assign([TopicPartition(topic, 0)])
            else:
                consumer.subscribe([topic])
            await asyncio.to_thread(fill, kafka, topic, 0, 1)
            assert (await consumer.getone()).value == b"0"
            consumer.unsubscribe()


@in_loop
async def test_offsets_for_times(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """offsets_for_times() returns the first message at or after a time, or None if there is
    none."""
    topic = make_topic(retention_ms="-1")  # otherwise brokers delete records from 1970
    producer = Producer(kafka.config())
    for timestamp in (1000, 2000, 3000):
        producer.produce(topic, b"value", timestamp=timestamp)
    assert await asyncio.to_thread(producer.flush, TIMEOUT) == 0
    producer.close()
    partition = TopicPartition(topic, 0)
    async with reading(servers_of(kafka)) as consumer:
        assert await consumer.offsets_for_times({partition: 1500}) == {
            partition: OffsetAndTimestamp(1, 2000)
        }
        assert await consumer.offsets_for_times({partition: 3001}) == {partition: None}


@in_loop
async def test_read_committed(kafka: KafkaCluster, topic: str) -> None:
    """Messages of an open transaction are not returned yet, and messages of an aborted one are
    skipped."""
    partition = TopicPartition(topic, 0)
    producer = Producer(kafka.config() | {"transactional.id": topic})
    await asyncio.to_thread(producer.init_transactions, TIMEOUT)
    for value, end in (
        (b"aborted", producer.abort_transaction),
        (b"1", producer.commit_transaction),
    ):
        producer.begin_transaction()
        producer.produce(topic, value)
        await asyncio.to_thread(producer.flush, TIMEOUT)
        await asyncio.to_thread(end, TIMEOUT)
    producer.begin_transaction()
    producer.produce(topic, b"open")
    await asyncio.to_thread(producer.flush, TIMEOUT)
    async with reading(servers_of(kafka), partition, isolation_level="read_committed") as consumer:
        assert await values(consumer, 1) == [b"1"]
        stable = consumer.last_stable_offset(partition)
        high = consumer.highwater(partition)
        assert stable is not None
        assert high is not None
        assert stable < high
        assert await consumer.getmany(timeout_ms=100) == {}
        await asyncio.to_thread(producer.commit_transaction, TIMEOUT)
        assert await values(consumer, 1) == [b"open"]
    producer.close()


@in_loop
async def test_a_pattern(kafka: KafkaCluster, group: str) -> None:
    """A topic that is created later is read if it matches the pattern."""
    first, second, other = (f"{group}-{name}" for name in ("a", "b", "x"))
    await asyncio.to_thread(create_topic, kafka, other)
    await asyncio.to_thread(create_topic, kafka, first)
    consumer = consumer_at(servers_of(kafka), group_id=group, metadata_max_age_ms=200)
    consumer.subscribe(pattern=f"{group}-(?!.*x)")
    async with consumer:
        assert consumer.subscription() == {first}
        await asyncio.to_thread(create_topic, kafka, second)
        await until(lambda: consumer.subscription() == {first, second})
        both = {TopicPartition(name, 0) for name in (first, second)}
        await until(lambda: consumer.assignment() == both)


@in_loop
async def test_no_offset(kafka: KafkaCluster, topic: str, group: str) -> None:
    """With "none", a group without an offset raises an exception until a seek."""
    await asyncio.to_thread(fill, kafka, topic, 0, 5)
    async with consumer_at(
        servers_of(kafka), topic, group_id=group, auto_offset_reset="none"
    ) as consumer:
        with pytest.raises(NoOffsetForPartitionError):
            await consumer.getone()
        consumer.seek(TopicPartition(topic, 0), 3)
        assert await values(consumer, 1) == [b"3"]


@in_loop
async def test_one_fetch(kafka: KafkaCluster, topic: str) -> None:
    """getmany() returns at most max_partition_fetch_bytes, but at least one message."""
    # One batch, because a fetch returns a whole batch. The first of several batches may have one
    # message.
    producer = Producer(kafka.config() | {"linger.ms": 60_000})
    await asyncio.to_thread(send, producer, topic, [bytes(1000)] * 100)
    producer.close()
    async with reading(
        servers_of(kafka), TopicPartition(topic, 0), max_partition_fetch_bytes=5000
    ) as consumer:
        await consumer.getone()
        found = await consumer.getmany(timeout_ms=30_000)
        assert [len(records) for records in found.values()] == [5]
        assert len(await many(consumer, 94)) == 94
