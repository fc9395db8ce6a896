"""An AIOConsumer returns each partition's messages in order and once, during random calls."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from random import Random

import pytest

from confluent_kafka import KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.aio import AIOConsumer
from confluent_kafka.testing import MockCluster
from tests.support.aio import consumer_at, in_loop
from tests.support.waiting import TIMEOUT

TOPIC = "walk"
PARTITIONS = range(3)
MESSAGES = 600  # per partition
# The bytes of a message, except in the first partition. If about 200 of them wait, their partition
# is paused in librdkafka.
LARGE = 40_000


@pytest.fixture(scope="module")
def cluster() -> Iterator[MockCluster]:
    with MockCluster(1, retention_bytes=100_000_000) as cluster:
        cluster.create_topic(TOPIC, len(PARTITIONS))
        with Producer({"bootstrap.servers": cluster.bootstrap_servers}) as producer:
            for number, partition in itertools.product(range(MESSAGES), PARTITIONS):
                value = b"%d" % number + bytes(LARGE if partition else 0)
                producer.produce(TOPIC, value, partition=partition, block=TIMEOUT)
            assert producer.flush(TIMEOUT) == 0
        yield cluster


class Walk:
    """Makes random calls, and computes their expected results."""

    def __init__(self, consumer: AIOConsumer, seed: int) -> None:
        self._consumer = consumer
        self._random = Random(seed)
        self._next = dict.fromkeys(PARTITIONS, 0)
        self._assigned = set(PARTITIONS)
        self._paused: set[int] = set()

    async def begin(self) -> None:
        await self._consumer.assign(self._places(*PARTITIONS))

    async def step(self) -> None:
        steps = [self._one, self._one, self._cancelled, self._certain, self._certain, self._any]
        steps += [self._poll, self._consume, self._seek, self._pause, self._resume, self._change]
        await self._random.choice(steps)(self._random.choice(sorted(self._assigned)))

    def _places(self, *partitions: int) -> list[TopicPartition]:
        return [TopicPartition(TOPIC, each, self._next[each]) for each in partitions]

    def _saw(self, message: Message | None) -> None:
        if message is not None:
            partition = message.partition()
            assert message.error() is None
            assert partition in self._assigned - self._paused
            assert message.offset() == self._next[partition]
            self._next[partition] += 1

    async def _one(self, partition: int) -> None:
        if partition not in self._paused and self._next[partition] < MESSAGES:
            self._saw(await self._consumer.getone(*self._places(partition)))

    async def _cancelled(self, partition: int) -> None:
        task = asyncio.create_task(self._consumer.getone(*self._places(partition)))
        await asyncio.sleep(self._random.choice((0, 0.001)))
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled():
            self._saw(task.result())

    async def _certain(self, _: int) -> None:
        wanted = self._random.sample(
            sorted(self._assigned), self._random.randint(1, len(self._assigned))
        )
        await self._many(self._places(*wanted))

    async def _any(self, _: int) -> None:
        await self._many([])

    async def _many(self, wanted: list[TopicPartition]) -> None:
        limit = self._random.choice((1, 10, 300))
        found = await self._consumer.getmany(*wanted, timeout=0.01, max_records=limit)
        assert not wanted or found.keys() <= set(wanted)
        assert sum(map(len, found.values())) <= limit
        for place, messages in found.items():
            for message in messages:
                assert message.partition() == place.partition
                self._saw(message)

    async def _poll(self, _: int) -> None:
        self._saw(await self._consumer.poll(0.005))

    async def _consume(self, _: int) -> None:
        for message in await self._consumer.consume(50, 0.01):
            self._saw(message)

    async def _seek(self, partition: int) -> None:
        if partition in self._paused:
            return None
        self._next[partition] = self._random.randrange(MESSAGES)
        [place] = self._places(partition)
        while True:
            try:
                return await self._consumer.seek(place)
            except KafkaException as error:  # the partition was only just assigned
                if error.args[0].code() != KafkaError._STATE:
                    raise
            await asyncio.sleep(0.005)

    async def _pause(self, partition: int) -> None:
        await self._consumer.pause(self._places(partition))
        self._paused.add(partition)

    async def _resume(self, _: int) -> None:
        await self._consumer.resume(self._places(*self._paused))
        self._paused.clear()

    async def _change(self, partition: int) -> None:
        if self._paused:  # a pause lasts longer than an assignment
            return
        if missing := set(PARTITIONS) - self._assigned:
            self._assigned |= missing
            await self._consumer.incremental_assign(self._places(*missing))
        elif self._random.random() < 0.5:
            self._assigned.remove(partition)
            await self._consumer.incremental_unassign(self._places(partition))
        else:
            self._next[partition] = self._random.randrange(MESSAGES)
            await self._consumer.assign(self._places(*PARTITIONS))


@pytest.mark.parametrize("seed", range(4))
@in_loop
async def test_walk(cluster: MockCluster, seed: int) -> None:
    """In any order of calls, seeks, pauses and assignments, the results are as expected."""
    async with consumer_at(cluster, {"fetch.wait.max.ms": 10}) as consumer:
        walk = Walk(consumer, seed)
        await walk.begin()
        for _ in range(400):
            await walk.step()
