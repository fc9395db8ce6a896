"""The asyncio clients leak nothing: no messages, callbacks, futures or clients."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from confluent_kafka import KafkaException, Producer, TopicPartition
from confluent_kafka.admin import OffsetSpec
from confluent_kafka.aio import AIOAdminClient, AIOConsumer, AIOProducer
from confluent_kafka.testing import MockCluster
from tests.support.clients import config
from tests.support.kafka import numbers, send
from tests.support.refcounts import assert_no_leaks
from tests.support.waiting import TIMEOUT

ROWS = 50
MANY, SOME, FEW = 200, 100, 40

Work = Callable[[], Coroutine[Any, Any, object]]


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    """An event loop that runs the test's coroutines one after the other."""
    with asyncio.Runner() as runner:
        yield runner


def repeated(runner: asyncio.Runner, work: Work, count: int) -> None:
    assert_no_leaks(lambda: runner.run(work()), count)


@pytest.mark.parametrize("kind", [AIOProducer, AIOConsumer])
def test_made_and_closed(runner: asyncio.Runner, kind: type[Any]) -> None:
    """A closed client is freed, even if its callbacks refer to it."""

    async def work() -> None:
        data: list[Any] = []

        async def later(*arguments: object) -> None:
            data.extend(arguments)

        made = kind(config({"error_cb": later, "stats_cb": data.append}))
        data.append(made)  # a cycle through the callbacks
        await made.poll(0)
        await made.close()
        gc.collect()

    repeated(runner, work, MANY)


def test_admin_client(runner: asyncio.Runner, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """No answers leak, whether they arrive, are cancelled, fail, or fail because of close()."""
    place = TopicPartition(kafka_topic, 0)
    latest = {place: OffsetSpec.latest()}

    async def work() -> None:
        data: list[Any] = []
        settings = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
        admin = await AIOAdminClient.create(config({"stats_cb": data.append}) | settings)
        data.append(admin)  # a cycle through the callbacks
        await admin.connect(TIMEOUT)  # without this, librdkafka would delay requests for a second
        assert (await admin.list_offsets(latest))[place].offset == 0
        admin.list_offsets(latest)[place].cancel()
        late = admin.describe_cluster()
        await admin.close()
        with contextlib.suppress(KafkaException):
            await late
        gc.collect()

    repeated(runner, work, FEW)


def test_refused(runner: asyncio.Runner) -> None:
    """If the creation of a client fails, nothing is leaked."""

    async def work() -> None:
        for wrong in ({"bootstrap_servers": "misspelt"}, {"error_cb": 1}, {"group.id": None}):
            with contextlib.suppress(KafkaException, TypeError, ValueError):
                AIOConsumer(config(wrong))

    repeated(runner, work, SOME)


def test_deliveries(runner: asyncio.Runner, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Futures do not leak if they are awaited, cancelled or failed, or if a callback raises."""

    async def make() -> AIOProducer:
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        settings = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "linger.ms": 0}
        return AIOProducer(settings | {"queue.buffering.max.messages": ROWS // 2}, max_workers=1)

    producer = runner.run(make())

    def failing(*_: object) -> None:
        raise ZeroDivisionError

    async def work() -> None:
        deliveries = [
            await producer.produce(kafka_topic, value, headers=[("a", value)], partition=0)
            for value in numbers(0, ROWS)
        ]
        deliveries[-1].cancel()
        deliveries.append(await producer.produce(kafka_topic, partition=99))
        deliveries.append(await producer.produce(kafka_topic, on_delivery=failing))
        await producer.flush()
        found = await asyncio.gather(*deliveries, return_exceptions=True)
        assert sum(isinstance(one, BaseException) for one in found) == 2

    try:
        repeated(runner, work, MANY)
    finally:
        runner.run(producer.close())


def test_many(runner: asyncio.Runner, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Batches do not leak: with one future, with callbacks, cancelled, refused, or with
    failures."""

    async def make() -> AIOProducer:
        settings = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "linger.ms": 0}
        return AIOProducer(settings | {"queue.buffering.max.messages": ROWS // 2}, max_workers=1)

    producer = runner.run(make())
    values = numbers(0, ROWS)

    async def work() -> None:
        many = await producer.produce_many(kafka_topic, [*values, {"partition": 99}], 0)
        with pytest.raises(ExceptionGroup):
            await many
        (await producer.produce_many(kafka_topic, values, 0)).cancel()
        reports: list[Any] = []
        messages = [{"value": value, "on_delivery": lambda *_: None} for value in values]
        await producer.produce_batch(kafka_topic, messages, 0)
        await producer.produce_batch(kafka_topic, values, 0, lambda *both: reports.append(both))
        with pytest.raises(TypeError):
            await producer.produce_batch(kafka_topic, [*values, 3])
        await producer.flush()

    try:
        repeated(runner, work, SOME)
    finally:
        runner.run(producer.close())


@pytest.mark.filterwarnings("ignore:.* was not closed:ResourceWarning")
@pytest.mark.parametrize("end", ["closed", "purged by a thread", "dropped", "loop closed"])
def test_pending_deliveries(end: str) -> None:
    """Futures of unacknowledged messages do not leak, in whatever way the producer ends."""

    async def work() -> None:
        producer = AIOProducer(config())
        deliveries = [await producer.produce("topic", value) for value in numbers(0, ROWS)]
        deliveries.append(await producer.produce_many("topic", numbers(0, ROWS)))  # type: ignore[arg-type]
        if end == "loop closed":
            return
        if end == "closed":
            await producer.close(0)
        elif end == "purged by a thread":
            await asyncio.to_thread(producer._client.purge)
            await asyncio.to_thread(producer._client.flush, TIMEOUT)
        del producer
        gc.collect()
        failures = await asyncio.gather(*deliveries, return_exceptions=True)
        assert all(isinstance(failure, KafkaException | ExceptionGroup) for failure in failures)

    def run() -> None:
        asyncio.run(work())
        gc.collect()

    assert_no_leaks(run, FEW)


def test_messages(runner: asyncio.Runner, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Messages do not leak if they are returned, buffered for a cancelled call, or fetched
    again."""
    bootstrap = kafka_cluster.bootstrap_servers
    with Producer({"bootstrap.servers": bootstrap, "linger.ms": 0}) as producer:
        send(producer, kafka_topic, numbers(0, 10 * ROWS))

    async def make() -> AIOConsumer:
        settings = {"bootstrap.servers": bootstrap, "group.id": "g", "fetch.wait.max.ms": 10}
        consumer = AIOConsumer(settings, max_workers=1)
        await consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        await consumer.poll(TIMEOUT)
        return consumer

    consumer = runner.run(make())

    async def work() -> None:
        await consumer.seek(TopicPartition(kafka_topic, 0, 0))
        assert len(await consumer.consume(8 * ROWS, TIMEOUT)) == 8 * ROWS
        assert await consumer.poll(TIMEOUT) is not None
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(consumer.consume(10 * ROWS), 0.01)
        consumer._client._rewind([TopicPartition(kafka_topic, 0, 9 * ROWS)])
        assert len(await consumer.consume_arrow(ROWS, TIMEOUT)) == ROWS
        await consumer.seek(TopicPartition(kafka_topic, 0, 0))
        assert await consumer.getmany(TopicPartition(kafka_topic, 1), timeout=0.01) == {}
        assert (await consumer.getone(TopicPartition(kafka_topic, 0))).offset() == 0
        assert await consumer.getmany(max_records=ROWS)

    try:
        repeated(runner, work, FEW)
    finally:
        runner.run(consumer.close())


def test_rebalances(runner: asyncio.Runner, kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Rebalance steps do not leak if they wait, run, are replaced by assign(), or are left to
    close()."""
    settings: dict[str, Any] = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "group.id": "g",
        "heartbeat.interval.ms": 100,
    }
    kafka_cluster.set_group_initial_rebalance_delay(0)

    async def on_assign(own: AIOConsumer, partitions: list[TopicPartition]) -> None:
        await asyncio.sleep(0)
        if number % 2:
            await own.assign(partitions)

    async def on_revoke(own: AIOConsumer, partitions: list[TopicPartition]) -> None:
        await own.commit(offsets=[TopicPartition(kafka_topic, 0, 1)], asynchronous=False)

    number = 0

    async def work() -> None:
        nonlocal number
        number += 1
        strategy = "range" if number % 2 else "cooperative-sticky"
        # A new group for each round: the mock delays a join to a group that a member has left.
        own = {"group.id": f"g{number:05}", "partition.assignment.strategy": strategy}
        async with AIOConsumer(settings | own) as consumer:
            await consumer.subscribe([kafka_topic], on_assign, on_revoke)
            while not await consumer.assignment():
                await consumer.poll(0.01)

    repeated(runner, work, FEW)
