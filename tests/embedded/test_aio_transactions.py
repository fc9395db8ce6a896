"""Transactions of the asyncio producer, as blocks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.aio import AIOConsumer, AIOProducer
from confluent_kafka.testing import MockCluster
from tests.support.aio import in_loop
from tests.support.kafka import numbers, read, values_of
from tests.support.waiting import TIMEOUT


def producer_of(cluster: MockCluster) -> AIOProducer:
    return AIOProducer(
        {"bootstrap.servers": cluster.bootstrap_servers, "transactional.id": "t", "linger.ms": 0}
    )


@in_loop
async def test_the_end_commits(
    kafka_cluster: MockCluster, kafka_topic: str, consumer: Consumer
) -> None:
    """Messages of the block are there after it, and their futures are settled."""
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
    """It comes out of the block; messages that were not sent yet fail; the next one can begin."""
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
    """Those behind what the consumer has returned, or those that are given, go with the block."""
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
    """The exception of the block is the one that comes out."""
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
    """Its exception comes out of the block, and the next transaction can begin."""
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
    """The second one says so, and the first one ends as it would have."""
    async with producer_of(kafka_cluster) as producer:
        await producer.init_transactions(TIMEOUT)
        async with producer.transaction(TIMEOUT):
            with pytest.raises(KafkaException) as raised:
                async with producer.transaction(TIMEOUT):
                    pass
        assert raised.value.code() == KafkaError._STATE
