"""pause() and rebalances: a partition stays paused as long as its consumer keeps it."""

from __future__ import annotations

import asyncio

import pytest

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.aio import AIOConsumer
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.kafka import values_of
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = pytest.mark.kafka_topic(partitions=2)

STRATEGIES = ["range", "cooperative-sticky"]


def produce(producer: Producer, topic: str, value: bytes) -> None:
    for partition in range(2):
        producer.produce(topic, value, partition=partition)
    assert producer.flush(TIMEOUT) == 0


def numbers_of(partitions: list[TopicPartition]) -> set[int]:
    return {one.partition for one in partitions}


def share(first: Consumer, second: Consumer, topic: str) -> None:
    """Let the second consumer join, so that each has a partition."""
    second.subscribe([topic])
    wait_until(
        lambda: len(second.assignment()) == len(first.assignment()) == 1,
        lambda: (first.poll(0.02), second.poll(0.02)),
    )


def leave(first: Consumer, second: Consumer) -> None:
    """Let the second consumer leave, so that the first has both partitions."""
    second.close()
    wait_until(lambda: len(first.assignment()) == 2, lambda: first.poll(0.02))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_revoked_partition_is_not_paused_any_more(
    make_consumer: MakeConsumer, kafka_topic: str, producer: Producer, strategy: str
) -> None:
    """A partition that is assigned again is read. A partition that stayed is still paused, and in
    paused()."""
    config = {"partition.assignment.strategy": strategy}
    first, second = make_consumer(config), make_consumer(config)
    first.subscribe([kafka_topic])
    wait_until(lambda: len(first.assignment()) == 2, lambda: first.poll(0.02))
    first.pause(first.assignment())
    assert numbers_of(first.paused()) == {0, 1}
    share(first, second, kafka_topic)
    kept = numbers_of(first.assignment()) if strategy == "cooperative-sticky" else set()
    assert numbers_of(first.paused()) == kept
    leave(first, second)
    assert numbers_of(first.paused()) == kept
    produce(producer, kafka_topic, b"value")
    message = first.poll(TIMEOUT)
    assert message is not None
    assert message.partition() not in kept
    first.resume(first.paused())
    rest = first.consume(1, TIMEOUT)
    assert {message.partition(), *(one.partition() for one in rest)} == {0, 1}
    assert None not in first.lag().values()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_partition_that_was_revoked_inside_the_block(
    make_consumer: MakeConsumer, kafka_topic: str, producer: Producer, strategy: str
) -> None:
    """If the partition is assigned again after the block, it is read at once. If it is assigned
    again inside the block, it is read after the block."""
    config = {"partition.assignment.strategy": strategy}
    first, second = make_consumer(config), make_consumer(config)
    first.subscribe([kafka_topic])
    wait_until(lambda: len(first.assignment()) == 2, lambda: first.poll(0.02))
    with first.pause_while():
        second.subscribe([kafka_topic])
        wait_until(
            lambda: len(second.assignment()) == len(first.assignment()) == 1,
            lambda: second.poll(0.02),
        )
    leave(first, second)
    assert first.paused() == []
    produce(producer, kafka_topic, b"after")
    assert values_of(first.consume(2, TIMEOUT)) == [b"after"] * 2
    third = make_consumer(config)
    with first.pause_while():
        third.subscribe([kafka_topic])
        wait_until(
            lambda: len(third.assignment()) == len(first.assignment()) == 1,
            lambda: third.poll(0.02),
        )
        third.close()
        wait_until(lambda: len(first.assignment()) == 2)
        produce(producer, kafka_topic, b"again")
        assert first.consume(1, 0.3) == []
    seen: set[tuple[int | None, bytes | None]] = set()

    def read() -> None:
        seen.update((one.partition(), one.value()) for one in first.consume(10, 0.1))

    wait_until(lambda: {(0, b"again"), (1, b"again")} <= seen, read)
    assert None not in first.lag().values()


def test_assignments_of_the_application(consumer: Consumer, kafka_topic: str) -> None:
    """assign() keeps the pause of partitions that stay; incremental_unassign() and unassign() end
    it."""
    both = [TopicPartition(kafka_topic, number, 0) for number in range(2)]
    consumer.assign(both)
    consumer.pause(both)
    consumer.assign(both[:1])
    assert numbers_of(consumer.paused()) == {0}
    consumer.incremental_assign(both[1:])
    assert numbers_of(consumer.paused()) == {0}
    consumer.incremental_unassign(both[:1])
    consumer.incremental_assign(both[:1])
    assert consumer.paused() == []
    consumer.pause(both)
    consumer.unassign()
    consumer.assign(both)
    assert consumer.paused() == []


def test_a_pause_in_on_assign(
    make_consumer: MakeConsumer, kafka_topic: str, producer: Producer
) -> None:
    """If on_assign pauses all partitions, nothing is read until the application resumes them."""
    produce(producer, kafka_topic, b"value")
    consumer = make_consumer()
    consumer.list_topics(kafka_topic, TIMEOUT)

    def assigned(consumer: Consumer, partitions: list[TopicPartition]) -> None:
        consumer.assign(partitions)
        consumer.pause(partitions)

    consumer.subscribe([kafka_topic], on_assign=assigned)
    wait_until(lambda: len(consumer.assignment()) == 2, lambda: consumer.poll(0.02))
    assert numbers_of(consumer.paused()) == {0, 1}
    assert consumer.consume(1, 0.3) == []
    consumer.resume(consumer.paused())
    assert len(consumer.consume(2, TIMEOUT)) == 2


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_aio(
    kafka_cluster: MockCluster,
    make_consumer: MakeConsumer,
    kafka_topic: str,
    producer: Producer,
    strategy: str,
) -> None:
    """With AIOConsumer, paused() is also correct, and nothing stays paused after the block."""
    config = {
        "bootstrap.servers": kafka_cluster.bootstrap_servers,
        "group.id": "group",
        "auto.offset.reset": "earliest",
        "heartbeat.interval.ms": 100,
        "partition.assignment.strategy": strategy,
    }

    async def run() -> None:
        async with AIOConsumer(config) as first, AIOConsumer(config) as second:

            async def poll_first() -> None:
                assert await first.poll(0.01) is None

            async def poll_second() -> None:
                assert await second.poll(0.01) is None

            async def counts(one: int, two: int) -> None:
                steps = (poll_first, poll_second) if two else (poll_first,)
                while (len(await first.assignment()), len(await second.assignment())) != (one, two):
                    for step in steps:
                        await step()

            await first.subscribe([kafka_topic])
            while len(await first.assignment()) != 2:
                await poll_first()
            await first.pause(await first.assignment())
            await second.subscribe([kafka_topic])
            await counts(1, 1)
            kept = await first.assignment() if strategy == "cooperative-sticky" else []
            assert numbers_of(await first.paused()) == numbers_of(kept)
            await first.resume(await first.assignment())
            async with first.pause_while():
                await second.unsubscribe()
                while len(await first.assignment()) != 2:
                    await asyncio.sleep(0.01)
            assert await first.paused() == []
            await asyncio.to_thread(produce, producer, kafka_topic, b"value")
            messages = await first.consume(2, TIMEOUT)
            assert numbers_of([TopicPartition("", m.partition()) for m in messages]) == {0, 1}

    asyncio.run(asyncio.wait_for(run(), 2 * TIMEOUT))
