"""Transactions of the asyncio producer as ``async with`` blocks."""

from __future__ import annotations

import asyncio
import signal
import time
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.aio import AIOConsumer, AIOProducer
from confluent_kafka.testing import MockCluster
from tests.support.aio import in_loop
from tests.support.kafka import numbers, read, values_of
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT


def producer_of(cluster: MockCluster) -> AIOProducer:
    return AIOProducer(
        {"bootstrap.servers": cluster.bootstrap_servers, "transactional.id": "t", "linger.ms": 0}
    )


@in_loop
async def test_the_end_commits(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """After the block, its messages are committed and their futures are settled."""
    async with producer_of(kafka_cluster) as producer:
        await producer.init_transactions(TIMEOUT)
        for value in numbers(0, 3):
            async with producer.transaction(TIMEOUT):
                delivery = await producer.produce(kafka_topic, value, partition=0)
            assert delivery.done()
            assert delivery.result().value() == value
    found = await asyncio.to_thread(read, consumer, kafka_topic, 3)
    assert values_of(found) == numbers(0, 3)


@pytest.mark.parametrize("error", [ZeroDivisionError, asyncio.CancelledError])
@in_loop
async def test_an_exception_aborts(
    kafka_cluster: MockCluster, kafka_topic: str, error: type[BaseException]
) -> None:
    """The block raises the exception, messages that were not sent fail, and the next transaction
    can begin."""
    config: dict[str, Any] = {"transactional.id": "t", "linger.ms": 30_000}
    config["bootstrap.servers"] = kafka_cluster.bootstrap_servers
    async with AIOProducer(config) as producer:
        await producer.init_transactions(TIMEOUT)
        deliveries = []

        async def fail() -> None:
            async with producer.transaction(TIMEOUT):
                deliveries.append(await producer.produce(kafka_topic, b"aborted"))
                raise error

        with pytest.raises(error):
            await fail()
        with pytest.raises(KafkaException) as raised:
            await deliveries[0]
        assert raised.value.code() == KafkaError._PURGE_QUEUE
        async with producer.transaction(TIMEOUT):
            pass


@in_loop
async def test_offsets_of_a_consumer(
    kafka_cluster: MockCluster, kafka_topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The block commits the given offsets, or the positions of the consumer."""
    config = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "group.id": f"group-{kafka_topic}",
        "enable.auto.commit": False,
    }
    sent: list[tuple[str, int, int]] = []
    async with producer_of(kafka_cluster) as producer, AIOConsumer(config) as consumer:
        await producer.init_transactions(TIMEOUT)
        async with producer.transaction(TIMEOUT):
            for value in numbers(0, 5):
                await producer.produce(kafka_topic, value, partition=0)
        await consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        assert len(await consumer.consume(2, TIMEOUT)) == 2
        send = producer.send_offsets_to_transaction

        async def note(positions: list[TopicPartition], metadata: Any, timeout: float) -> None:
            sent.extend((one.topic, one.partition, one.offset) for one in positions)
            await send(positions, metadata, timeout)

        monkeypatch.setattr(producer, "send_offsets_to_transaction", note)
        async with producer.transaction(TIMEOUT) as transaction:
            await transaction.send_offsets(consumer)
            await transaction.send_offsets(consumer, [TopicPartition(kafka_topic, 0, 5)])
    assert sent == [(kafka_topic, 0, 2), (kafka_topic, 0, 5)]


@in_loop
async def test_what_abort_raises_is_a_note(
    kafka_cluster: MockCluster, kafka_topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The block raises its own exception, and the error of abort_transaction() becomes a note of
    it."""
    async with producer_of(kafka_cluster) as producer:
        await producer.init_transactions(TIMEOUT)

        async def fail(_: float) -> None:
            raise KafkaException(KafkaError(KafkaError._FATAL, "fenced"))

        monkeypatch.setattr(producer, "abort_transaction", fail)
        with pytest.raises(ZeroDivisionError) as raised:
            async with producer.transaction(TIMEOUT):
                raise ZeroDivisionError
    assert "fenced" in raised.value.__notes__[0]


@in_loop
async def test_a_commit_that_fails_for_good_aborts(
    kafka_cluster: MockCluster, kafka_topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The block raises the exception of the commit and aborts; the next transaction can begin."""
    async with producer_of(kafka_cluster) as producer:
        await producer.init_transactions(TIMEOUT)

        async def fail(_: float) -> None:
            error = KafkaError(KafkaError._FAIL, "failed", txn_requires_abort=True)
            raise KafkaException(error)

        with monkeypatch.context() as patched:
            patched.setattr(producer, "commit_transaction", fail)
            with pytest.raises(KafkaException, match="failed"):
                async with producer.transaction(TIMEOUT):
                    pass
        async with producer.transaction(TIMEOUT):
            pass


@in_loop
async def test_transactions_cannot_be_nested(kafka_cluster: MockCluster) -> None:
    """The second block raises an error, and the first one ends as usual."""
    async with producer_of(kafka_cluster) as producer:
        await producer.init_transactions(TIMEOUT)
        async with producer.transaction(TIMEOUT):
            with pytest.raises(KafkaException) as raised:
                async with producer.transaction(TIMEOUT):
                    pass
        assert raised.value.code() == KafkaError._STATE


# ---- cancellation ----


async def cancelled_at_once(work: Any) -> None:
    """Run a coroutine until it waits, and cancel it there."""
    task = asyncio.ensure_future(work)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def block(producer: AIOProducer, topic: str, value: bytes = b"value") -> None:
    async with producer.transaction(TIMEOUT):
        await producer.produce(topic, value, partition=0)


@needs("mock-transactions")  # otherwise readers get aborted messages
@pytest.mark.parametrize("step", ["init", "begin", "send_offsets", "commit", "abort"])
@in_loop
async def test_a_cancelled_step_leaves_the_producer_usable(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer, step: str
) -> None:
    """A cancelled step was not begun, or it continues and the next step waits for it; later blocks
    work."""
    async with producer_of(kafka_cluster) as producer, AIOConsumer(consuming(kafka_cluster)) as own:
        if step == "init":
            await cancelled_at_once(producer.init_transactions(TIMEOUT))
        await producer.init_transactions(TIMEOUT)
        if step == "begin":
            await cancelled_at_once(producer.begin_transaction())
        elif step != "init":
            await producer.begin_transaction()
            await (await producer.produce(kafka_topic, step.encode(), partition=0))
        if step == "send_offsets":
            metadata = await own.consumer_group_metadata()
            place = [TopicPartition(kafka_topic, 0, 1)]
            send = producer.send_offsets_to_transaction(place, metadata, TIMEOUT)
            await cancelled_at_once(send)
            await producer.abort_transaction(TIMEOUT)
        elif step == "commit":
            await cancelled_at_once(producer.commit_transaction(TIMEOUT))
        elif step == "abort":
            await cancelled_at_once(producer.abort_transaction(TIMEOUT))
        await block(producer, kafka_topic, b"last")
    expected = [*([b"commit"] if step == "commit" else []), b"last"]
    found = await asyncio.to_thread(read, consumer, kafka_topic, len(expected))
    assert values_of(found) == expected


def consuming(cluster: MockCluster) -> dict[str, Any]:
    own = {"group.id": "transactions", "enable.auto.commit": False}
    return {"bootstrap.servers": cluster.bootstrap_servers} | own


@in_loop
async def test_a_begin_right_after_a_cancelled_one(
    kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """After a cancelled begin, a new transaction begins, even if the loop has not handled the end
    of the cancelled begin yet."""
    async with producer_of(kafka_cluster) as producer:
        await producer.init_transactions(TIMEOUT)
        await cancelled_at_once(producer.begin_transaction())
        left = producer._steps._left
        assert left is not None
        while not left.future.done():
            await asyncio.sleep(0)
        async with producer.transaction(TIMEOUT):
            await asyncio.sleep(0.05)
            sent = await (await producer.produce(kafka_topic, b"value", partition=0))
        assert sent.error() is None


@in_loop
async def test_the_same_step_again_has_the_result(
    kafka_cluster: MockCluster, kafka_topic: str
) -> None:
    """If commit is called again after it was cancelled, it returns the result of the only commit.

    An abort then comes too late.
    """
    async with producer_of(kafka_cluster) as producer:
        await producer.init_transactions(TIMEOUT)
        for end in (producer.commit_transaction, producer.abort_transaction):
            await producer.begin_transaction()
            await producer.produce(kafka_topic, b"value", partition=0)
            await cancelled_at_once(end(TIMEOUT))
            await end(TIMEOUT)
        await producer.begin_transaction()
        await cancelled_at_once(producer.commit_transaction(TIMEOUT))
        with pytest.raises(KafkaException, match="too late"):
            await producer.abort_transaction(TIMEOUT)
        await block(producer, kafka_topic)


@in_loop
async def test_a_cancelled_step_that_fails(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """If a cancelled step fails, the next step raises its error, and does nothing itself."""
    async with producer_of(kafka_cluster) as producer:
        await producer.init_transactions(TIMEOUT)
        await producer.begin_transaction()
        await producer.produce(kafka_topic, b"value", partition=0)
        errors = [KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED]
        kafka_cluster.inject_errors("EndTxn", errors)
        await cancelled_at_once(producer.commit_transaction(TIMEOUT))
        with pytest.raises(KafkaException):
            await producer.begin_transaction()


@pytest.mark.parametrize("where", ["begin", "body", "end", "end after an error"])
@in_loop
async def test_a_block_that_is_cancelled(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer, where: str
) -> None:
    """Wherever a block is cancelled, the next block begins and commits, and no transaction stays
    open."""
    reached = asyncio.Event()

    async def work() -> None:
        async with producer.transaction(TIMEOUT):
            await producer.produce(kafka_topic, b"cancelled", partition=0)
            if where == "body":
                reached.set()
                await asyncio.sleep(TIMEOUT)
            asyncio.get_running_loop().call_soon(reached.set)
            if where == "end after an error":
                raise ZeroDivisionError

    async with producer_of(kafka_cluster) as producer:
        await producer.init_transactions(TIMEOUT)
        task = asyncio.create_task(work())
        await (asyncio.sleep(0) if where == "begin" else reached.wait())
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await block(producer, kafka_topic, b"last")
    [first] = values_of(await asyncio.to_thread(read, consumer, kafka_topic, 1))
    if where == "end":
        assert first == b"cancelled"  # the transaction was committed
    # The embedded cluster also returns aborted messages that were sent.
    if first == b"cancelled":
        found = values_of(await asyncio.to_thread(read, consumer, kafka_topic, 2))
        assert found == [b"cancelled", b"last"]
    else:
        assert first == b"last"


@in_loop
async def test_a_producer_that_is_closed_in_the_block(kafka_cluster: MockCluster) -> None:
    """If the producer is closed in the block, the block raises the application's exception."""
    async with producer_of(kafka_cluster) as producer:
        await producer.init_transactions(TIMEOUT)

        async def work() -> None:
            async with producer.transaction(TIMEOUT):
                await producer.close()
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError) as raised:
            await work()
    assert "closed" in raised.value.__notes__[0]


def test_an_interrupted_step_of_a_blocking_producer(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """After Ctrl-C the step continues, and the next step waits for it, or returns its result."""
    config = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "transactional.id": "t",
        "linger.ms": 0,
    }

    def with_signal(call: Any) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        call(TIMEOUT)
        time.sleep(TIMEOUT)

    def alarm(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, alarm)
    try:
        with Producer(config) as producer:
            producer.init_transactions(TIMEOUT)
            for end in (producer.commit_transaction, producer.abort_transaction):
                producer.begin_transaction()
                producer.produce(kafka_topic, b"value", partition=0)
                producer.flush(TIMEOUT)
                kafka_cluster.set_round_trip_time(None, 0.2)
                with pytest.raises(KeyboardInterrupt):
                    with_signal(end)
                kafka_cluster.set_round_trip_time(None, 0)
                producer.begin_transaction()
                producer.abort_transaction(TIMEOUT)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert values_of(read(consumer, kafka_topic, 1)) == [b"value"]
