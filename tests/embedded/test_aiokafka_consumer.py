"""AIOKafkaConsumer of compat.aiokafka: messages."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import gc
import pickle
import warnings
import weakref
from collections import Counter
from typing import Any

import pytest

from confluent_kafka import Consumer, Producer
from confluent_kafka.cimpl import _Record
from confluent_kafka.compat.aiokafka import (
    AIOKafkaClient,
    ConsumerRecord,
    ConsumerStoppedError,
    IllegalOperation,
    TopicPartition,
)
from confluent_kafka.compat.aiokafka.errors import (
    IllegalArgumentError,
    IllegalStateError,
    KafkaConnectionError,
)
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import FILLED
from tests.support.aio import in_loop
from tests.support.aiokafka_consumer import consumer_at, many, raised_by, reading, values
from tests.support.kafka import NO_BROKER, numbers, send
from tests.support.waiting import TIMEOUT

THREE = 3


@pytest.fixture
def three(kafka_cluster: MockCluster, producer: Producer) -> list[TopicPartition]:
    """Three partitions, each with b"0" to b"19"."""
    kafka_cluster.create_topic("three", partitions=THREE)
    for partition in range(THREE):
        for value in numbers(0, 20):
            producer.produce("three", value, partition=partition)
    assert producer.flush(TIMEOUT) == 0
    return [TopicPartition("three", partition) for partition in range(THREE)]


@in_loop
async def test_records(kafka_cluster: MockCluster, kafka_topic: str, producer: Producer) -> None:
    """A record has the same types and sizes as aiokafka's record, and a tuple of headers."""
    producer.produce(kafka_topic, b"value", b"k", timestamp=1234, headers=[("h", b"1")])
    producer.produce(kafka_topic, None)
    assert await asyncio.to_thread(producer.flush, TIMEOUT) == 0
    async with reading(kafka_cluster.bootstrap_servers, TopicPartition(kafka_topic, 0)) as consumer:
        full, empty = await consumer.getone(), await consumer.getone()
    assert full == ConsumerRecord(
        kafka_topic, 0, 0, 1234, 0, b"k", b"value", None, 1, 5, (("h", b"1"),)
    )
    assert (empty.key, empty.value, empty.headers) == (None, None, ())
    assert (empty.serialized_key_size, empty.serialized_value_size) == (-1, -1)


@in_loop
async def test_records_are_dataclasses(kafka_cluster: MockCluster, filled: str) -> None:
    """Records that the extension makes can be compared, copied and pickled like other records."""
    async with reading(kafka_cluster.bootstrap_servers, TopicPartition(filled, 0)) as consumer:
        record = await consumer.getone()
    fields = dataclasses.asdict(record)
    assert record == ConsumerRecord(**fields)
    assert repr(record) == repr(ConsumerRecord(**fields))
    assert pickle.loads(pickle.dumps(record)) == copy.copy(record) == record
    assert dataclasses.replace(record, offset=7).offset == 7
    with pytest.raises(TypeError, match="unhashable"):
        hash(record)


@in_loop
async def test_records_in_cycles(kafka_cluster: MockCluster, filled: str) -> None:
    """The garbage collector frees a record that became part of a cycle."""

    class Value:
        record: Any

    async with reading(kafka_cluster.bootstrap_servers, TopicPartition(filled, 0)) as consumer:
        record = await consumer.getone()
    record.value = Value()
    record.value.record = record
    value = weakref.ref(record.value)
    del record
    gc.collect()
    assert value() is None


def test_types_of_records(kafka_cluster: MockCluster) -> None:
    """The extension refuses a record type with other fields than the eleven that it fills in."""

    class WithDict(_Record):
        pass

    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
    with Consumer(config) as consumer, pytest.raises(TypeError, match="record_type"):
        consumer._poll_of(None, True, WithDict)


@pytest.mark.kafka_topic(partitions=2)
@in_loop
async def test_while_nobody_reads(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """Messages that are fetched while nobody reads are returned in order by every later call."""
    both = [TopicPartition(kafka_topic, partition) for partition in range(2)]
    for partition in range(2):
        for value in numbers(0, 2000):
            producer.produce(kafka_topic, value, partition=partition)
    assert await asyncio.to_thread(producer.flush, TIMEOUT) == 0
    found = []
    async with reading(kafka_cluster.bootstrap_servers, *both) as consumer:
        engine = consumer._running().engine
        while len(found) < 4000:
            found.append(await consumer.getone())
            engine._serve_callbacks()  # the client's own task does this while nobody reads
            for records in (await consumer.getmany(both[len(found) % 2], max_records=70)).values():
                found += records
    for partition in range(2):
        assert [r.value for r in found if r.partition == partition] == numbers(0, 2000)


@in_loop
async def test_every_way_to_read(kafka_cluster: MockCluster, filled: str) -> None:
    """getone(), getmany() and iteration each continue where the previous call stopped."""
    async with reading(kafka_cluster.bootstrap_servers, TopicPartition(filled, 0)) as consumer:
        found = await values(consumer, 10)
        found += [record.value for record in await many(consumer, 20, max_records=10)]
        async for record in consumer:
            found.append(record.value)
            if len(found) == FILLED:
                break
    assert found == numbers(0, FILLED)


@in_loop
async def test_getmany_waits_for_the_first_message_only(
    kafka_cluster: MockCluster, filled: str
) -> None:
    """getmany() returns the available records, at most the requested number, and nothing after the
    timeout."""
    partition = TopicPartition(filled, 0)
    async with reading(kafka_cluster.bootstrap_servers, partition, max_poll_records=30) as consumer:
        first = await consumer.getmany(timeout_ms=30_000)
        assert list(first) == [partition]
        assert type(next(iter(first))) is TopicPartition
        assert len(first[partition]) == 30
        assert len((await consumer.getmany(timeout_ms=30_000, max_records=7))[partition]) == 7
        await many(consumer, FILLED - 37)
        assert await consumer.getmany() == {}
        assert await consumer.getmany(timeout_ms=50) == {}


@pytest.mark.parametrize("value", [0, -1, "1"])
@in_loop
async def test_wrong_max_records(kafka_cluster: MockCluster, filled: str, value: Any) -> None:
    """max_records must be a positive int."""
    async with reading(kafka_cluster.bootstrap_servers, TopicPartition(filled, 0)) as consumer:
        with pytest.raises(ValueError, match="max_records"):
            await consumer.getmany(max_records=value)


@in_loop
async def test_certain_partitions(kafka_cluster: MockCluster, three: list[TopicPartition]) -> None:
    """getone() and getmany() of some partitions keep the messages of other partitions for later, in
    order."""
    async with reading(kafka_cluster.bootstrap_servers, *three) as consumer:
        found = [await consumer.getone(three[1]) for _ in range(5)]
        assert {record.partition for record in found} == {1}
        more = await consumer.getmany(three[1], three[2], timeout_ms=30_000)
        assert set(more) <= {three[1], three[2]}
        found += [record for records in more.values() for record in records]
        found += await many(consumer, 60 - len(found))
    for partition in range(THREE):
        assert [r.value for r in found if r.partition == partition] == numbers(0, 20)


@in_loop
async def test_several_tasks(kafka_cluster: MockCluster, filled: str) -> None:
    """If several tasks read, each message goes to one of them."""
    async with reading(kafka_cluster.bootstrap_servers, TopicPartition(filled, 0)) as consumer:
        records = await asyncio.gather(*(consumer.getone() for _ in range(50)))
        batches = await asyncio.gather(
            *(consumer.getmany(timeout_ms=30_000, max_records=25) for _ in range(2))
        )
    offsets = [record.offset for record in records]
    offsets += [r.offset for batch in batches for found in batch.values() for r in found]
    assert sorted(offsets) == list(range(FILLED))


@in_loop
async def test_a_cancelled_task_loses_nothing(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """A cancelled getone() or getmany() loses no message."""
    async with reading(kafka_cluster.bootstrap_servers, TopicPartition(kafka_topic, 0)) as consumer:
        for wait in (consumer.getone(), consumer.getmany(timeout_ms=30_000)):
            task = asyncio.ensure_future(wait)
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()
        await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 5))
        assert await values(consumer, 5) == numbers(0, 5)


class TestDeserializers:
    """key_deserializer and value_deserializer."""

    @in_loop
    async def test_what_they_get(
        self, kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
    ) -> None:
        """Deserializers get bytes or None; the record has the sizes of these bytes."""
        producer.produce(kafka_topic, b"value", b"key")
        producer.produce(kafka_topic)
        assert await asyncio.to_thread(producer.flush, TIMEOUT) == 0
        async with reading(
            kafka_cluster.bootstrap_servers,
            TopicPartition(kafka_topic, 0),
            key_deserializer=lambda key: ("k", key),
            value_deserializer=lambda value: ("v", value),
        ) as consumer:
            full, empty = await many(consumer, 2)
        assert (full.key, full.value) == (("k", b"key"), ("v", b"value"))
        assert (full.serialized_key_size, full.serialized_value_size) == (3, 5)
        assert (empty.key, empty.value) == (("k", None), ("v", None))

    @in_loop
    async def test_an_exception_leaves_the_position(
        self, kafka_cluster: MockCluster, filled: str
    ) -> None:
        """getone() and getmany() raise the exception again and again if they would return the
        record."""
        refused = {b"5"}

        def number(value: bytes) -> int:
            if value in refused:
                raise ValueError(f"refused {value!r}")
            return int(value)

        partition = TopicPartition(filled, 0)
        async with reading(
            kafka_cluster.bootstrap_servers, partition, value_deserializer=number
        ) as consumer:
            assert await values(consumer, 3) == [0, 1, 2]
            for _ in range(2):
                with pytest.raises(ValueError, match="refused"):
                    await consumer.getmany(timeout_ms=30_000)
                assert await consumer.position(partition) == 3
            assert await values(consumer, 2) == [3, 4]
            for _ in range(2):
                with pytest.raises(ValueError, match="refused"):
                    await consumer.getone()
                assert await consumer.position(partition) == 5
            refused.clear()
            assert await values(consumer, FILLED - 5) == list(range(5, FILLED))


class TestStop:
    """stop()."""

    @in_loop
    async def test_waiting_calls_end(self, kafka_cluster: MockCluster, kafka_topic: str) -> None:
        """stop() ends waiting calls: getone() raises, getmany() returns nothing, and iteration
        ends."""
        consumer = consumer_at(kafka_cluster.bootstrap_servers)
        consumer.assign([TopicPartition(kafka_topic, 0)])
        await consumer.start()

        async def iterate() -> str:
            async for _ in consumer:
                pass
            return "ended"

        one = asyncio.ensure_future(consumer.getone())
        some = asyncio.ensure_future(consumer.getmany(timeout_ms=600_000))
        iteration = asyncio.ensure_future(iterate())
        await asyncio.sleep(0.01)
        await asyncio.gather(consumer.stop(), consumer.stop())
        assert type(await raised_by(one)) is ConsumerStoppedError
        assert await some == {}
        assert await iteration == "ended"

    @in_loop
    async def test_afterwards(self, kafka_cluster: MockCluster, kafka_topic: str) -> None:
        """After stop(), reading calls raise ConsumerStoppedError, stop() does nothing, and start()
        raises."""
        consumer = consumer_at(kafka_cluster.bootstrap_servers, kafka_topic)
        await consumer.stop()
        await consumer.stop()
        with pytest.raises(ConsumerStoppedError):
            await consumer.getone()
        with pytest.raises(ConsumerStoppedError):
            await consumer.getmany()
        with pytest.raises(ConsumerStoppedError):
            aiter(consumer)
        with pytest.raises(AssertionError):
            async with consumer_at(kafka_cluster.bootstrap_servers, kafka_topic) as twice:
                await twice.start()

    @in_loop
    async def test_a_consumer_that_nobody_stops(
        self, kafka_cluster: MockCluster, kafka_topic: str
    ) -> None:
        """A collected consumer warns that it was not stopped. Its client warns, too, and ends."""
        consumer = consumer_at(kafka_cluster.bootstrap_servers, kafka_topic)
        await consumer.start()
        texts: list[str] = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ResourceWarning)
            del consumer
            while len(texts) < 2:
                await asyncio.sleep(0.002)
                gc.collect()
                texts += [str(warning.message) for warning in caught]
                caught.clear()  # a warning keeps its source alive
        assert ["Unclosed AIOKafkaConsumer" in text for text in texts] == [True, True]


@in_loop
async def test_start_without_a_broker() -> None:
    """start() raises KafkaConnectionError, and the consumer can be stopped."""
    consumer = consumer_at(NO_BROKER, "topic")
    with pytest.raises(KafkaConnectionError, match=NO_BROKER):
        await consumer.start()
    await consumer.stop()


@pytest.mark.parametrize(
    ("servers", "error"),
    [
        ("localhost:99999", KafkaConnectionError),
        (["localhost:99999", NO_BROKER], KafkaConnectionError),
        ("[::1]:0", KafkaConnectionError),
        ("a:b", ValueError),
        (["[::1]", "localhost:"], ValueError),
    ],
)
@in_loop
async def test_servers_that_cannot_be(servers: Any, error: type[Exception]) -> None:
    """For invalid servers, start() raises, and the consumer can be stopped; so does
    AIOKafkaClient."""
    consumer = consumer_at(servers, "topic")
    with pytest.raises(error, match=r"localhost|a:b|::1"):
        await consumer.start()
    await consumer.stop()
    client = AIOKafkaClient(bootstrap_servers=servers)
    with pytest.raises(error, match=r"localhost|a:b|::1"):
        await client.bootstrap()


@in_loop
async def test_properties_that_cannot_be() -> None:
    """The error of start() names librdkafka's property, because no keyword of aiokafka is wrong."""
    consumer = consumer_at(NO_BROKER, "topic", properties={"fetch.min.bytes": "many"})
    with pytest.raises(IllegalArgumentError, match=r"fetch\.min\.bytes"):
        await consumer.start()
    await consumer.stop()


@in_loop
async def test_a_broker_that_goes_and_comes_back(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """getone() waits, and continues after the last message."""
    await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 5))
    async with reading(
        kafka_cluster.bootstrap_servers, TopicPartition(kafka_topic, 0), retry_backoff_ms=10
    ) as consumer:
        assert await values(consumer, 5) == numbers(0, 5)
        waiting = asyncio.ensure_future(consumer.getone())
        kafka_cluster.set_broker_down()
        await asyncio.sleep(0.1)
        assert not waiting.done()
        kafka_cluster.set_broker_up()
        await asyncio.to_thread(send, producer, kafka_topic, numbers(5, 10))
        assert (await waiting).value == b"5"
        assert await values(consumer, 4) == numbers(6, 10)


@in_loop
async def test_without_a_group(kafka_cluster: MockCluster, three: list[TopicPartition]) -> None:
    """Without a group, all partitions are assigned, and there are no committed offsets."""
    async with consumer_at(kafka_cluster.bootstrap_servers, "three") as consumer:
        assert consumer.assignment() == set(three)
        found = await many(consumer, 60)
        for call in (consumer.commit(), consumer.committed(three[0])):
            with pytest.raises(IllegalOperation):
                await call
    assert Counter(record.partition for record in found) == {0: 20, 1: 20, 2: 20}


@in_loop
async def test_pause(kafka_cluster: MockCluster, three: list[TopicPartition]) -> None:
    """Paused partitions return nothing until they are resumed, and lose nothing."""
    async with reading(kafka_cluster.bootstrap_servers, *three) as consumer:
        first = await consumer.getone()
        consumer.pause(three[0], three[1])
        assert consumer.paused() == {three[0], three[1]}
        found = [first] + await many(consumer, 20 - (first.partition == 2))
        assert {record.partition for record in found[1:]} == {2}
        consumer.resume(three[0])
        consumer.resume(three[1])
        assert consumer.paused() == set()
        found += await many(consumer, 60 - len(found))
    for partition in range(THREE):
        assert [r.value for r in found if r.partition == partition] == numbers(0, 20)


@in_loop
async def test_what_is_not_assigned(kafka_cluster: MockCluster, filled: str) -> None:
    """If a partition is not assigned, calls raise an error; getmany() returns nothing."""
    other = TopicPartition("other", 0)
    async with reading(kafka_cluster.bootstrap_servers, TopicPartition(filled, 0)) as consumer:
        for call in (consumer.pause, consumer.resume, consumer.highwater):
            with pytest.raises(IllegalStateError, match="not assigned"):
                call(other)
        with pytest.raises(IllegalStateError, match="not assigned"):
            await consumer.position(other)
        with pytest.raises(TypeError, match="TopicPartition"):
            await consumer.getone("other")  # type: ignore[arg-type]
        assert await consumer.getmany(other) == {}
