"""AIOProducer: many messages in one call."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Message
from confluent_kafka.aio import AIOProducer
from confluent_kafka.testing import MockCluster
from tests.support.aio import LoopErrors, in_loop, until
from tests.support.clients import QUIET
from tests.support.kafka import NO_BROKER, Reports, numbers, read, values_of
from tests.support.waiting import TIMEOUT

COUNT = 300
UNREACHABLE: dict[str, Any] = {"bootstrap.servers": NO_BROKER, "logger": QUIET}
# Room for only a part of the messages, so that each call has to wait.
SMALL = {"queue.buffering.max.messages": 7}

Send = Callable[[AIOProducer, str, list[bytes]], Any]


def producer_of(cluster: MockCluster, config: dict[str, Any] | None = None) -> AIOProducer:
    common: dict[str, Any] = {"bootstrap.servers": cluster.bootstrap_servers, "linger.ms": 0}
    return AIOProducer(common | (config or {}))


async def send_batch(producer: AIOProducer, topic: str, values: list[bytes]) -> None:
    assert await producer.produce_batch(topic, values, 0) == len(values)


async def send_dicts(producer: AIOProducer, topic: str, values: list[bytes]) -> None:
    messages = [{"value": value, "partition": 0} for value in values]
    assert await producer.produce_batch(topic, messages) == len(values)


async def send_many(producer: AIOProducer, topic: str, values: list[bytes]) -> None:
    deliveries = await producer.produce_many(topic, iter(values), 0)
    assert await deliveries == len(values)


def rows_of(values: list[bytes]) -> Any:
    import pyarrow

    return pyarrow.record_batch(
        {"value": values, "partition": pyarrow.array([0] * len(values), "int32")}
    )


async def send_arrow(producer: AIOProducer, topic: str, values: list[bytes]) -> None:
    assert await producer.produce_arrow(rows_of(values), topic) == len(values)


async def send_arrow_ordered(producer: AIOProducer, topic: str, values: list[bytes]) -> None:
    sent = await producer.produce_arrow(rows_of(values), topic, partition_count=1)
    assert sent == len(values)


needs_pyarrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed")
each_call = pytest.mark.parametrize(
    "send",
    [
        send_batch,
        send_dicts,
        send_many,
        pytest.param(send_arrow, marks=needs_pyarrow),
        pytest.param(send_arrow_ordered, marks=needs_pyarrow),
    ],
)


@each_call
@pytest.mark.parametrize("config", [{}, SMALL], ids=["room", "full"])
@in_loop
async def test_all_arrive_in_order(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    consumer: Consumer,
    send: Send,
    config: dict[str, Any],
) -> None:
    """All messages arrive in order. If the queue has no room for all, the call waits, and other
    tasks run."""
    async with producer_of(kafka_cluster, config) as producer:
        await send(producer, kafka_topic, numbers(0, COUNT))
    found = await asyncio.to_thread(read, consumer, kafka_topic, COUNT)
    assert values_of(found) == numbers(0, COUNT)


@in_loop
async def test_calls_keep_their_order(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """While calls wait for room, the messages of later calls, one or many, come after their
    messages."""
    calls: list[Send] = [send_batch, send_many, send_dicts]
    async with producer_of(kafka_cluster, SMALL) as producer:
        # otherwise a call that first lets other tasks run would come later
        producer._client._begin_turn(-1)
        tasks: list[asyncio.Future[Any]] = []
        for place, send in enumerate(calls):
            values = numbers(place * COUNT, (place + 1) * COUNT)
            tasks.append(asyncio.ensure_future(send(producer, kafka_topic, values[:-1])))
            one = producer.produce(kafka_topic, values[-1], partition=0)
            tasks.append(asyncio.ensure_future(one))
        await asyncio.gather(*tasks)
    expected = numbers(0, len(calls) * COUNT)
    found = await asyncio.to_thread(read, consumer, kafka_topic, len(expected))
    assert values_of(found) == expected


@each_call
@in_loop
async def test_a_long_call_gives_turns(
    kafka_cluster: MockCluster, kafka_topic: str, send: Send
) -> None:
    """Other tasks run even while calls enqueue thousands of messages."""
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with producer_of(kafka_cluster) as producer:
        task = asyncio.create_task(other())
        while turns < 3:
            await send(producer, kafka_topic, numbers(0, COUNT) * 30)
        task.cancel()


@each_call
@in_loop
async def test_a_cancelled_call_has_sent_a_part(kafka_topic: str, send: Send) -> None:
    """Messages that are already in the queue are sent, and the next call does not wait."""
    reports = Reports()
    producer = AIOProducer(UNREACHABLE | SMALL | {"on_delivery": reports})
    call = asyncio.create_task(send(producer, kafka_topic, numbers(0, COUNT)))
    await until(lambda: len(producer) == SMALL["queue.buffering.max.messages"])
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await producer.purge()
    await producer.flush()
    delivery = await producer.produce(kafka_topic, b"next")
    await producer.purge()
    with pytest.raises(KafkaException):
        await delivery
    await producer.close()
    assert reports.values == [*numbers(0, 7), b"next"]


@pytest.mark.parametrize("place", ["message", "call", "configuration"])
@pytest.mark.parametrize("call", ["produce_batch", "produce_many"])
@in_loop
async def test_on_delivery(
    kafka_cluster: MockCluster, kafka_topic: str, call: str, place: str
) -> None:
    """Callbacks run in the event loop, whether the configuration, the call or a message has
    them."""
    threads: list[int] = []
    reports: list[bytes | None] = []

    def note(error: KafkaError | None, message: Message) -> None:
        assert error is None
        threads.append(threading.get_ident())
        reports.append(message.value())

    async def later(error: KafkaError | None, message: Message) -> None:
        await asyncio.sleep(0)
        note(error, message)

    own = {"on_delivery": note} if place == "message" else {}
    messages = [{"value": value, **own} for value in numbers(0, COUNT)]
    config = {"on_delivery": later} if place == "configuration" else {}
    given: dict[str, Any] = {}
    if place == "call":
        if call == "produce_many":
            pytest.skip("produce_many() has a future instead")
        given = {"on_delivery": later}
    async with producer_of(kafka_cluster, config) as producer:
        await getattr(producer, call)(kafka_topic, messages, 0, **given)
    assert reports == numbers(0, COUNT)
    assert set(threads) == {threading.get_ident()}
    assert "_error" not in messages[0]


@in_loop
async def test_failures_of_many_are_listed(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The exception lists each message that was refused at once or failed later, with its error."""
    async with producer_of(kafka_cluster, {"message.max.bytes": 2000}) as producer:
        await (await producer.produce(kafka_topic, b"v"))  # now the client knows the partitions
        messages = [b"1", b"2" * 3000, {"value": b"3", "partition": 99}, {"value": b"4"}]
        deliveries = await producer.produce_many(kafka_topic, messages)
        with pytest.raises(ExceptionGroup, match="2 of 4 messages were not delivered") as raised:
            await deliveries
    failures = raised.value.exceptions
    assert all(isinstance(failure, KafkaException) for failure in failures)
    found = {
        failure.kafka_message.value(): failure.code()
        for failure in failures
        if isinstance(failure, KafkaException) and failure.kafka_message is not None
    }
    assert found == {
        b"2" * 3000: KafkaError.MSG_SIZE_TOO_LARGE,
        b"3": KafkaError._UNKNOWN_PARTITION,
    }
    assert isinstance(messages[2], dict)
    assert messages[2]["_error"].code() == KafkaError._UNKNOWN_PARTITION


@in_loop
async def test_many_that_are_purged() -> None:
    """The future of many messages raises when the last of them has failed."""
    producer = AIOProducer(UNREACHABLE)
    deliveries = await producer.produce_many("topic", numbers(0, COUNT))
    await producer.purge()
    with pytest.raises(ExceptionGroup) as raised:
        await deliveries
    assert [failure.kafka_message.value() for failure in raised.value.exceptions] == numbers(  # type: ignore[union-attr]
        0, COUNT
    )
    await producer.close()


@in_loop
async def test_none_of_many(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A call without messages succeeds at once."""
    async with producer_of(kafka_cluster) as producer:
        assert await (await producer.produce_many(kafka_topic, [])) == 0
        assert await producer.produce_batch(kafka_topic, []) == 0


@in_loop
async def test_a_cancelled_future_of_many(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """If the future is cancelled, the messages are still sent, and nothing fails."""
    with LoopErrors() as errors:
        async with producer_of(kafka_cluster) as producer:
            deliveries = await producer.produce_many(kafka_topic, numbers(0, COUNT))
            deliveries.cancel()
    assert errors.seen == []


def failing(values: list[bytes]) -> Iterator[bytes]:
    yield from values
    raise ZeroDivisionError


@in_loop
async def test_texts(kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer) -> None:
    """produce_many() accepts str as values, as produce() does."""
    async with producer_of(kafka_cluster) as producer:
        assert await (await producer.produce_many(kafka_topic, ["a", {"value": "b"}, b"c"], 0)) == 3
    messages = await asyncio.to_thread(read, consumer, kafka_topic, 3)
    assert values_of(messages) == [b"a", b"b", b"c"]


@in_loop
async def test_an_iterable_that_raises(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """If the iterable raises, the call raises its exception, and the producer still works."""
    async with producer_of(kafka_cluster) as producer:
        with pytest.raises(ZeroDivisionError):
            await producer.produce_many(kafka_topic, failing(numbers(0, COUNT)))
        assert await (await producer.produce_many(kafka_topic, [b"v"])) == 1


@pytest.mark.parametrize(
    ("call", "arguments", "error", "text"),
    [
        ("produce_batch", ("t", "messages"), TypeError, "messages must be a list, not str"),
        ("produce_batch", ("t", ["text"]), TypeError, "must be a dict or a bytes-like value"),
        ("produce_batch", ("t", [3]), TypeError, "Message at index 0 must be a dict"),
        ("produce_batch", (3, [b"v"]), TypeError, "topic must be str"),
        ("produce_batch", ("t", [b"v"], "x"), TypeError, "partition"),
        ("produce_batch", ("t", [b"v"], 0, 3), TypeError, "on_delivery must be callable, not int"),
        ("produce_batch", ("t", [{"value": 3}]), TypeError, "Message value at index 0 must be"),
        ("produce_many", ("t", 3), TypeError, "iterable"),
        ("produce_many", ("t", [None]), TypeError, "must be a dict or a bytes-like value"),
        ("produce_many", ("t", [3]), TypeError, "Message value at index 0 must be bytes or str"),
        (
            "produce_many",
            ("t", "text"),
            TypeError,
            "messages must be an iterable of messages, not str",
        ),
        (
            "produce_many",
            ("t", b"text"),
            TypeError,
            "messages must be an iterable of messages, not bytes",
        ),
        ("produce_many", ("t", [{"callback": 3}]), TypeError, "callback at index 0"),
        ("produce_arrow", ("rows", "t"), TypeError, "batch"),
    ],
)
@in_loop
async def test_wrong_arguments(
    call: str, arguments: tuple[Any, ...], error: type[Exception], text: str
) -> None:
    """The error names the wrong argument, and the producer stays usable."""
    async with AIOProducer(UNREACHABLE) as producer:
        with pytest.raises(error) as raised:
            await getattr(producer, call)(*arguments)
        assert text in str(raised.value)
        assert await producer.poll() == 0


@pytest.mark.parametrize("call", ["produce_batch", "produce_many"])
@in_loop
async def test_a_closed_producer(kafka_cluster: MockCluster, kafka_topic: str, call: str) -> None:
    """Each call raises RuntimeError, because the producer is closed."""
    producer = producer_of(kafka_cluster)
    await producer.close()
    with pytest.raises(RuntimeError, match="closed"):
        await getattr(producer, call)(kafka_topic, [b"v"])


@each_call
@in_loop
async def test_close_ends_a_call_that_waits_for_room(kafka_topic: str, send: Send) -> None:
    """If the producer is closed, a call that waits for room raises RuntimeError."""
    producer = AIOProducer(UNREACHABLE | SMALL)
    call = asyncio.create_task(send(producer, kafka_topic, numbers(0, COUNT)))
    await until(lambda: len(producer) == SMALL["queue.buffering.max.messages"])
    await producer.close(0.01)
    with pytest.raises(RuntimeError, match="AIOProducer is closed"):
        await call


@in_loop
async def test_close_gives_up_after_its_timeout() -> None:
    """Messages that could not be sent fail with the error of purge(), and close() returns."""
    producer = AIOProducer(UNREACHABLE)
    deliveries = [await producer.produce("t", value) for value in numbers(0, 10)]
    with pytest.raises(TypeError, match="timeout must be a number"):
        await producer.close("x")  # type: ignore[arg-type]
    assert await asyncio.wait_for(producer.close(0.01), TIMEOUT)
    for delivery in deliveries:
        failure = delivery.exception()
        assert isinstance(failure, KafkaException)
        assert failure.code() == KafkaError._PURGE_QUEUE
