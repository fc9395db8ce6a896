"""getone() and getmany() of AIOConsumer: messages by partition, and of selected partitions."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

import pytest

from confluent_kafka import (
    OFFSET_INVALID,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.aio import AIOConsumer, AsyncDeserializingConsumer
from confluent_kafka.error import ConsumeError, ValueDeserializationError
from confluent_kafka.serialization import StringDeserializer
from confluent_kafka.testing import MockCluster
from tests.support.aio import consumer_at, in_loop, until
from tests.support.kafka import numbers, values_of
from tests.support.waiting import TIMEOUT

PARTITIONS = 3
LIMIT = 10_000  # a partition with more buffered messages is paused
MANY = 12_000

three_partitions = pytest.mark.kafka_topic(partitions=PARTITIONS)


def fill(producer: Producer, topic: str, counts: Iterable[int], start: int = 0) -> None:
    """Produce the given number of messages to each partition."""
    for partition, count in enumerate(counts):
        for value in numbers(start, start + count):
            producer.produce(topic, value, partition=partition, block=TIMEOUT)
    assert producer.flush(TIMEOUT) == 0


def places(topic: str, *partitions: int) -> list[TopicPartition]:
    """Partitions at their beginning."""
    return [TopicPartition(topic, partition, 0) for partition in partitions]


async def read(consumer: AIOConsumer, place: TopicPartition, count: int) -> list[bytes | None]:
    """The values of the next messages of one partition."""
    messages: list[Message] = []
    while len(messages) < count:
        found = await consumer.getmany(place, max_records=count - len(messages))
        assert list(found) == [place]
        messages += found[place]
    return values_of(messages)


async def read_all(consumer: AIOConsumer, count: int) -> dict[int | None, list[bytes | None]]:
    """The values of the next messages of any partition, by partition."""
    values: dict[int | None, list[bytes | None]] = {}
    while count > 0:
        for place, messages in (await consumer.getmany(max_records=count)).items():
            values.setdefault(place.partition, []).extend(values_of(messages))
            count -= len(messages)
    return values


async def failure_of(
    call: Callable[..., Coroutine[Any, Any, object]], *wanted: TopicPartition
) -> ConsumeError:
    """Repeat a call until it raises, and return the exception."""
    while True:
        try:
            await call(*wanted)
        except ConsumeError as error:
            return error


@three_partitions
@in_loop
async def test_getmany(kafka_cluster: MockCluster, kafka_topic: str, producer: Producer) -> None:
    """getmany() returns the available messages by partition and in order, at most the requested
    number, and nothing after the timeout."""
    await asyncio.to_thread(fill, producer, kafka_topic, [20, 30, 0])
    async with consumer_at(kafka_cluster) as consumer:
        assert await consumer.getmany(timeout=0) == {}
        await consumer.assign(places(kafka_topic, 0, 1, 2))
        first = await consumer.getmany(max_records=1)
        [(place, [message])] = first.items()
        assert (place.topic, place.offset) == (kafka_topic, OFFSET_INVALID)
        found = await read_all(consumer, 49)
        found[place.partition].insert(0, message.value())
        assert found == {0: numbers(0, 20), 1: numbers(0, 30)}
        assert await consumer.getmany(timeout=0.05) == {}


@three_partitions
@in_loop
async def test_getmany_of_certain_partitions(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """Messages of the other partitions are returned later and in order, however the calls
    alternate."""
    await asyncio.to_thread(fill, producer, kafka_topic, [100, 100, 100])
    async with consumer_at(kafka_cluster) as consumer:
        await consumer.assign(places(kafka_topic, 0, 1, 2))
        one, two = TopicPartition(kafka_topic, 1), TopicPartition(kafka_topic, 2)
        assert await read(consumer, two, 60) == numbers(0, 60)
        assert await read(consumer, one, 100) == numbers(0, 100)
        polled = [await consumer.poll(TIMEOUT) for _ in range(10)]
        rest = await read_all(consumer, 130)
        for message in polled:
            assert message is not None
        by_poll = [message for message in polled if message is not None]
        for partition, start in ((0, 0), (2, 60)):
            early = values_of(one for one in by_poll if one.partition() == partition)
            assert early + rest.get(partition, []) == numbers(start, 100)


@three_partitions
@in_loop
async def test_getone(kafka_cluster: MockCluster, kafka_topic: str, producer: Producer) -> None:
    """If each partition has its own task, each task gets all of its messages, also later ones."""
    async with consumer_at(kafka_cluster) as consumer:
        await consumer.assign(places(kafka_topic, 0, 1, 2))

        async def work(partition: int) -> list[bytes | None]:
            place = TopicPartition(kafka_topic, partition)
            return [(await consumer.getone(place)).value() for _ in range(100)]

        tasks = [asyncio.create_task(work(partition)) for partition in range(PARTITIONS)]
        for start in (0, 50):
            await asyncio.to_thread(fill, producer, kafka_topic, [50] * PARTITIONS, start)
        assert await asyncio.gather(*tasks) == [numbers(0, 100)] * PARTITIONS
        waiting = asyncio.create_task(consumer.getone())
        await asyncio.to_thread(fill, producer, kafka_topic, [1])
        assert (await waiting).value() == b"0"


@three_partitions
@in_loop
async def test_what_nobody_wants_is_held_back(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """If nobody reads a partition, the client pauses it in librdkafka to limit memory, and loses no
    message."""
    await asyncio.to_thread(fill, producer, kafka_topic, [3 * MANY, 1000])
    zero, one = places(kafka_topic, 0, 1)
    async with consumer_at(kafka_cluster, {"statistics.interval.ms": 20}) as consumer:

        async def fetched() -> int:
            """The offset after the last message that librdkafka has passed to the client."""
            known = await consumer.stats()
            topic = None if known is None else known.topics.get(kafka_topic)
            partition = None if topic is None else topic.partitions.get(0)
            return 0 if partition is None else partition.app_offset

        await consumer.assign([zero, one])
        assert await read(consumer, one, 1000) == numbers(0, 1000)
        while await fetched() < LIMIT:
            assert await consumer.getmany(one, timeout=0.02) == {}
        assert await consumer.getmany(one, timeout=0.2) == {}
        assert LIMIT <= await fetched() < MANY
        assert await consumer.paused() == []
        assert (await consumer.position([zero]))[0].offset == 0
        assert await read(consumer, zero, 7000) == numbers(0, 7000)
        assert await read(consumer, zero, 3 * MANY - 7000) == numbers(7000, 3 * MANY)


@pytest.mark.parametrize("move", ["seek", "assign", "pause", "poll", "pause_while"])
@three_partitions
@in_loop
async def test_what_waits_follows_its_partition(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, move: str
) -> None:
    """Buffered messages are not returned twice, nor after a seek, a new assignment, or during a
    pause."""
    await asyncio.to_thread(fill, producer, kafka_topic, [MANY, 100])
    zero, one = places(kafka_topic, 0, 1)
    async with consumer_at(kafka_cluster) as consumer:
        await consumer.assign([zero, one])
        assert await read(consumer, one, 100) == numbers(0, 100)
        assert await consumer.getmany(one, timeout=0.1) == {}
        start = 0
        if move == "seek":
            start = 11_500
            await consumer.seek(TopicPartition(kafka_topic, 0, start))
        elif move == "assign":
            start = 11_000
            await consumer.assign([TopicPartition(kafka_topic, 0, start)])
        elif move == "pause":
            await consumer.pause([zero])
            assert await consumer.paused() == [zero]
            assert await consumer.getmany(timeout=0.1) == {}
            await consumer.resume([zero])
        elif move == "pause_while":
            async with consumer.pause_while():
                assert await consumer.getmany(zero, timeout=0.1) == {}
        else:
            message = await consumer.poll(TIMEOUT)
            assert message is not None
            assert message.value() == b"0"
            start = 1
        assert await read(consumer, zero, MANY - start) == numbers(start, MANY)
        assert await consumer.getmany(timeout=0.05) == {}


@three_partitions
@in_loop
async def test_rebalance(kafka_cluster: MockCluster, kafka_topic: str, producer: Producer) -> None:
    """Only the new owner reads the buffered messages of a revoked partition, each once."""
    await asyncio.to_thread(fill, producer, kafka_topic, [MANY, 100, 0])
    strategy = {"partition.assignment.strategy": "cooperative-sticky"}
    values: dict[int, list[bytes | None]] = {0: [], 1: []}

    async def commit(consumer: AIOConsumer, _: list[TopicPartition]) -> None:
        with contextlib.suppress(KafkaException):  # there is nothing new to commit
            await consumer.commit(asynchronous=False)

    def collect(found: dict[TopicPartition, list[Message]]) -> None:
        for place, messages in found.items():
            values[place.partition].extend(values_of(messages))

    async with consumer_at(kafka_cluster, strategy) as first:
        await first.subscribe([kafka_topic], on_revoke=commit)
        one = TopicPartition(kafka_topic, 1)
        while len(values[1]) < 100:
            collect(await first.getmany(one))
        while len(values[0]) < 1000:
            collect(await first.getmany(max_records=100))
        async with consumer_at(kafka_cluster, strategy) as second:
            await second.subscribe([kafka_topic], on_revoke=commit)
            while not await second.assignment():  # before the first member has read everything
                collect(await first.getmany(one, timeout=0.02))
                collect(await second.getmany(timeout=0.02))
            while len(values[0]) + len(values[1]) < MANY + 100:
                for consumer in (first, second):
                    collect(await consumer.getmany(timeout=0.02))
    assert values == {0: numbers(0, MANY), 1: numbers(0, 100)}


@pytest.mark.parametrize("call", ["getone", "getmany", "getone of one", "getmany of one"])
@three_partitions
@in_loop
async def test_a_cancelled_wait_loses_nothing(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, call: str
) -> None:
    """A cancelled wait loses no message, even if the message has just come."""
    async with consumer_at(kafka_cluster) as consumer:
        [zero] = places(kafka_topic, 0)
        await consumer.assign([zero])
        wanted = [zero] if call.endswith("of one") else []
        wait: Any = consumer.getone if call.startswith("getone") else consumer.getmany
        for value in range(5):
            task = asyncio.create_task(wait(*wanted))
            await asyncio.sleep(0)
            await asyncio.to_thread(fill, producer, kafka_topic, [1], value)
            task.cancel()
            await asyncio.wait([task])
            if task.cancelled():
                assert await read(consumer, zero, 1) == [b"%d" % value]
            else:
                found = task.result()
                message = found if isinstance(found, Message) else found[zero][0]
                assert message.value() == b"%d" % value


@pytest.mark.parametrize("certain", [True, False])
@three_partitions
@in_loop
async def test_only_what_is_returned_is_stored(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, certain: bool
) -> None:
    """A commit covers the messages that getone() and getmany() returned, but no buffered
    messages."""
    await asyncio.to_thread(fill, producer, kafka_topic, [100, 100])
    zero, one = places(kafka_topic, 0, 1)
    async with consumer_at(kafka_cluster) as consumer:
        await consumer.assign([zero])
        await consumer.getone(*[zero] * certain)
        if certain:
            await read(consumer, zero, 10)
        else:
            await read_all(consumer, 10)
        await consumer.incremental_assign([one])
        await until(lambda: consumer._client._gather(150) >= 150)
        committed = await consumer.commit(asynchronous=False)
        assert committed is not None
        assert {each.partition: each.offset for each in committed if each.offset >= 0} == {0: 11}


@three_partitions
@in_loop
async def test_events(kafka_cluster: MockCluster, kafka_topic: str, producer: Producer) -> None:
    """The end of a partition comes among its messages; an error is raised after the messages before
    it."""
    await asyncio.to_thread(fill, producer, kafka_topic, [3, 2])
    zero, one = places(kafka_topic, 0, 1)
    config = {"enable.partition.eof": True, "auto.offset.reset": "error"}
    async with consumer_at(kafka_cluster, config) as consumer:
        await consumer.assign([zero, one])
        messages: list[Message] = []
        while len(messages) < 4:
            messages += (await consumer.getmany(zero))[zero]
        assert values_of(messages[:3]) == numbers(0, 3)
        end = messages[3].error()
        assert end is not None
        assert end.code() == KafkaError._PARTITION_EOF
        await consumer.seek(TopicPartition(kafka_topic, 0, 100))
        assert await read(consumer, one, 2) == numbers(0, 2)  # the other partition has the error
        for wanted in ([zero], []):
            error = await failure_of(consumer.getone, *wanted)
            assert error.code == KafkaError._AUTO_OFFSET_RESET
            event = error.kafka_message
            assert event is not None
            assert (event.topic(), event.partition()) == (kafka_topic, 0)
            await consumer.assign([TopicPartition(kafka_topic, 0, 100)])
        await failure_of(consumer.getmany)


@in_loop
async def test_wrong_arguments(kafka_cluster: MockCluster) -> None:
    """The error names the wrong argument, before the call waits for anything."""
    wrong: Any = "topic"
    async with consumer_at(kafka_cluster) as consumer:
        with pytest.raises(TypeError, match="partitions"):
            await consumer.getone(wrong)
        with pytest.raises(TypeError, match="partitions"):
            await consumer.getmany(wrong, timeout=0)
        with pytest.raises(TypeError, match="max_records"):
            await consumer.getmany(timeout=0, max_records=wrong)
        with pytest.raises(ValueError, match="max_records must be 1 to 1000000, not 0"):
            await consumer.getmany(timeout=0, max_records=0)
        with pytest.raises(TypeError, match="timeout"):
            await consumer.getmany(timeout=wrong)


@three_partitions
@in_loop
async def test_objects(kafka_cluster: MockCluster, kafka_topic: str, producer: Producer) -> None:
    """AsyncDeserializingConsumer returns objects; a message that cannot be deserialized raises one
    error."""
    await asyncio.to_thread(fill, producer, kafka_topic, [4, 4])
    await asyncio.to_thread(producer.produce, kafka_topic, b"\xff", partition=1)
    await asyncio.to_thread(fill, producer, kafka_topic, [0, 1], 5)
    config = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "group.id": "group",
        "fetch.wait.max.ms": 50,
        "value.deserializer": StringDeserializer(),
    }
    zero, one = places(kafka_topic, 0, 1)
    consumer: AsyncDeserializingConsumer[Any, Any] = AsyncDeserializingConsumer(config)
    async with consumer:
        await consumer.assign([zero, one])
        assert (await consumer.getone(one)).value() == "0"
        found = await consumer.getmany(one, max_records=3)
        values = [message.value() for message in found[one]]
        while len(values) < 3:
            values += [each.value() for each in (await consumer.getmany(one, max_records=1))[one]]
        assert values == ["1", "2", "3"]
        with pytest.raises(ValueDeserializationError):
            await consumer.getmany(one, max_records=1)
        assert (await consumer.getone(one)).value() == "5"
        assert (await consumer.getmany(zero, max_records=1))[zero][0].value() == "0"
        assert (await consumer.getone()).value() == "1"
