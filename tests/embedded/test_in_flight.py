"""Messages that a call has taken and not returned yet are not lost, and no commit passes them.

A coroutine or another thread makes objects or columns of such messages. It may be cancelled, or may
end after another one that took later messages.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import pytest

from confluent_kafka import (
    OFFSET_INVALID,
    Consumer,
    DeserializingConsumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.aio import AIOConsumer, AsyncDeserializingConsumer
from confluent_kafka.columns import AvroDecoder
from confluent_kafka.error import ValueDeserializationError
from confluent_kafka.serialization import SerializationContext
from confluent_kafka.testing import MockCluster
from tests.support.aio import in_loop, until
from tests.support.kafka import numbers, send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

BAD = b"bad"


class Gate:
    """A deserializer that holds back some values until the test allows them."""

    def __init__(self, *held: bytes) -> None:
        self.held = {value: asyncio.Event() for value in held}
        self.reached: list[bytes | None] = []

    async def __call__(self, data: bytes | None, _: SerializationContext) -> Any:
        self.reached.append(data)
        if data in self.held:
            await self.held[data].wait()
        if data == BAD:
            raise ValueError("bad")
        return data


def config_of(cluster: MockCluster, topic: str, **more: Any) -> dict[str, Any]:
    return {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": topic,
        "auto.offset.reset": "earliest",
        "fetch.wait.max.ms": 50,
    } | more


@asynccontextmanager
async def reading(
    cluster: MockCluster, topic: str, gate: Gate, **more: Any
) -> AsyncIterator[AsyncDeserializingConsumer[Any, Any]]:
    config = config_of(cluster, topic, **more) | {"value.deserializer": gate}
    async with AsyncDeserializingConsumer[Any, Any](config) as consumer:
        await consumer.assign([TopicPartition(topic, 0, 0)])
        yield consumer


def committed(cluster: MockCluster, topic: str) -> int:
    with plain(cluster, topic) as consumer:
        return consumer.committed([TopicPartition(topic, 0)], TIMEOUT)[0].offset


@contextmanager
def plain(cluster: MockCluster, topic: str) -> Iterator[Consumer]:
    consumer = Consumer(config_of(cluster, topic))
    try:
        yield consumer
    finally:
        consumer.close()


async def stored(consumer: AIOConsumer) -> int:
    """The offset that a commit commits now; -1 if there is nothing new to commit."""
    try:
        answer = await consumer.commit(asynchronous=False) or []
    except KafkaException as error:
        if error.args[0].code() != KafkaError._NO_OFFSET:
            raise
        return -1
    return answer[0].offset


async def started(gate: Gate, call: Any, value: bytes) -> asyncio.Task[Any]:
    """Start a call, and wait until its deserializer has a message."""
    task = asyncio.create_task(call)
    before = gate.reached.count(value)
    await until(lambda: gate.reached.count(value) > before)
    return task


# ---- coroutines that deserialize ----


CALLS: dict[str, Callable[[AsyncDeserializingConsumer[Any, Any]], Any]] = {
    "poll": lambda consumer: consumer.poll(TIMEOUT),
    "getone": lambda consumer: consumer.getone(),
    "getone of": lambda consumer: consumer.getone(*places(consumer)),
    "consume": lambda consumer: consumer.consume(1, TIMEOUT),
    "getmany": lambda consumer: consumer.getmany(timeout=TIMEOUT, max_records=1),
    "getmany of": lambda consumer: consumer.getmany(
        *places(consumer), timeout=TIMEOUT, max_records=1
    ),
    "anext": lambda consumer: anext(consumer),
}


def places(consumer: AIOConsumer) -> list[TopicPartition]:
    return consumer._client.assignment()


def values_of(result: Any) -> list[Any]:
    if isinstance(result, dict):
        result = [message for run in result.values() for message in run]
    return [message.value() for message in (result if isinstance(result, list) else [result])]


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@in_loop
async def test_a_later_message_does_not_commit_an_earlier_one(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, call: Any
) -> None:
    """If message 1 was returned but message 0 was not, position(), a commit and close() use the
    offset 0."""
    await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 3))
    gate = Gate(b"0")
    async with reading(kafka_cluster, kafka_topic, gate) as consumer:
        first = await started(gate, call(consumer), b"0")
        assert values_of(await call(consumer)) == [b"1"]
        [position] = await consumer.position([TopicPartition(kafka_topic, 0)])
        assert position.offset == 0
        assert await stored(consumer) == -1
    assert not first.done() or first.exception() is not None
    first.cancel()
    assert await asyncio.to_thread(committed, kafka_cluster, kafka_topic) < 0


@pytest.mark.parametrize("order", ["012", "021", "102", "120", "201", "210"])
@in_loop
async def test_takes_that_end_in_any_order(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, order: str
) -> None:
    """The stored offset is always that of the first message that is still in flight."""
    await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 3))
    gate = Gate(b"0", b"1", b"2")
    async with reading(kafka_cluster, kafka_topic, gate) as consumer:
        tasks = [await started(gate, consumer.poll(), b"%d" % i) for i in range(3)]
        before = 0
        for count, one in enumerate(map(int, order), 1):
            gate.held[b"%d" % one].set()
            await tasks[one]
            first = min(set(range(3)) - set(map(int, order[:count])), default=3)
            assert await stored(consumer) == (first if first > before else -1)
            before = first


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@in_loop
async def test_a_cancelled_message_comes_again_and_no_other(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, call: Any
) -> None:
    """If message 0 is cancelled after message 1 was returned, message 0 is returned again, and then
    message 2.

    All of them are committed.
    """
    await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 4))
    gate = Gate(b"0")
    async with reading(kafka_cluster, kafka_topic, gate) as consumer:
        first = await started(gate, call(consumer), b"0")
        found = values_of(await call(consumer))
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        [position] = await consumer.position([TopicPartition(kafka_topic, 0)])
        assert position.offset == 0
        gate.held[b"0"].set()
        for _ in range(3):
            found += values_of(await call(consumer))
        assert found == [b"1", b"0", b"2", b"3"]
    assert await asyncio.to_thread(committed, kafka_cluster, kafka_topic) == 4


@in_loop
async def test_a_message_that_is_given_back_wakes_who_waits(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """A waiting poll() gets the message of a cancelled task."""
    await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 1))
    gate = Gate(b"0")
    async with reading(kafka_cluster, kafka_topic, gate) as consumer:
        first = await started(gate, consumer.poll(), b"0")
        second = asyncio.create_task(consumer.poll(TIMEOUT))
        await asyncio.sleep(0)
        gate.held[b"0"].set()
        first.cancel()
        assert values_of(await second) == [b"0"]


@in_loop
async def test_several_cancelled_tasks_keep_the_order(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """In whatever order tasks are cancelled, their messages come again in the order of the
    partition."""
    await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 6))
    gate = Gate(b"0", b"1", b"2")
    async with reading(kafka_cluster, kafka_topic, gate) as consumer:
        tasks = [await started(gate, consumer.poll(), b"%d" % i) for i in range(3)]
        for one in (1, 0, 2):
            tasks[one].cancel()
            await asyncio.wait([tasks[one]])
        for event in gate.held.values():
            event.set()
        found = [value for _ in range(6) for value in values_of(await consumer.poll(TIMEOUT))]
        assert found == numbers(0, 6)
        assert await stored(consumer) == 6


@in_loop
async def test_a_failure_does_not_commit_an_earlier_message(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """If the error of message 1 was raised while message 0 is in flight, nothing is committed."""
    await asyncio.to_thread(send, producer, kafka_topic, [b"0", BAD, b"2"])
    gate = Gate(b"0")
    async with reading(kafka_cluster, kafka_topic, gate) as consumer:
        first = await started(gate, consumer.poll(), b"0")
        with pytest.raises(ValueDeserializationError):
            await consumer.poll(TIMEOUT)
        assert await stored(consumer) == -1
        gate.held[b"0"].set()
        await first
        assert await stored(consumer) == 2


@pytest.mark.parametrize("how", ["raised", "closed"])
@in_loop
async def test_a_failure_that_was_not_raised_is_not_committed(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, how: str
) -> None:
    """consume() returns the other messages. The offset passes the bad message when its error is
    raised, or at close()."""
    await asyncio.to_thread(send, producer, kafka_topic, [b"0", BAD, b"2"])
    async with reading(kafka_cluster, kafka_topic, Gate()) as consumer:
        assert values_of(await consumer.consume(3, TIMEOUT)) == [b"0", b"2"]
        assert await stored(consumer) == 1
        with pytest.raises(ValueDeserializationError):
            await (consumer.poll(0) if how == "raised" else consumer.close())
    assert await asyncio.to_thread(committed, kafka_cluster, kafka_topic) == 3


@pytest.mark.parametrize("move", ["seek", "assign", "unassign"])
@pytest.mark.parametrize("bad", [False, True])
@in_loop
async def test_a_partition_that_moves_meanwhile(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, move: str, bad: bool
) -> None:
    """Messages that were taken before a seek() are not returned after it, and their offsets are not
    stored."""
    last = BAD if bad else b"4"
    await asyncio.to_thread(send, producer, kafka_topic, [*numbers(0, 4), last])
    gate = Gate(last)
    by_hand = {"enable.auto.commit": False}
    async with reading(kafka_cluster, kafka_topic, gate, **by_hand) as consumer:
        await consumer.consume(4, TIMEOUT)
        waiting = await started(gate, consumer.poll(0.3 if move == "unassign" else TIMEOUT), last)
        if move == "unassign":
            await consumer.unassign()
        elif move == "assign":
            await consumer.assign([TopicPartition(kafka_topic, 0, 1)])
        else:
            await consumer.seek(TopicPartition(kafka_topic, 0, 1))
        gate.held[last].set()
        if move == "unassign":
            assert await waiting is None
        else:
            assert values_of(await waiting) == [b"1"]
            assert await stored(consumer) == 2


@in_loop
async def test_what_waits_while_paused(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """If a cancelled message belongs to a paused partition, it is returned after resume()."""
    await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 3))
    own = [TopicPartition(kafka_topic, 0)]
    gate = Gate(b"0")
    async with reading(kafka_cluster, kafka_topic, gate) as consumer:
        first = await started(gate, consumer.poll(), b"0")
        first.cancel()
        await asyncio.wait([first])
        await consumer.pause(own)
        assert await consumer.poll(0.2) is None
        gate.held[b"0"].set()
        await consumer.resume(own)
        assert values_of(await consumer.consume(3, TIMEOUT)) == numbers(0, 3)


@pytest.mark.parametrize("block", [False, True], ids=["pause", "pause_while"])
@in_loop
async def test_what_is_given_back_while_paused(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, block: bool
) -> None:
    """pause() also holds back a message that was in flight when its partition was paused."""
    await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 4))
    gate = Gate(b"1")
    async with reading(kafka_cluster, kafka_topic, gate) as consumer:
        assert values_of(await consumer.poll(TIMEOUT)) == [b"0"]
        held = await started(gate, consumer.poll(), b"1")
        assert values_of(await consumer.poll(TIMEOUT)) == [b"2"]
        async with paused(consumer, kafka_topic, block):
            held.cancel()
            await asyncio.wait([held])
            assert await consumer.poll(0.2) is None
            [position] = await consumer.position([TopicPartition(kafka_topic, 0)])
            assert position.offset == 1
            gate.held[b"1"].set()
        assert values_of(await consumer.consume(2, TIMEOUT)) == [b"1", b"3"]
        assert await stored(consumer) == 4


@asynccontextmanager
async def paused(consumer: AIOConsumer, topic: str, block: bool) -> AsyncIterator[None]:
    if block:
        async with consumer.pause_while():
            yield
    else:
        await consumer.pause([TopicPartition(topic, 0)])
        yield
        await consumer.resume([TopicPartition(topic, 0)])


@pytest.mark.parametrize("call", ["poll", "getone of", "getmany of"])
@pytest.mark.parametrize("block", [False, True], ids=["pause", "pause_while"])
@in_loop
async def test_a_pause_repeats_nothing(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, block: bool, call: str
) -> None:
    """If 0 was cancelled, 1 is in flight and 2 was returned, a pause repeats only message 0."""
    await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 5))
    gate = Gate(b"0", b"1")
    async with reading(kafka_cluster, kafka_topic, gate) as consumer:
        tasks = [await started(gate, CALLS[call](consumer), b"%d" % i) for i in range(2)]
        assert values_of(await CALLS[call](consumer)) == [b"2"]
        tasks[0].cancel()
        await asyncio.wait(tasks[:1])
        async with paused(consumer, kafka_topic, block):
            gate.held[b"1"].set()
            assert values_of(await tasks[1]) == [b"1"]
        gate.held[b"0"].set()
        values = [value for _ in range(3) for value in values_of(await CALLS[call](consumer))]
        assert values == [b"0", b"3", b"4"]
        assert await stored(consumer) == 5


@in_loop
async def test_what_was_given_back_is_dropped_with_its_partition(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """After a seek during a pause, reading continues at the seek, and cancelled messages are
    dropped."""
    await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 5))
    gate = Gate(b"0")
    async with reading(kafka_cluster, kafka_topic, gate) as consumer:
        held = await started(gate, consumer.poll(), b"0")
        async with paused(consumer, kafka_topic, False):
            held.cancel()
            await asyncio.wait([held])
            await consumer.seek(TopicPartition(kafka_topic, 0, 3))
        assert values_of(await consumer.consume(2, TIMEOUT)) == [b"3", b"4"]
        assert await stored(consumer) == 5


# ---- columns ----


class Decoder(AvroDecoder):
    """A decoder that waits in its thread until the test allows it to continue, or that fails."""

    def __init__(self) -> None:
        super().__init__('"int"')
        self.asked = threading.Semaphore(0)
        self.answers: list[threading.Event] = []
        self.failure: Exception | None = None
        self.waits = True

    def decode(self, payloads: Any) -> Any:
        answer = threading.Event()
        self.answers.append(answer)
        self.asked.release()
        if self.waits:
            assert answer.wait(TIMEOUT)
        if self.failure is not None:
            raise self.failure
        return super().decode(payloads)


def avro_numbers(count: int) -> list[bytes]:
    """The Avro payloads of 0 to 63."""
    return [bytes([2 * i]) for i in range(count)]


@asynccontextmanager
async def rows_of(
    cluster: MockCluster, topic: str, **more: Any
) -> AsyncIterator[tuple[AIOConsumer, Decoder]]:
    decoder = Decoder()
    async with AIOConsumer(config_of(cluster, topic, **more)) as consumer:
        await consumer.assign([TopicPartition(topic, 0, 0)])
        yield consumer, decoder
        for answer in decoder.answers:
            answer.set()


def offsets_of(batch: Any) -> list[int]:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    offsets: list[int] = polars.DataFrame(batch)["offset"].to_list()
    return offsets


async def asked(consumer: AIOConsumer, decoder: Decoder, count: int) -> asyncio.Task[Any]:
    task = asyncio.create_task(consumer.consume_arrow(count, TIMEOUT, value=decoder))
    assert await asyncio.to_thread(decoder.asked.acquire, timeout=TIMEOUT)
    return task


@pytest.mark.parametrize("failure", [None, TimeoutError("registry")], ids=["cancelled", "failed"])
@in_loop
async def test_columns_that_were_not_returned_are_not_committed(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, failure: Exception | None
) -> None:
    """After a cancellation or a registry's timeout, another member reads all rows."""
    await asyncio.to_thread(send, producer, kafka_topic, avro_numbers(50))
    async with rows_of(kafka_cluster, kafka_topic) as (consumer, decoder):
        decoder.failure = failure
        call = await asked(consumer, decoder, 50)
        if failure is None:
            call.cancel()
        else:
            decoder.answers[0].set()
        await asyncio.wait([call])
        assert call.cancelled() or call.exception() is failure
        assert await stored(consumer) == -1
    assert await asyncio.to_thread(committed, kafka_cluster, kafka_topic) < 0


@in_loop
async def test_columns_of_two_calls_at_once(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """Each row is in the result of one of the calls, and offsets are stored in order."""
    await asyncio.to_thread(send, producer, kafka_topic, avro_numbers(20))
    async with rows_of(kafka_cluster, kafka_topic) as (consumer, decoder):
        first, second = [await asked(consumer, decoder, 10) for _ in range(2)]
        decoder.answers[1].set()
        assert offsets_of(await second) == list(range(10, 20))
        assert await stored(consumer) == -1
        decoder.answers[0].set()
        assert offsets_of(await first) == list(range(10))
        assert await stored(consumer) == 20


@in_loop
async def test_columns_after_a_seek(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """Rows that were fetched before a seek() do not come after it, cancelled or not."""
    await asyncio.to_thread(send, producer, kafka_topic, avro_numbers(20))
    async with rows_of(kafka_cluster, kafka_topic) as (consumer, decoder):
        call = await asked(consumer, decoder, 10)
        call.cancel()
        await asyncio.wait([call])
        await consumer.seek(TopicPartition(kafka_topic, 0, 15))
        decoder.waits = False
        batch = await consumer.consume_arrow(5, TIMEOUT, value=decoder)
        assert offsets_of(batch) == list(range(15, 20))
        decoder.waits = True
        await consumer.seek(TopicPartition(kafka_topic, 0, 0))
        assert decoder.asked.acquire(timeout=TIMEOUT)
        call = await asked(consumer, decoder, 5)
        decoder.waits = False
        await consumer.seek(TopicPartition(kafka_topic, 0, 10))
        decoder.answers[-1].set()
        assert offsets_of(await call) == list(range(10, 15))


@in_loop
async def test_rows_that_overtake_messages_in_flight(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """poll() and consume_arrow() without decoders do not commit past rows that are still
    decoded."""
    await asyncio.to_thread(send, producer, kafka_topic, avro_numbers(20))
    async with rows_of(kafka_cluster, kafka_topic) as (consumer, decoder):
        call = await asked(consumer, decoder, 5)
        assert offsets_of(await consumer.consume_arrow(5, TIMEOUT)) == list(range(5, 10))
        message = await consumer.poll(TIMEOUT)
        assert message is not None
        assert message.offset() == 10
        assert await stored(consumer) == -1
        decoder.answers[0].set()
        assert offsets_of(await call) == list(range(5))
        assert await stored(consumer) == 11


@in_loop
async def test_the_end_of_a_partition_is_not_lost(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """If a cancelled batch ended with the end of the partition, the next batch has this end,
    too."""
    await asyncio.to_thread(send, producer, kafka_topic, avro_numbers(3))
    async with rows_of(kafka_cluster, kafka_topic, **{"enable.partition.eof": True}) as (
        consumer,
        decoder,
    ):
        call = await asked(consumer, decoder, 4)
        call.cancel()
        await asyncio.wait([call])
        decoder.waits = False
        batch = await consumer.consume_arrow(4, TIMEOUT, value=decoder)
        assert offsets_of(batch) == [0, 1, 2]
        assert [one.offset for one in batch.eof] == [3]


# ---- threads that deserialize ----


class Threads:
    """A deserializer that holds back the value 0."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.released = threading.Event()

    def __call__(self, data: bytes | None, _: SerializationContext) -> Any:
        if data == b"0":
            self.reached.set()
            assert self.released.wait(TIMEOUT)
        return data


def test_threads_of_a_blocking_consumer(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """If two threads poll, neither commits messages that the other one still deserializes."""
    send(producer, kafka_topic, numbers(0, 3))
    gate = Threads()
    config = config_of(kafka_cluster, kafka_topic) | {"value.deserializer": gate}
    consumer = DeserializingConsumer[Any, Any](config)
    try:
        consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(consumer.poll(TIMEOUT)))
        thread.start()
        assert gate.reached.wait(TIMEOUT)
        assert values_of(consumer.poll(TIMEOUT)) == [b"1"]
        assert consumer.position([TopicPartition(kafka_topic, 0)])[0].offset == 0
        with pytest.raises(KafkaException, match="NO_OFFSET"):
            consumer.commit(asynchronous=False)
        gate.released.set()
        thread.join(TIMEOUT)
        assert values_of(found) == [b"0"]
        answer = consumer.commit(asynchronous=False)
        assert answer is not None
        assert answer[0].offset == 2
    finally:
        consumer.close()


def test_a_thread_that_is_interrupted(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """After Ctrl-C in a deserializer, its message is returned again, and no other message is."""
    send(producer, kafka_topic, numbers(0, 3))
    seen: list[bytes | None] = []

    def interrupted(data: bytes | None, _: SerializationContext) -> Any:
        seen.append(data)
        if seen == [b"0"]:
            raise KeyboardInterrupt
        return data

    config = config_of(kafka_cluster, kafka_topic) | {"value.deserializer": interrupted}
    consumer = DeserializingConsumer[Any, Any](config)
    try:
        consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        with pytest.raises(KeyboardInterrupt):
            consumer.poll(TIMEOUT)
        assert consumer.position([TopicPartition(kafka_topic, 0)])[0].offset == 0
        assert [values_of(consumer.poll(TIMEOUT)) for _ in range(3)] == [[b"0"], [b"1"], [b"2"]]
    finally:
        consumer.close()
    assert committed(kafka_cluster, kafka_topic) == 3


# ---- a topic that is created again ----


async def create_again(
    consumer: AIOConsumer, cluster: MockCluster, topic: str, producer: Producer
) -> None:
    """Create the topic again with one message, and wait until the consumer has noticed it."""
    cluster._delete_topic(topic)
    cluster.create_topic(topic)
    await asyncio.to_thread(send, producer, topic, [b"new"])

    async def is_known() -> bool:
        await consumer.list_topics(topic, TIMEOUT)
        [position] = await consumer.position([TopicPartition(topic, 0)])
        return position.offset == OFFSET_INVALID

    async def wait() -> None:
        while not await is_known():
            await asyncio.sleep(0.01)

    await asyncio.wait_for(wait(), TIMEOUT)


NEW_TOPICS = {"topic.metadata.refresh.interval.ms": 50, "topic.metadata.propagation.max.ms": 0}


@needs("recreated-topic")
@in_loop
async def test_what_went_back_of_a_former_topic(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """Cancelled messages of the former topic do not affect the position in the new topic of that
    name."""
    await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 3))
    gate = Gate(b"1")
    async with reading(kafka_cluster, kafka_topic, gate, **NEW_TOPICS) as consumer:
        assert values_of(await consumer.poll(TIMEOUT)) == [b"0"]
        held = await started(gate, consumer.poll(), b"1")
        held.cancel()
        await asyncio.wait([held])
        await create_again(consumer, kafka_cluster, kafka_topic, producer)


@needs("recreated-topic")
@in_loop
async def test_what_was_handed_out_early_of_a_former_topic(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """The offset of a returned message of the former topic is not stored for the new topic."""
    await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 3))
    gate = Gate(b"0")
    async with reading(kafka_cluster, kafka_topic, gate, **NEW_TOPICS) as consumer:
        first = await started(gate, consumer.poll(), b"0")
        assert values_of(await consumer.consume(2, TIMEOUT)) == [b"1", b"2"]
        await create_again(consumer, kafka_cluster, kafka_topic, producer)
        gate.held[b"0"].set()
        assert values_of(await first) == [b"0"]
        assert await stored(consumer) == -1
        assert values_of(await consumer.poll(TIMEOUT)) == [b"new"]
        assert await stored(consumer) == 1
