"""Positions of an AIOConsumer, and the beginnings and ends of partitions."""

from __future__ import annotations

import asyncio

import pytest

from confluent_kafka import OFFSET_STORED, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.aio import AIOConsumer
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import FILLED
from tests.support.aio import consumer_at, in_loop
from tests.support.clients import QUIET
from tests.support.kafka import NO_BROKER, numbers, send, values_of
from tests.support.waiting import TIMEOUT


@pytest.mark.kafka_topic(partitions=2)
@in_loop
async def test_beginning_and_end(kafka_cluster: MockCluster, filled: str) -> None:
    """The offsets are returned by partition, also for partitions that are not assigned; a broker's
    error is raised."""
    both = [TopicPartition(filled, 0), TopicPartition(filled, 1)]
    async with consumer_at(kafka_cluster) as consumer:
        assert await consumer.beginning_offsets(both) == dict.fromkeys(both, 0)
        assert await consumer.end_offsets(both, TIMEOUT) == {both[0]: FILLED, both[1]: 0}
        assert await consumer.end_offsets([]) == {}
        with pytest.raises(KafkaException) as raised:
            await consumer.end_offsets([both[0], TopicPartition(filled, 7)], TIMEOUT)
        assert raised.value.args[0].code() == KafkaError._UNKNOWN_PARTITION


@in_loop
async def test_offsets_without_a_broker() -> None:
    """Without a broker, requests for offsets fail after their timeout."""
    config = {"logger": QUIET} | {"bootstrap.servers": NO_BROKER, "group.id": "group"}
    async with AIOConsumer(config) as consumer:
        with pytest.raises(KafkaException):
            await consumer.end_offsets([TopicPartition("topic", 0)], 0.05)


@in_loop
async def test_seek_to_beginning_and_end(
    kafka_cluster: MockCluster, filled: str, producer: Producer
) -> None:
    """The seek applies to the next message. seek_to_end() means the end at the time when it
    returns."""
    async with consumer_at(kafka_cluster) as consumer:
        place = TopicPartition(filled, 0)
        await consumer.assign([place])
        assert values_of(await consumer.consume(10, TIMEOUT)) == numbers(0, 10)
        await consumer.seek_to_beginning(place)
        assert values_of(await consumer.consume(10, TIMEOUT)) == numbers(0, 10)
        await consumer.seek_to_end()
        await asyncio.to_thread(send, producer, filled, [b"new"])
        assert (await consumer.getone()).value() == b"new"
        await consumer.seek_to_beginning()
        assert (await consumer.getone(place)).value() == b"0"


@in_loop
async def test_seek_right_after_assign(kafka_cluster: MockCluster, filled: str) -> None:
    """seek() waits until the committed offset is known and fetching has begun."""
    async with consumer_at(kafka_cluster) as consumer:
        await consumer.assign([TopicPartition(filled, 0, OFFSET_STORED)])
        await consumer.seek_to_end()
        await consumer.assign([TopicPartition(filled, 0, OFFSET_STORED)])
        await consumer.seek_to_beginning(timeout=TIMEOUT)
        assert (await consumer.getone()).value() == b"0"


@in_loop
async def test_seek_in_a_partition_that_is_not_assigned(
    kafka_cluster: MockCluster, filled: str
) -> None:
    """A seek in an unassigned partition fails at once, because the consumer would never fetch
    it."""
    async with consumer_at(kafka_cluster) as consumer:
        await consumer.seek_to_end()  # seeks nothing: no partition is assigned
        with pytest.raises(KafkaException) as raised:
            await consumer.seek_to_end(TopicPartition(filled, 0), timeout=-1)
        assert raised.value.args[0].code() in (
            KafkaError._STATE,
            KafkaError._UNKNOWN_PARTITION,
        )


@in_loop
async def test_facts(kafka_cluster: MockCluster, filled: str) -> None:
    """highwater() and similar methods send no request; they return None until a value is known."""
    config = {"statistics.interval.ms": 20, "isolation.level": "read_uncommitted"}
    place = TopicPartition(filled, 0)
    async with consumer_at(kafka_cluster, config) as consumer:
        assert await consumer.highwater(place) is None
        assert await consumer.last_stable_offset(place) is None
        assert await consumer.memberid() is None
        assert await consumer.paused() == []
        await consumer.subscribe([filled])
        await consumer.getone()
        assert await consumer.highwater(place) == FILLED
        assert await consumer.memberid()

        async def is_known() -> bool:
            await consumer.poll(0.02)
            return await consumer.last_stable_offset(place) == FILLED

        while not await is_known():
            pass
        await consumer.pause([place])
        assert await consumer.paused() == [place]
        await consumer.unassign()
        assert await consumer.paused() == []
