"""When unsubscribe() returns, all partitions are revoked, without another poll()."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Consumer, Producer, TopicPartition, protocol
from confluent_kafka.aio import AIOConsumer
from confluent_kafka.testing import MockCluster
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

TOPIC = "topic"
PLACE = TopicPartition(TOPIC, 0)

pytestmark = pytest.mark.parametrize("strategy", ["range", "cooperative-sticky"])


def config(cluster: MockCluster, strategy: str) -> dict[str, Any]:
    return {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": "group",
        "auto.offset.reset": "earliest",
        "heartbeat.interval.ms": 100,
        "partition.assignment.strategy": strategy,
    }


@pytest.fixture(autouse=True)
def messages(kafka_cluster: MockCluster) -> None:
    kafka_cluster.create_topic(TOPIC, 1)
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        for number in range(5):
            producer.produce(TOPIC, str(number))
        assert producer.flush(TIMEOUT) == 0


def joined(
    consumer: Consumer, **callbacks: Callable[[Consumer, list[TopicPartition]], Any]
) -> None:
    consumer.subscribe([TOPIC], **callbacks)
    wait_until(consumer.assignment, lambda: consumer.poll(0.01))


async def joined_aio(consumer: AIOConsumer, **callbacks: Any) -> None:
    await consumer.subscribe([TOPIC], **callbacks)
    async with asyncio.timeout(TIMEOUT):
        while not await consumer.assignment():
            await consumer.poll(0.01)


@pytest.mark.parametrize("has_callback", [True, False])
def test_at_once(kafka_cluster: MockCluster, strategy: str, has_callback: bool) -> None:
    """unsubscribe() runs on_revoke, and another member gets the partitions."""
    revoked: list[TopicPartition] = []
    callbacks: Any = {"on_revoke": lambda _, taken: revoked.extend(taken)} if has_callback else {}
    settings = config(kafka_cluster, strategy)
    with Consumer(settings) as first, Consumer(settings) as second:
        joined(first, **callbacks)
        first.unsubscribe()
        assert first.assignment() == []
        assert revoked == ([PLACE] if has_callback else [])
        joined(second)
        assert first.poll(0) is None
        assert len(revoked) == has_callback


def test_assign(kafka_cluster: MockCluster, strategy: str) -> None:
    """Partitions that are assigned afterwards by assign() stay assigned, and are read."""
    with Consumer(config(kafka_cluster, strategy)) as consumer:
        joined(consumer)
        consumer.unsubscribe()
        consumer.assign([TopicPartition(TOPIC, 0, 2)])
        found = consumer.consume(3, TIMEOUT)
        assert [each.offset() for each in found] == [2, 3, 4]
        assert consumer.assignment() == [PLACE]
        consumer.assign([TopicPartition(TOPIC, 0, 4)])
        assert [each.offset() for each in consumer.consume(1, TIMEOUT)] == [4]
        consumer.unassign()
        assert consumer.assignment() == []


def unsubscribe_in_on_assign(consumer: Consumer) -> list[str]:
    """Subscribe with an on_assign that unsubscribes; return the list of callbacks that have run."""
    calls: list[str] = []

    def on_assign(consumer: Consumer, _: list[TopicPartition]) -> None:
        consumer.unsubscribe()
        calls.append("assigned")

    consumer.subscribe([TOPIC], on_assign=on_assign, on_revoke=lambda *_: calls.append("revoked"))
    return calls


def test_in_a_callback(kafka_cluster: MockCluster, strategy: str) -> None:
    """unsubscribe() in a callback cannot run another callback, so the next poll() revokes the
    partitions."""
    with Consumer(config(kafka_cluster, strategy)) as consumer:
        calls = unsubscribe_in_on_assign(consumer)
        wait_until(lambda: len(calls) == 2, lambda: consumer.poll(0.01))
        assert calls == ["assigned", "revoked"]
        assert consumer.assignment() == []


def requests(cluster: MockCluster, kind: str) -> int:
    return sum(each.request == kind for each in cluster.requests())


def reads_by_hand(consumer: Consumer) -> None:
    """Check that a partition that is assigned now is read to its end, and stays assigned."""
    consumer.assign([TopicPartition(TOPIC, 0, 2)])
    assert [each.offset() for each in consumer.consume(3, TIMEOUT)] == [2, 3, 4]
    assert consumer.poll(0) is None
    assert consumer.assignment() == [PLACE]
    consumer.assign([TopicPartition(TOPIC, 0, 4)])
    assert [each.offset() for each in consumer.consume(1, TIMEOUT)] == [4]


@needs("waiting-unsubscribe")
def test_while_the_group_waits(kafka_cluster: MockCluster, strategy: str) -> None:
    """After unsubscribe(), a running rebalance assigns no partitions, and revokes none later."""
    kafka_cluster.create_topic("other", 1)
    begun, go_on = threading.Event(), threading.Event()
    assigned: list[list[TopicPartition]] = []

    def hold(*_: Any) -> None:
        begun.set()
        assert go_on.wait(TIMEOUT)

    settings = config(kafka_cluster, strategy)
    with Consumer(settings) as consumer, Consumer(settings) as other:
        joined(consumer, on_assign=lambda _, given: assigned.append(given))
        kafka_cluster.on_request(protocol.SyncGroupRequest.api_key, hold)
        try:
            consumer.subscribe([TOPIC, "other"], on_assign=lambda _, given: assigned.append(given))
            wait_until(begun.is_set, lambda: consumer.poll(0.01))
            consumer.unsubscribe()
            assert consumer.subscription() == consumer.assignment() == []
            consumer.assign([TopicPartition(TOPIC, 0, 2)])
        finally:
            go_on.set()
        assert [each.offset() for each in consumer.consume(3, TIMEOUT)] == [2, 3, 4]
        joined(other)
        reads_by_hand(consumer)
    assert len(assigned) == 1


@needs("waiting-unsubscribe")
def test_before_the_assignment_is_served(kafka_cluster: MockCluster, strategy: str) -> None:
    """If an assignment waits for poll(), unsubscribe() runs on_assign and then on_revoke for it."""
    calls: list[str] = []
    kafka_cluster.start_request_tracking()
    with Consumer(config(kafka_cluster, strategy)) as consumer:
        consumer.subscribe(
            [TOPIC],
            on_assign=lambda *_: calls.append("assigned"),
            on_revoke=lambda *_: calls.append("revoked"),
        )
        # The client sends its first heartbeat when the assignment waits for a poll.
        wait_until(lambda: requests(kafka_cluster, "Heartbeat") > 0)
        consumer.unsubscribe()
        assert calls == ["assigned", "revoked"]
        assert consumer.assignment() == []
        reads_by_hand(consumer)
    assert calls == ["assigned", "revoked"]


@needs("waiting-unsubscribe")
def test_before_the_revocation_is_served(kafka_cluster: MockCluster, strategy: str) -> None:
    """If a revocation waits for poll(), unsubscribe() completes it.

    This is also true if the group would have left a partition to this member.
    """
    calls: list[str] = []
    kafka_cluster.create_topic("other", 1)
    with (
        Consumer(config(kafka_cluster, strategy)) as first,
        Consumer(config(kafka_cluster, strategy)) as second,
    ):
        first.subscribe(
            [TOPIC, "other"],
            on_assign=lambda *_: calls.append("assigned"),
            on_revoke=lambda *_: calls.append("revoked"),
        )
        wait_until(first.assignment, lambda: first.poll(0.01))
        kafka_cluster.start_request_tracking()
        second.subscribe([TOPIC, "other"])
        wait_until(lambda: requests(kafka_cluster, "JoinGroup") > 0)
        beats = requests(kafka_cluster, "Heartbeat")
        wait_until(lambda: requests(kafka_cluster, "Heartbeat") > beats + 2)
        first.unsubscribe()
        assert first.assignment() == []
        reads_by_hand(first)
        wait_until(lambda: len(second.assignment()) == 2, lambda: second.poll(0.01))
        reads_by_hand(first)
    assert calls[0] == "assigned"
    assert set(calls[1:]) == {"revoked"}


@needs("waiting-unsubscribe")
def test_assign_after_a_callback(kafka_cluster: MockCluster, strategy: str) -> None:
    """If a callback has unsubscribed, the partitions are revoked before assign() assigns."""
    with Consumer(config(kafka_cluster, strategy)) as consumer:
        calls = unsubscribe_in_on_assign(consumer)
        wait_until(lambda: calls != [], lambda: consumer.poll(0.01))
        reads_by_hand(consumer)
        assert calls == ["assigned", "revoked"]


@needs("waiting-unsubscribe")
def test_aio_while_on_assign_runs(kafka_cluster: MockCluster, strategy: str) -> None:
    """With AIOConsumer, on_assign ends, then on_revoke runs, and then unsubscribe() returns."""
    calls: list[str] = []

    async def run() -> None:
        begun, go_on = asyncio.Event(), asyncio.Event()

        async def on_assign(*_: Any) -> None:
            begun.set()
            await go_on.wait()
            calls.append("assigned")

        async def on_revoke(*_: Any) -> None:
            await asyncio.sleep(0)
            calls.append("revoked")

        async with AIOConsumer(config(kafka_cluster, strategy)) as consumer:
            await consumer.subscribe([TOPIC], on_assign=on_assign, on_revoke=on_revoke)
            while not begun.is_set():
                assert await consumer.poll(0.01) is None
            leaving = asyncio.create_task(consumer.unsubscribe())
            await asyncio.sleep(0)
            go_on.set()
            await leaving
            assert calls == ["assigned", "revoked"]
            assert await consumer.assignment() == []
            await consumer.assign([TopicPartition(TOPIC, 0, 2)])
            found = await consumer.consume(3, TIMEOUT)
            assert [each.offset() for each in found] == [2, 3, 4]
            assert await consumer.assignment() == [PLACE]

    asyncio.run(asyncio.wait_for(run(), 2 * TIMEOUT))


@pytest.mark.parametrize("kind", ["none", "plain", "coroutine"])
def test_aio(kafka_cluster: MockCluster, strategy: str, kind: str) -> None:
    """With AIOConsumer, all partitions are revoked, even if on_revoke is a coroutine."""
    revoked: list[TopicPartition] = []

    async def on_revoke(_: AIOConsumer, taken: list[TopicPartition]) -> None:
        await asyncio.sleep(0)
        revoked.extend(taken)

    callbacks: dict[str, dict[str, Any]] = {
        "none": {},
        "plain": {"on_revoke": lambda _, taken: revoked.extend(taken)},
        "coroutine": {"on_revoke": on_revoke},
    }

    async def run() -> None:
        settings = config(kafka_cluster, strategy)
        async with AIOConsumer(settings) as first, AIOConsumer(settings) as second:
            await joined_aio(first, **callbacks[kind])
            await first.unsubscribe()
            assert await first.assignment() == []
            assert revoked == ([] if kind == "none" else [PLACE])
            await joined_aio(second)
            await first.assign([TopicPartition(TOPIC, 0, 2)])
            found = await first.consume(3, TIMEOUT)
            assert [each.offset() for each in found] == [2, 3, 4]

    asyncio.run(asyncio.wait_for(run(), 2 * TIMEOUT))


@pytest.mark.parametrize("is_coroutine", [True, False])
def test_aio_raises(kafka_cluster: MockCluster, strategy: str, is_coroutine: bool) -> None:
    """unsubscribe() raises the exception of on_revoke; the subscription has ended."""

    async def fails(*_: Any) -> None:
        raise ZeroDivisionError

    callback: Any = fails if is_coroutine else lambda *_: 1 / 0

    async def run() -> None:
        async with AIOConsumer(config(kafka_cluster, strategy)) as consumer:
            await joined_aio(consumer, on_revoke=callback)
            with pytest.raises(ZeroDivisionError):
                await consumer.unsubscribe()
            assert await consumer.subscription() == await consumer.assignment() == []

    asyncio.run(asyncio.wait_for(run(), 2 * TIMEOUT))


def test_aio_cancelled(kafka_cluster: MockCluster, strategy: str) -> None:
    """Cancelling unsubscribe() only cancels the wait: on_revoke ends, and the member leaves the
    group."""
    ended: list[str] = []

    async def run() -> None:
        begun, go_on = asyncio.Event(), asyncio.Event()

        async def on_revoke(*_: Any) -> None:
            begun.set()
            await go_on.wait()
            ended.append("on_revoke")

        settings = config(kafka_cluster, strategy)
        async with AIOConsumer(settings) as first, AIOConsumer(settings) as second:
            await joined_aio(first, on_revoke=on_revoke)
            leaving = asyncio.create_task(first.unsubscribe())
            await begun.wait()
            leaving.cancel()
            with pytest.raises(asyncio.CancelledError):
                await leaving
            go_on.set()
            await joined_aio(second)
            assert ended == ["on_revoke"]
            assert await first.assignment() == []

    asyncio.run(asyncio.wait_for(run(), 2 * TIMEOUT))
