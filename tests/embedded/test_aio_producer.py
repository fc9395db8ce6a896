"""AIOProducer: awaited deliveries."""

from __future__ import annotations

import asyncio
import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition
from confluent_kafka.aio import AIOProducer, _readiness
from confluent_kafka.testing import MockCluster
from tests.support.aio import LoopErrors, in_loop, until
from tests.support.clients import QUIET
from tests.support.kafka import NO_BROKER, Reports, numbers, read, values_of
from tests.support.scripts import check_script
from tests.support.waiting import TIMEOUT, wait_until


def producer_of(cluster: MockCluster, config: dict[str, Any] | None = None) -> AIOProducer:
    common: dict[str, Any] = {"bootstrap.servers": cluster.bootstrap_servers, "linger.ms": 0}
    return AIOProducer(common | (config or {}))


@in_loop
async def test_a_delivery_is_awaited(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """The future's result is the message as the broker stored it, with all of its fields."""
    async with producer_of(kafka_cluster) as producer:
        delivery = await producer.produce(
            kafka_topic, b"v", "k", partition=0, timestamp=5, headers=[("h", b"1"), ("h", None)]
        )
        assert isinstance(delivery, asyncio.Future)
        message = await delivery
        assert len(producer) == 0
        assert bool(producer)
    assert message.error() is None
    assert (message.topic(), message.partition(), message.offset()) == (kafka_topic, 0, 0)
    [found] = await asyncio.to_thread(read, consumer, kafka_topic, 1)
    assert (found.key(), found.value(), found.timestamp()[1]) == (b"k", b"v", 5)
    assert found.headers() == [("h", b"1"), ("h", None)]


@in_loop
async def test_order_and_number_of_many(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """All deliveries of concurrent tasks arrive, in the order of each task's calls."""
    async with producer_of(kafka_cluster, {"linger.ms": 5}) as producer:

        async def send(task: int) -> None:
            for number in range(100):
                value = f"{task} {number}"
                delivery = await producer.produce(kafka_topic, value, partition=0)
                if number % 40 == 0:
                    await delivery

        await asyncio.gather(*(send(task) for task in range(5)))
        assert await producer.flush(TIMEOUT) == 0
    messages = await asyncio.to_thread(read, consumer, kafka_topic, 500)
    values = [str(value, "utf-8") for value in values_of(messages) if value is not None]
    for task in range(5):
        own = [value for value in values if value.startswith(f"{task} ")]
        assert own == [f"{task} {number}" for number in range(100)]


@in_loop
async def test_a_full_queue_is_waited_for(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """If the queue is full, produce() waits instead of raising BufferError, and no message is
    lost."""
    async with producer_of(kafka_cluster, {"queue.buffering.max.messages": 10}) as producer:
        deliveries = [await producer.produce(kafka_topic, b"%d" % i) for i in range(200)]
        messages = await asyncio.gather(*deliveries)
    assert [message.value() for message in messages] == [b"%d" % i for i in range(200)]
    found = await asyncio.to_thread(read, consumer, kafka_topic, 200)
    assert values_of(found) == [b"%d" % i for i in range(200)]


@in_loop
async def test_other_tasks_run_while_the_queue_is_full(kafka_topic: str) -> None:
    """A wait for room can be cancelled; the message of that call is not sent."""
    reports = Reports()
    config = {
        "bootstrap.servers": NO_BROKER,
        "queue.buffering.max.messages": 1,
        "logger": QUIET,
        "on_delivery": reports,
    }
    producer = AIOProducer(config)
    first = await producer.produce(kafka_topic, b"first")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(producer.produce(kafka_topic, b"second"), 0.05)
    await producer.purge()
    with pytest.raises(KafkaException) as raised:
        await first
    assert raised.value.args[0].code() == KafkaError._PURGE_QUEUE
    await producer.close()
    assert reports.values == [b"first"]


@in_loop
async def test_tasks_that_wait_for_room_keep_their_order(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """Tasks get room in the order in which they began to wait."""
    async with producer_of(kafka_cluster, {"queue.buffering.max.messages": 5}) as producer:
        tasks = [
            asyncio.create_task(producer.produce(kafka_topic, value, partition=0))
            for value in numbers(0, 200)
        ]
        await asyncio.gather(*tasks)
    found = await asyncio.to_thread(read, consumer, kafka_topic, 200)
    assert values_of(found) == numbers(0, 200)


@in_loop
async def test_flush_does_not_stand_in_the_way_of_others(
    kafka_cluster: MockCluster, kafka_topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deliveries wake tasks that wait for room, even while another task flushes."""
    monkeypatch.setattr(_readiness, "_LONGEST_WAIT", 1000)  # a task that is not woken stays asleep
    async with producer_of(kafka_cluster, {"queue.buffering.max.messages": 5}) as producer:
        await producer.produce(kafka_topic, b"v")

        async def flush() -> None:
            while True:
                await producer.flush()
                await asyncio.sleep(0)

        flushing = asyncio.create_task(flush())
        for _ in range(300):
            await producer.produce(kafka_topic, b"v")
        flushing.cancel()


@in_loop
async def test_cancelled_flushes_let_go(kafka_topic: str) -> None:
    """Cancelled flushes do not occupy threads that other requests and close() need."""
    config = {"bootstrap.servers": NO_BROKER, "linger.ms": 0, "logger": QUIET}
    producer = AIOProducer(config, max_workers=1)
    delivery = await producer.produce(kafka_topic, b"v")
    for _ in range(3):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(producer.flush(), 0.01)
    await producer.purge()
    await producer.close()
    assert isinstance(delivery.exception(), KafkaException)


@in_loop
async def test_a_loop_without_waits_leaves_turns_to_others(
    kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """Deliveries arrive and other tasks run, even if one task only awaits produce()."""
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with producer_of(kafka_cluster) as producer:
        task = asyncio.create_task(other())
        delivery = await producer.produce(kafka_topic, b"v")
        while not (delivery.done() and turns > 3):
            await producer.produce(kafka_topic, b"v")
        turns = 0
        while turns < 3:
            await producer.poll(0)
        task.cancel()


@pytest.mark.parametrize("known", [True, False], ids=["known topic", "unknown topic"])
@in_loop
async def test_a_failure_comes_out_of_the_future(
    kafka_cluster: MockCluster, kafka_topic: str, known: bool
) -> None:
    """The future raises a KafkaException, whether the message is refused at once or later."""
    async with producer_of(kafka_cluster) as producer:
        if known:
            await (await producer.produce(kafka_topic, b"v"))
        delivery = await producer.produce(kafka_topic, b"v", partition=99)
        with pytest.raises(KafkaException) as raised:
            await delivery
    assert raised.value.args[0].code() == KafkaError._UNKNOWN_PARTITION


@in_loop
async def test_a_cancelled_delivery_is_sent_all_the_same(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """If the future is cancelled, the message is still sent, and nothing fails."""
    with LoopErrors() as errors:
        async with producer_of(kafka_cluster, {"linger.ms": 50}) as producer:
            delivery = await producer.produce(kafka_topic, b"v")
            delivery.cancel()
            await producer.flush()
    assert errors.seen == []
    assert values_of(await asyncio.to_thread(read, consumer, kafka_topic, 1)) == [b"v"]


@pytest.mark.parametrize("coroutine", [True, False], ids=["coroutine", "function"])
@pytest.mark.parametrize("place", ["configuration", "call"])
@pytest.mark.parametrize("flush", [True, False], ids=["flushed", "served"])
@in_loop
async def test_on_delivery(
    kafka_cluster: MockCluster, kafka_topic: str, coroutine: bool, place: str, flush: bool
) -> None:
    """on_delivery is called once in the event loop, in addition to the future, however it was
    passed."""
    calls: list[tuple[KafkaError | None, Message, int]] = []

    def note(error: KafkaError | None, message: Message) -> None:
        asyncio.get_running_loop()
        calls.append((error, message, threading.get_ident()))

    async def note_later(error: KafkaError | None, message: Message) -> None:
        await asyncio.sleep(0)
        note(error, message)

    callback = note_later if coroutine else note
    config: dict[str, Any] = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    given: dict[str, Any] = {}
    (given if place == "call" else config)["on_delivery"] = callback
    async with AIOProducer(config) as producer:
        delivery = await producer.produce(kafka_topic, b"v", **given)
        if flush:
            await producer.flush()
        message = await delivery
        await until(lambda: calls)
    assert calls == [(None, message, threading.get_ident())]


@in_loop
async def test_what_callbacks_raise_goes_to_the_loop(
    kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """The loop's exception handler gets a callback's exception, and further deliveries arrive."""

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    async def fail_later(*_: object) -> None:
        raise ZeroDivisionError

    async def cancel(*_: object) -> None:
        raise asyncio.CancelledError

    def cancel_at_once(*_: object) -> None:
        raise asyncio.CancelledError

    with LoopErrors() as errors:
        async with producer_of(
            kafka_cluster, {"stats_cb": fail, "statistics.interval.ms": 50}
        ) as producer:
            for callback in (fail, fail_later, cancel, cancel_at_once):
                await (await producer.produce(kafka_topic, b"v", on_delivery=callback))
            await until(lambda: len(errors.seen) >= 5)
            deliveries = [
                await producer.produce(kafka_topic, b"v", on_delivery=cancel_at_once)
                for _ in range(5)
            ]
        assert [delivery.result().offset() for delivery in deliveries] == [4, 5, 6, 7, 8]
    assert {type(error) for error in errors.seen} == {ZeroDivisionError, asyncio.CancelledError}


@in_loop
async def test_what_came_before_the_loop_listened(kafka_cluster: MockCluster) -> None:
    """The loop serves an event that came before the loop watched the client, and the events after
    it.

    librdkafka does not signal any of these events.
    """
    calls: list[object] = []

    class Late(AIOProducer):
        def _make_readiness(self) -> _readiness.Readiness:
            wait_until(self._client._queue_length)
            return super()._make_readiness()

    config = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "stats_cb": calls.append,
        "statistics.interval.ms": 10,
    }
    async with Late(config):
        await until(lambda: len(calls) > 2)


@in_loop
async def test_poll_counts_what_is_served(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """poll() returns after its timeout, or earlier if it has served something."""
    async with producer_of(kafka_cluster) as producer:
        assert await producer.poll() == 0
        assert await producer.poll(0.01) == 0
        waiting = asyncio.create_task(producer.poll(TIMEOUT))
        await asyncio.sleep(0)
        await producer.produce(kafka_topic, b"v")
        assert await waiting == 1


@in_loop
async def test_flush_ends_with_its_timeout(kafka_topic: str) -> None:
    """After its timeout, flush() returns how many messages are outstanding."""
    async with AIOProducer({"bootstrap.servers": NO_BROKER, "logger": QUIET}) as producer:
        await producer.produce(kafka_topic, b"v")
        assert await producer.flush(0.01) == 1
        await producer.purge()


@in_loop
async def test_close_ends_with_the_time_of_the_messages(kafka_topic: str) -> None:
    """close() waits for each message, but not longer than the message's own timeout."""
    config = {
        "bootstrap.servers": NO_BROKER,
        "message.timeout.ms": 1000,
        "linger.ms": 0,
        "logger": QUIET,
    }
    producer = AIOProducer(config)
    delivery = await producer.produce(kafka_topic, b"v")
    await producer.close()
    with pytest.raises(KafkaException) as raised:
        await delivery
    assert raised.value.args[0].code() == KafkaError._MSG_TIMED_OUT


@in_loop
async def test_transactions(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """Committed messages arrive, aborted messages fail, and a transaction includes offsets."""
    async with producer_of(kafka_cluster, {"transactional.id": "t"}) as producer:
        await producer.init_transactions(TIMEOUT)
        await producer.begin_transaction()
        delivery = await producer.produce(kafka_topic, b"committed")
        metadata = consumer.consumer_group_metadata()
        offsets = [TopicPartition(kafka_topic, 0, 7)]
        await producer.send_offsets_to_transaction(offsets, metadata, TIMEOUT)
        await producer.commit_transaction(TIMEOUT)
        assert (await delivery).error() is None
        await producer.begin_transaction()
        await producer.abort_transaction(TIMEOUT)
    [found] = await asyncio.to_thread(read, consumer, kafka_topic, 1)
    assert found.value() == b"committed"


@in_loop
async def test_requests(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Several requests to brokers can be awaited at the same time, also on the application's
    executor."""
    with ThreadPoolExecutor(2) as executor:
        config = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
        producer = AIOProducer(config, executor=executor)
        assert producer.executor is executor
        async with producer:
            await producer.connect(TIMEOUT)
            topics, cluster_id = await asyncio.gather(
                producer.list_topics(kafka_topic, TIMEOUT), producer.cluster_id(TIMEOUT)
            )
            await producer.set_sasl_credentials("user", "password")
            assert await producer.stats() is None
            assert producer.last_error is None
        assert list(topics.topics) == [kafka_topic]
        assert cluster_id == topics.cluster_id
        # the application can still use its executor
        assert executor.submit(lambda: 1).result() == 1


@in_loop
async def test_close_delivers_and_can_be_repeated(
    kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """All futures are settled when close() returns; later calls raise an error about the closed
    producer."""
    producer = producer_of(kafka_cluster, {"linger.ms": 200_000})
    deliveries = [await producer.produce(kafka_topic, b"v") for _ in range(10)]
    await asyncio.gather(producer.close(), producer.close())
    await producer.close()
    assert all(delivery.done() for delivery in deliveries)
    assert [delivery.result().offset() for delivery in deliveries] == list(range(10))
    calls: list[Any] = [producer.produce(kafka_topic), producer.flush(), producer.list_topics()]
    for call in [*calls, producer.poll(), producer.poll(-1), producer.purge()]:
        with pytest.raises(RuntimeError, match="closed"):
            await call


@in_loop
async def test_close_ends_poll(kafka_cluster: MockCluster) -> None:
    """close() ends a poll() that would otherwise wait for ever."""
    producer = producer_of(kafka_cluster)
    polling = asyncio.create_task(producer.poll(-1))
    await asyncio.sleep(0)
    await producer.close()
    with pytest.raises(RuntimeError, match="closed"):
        await polling


@in_loop
async def test_close_when_the_executor_is_gone(kafka_cluster: MockCluster) -> None:
    """close() needs no thread of the executor."""
    with ThreadPoolExecutor(1) as executor:
        config = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
        producer = AIOProducer(config, executor=executor)
    await producer.close()
    with pytest.raises(RuntimeError, match="closed"):
        await producer.flush()


@in_loop
async def test_a_cancelled_close_goes_on(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """If the task that awaits close() is cancelled, the client is still closed."""
    producer = producer_of(kafka_cluster, {"linger.ms": 200_000})
    delivery = await producer.produce(kafka_topic, b"v")
    closing = asyncio.create_task(producer.close())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    assert (await delivery).offset() == 0
    await producer.close()


def test_a_cancelled_close_lets_the_process_end() -> None:
    """If the task that closes is cancelled, the process does not wait for messages that no broker
    accepts."""
    script = """
import asyncio
from confluent_kafka.aio import AIOProducer

async def main():
    producer = AIOProducer({"bootstrap.servers": "127.0.0.1:1", "log_level": 0})
    await producer.produce("topic", b"value")
    closing = asyncio.create_task(producer.close())
    await asyncio.sleep(0)
    closing.cancel()
    try:
        await closing
    except asyncio.CancelledError:
        print("cancelled", flush=True)

asyncio.run(main())
"""
    assert check_script(script).strip() == "cancelled"


@in_loop
async def test_close_in_a_callback_is_refused(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """close() in a callback is refused, because it would wait for itself."""
    raised: list[str] = []
    producer = producer_of(kafka_cluster)

    async def close(*_: object) -> None:
        try:
            await producer.close()
        except RuntimeError as error:
            raised.append(str(error))

    await (await producer.produce(kafka_topic, b"v", on_delivery=close))
    await producer.close()
    assert raised == ["close() of AIOProducer must not be called in one of its callbacks"]


@in_loop
async def test_one_that_nobody_closed(kafka_cluster: MockCluster) -> None:
    """A producer that nobody closed is collected with a warning, even if callbacks refer to it.

    The loop continues.
    """

    def forget() -> None:
        producer = producer_of(kafka_cluster, {"error_cb": lambda _: producer.last_error})

    with pytest.warns(ResourceWarning, match="AIOProducer was not closed: await close"):  # noqa: PT031 - the collector runs when it likes
        forget()
        gc.collect()
    await asyncio.sleep(0)


def test_needs_a_loop(kafka_cluster: MockCluster) -> None:
    """Without a running loop, the client cannot be created, because it must belong to a loop."""
    with pytest.raises(RuntimeError, match="create the AIOProducer inside a coroutine"):
        producer_of(kafka_cluster)


@in_loop
async def test_belongs_to_its_loop(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A call from another loop is refused, because its future would never be settled there."""
    async with producer_of(kafka_cluster) as producer:

        def elsewhere() -> None:
            for call in (producer.produce(kafka_topic), producer.flush(), producer.poll()):
                with pytest.raises(RuntimeError, match="belongs to another event loop"):
                    asyncio.run(call)

        await asyncio.to_thread(elsewhere)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"max_workers": 0}, ValueError, "max_workers must be greater than 0"),
        ({"executor": 3}, TypeError, "executor must be a concurrent.futures.Executor, not int"),
        ({"producer_conf": None}, TypeError, "the configuration must be a dict, not NoneType"),
        ({"max_workers": "1"}, TypeError, "max_workers must be int, not str"),
        ({"batch_size": "1"}, TypeError, "batch_size must be int, not str"),
        ({"batch_size": True}, TypeError, "batch_size must be int, not bool"),
        ({"buffer_timeout": None}, TypeError, "buffer_timeout must be a number of seconds"),
        ({"producer_conf": {"on_delivery": 1}}, KafkaException, "on_delivery requires a callable"),
        ({"producer_conf": {"error_cb": 1}}, TypeError, "expected error_cb property as a callable"),
        ({"producer_conf": {"linger": 1}}, KafkaException, "linger.ms"),
    ],
)
@in_loop
async def test_bad_arguments(arguments: dict[str, Any], error: type[Exception], text: str) -> None:
    """The error names the argument, its value and the allowed values."""
    with pytest.raises(error) as raised:
        AIOProducer(**{"producer_conf": {}, **arguments})
    assert text in str(raised.value)


@pytest.mark.parametrize(
    "arguments", [{"batch_size": 0}, {"batch_size": -1}, {"buffer_timeout": 0}]
)
@in_loop
async def test_buffer_that_is_switched_off(arguments: dict[str, Any]) -> None:
    """Code for confluent-kafka-python can switch off the buffer with its usual arguments."""
    await AIOProducer({"bootstrap.servers": NO_BROKER, "logger": QUIET}, **arguments).close()


@pytest.mark.parametrize(
    ("method", "arguments", "error", "text"),
    [
        ("produce", {"topic": 3}, TypeError, "topic"),
        ("produce", {"topic": "t", "value": 3}, TypeError, "value"),
        ("produce", {"topic": "t", "key": 3}, TypeError, "key"),
        ("produce", {"topic": "t", "partition": "x"}, TypeError, "partition"),
        ("produce", {"topic": "t", "timestamp": "x"}, TypeError, "timestamp"),
        ("produce", {"topic": "t", "headers": 3}, TypeError, "headers"),
        ("produce", {"topic": "t", "on_delivery": 3}, TypeError, "on_delivery must be callable"),
        ("poll", {"timeout": "x"}, TypeError, "timeout must be a number of seconds, not str"),
        ("poll", {"timeout": float("nan")}, ValueError, "timeout"),
        ("flush", {"timeout": "x"}, TypeError, "timeout"),
        ("purge", {"in_queue": "x"}, TypeError, "in_queue"),
        ("list_topics", {"topic": 3}, TypeError, "topic"),
        ("begin_transaction", {}, KafkaException, "transactional.id"),
    ],
)
@in_loop
async def test_bad_arguments_of_methods(
    method: str, arguments: dict[str, Any], error: type[Exception], text: str
) -> None:
    """The error names the argument, its value and the allowed values; the producer stays usable."""
    async with AIOProducer({"bootstrap.servers": NO_BROKER, "logger": QUIET}) as producer:
        with pytest.raises(error) as raised:
            await getattr(producer, method)(**arguments)
        assert text in str(raised.value)
        assert await producer.poll() == 0
