"""AIOProducer settles futures with delivery reports, in whatever call the reports come."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from confluent_kafka.aio import AIOProducer
from confluent_kafka.testing import MockCluster
from tests.support.aio import LoopErrors, in_loop, until
from tests.support.clients import QUIET
from tests.support.kafka import NO_BROKER, numbers
from tests.support.waiting import TIMEOUT

COUNT = 100
UNREACHABLE: dict[str, Any] = {"bootstrap.servers": NO_BROKER, "logger": QUIET}


def producer_of(cluster: MockCluster, config: dict[str, Any] | None = None) -> AIOProducer:
    common: dict[str, Any] = {"bootstrap.servers": cluster.bootstrap_servers, "linger.ms": 0}
    return AIOProducer(common | (config or {}))


async def send_all(producer: AIOProducer, topic: str) -> list[asyncio.Future[Message]]:
    return [await producer.produce(topic, value, partition=0) for value in numbers(0, COUNT)]


def note_order(deliveries: list[asyncio.Future[Message]]) -> list[int]:
    """Return a list to which settled deliveries add their numbers, in order."""
    order: list[int] = []
    for place, delivery in enumerate(deliveries):
        delivery.add_done_callback(lambda _, place=place: order.append(place))  # type: ignore[misc]
    return order


async def served(producer: AIOProducer, topic: str) -> None:
    """Do nothing, because the loop alone serves the reports."""


async def flushed(producer: AIOProducer, topic: str) -> None:
    await producer.flush()


async def flushed_by_a_thread(producer: AIOProducer, topic: str) -> None:
    """Let a thread serve the reports, instead of the loop."""
    await asyncio.to_thread(producer._client.flush, TIMEOUT)


async def closed(producer: AIOProducer, topic: str) -> None:
    await producer.close()


ENDS: list[Callable[[AIOProducer, str], Any]] = [served, flushed, flushed_by_a_thread, closed]
each_end = pytest.mark.parametrize("end", ENDS)


@each_end
@in_loop
async def test_order(kafka_cluster: MockCluster, kafka_topic: str, end: Callable[..., Any]) -> None:
    """Futures are settled in the order of their messages, in the loop's thread."""
    async with producer_of(kafka_cluster) as producer:
        threads: set[int] = set()
        deliveries = await send_all(producer, kafka_topic)
        order = note_order(deliveries)
        deliveries[0].add_done_callback(lambda _: threads.add(threading.get_ident()))
        await end(producer, kafka_topic)
        messages = await asyncio.gather(*deliveries)
    assert order == list(range(COUNT))
    assert [message.offset() for message in messages] == order
    assert threads == {threading.get_ident()}


@each_end
@in_loop
async def test_callbacks_among_futures(
    kafka_cluster: MockCluster, kafka_topic: str, end: Callable[..., Any]
) -> None:
    """Messages with and without an on_delivery are reported in one common order."""
    order: list[bytes | None] = []

    def note(_: object, message: Message) -> None:
        asyncio.get_running_loop()
        order.append(message.value())

    async with producer_of(kafka_cluster) as producer:
        deliveries = []
        for place, value in enumerate(numbers(0, COUNT)):
            given = {} if place % 2 else {"on_delivery": note}
            delivery = await producer.produce(kafka_topic, value, partition=0, **given)
            deliveries.append(delivery)
        await end(producer, kafka_topic)
        for place, delivery in enumerate(deliveries):
            await delivery
            if place % 2 == 0:
                assert order[place // 2] == numbers(0, COUNT)[place]
    assert order == numbers(0, COUNT)[::2]


@each_end
@in_loop
async def test_cancelled_ones(
    kafka_cluster: MockCluster, kafka_topic: str, end: Callable[..., Any]
) -> None:
    """A cancelled future stays cancelled, but its on_delivery is called."""
    reports: list[bytes | None] = []

    def note(_: object, message: Message) -> None:
        reports.append(message.value())

    with LoopErrors() as errors:
        async with producer_of(kafka_cluster) as producer:
            deliveries = []
            for place, value in enumerate(numbers(0, COUNT)):
                deliveries.append(await producer.produce(kafka_topic, value, partition=0))
                if place % 2 == 0:
                    deliveries[-1].cancel()  # the loop has not run since the future was created
            deliveries.append(await producer.produce(kafka_topic, b"last", on_delivery=note))
            deliveries[-1].cancel()
            await end(producer, kafka_topic)
            messages = await asyncio.gather(*deliveries, return_exceptions=True)
            await until(lambda: reports)
    assert errors.seen == []
    assert [isinstance(one, Message) for one in messages[:-1]] == [False, True] * (COUNT // 2)
    assert reports == [b"last"]


@in_loop
async def test_each_failure_is_its_own() -> None:
    """Each failed message has its own exception, which names the message."""
    producer = AIOProducer(UNREACHABLE)
    deliveries = [await producer.produce("t", value, b"k") for value in numbers(0, COUNT)]
    await producer.purge()
    failures = await asyncio.gather(*deliveries, return_exceptions=True)
    await producer.close()
    assert len({id(failure) for failure in failures}) == COUNT
    for failure, value in zip(failures, numbers(0, COUNT), strict=True):
        assert isinstance(failure, KafkaException)
        assert failure.code() == KafkaError._PURGE_QUEUE
        assert failure.kafka_message is not None
        assert (failure.kafka_message.value(), failure.kafka_message.key()) == (value, b"k")
        assert failure.kafka_message.error() is failure.error
    assert KafkaException(failures[0].error).kafka_message is None  # type: ignore[union-attr]


def note_to(reports: list[KafkaError | None]) -> Callable[[KafkaError | None, Message], None]:
    return lambda error, _: reports.append(error)


@in_loop
async def test_only_errors_are_reported(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """delivery.report.only.error applies to callbacks only; all futures are settled."""
    reports: list[KafkaError | None] = []
    config = {"delivery.report.only.error": "true", "linger.ms": 60_000}
    async with producer_of(kafka_cluster, config) as producer:
        note = note_to(reports)
        delivery = await producer.produce(kafka_topic, b"v", on_delivery=note)
        await producer.flush()
        assert (await delivery).error() is None
        failing = await producer.produce(kafka_topic, b"v", on_delivery=note)
        await producer.purge()  # before linger.ms is over
        with pytest.raises(KafkaException):
            await failing
    assert [error.code() for error in reports if error] == [KafkaError._PURGE_QUEUE]


def test_interrupted_callbacks_leave_the_rest(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """After Ctrl-C in a callback, the remaining futures are settled when the loop runs again."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    async def make() -> tuple[AIOProducer, list[asyncio.Future[Message]]]:
        producer = producer_of(kafka_cluster, {"linger.ms": 60_000})
        first = await producer.produce(kafka_topic, b"v", partition=0, on_delivery=interrupt)
        return producer, [first, *await send_all(producer, kafka_topic)]

    with asyncio.Runner(debug=True) as runner:
        for thread in (False, True):
            producer, deliveries = runner.run(make())

            async def finish(producer: AIOProducer = producer, thread: bool = thread) -> None:
                await (flushed_by_a_thread if thread else flushed)(producer, kafka_topic)
                await asyncio.Event().wait()

            task = runner.get_loop().create_task(finish())
            with pytest.raises(KeyboardInterrupt):
                runner.get_loop().run_until_complete(asyncio.wait_for(task, TIMEOUT))
            task.cancel()
            everything = asyncio.wait_for(asyncio.wait(deliveries), TIMEOUT)
            runner.run(everything)
            assert len({delivery.result().offset() for delivery in deliveries}) == COUNT + 1
            runner.run(producer.close())


class Refusing:
    """A future whose settling raises."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def get_loop(self) -> asyncio.AbstractEventLoop:
        return self._loop

    def done(self) -> bool:
        return False

    def set_result(self, _: Message) -> None:
        raise ZeroDivisionError


@each_end
@in_loop
async def test_what_a_future_raises(
    kafka_cluster: MockCluster, kafka_topic: str, end: Callable[..., Any]
) -> None:
    """The loop's exception handler gets the exception, and the later futures are settled."""
    loop = asyncio.get_running_loop()
    with LoopErrors() as errors:
        async with producer_of(kafka_cluster) as producer:
            for _ in range(2):
                assert producer._client._send(Refusing(loop), kafka_topic, b"v", None, 0, 0, None)
            deliveries = await send_all(producer, kafka_topic)
            await end(producer, kafka_topic)
            assert (await deliveries[-1]).offset() == COUNT + 1
            await until(lambda: errors.seen)
    assert {type(error) for error in errors.seen} == {ZeroDivisionError}


@pytest.mark.filterwarnings("ignore:.* was not closed:ResourceWarning")
@in_loop
async def test_a_dropped_producer_settles() -> None:
    """If a producer is dropped, the future of its unsent message raises _PURGE_QUEUE."""

    async def send() -> asyncio.Future[Message]:
        return await AIOProducer(UNREACHABLE).produce("t", b"v")

    delivery = await send()
    gc.collect()
    with pytest.raises(KafkaException) as raised:
        await delivery
    assert raised.value.code() == KafkaError._PURGE_QUEUE


@pytest.mark.parametrize("pending", [True, False], ids=["pending", "delivered"])
def test_a_closed_loop(kafka_cluster: MockCluster, kafka_topic: str, pending: bool) -> None:
    """A producer whose loop was closed can be ended; its futures stay as they are."""
    bootstrap = NO_BROKER if pending else kafka_cluster.bootstrap_servers

    async def make() -> tuple[AIOProducer, asyncio.Future[Message]]:
        # The message lingers until the loop is closed, so nothing can settle it before that.
        config = {"bootstrap.servers": bootstrap, "linger.ms": 60_000, "logger": QUIET}
        producer = AIOProducer(config)
        return producer, await producer.produce(kafka_topic, b"v")

    producer, delivery = asyncio.run(make())
    producer._client.close(0 if pending else TIMEOUT)
    assert not delivery.done()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork()")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@in_loop
async def test_fork(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A child process does not settle its parent's futures, and can end; the parent continues."""
    async with producer_of(kafka_cluster, {"linger.ms": 50}) as producer:
        deliveries = await send_all(producer, kafka_topic)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                producer._client._settle(1)
            except RuntimeError:
                status = 0
            finally:
                os._exit(status)
        _, status = await asyncio.to_thread(os.waitpid, child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        assert len(await asyncio.gather(*deliveries)) == COUNT


@in_loop
async def test_futures_in_a_plain_producer(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A client can have callbacks and futures; any thread may poll."""
    loop = asyncio.get_running_loop()
    reports: list[bytes | None] = []

    def note(_: object, message: Message) -> None:
        reports.append(message.value())

    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        delivery = loop.create_future()
        producer.produce(kafka_topic, b"callback", partition=0, on_delivery=note)
        assert producer._send(delivery, kafka_topic, b"future", None, 0, 0, None)
        producer.produce(kafka_topic, b"nobody", partition=0)
        await asyncio.to_thread(producer.flush, TIMEOUT)
        assert (await delivery).value() == b"future"
    assert reports == [b"callback"]


@pytest.mark.parametrize("arguments", [(), (None,) * 6, (b"", "t", b"", b"", 0, 0, None)])
def test_wrong_arguments(arguments: tuple[Any, ...]) -> None:
    """The error names the wrong argument."""
    with (
        Producer(UNREACHABLE) as producer,
        pytest.raises(TypeError, match=r"_send\(\) takes 7 arguments|future must be"),
    ):
        producer._send(*arguments)


@pytest.mark.parametrize(
    "arguments",
    [(), (tuple,), (int, tuple, repr), (tuple, int, repr), (tuple, "t", repr), (tuple, tuple, 5)],
)
def test_types_that_nothing_can_be_settled_as(arguments: tuple[Any, ...]) -> None:
    """Records and partitions must be named tuples, and failures must come from a callable."""
    with Producer({}) as producer, pytest.raises(TypeError):
        producer._settle_as(*arguments)


class Falsy(list[bytes | None]):
    """A callback that is empty until it has been called."""

    def __call__(self, _: KafkaError | None, message: Message) -> None:
        self.append(message.value())


@pytest.mark.parametrize("call", ["produce", "produce_batch", "produce_many"])
def test_a_second_loop_of_the_thread(call: str) -> None:
    """The call from a second loop is refused, and nothing is enqueued."""

    async def make() -> AIOProducer:
        return AIOProducer(UNREACHABLE)

    async def refused(message: Any) -> None:
        with pytest.raises(RuntimeError, match="belongs to another event loop"):
            await getattr(producer, call)("topic", message)
        assert (await asyncio.to_thread(producer._client.flush, 0)) == 0

    with asyncio.Runner() as first, asyncio.Runner() as second:
        producer = first.run(make())
        second.run(refused(b"v" if call == "produce" else [b"v"]))
        first.run(producer.close())


@pytest.mark.parametrize("place", ["call", "other name", "configuration"])
@in_loop
async def test_falsy_callbacks(kafka_cluster: MockCluster, kafka_topic: str, place: str) -> None:
    """A callback is called even if its bool() is False."""
    reports = Falsy()
    config = {"on_delivery": reports} if place == "configuration" else {}
    names = {"call": "on_delivery", "other name": "callback"}
    given: dict[str, Any] = {names[place]: reports} if place in names else {}
    async with producer_of(kafka_cluster, config) as producer:
        await (await producer.produce(kafka_topic, b"v", **given))
        await producer.produce_batch(kafka_topic, [b"v"], **given)
    assert reports == [b"v", b"v"]
