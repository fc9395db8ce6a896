"""AIOConsumer: awaited messages."""

from __future__ import annotations

import asyncio
import gc
import socket
import threading
from typing import Any

import pytest

from confluent_kafka import KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.aio import AIOConsumer
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import FILLED
from tests.support.aio import in_loop, until
from tests.support.clients import QUIET
from tests.support.kafka import NO_BROKER, numbers, send, values_of
from tests.support.waiting import TIMEOUT


def consumer_of(cluster: MockCluster, config: dict[str, Any] | None = None) -> AIOConsumer:
    common: dict[str, Any] = {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": "group",
        "auto.offset.reset": "earliest",
        "fetch.wait.max.ms": 50,
        "heartbeat.interval.ms": 100,
    }
    return AIOConsumer(common | (config or {}))


@in_loop
async def test_poll(kafka_cluster: MockCluster, filled: str) -> None:
    """Each call returns the next message in order, or None after its timeout."""
    async with consumer_of(kafka_cluster) as consumer:
        assert await consumer.poll(0) is None
        await consumer.assign([TopicPartition(filled, 0, 0)])
        messages = [await consumer.poll(TIMEOUT) for _ in range(FILLED)]
        assert [m and m.value() for m in messages] == numbers(0, FILLED)
        clock = asyncio.get_running_loop().time  # the clock of uvloop counts milliseconds
        begun = clock()
        assert await consumer.poll(0.05) is None
        assert clock() - begun > 0.049


@in_loop
async def test_a_message_that_comes_later_wakes_the_task(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """A new message wakes the task at once, without polling. Several tasks may wait on one
    consumer."""
    async with consumer_of(kafka_cluster) as consumer:
        await consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        tasks = [asyncio.create_task(consumer.poll()) for _ in range(3)]
        await asyncio.sleep(0)
        await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 3))
        messages = [message for message in await asyncio.gather(*tasks) if message is not None]
        assert sorted(values_of(messages)) == numbers(0, 3)


@in_loop
async def test_consume(kafka_cluster: MockCluster, filled: str) -> None:
    """consume(n) returns n messages, or fewer if the whole timeout has passed."""
    async with consumer_of(kafka_cluster) as consumer:
        await consumer.assign([TopicPartition(filled, 0, 0)])
        assert await consumer.consume(0) == []
        assert values_of(await consumer.consume()) == [b"0"]
        assert values_of(await consumer.consume(49, TIMEOUT)) == numbers(1, 50)
        clock = asyncio.get_running_loop().time
        begun = clock()
        assert values_of(await consumer.consume(1000, 0.2)) == numbers(50, FILLED)
        assert clock() - begun > 0.199


@in_loop
async def test_consume_more_than_poll_fetches_ahead(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """Thousands of messages are returned in order, without the messages that poll() already
    returned."""
    await asyncio.to_thread(send, producer, kafka_topic, numbers(0, 3000))
    async with consumer_of(kafka_cluster) as consumer:
        await consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        values = []
        for count in (1, 700, 1, 1, 297, 1000, 900):
            values += values_of(await consumer.consume(count, TIMEOUT))
            message = await consumer.poll(0)
            values += [] if message is None else [message.value()]
        values += values_of(await consumer.consume(3000 - len(values), TIMEOUT))
        assert values == numbers(0, 3000)


@pytest.mark.parametrize("way", ["cancel", "time limit"])
@in_loop
async def test_a_cancelled_wait_loses_nothing(
    kafka_cluster: MockCluster, filled: str, way: str
) -> None:
    """The next call returns the messages that consume() had gathered; they are not committed."""
    async with consumer_of(kafka_cluster) as consumer:
        await consumer.assign([TopicPartition(filled, 0, 0)])
        task = asyncio.create_task(consumer.consume(2 * FILLED))
        await until(lambda: consumer._client._gather(0) == FILLED)
        if way == "cancel":
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(task, 0)
        [place] = await consumer.position([TopicPartition(filled, 0)])
        assert place.offset == 0
        assert values_of(await consumer.consume(FILLED, TIMEOUT)) == numbers(0, FILLED)


@in_loop
async def test_seek_and_pause_while_messages_are_gathered(
    kafka_cluster: MockCluster, filled: str
) -> None:
    """Messages that were gathered before a seek, or from a partition that was then paused, are not
    returned."""
    async with consumer_of(kafka_cluster) as consumer:
        await consumer.assign([TopicPartition(filled, 0, 0)])
        task = asyncio.create_task(consumer.consume(FILLED + 10, TIMEOUT))
        await until(lambda: consumer._client._gather(0) == FILLED)
        await consumer.pause([TopicPartition(filled, 0)])
        assert consumer._client._gather(0) == 0
        await consumer.resume([TopicPartition(filled, 0)])
        await until(lambda: consumer._client._gather(0) == FILLED)
        task.cancel()  # otherwise the task would gather them again
        await consumer.seek(TopicPartition(filled, 0, 90))
        assert consumer._client._gather(0) == 0
        assert values_of(await consumer.consume(10, TIMEOUT)) == numbers(90, FILLED)


@in_loop
async def test_iteration(kafka_cluster: MockCluster, filled: str) -> None:
    """``async for`` returns messages and ends of partitions until the consumer is closed."""
    consumer = consumer_of(kafka_cluster, {"enable.partition.eof": True})
    await consumer.assign([TopicPartition(filled, 0, 0)])
    values = []
    ended = asyncio.Event()

    async def read() -> None:
        async for message in consumer:
            if message.error() is None:
                values.append(message.value())
            else:
                ended.set()

    reading = asyncio.create_task(read())
    await ended.wait()
    await consumer.close()
    await reading
    assert values == numbers(0, FILLED)


@in_loop
async def test_iteration_raises_errors(kafka_cluster: MockCluster, filled: str) -> None:
    """The iteration raises an error that comes instead of a message; poll() returns it."""
    config = {"auto.offset.reset": "error"}
    async with consumer_of(kafka_cluster, config) as consumer:
        await consumer.assign([TopicPartition(filled, 0, 10 * FILLED)])
        with pytest.raises(KafkaException) as raised:
            await anext(consumer)
        assert raised.value.args[0].code() == KafkaError._AUTO_OFFSET_RESET
        await consumer.assign([TopicPartition(filled, 0, 10 * FILLED)])
        message = await consumer.poll(TIMEOUT)
        assert message is not None
        error = message.error()
        assert error is not None
        assert error.code() == KafkaError._AUTO_OFFSET_RESET


@in_loop
async def test_columns(kafka_cluster: MockCluster, filled: str) -> None:
    """consume_arrow() waits as consume() does."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    async with consumer_of(kafka_cluster) as consumer:
        await consumer.assign([TopicPartition(filled, 0, 0)])
        batch = await consumer.consume_arrow(FILLED, TIMEOUT, columns=["value"])
        assert pyarrow.record_batch(batch)["value"].to_pylist() == numbers(0, FILLED)


@in_loop
async def test_offsets(kafka_cluster: MockCluster, filled: str) -> None:
    """Offsets are stored, committed and requested; requests of several tasks run at the same
    time."""
    own = [TopicPartition(filled, 0)]
    config = {"enable.auto.commit": False, "enable.auto.offset.store": False}
    async with consumer_of(kafka_cluster, config) as consumer:
        await consumer.assign([TopicPartition(filled, 0, 0)])
        assert await consumer.assignment() == own
        message = await consumer.poll(TIMEOUT)
        await consumer.store_offsets(message)
        [done] = await consumer.commit(asynchronous=False) or []
        assert done.offset == 1
        assert await consumer.commit(offsets=[TopicPartition(filled, 0, 5)]) is None
        await consumer.commit(offsets=[TopicPartition(filled, 0, 6)], asynchronous=False)
        [committed], watermarks, [found] = await asyncio.gather(
            consumer.committed(own, TIMEOUT),
            consumer.get_watermark_offsets(own[0], TIMEOUT),
            consumer.offsets_for_times([TopicPartition(filled, 0, 0)], TIMEOUT),
        )
        assert committed.offset == 6
        assert watermarks == (0, FILLED)
        assert found.topic == filled
        [position] = await consumer.position(own)
        assert position.offset == 1
        assert await consumer.lag() == {own[0]: FILLED - 1}


@in_loop
async def test_incremental_assignment(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """incremental_assign() adds partitions, and incremental_unassign() removes partitions."""
    kafka_cluster.create_topic("more", 2)
    both = [TopicPartition("more", 0), TopicPartition("more", 1)]
    async with consumer_of(kafka_cluster) as consumer:
        await consumer.incremental_assign(both)
        await consumer.incremental_unassign(both[:1])
        assert await consumer.assignment() == both[1:]
        await consumer.unassign()
        assert await consumer.assignment() == []


@pytest.mark.parametrize("coroutine", [True, False], ids=["coroutine", "function"])
@in_loop
async def test_callbacks_of_the_configuration(
    kafka_cluster: MockCluster, filled: str, coroutine: bool
) -> None:
    """The callbacks run in the event loop's thread."""
    seen: dict[str, set[int]] = {"stats_cb": set(), "on_commit": set(), "error_cb": set()}

    def noting(name: str) -> Any:
        def note(*_: object) -> None:
            asyncio.get_running_loop()
            seen[name].add(threading.get_ident())

        async def note_later(*_: object) -> None:
            await asyncio.sleep(0)
            note()

        return note_later if coroutine else note

    config = {name: noting(name) for name in seen}
    config |= {"statistics.interval.ms": 50, "logger": QUIET}
    config["session.timeout.ms"] = 1000  # close() tries to commit for this time
    async with consumer_of(kafka_cluster, config) as consumer:
        await consumer.assign([TopicPartition(filled, 0, 0)])
        await consumer.consume(FILLED, TIMEOUT)
        await consumer.commit(offsets=[TopicPartition(filled, 0, 5)])
        while not seen["on_commit"]:
            await consumer.poll(0.01)
        kafka_cluster.set_broker_down()
        while not all(seen.values()):
            await consumer.poll(0.01)
        assert await consumer.stats() is not None
        assert consumer.last_error is not None
    assert set.union(*seen.values()) == {threading.get_ident()}


@pytest.mark.parametrize("coroutine", [True, False], ids=["coroutine", "function"])
@pytest.mark.parametrize("method", ["poll", "consume"])
@in_loop
async def test_what_callbacks_raise_comes_out(
    kafka_cluster: MockCluster, kafka_topic: str, coroutine: bool, method: str
) -> None:
    """The current or the next call raises the callback's exception; then the consumer continues."""
    failing = False

    def fail(*_: object) -> None:
        nonlocal failing
        if failing:
            failing = False  # a second exception in one call would be the context of the first one
            raise ZeroDivisionError

    async def fail_later(*_: object) -> None:
        await asyncio.sleep(0.01)
        fail()

    config = {"stats_cb": fail_later if coroutine else fail, "statistics.interval.ms": 200}
    async with consumer_of(kafka_cluster, config) as consumer:
        for _ in range(2):
            failing = True
            with pytest.raises(ZeroDivisionError):
                await getattr(consumer, method)(timeout=TIMEOUT)


@pytest.mark.parametrize("coroutine", [True, False], ids=["coroutine", "function"])
@in_loop
async def test_oauth(coroutine: bool) -> None:
    """oauth_cb can be a coroutine, which runs in the loop, or a function, which runs on its own
    thread."""
    threads: list[int] = []

    def token(_: str) -> tuple[str, float]:
        threads.append(threading.get_ident())
        return "token", 4e9

    async def token_later(config: str) -> tuple[str, float]:
        await asyncio.sleep(0)
        return token(config)

    config = {
        "bootstrap.servers": NO_BROKER,
        "group.id": "g",
        "security.protocol": "sasl_plaintext",
        "sasl.mechanism": "OAUTHBEARER",
        "oauth_cb": token_later if coroutine else token,
        "logger": QUIET,
    }
    async with AIOConsumer(config):
        await until(lambda: threads)
    assert (threads[0] == threading.get_ident()) == coroutine


@pytest.mark.parametrize("coroutine", [True, False], ids=["coroutine", "function"])
@in_loop
async def test_oauth_fails(coroutine: bool) -> None:
    """If a function fails, the constructor raises; if a coroutine fails, last_error has the
    error."""

    def fails(_: str) -> None:
        raise ZeroDivisionError

    async def fails_later(config: str) -> None:
        await asyncio.sleep(0)
        fails(config)

    config = {
        "bootstrap.servers": NO_BROKER,
        "group.id": "g",
        "security.protocol": "sasl_plaintext",
        "sasl.mechanism": "OAUTHBEARER",
        "oauth_cb": fails_later if coroutine else fails,
        "logger": QUIET,
    }
    if not coroutine:
        with pytest.raises(KafkaException, match="OAuth token not set"):
            AIOConsumer(config)
        return
    async with AIOConsumer(config) as consumer:
        await until(lambda: consumer.last_error == KafkaError._AUTHENTICATION)


@in_loop
async def test_a_task_that_polls_without_waiting_leaves_turns(
    kafka_cluster: MockCluster, filled: str
) -> None:
    """Other tasks run even if a task polls without a pause."""
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async with consumer_of(kafka_cluster) as consumer:
        await consumer.assign([TopicPartition(filled, 0, 0)])
        await consumer.poll(TIMEOUT)
        task = asyncio.create_task(other())
        while turns < 3:
            await consumer.poll(0)
        task.cancel()


@in_loop
async def test_close_ends_the_calls_that_wait(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The waiting calls raise, and so do later calls; a second close() does nothing."""
    consumer = consumer_of(kafka_cluster)
    await consumer.subscribe([kafka_topic])
    waiting = [asyncio.create_task(consumer.poll()), asyncio.create_task(consumer.consume(9))]
    await asyncio.sleep(0)
    await asyncio.gather(consumer.close(), consumer.close())
    await consumer.close()
    calls: list[Any] = [*waiting, consumer.poll(), consumer.consume(), consumer.commit()]
    calls += [consumer.assignment(), consumer.list_topics(), consumer.subscribe([kafka_topic])]
    for call in calls:
        with pytest.raises(RuntimeError, match="closed"):
            await call


@in_loop
async def test_close_commits(kafka_cluster: MockCluster, filled: str) -> None:
    """close() commits the offsets of the messages that were returned, and no other offsets."""
    async with consumer_of(kafka_cluster) as consumer:
        await consumer.subscribe([filled])
        assert values_of(await consumer.consume(10, TIMEOUT)) == numbers(0, 10)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(consumer.consume(2 * FILLED), 0.05)
    async with consumer_of(kafka_cluster) as consumer:
        await consumer.subscribe([filled])
        assert values_of(await consumer.consume(1, TIMEOUT)) == [b"10"]


@in_loop
async def test_one_that_nobody_closed(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A consumer that nobody closed is collected with a warning, even if callbacks refer to it.

    The loop continues.
    """

    async def forget() -> None:
        consumer = consumer_of(kafka_cluster, {"error_cb": lambda _: consumer.last_error})
        await consumer.subscribe([kafka_topic], on_assign=lambda *_: consumer.last_error)

    with pytest.warns(ResourceWarning, match="AIOConsumer was not closed: await close"):  # noqa: PT031 - the collector runs when it likes
        await forget()
        gc.collect()
    await asyncio.sleep(0)


@in_loop
async def test_belongs_to_its_loop(kafka_cluster: MockCluster) -> None:
    """A call from another loop is refused, because nothing would wake the task there."""
    async with consumer_of(kafka_cluster) as consumer:

        def elsewhere() -> None:
            for call in (consumer.poll(), consumer.consume(), consumer.list_topics()):
                with pytest.raises(RuntimeError, match="belongs to another event loop"):
                    asyncio.run(call)

        await asyncio.to_thread(elsewhere)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"consumer_conf": {}}, ValueError, "group.id must be set"),
        ({"consumer_conf": {"group.id": "g", "foo": 1}}, KafkaException, "foo"),
        ({"max_workers": 0}, ValueError, "max_workers must be greater than 0"),
        ({"executor": 3}, TypeError, "executor must be a concurrent.futures.Executor, not int"),
    ],
)
@in_loop
async def test_bad_arguments(arguments: dict[str, Any], error: type[Exception], text: str) -> None:
    """The error names the argument, its value and the allowed values."""
    with pytest.raises(error) as raised:
        AIOConsumer(**{"consumer_conf": {"group.id": "g"}, **arguments})
    assert text in str(raised.value)


@pytest.mark.parametrize(
    ("method", "arguments", "error", "text"),
    [
        ("poll", {"timeout": "x"}, TypeError, "timeout must be a number of seconds, not str"),
        ("poll", {"timeout": None}, TypeError, "timeout must be a number of seconds, not NoneType"),
        ("poll", {"timeout": float("nan")}, ValueError, "timeout"),
        ("consume", {"num_messages": "x"}, TypeError, "num_messages"),
        ("consume", {"num_messages": -1}, ValueError, "num_messages"),
        ("consume", {"num_messages": 1_000_001}, ValueError, "num_messages"),
        ("consume", {"timeout": "x"}, TypeError, "timeout"),
        ("consume_arrow", {"timeout": 0, "columns": ["x"]}, ValueError, "columns"),
        ("subscribe", {"topics": 3}, TypeError, "expected list of topic"),
        ("subscribe", {"topics": ["t"], "on_assign": 3}, TypeError, "on_assign"),
        ("subscribe", {"topics": ["t"], "on_revoke": 3}, TypeError, "on_revoke"),
        ("subscribe", {"topics": ["t"], "on_lost": 3}, TypeError, "on_lost"),
        ("assign", {"partitions": 3}, TypeError, "list of TopicPartition"),
        ("commit", {"message": 3}, TypeError, "message"),
        ("commit", {"offsets": 3, "asynchronous": False}, TypeError, "list of TopicPartition"),
        ("store_offsets", {"offsets": 3}, TypeError, "list of TopicPartition"),
        ("seek", {"partition": 3}, TypeError, "TopicPartition"),
        ("committed", {"partitions": 3}, TypeError, "list of TopicPartition"),
        ("get_watermark_offsets", {"partition": 3}, TypeError, "TopicPartition"),
        ("list_topics", {"timeout": "x"}, TypeError, "timeout"),
    ],
)
@in_loop
async def test_bad_arguments_of_methods(
    method: str, arguments: dict[str, Any], error: type[Exception], text: str
) -> None:
    """The error names the argument, its value and the allowed values; the consumer stays usable."""
    config = {"bootstrap.servers": NO_BROKER, "group.id": "g", "logger": QUIET}
    async with AIOConsumer(config) as consumer:
        with pytest.raises(error) as raised:
            await getattr(consumer, method)(**arguments)
        assert text in str(raised.value)
        assert await consumer.poll(0) is None


def test_events_need_a_descriptor_that_does_not_block(make_consumer: Any) -> None:
    """A blocking descriptor is refused. Other descriptors are duplicated, so that the application
    can close its own."""
    consumer = make_consumer()
    reader, writer = socket.socketpair()
    with reader, writer:
        with pytest.raises(ValueError, match="blocks"):
            consumer.io_event_enable(writer.fileno())
        writer.setblocking(False)
        consumer.io_event_enable(writer.fileno())
        writer.close()
        with pytest.raises(OSError, match="Bad file descriptor"):
            consumer.io_event_enable(1_000_000)
        reader.settimeout(TIMEOUT)
        consumer.wakeup()
        assert reader.recv(1) == b"\x01"
        consumer.io_event_enable(-1)
        assert reader.recv(1) == b""  # the last copy of the other end is closed
    for wrong in (-2, "x", None, 2**40):
        with pytest.raises((TypeError, ValueError, OverflowError), match="fd"):
            consumer.io_event_enable(wrong)
