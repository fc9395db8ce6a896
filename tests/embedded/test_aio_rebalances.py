"""Rebalance callbacks of AIOConsumer: functions and coroutines."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.aio import AIOConsumer, _client
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import FILLED, MakeConsumer
from tests.support.aio import in_loop, until
from tests.support.kafka import committed, numbers, send, values_of
from tests.support.threads import Thread, running
from tests.support.waiting import TIMEOUT, wait_until

JOIN_GROUP = 11  # an API key of Kafka's protocol
STRATEGIES = pytest.mark.parametrize("strategy", ["range", "cooperative-sticky"])


def consumer_of(cluster: MockCluster, config: dict[str, Any] | None = None) -> AIOConsumer:
    common: dict[str, Any] = {
        "bootstrap.servers": cluster.bootstrap_servers,
        "group.id": "group",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "fetch.wait.max.ms": 50,
        "heartbeat.interval.ms": 100,
    }
    return AIOConsumer(common | (config or {}))


class Calls:
    """Callbacks that record their calls."""

    def __init__(self, coroutine: bool, work: Callable[..., Any] | None = None) -> None:
        self.begun: list[tuple[str, AIOConsumer, list[TopicPartition]]] = []
        self.ended: list[str] = []
        self._coroutine = coroutine
        self._work = work

    def __getitem__(self, name: str) -> Any:
        def call(consumer: AIOConsumer, partitions: list[TopicPartition]) -> None:
            asyncio.get_running_loop()
            self.begun.append((name, consumer, partitions))
            self.ended.append(name)

        async def call_later(consumer: AIOConsumer, partitions: list[TopicPartition]) -> None:
            self.begun.append((name, consumer, partitions))
            await asyncio.sleep(0.02)
            if self._work is not None:
                await self._work(name, consumer, partitions)
            self.ended.append(name)

        return call_later if self._coroutine else call

    async def subscribe(self, consumer: AIOConsumer, topic: str) -> None:
        await consumer.subscribe(
            [topic], self["assign"], on_revoke=self["revoke"], on_lost=self["lost"]
        )


@STRATEGIES
@pytest.mark.parametrize("coroutine", [True, False], ids=["coroutine", "function"])
@in_loop
async def test_they_get_the_consumer_and_its_partitions(
    kafka_cluster: MockCluster, filled: str, strategy: str, coroutine: bool
) -> None:
    """on_assign runs before the first message and on_revoke runs in close(), both in the event
    loop."""
    calls = Calls(coroutine)
    own = [TopicPartition(filled, 0)]
    config = {"partition.assignment.strategy": strategy}
    async with consumer_of(kafka_cluster, config) as consumer:
        await calls.subscribe(consumer, filled)
        assert values_of(await consumer.consume(FILLED, TIMEOUT)) == numbers(0, FILLED)
        assert calls.ended == ["assign"]
        assert await consumer.assignment() == own
    assert calls.begun == [("assign", consumer, own), ("revoke", consumer, own)]
    assert calls.ended == ["assign", "revoke"]


@STRATEGIES
@in_loop
async def test_the_group_waits_for_a_coroutine(
    kafka_cluster: MockCluster, filled: str, consumer: Consumer, strategy: str
) -> None:
    """Commits of on_revoke are successful, in close() and before another member gets the
    partition."""

    async def work(name: str, own: AIOConsumer, partitions: list[TopicPartition]) -> None:
        if name == "revoke":
            await own.commit(asynchronous=False)

    calls = Calls(True, work)
    config = {"partition.assignment.strategy": strategy}
    own = consumer_of(kafka_cluster, config)
    await calls.subscribe(own, filled)
    assert values_of(await own.consume(10, TIMEOUT)) == numbers(0, 10)
    await own.close()
    assert await asyncio.to_thread(committed, consumer, filled) == 10


@STRATEGIES
@in_loop
async def test_no_messages_while_a_coroutine_runs(
    kafka_cluster: MockCluster, filled: str, strategy: str
) -> None:
    """poll() and consume() wait for the end of on_revoke, or for their own timeout."""
    release = asyncio.Event()

    async def work(name: str, *_: object) -> None:
        if name == "revoke":
            await release.wait()

    calls = Calls(True, work)
    config = {"partition.assignment.strategy": strategy}
    async with consumer_of(kafka_cluster, config) as consumer:
        await calls.subscribe(consumer, filled)
        for number in range(20):  # so fast that the client fetches several messages ahead
            message = await consumer.poll(TIMEOUT)
            assert message is not None
            assert message.value() == b"%d" % number
        leaving = asyncio.create_task(consumer.unsubscribe())
        while len(calls.begun) < 2:
            await asyncio.sleep(0.05)  # so slow that the client does not fetch ahead any more
        assert await consumer.poll(0) is None
        assert await consumer.consume(100, 0) == []
        assert len(await consumer.consume_arrow(100, 0)) == 0
        assert await consumer.poll(0.01) is None
        assert await consumer.consume(10, 0.01) == []
        assert await consumer.assignment() == [TopicPartition(filled, 0)]
        assert not leaving.done()
        release.set()
        await leaving
        assert await consumer.assignment() == []


@STRATEGIES
@pytest.mark.parametrize("coroutine", [True, False], ids=["coroutine", "function"])
@in_loop
async def test_what_they_raise(
    kafka_cluster: MockCluster, filled: str, strategy: str, coroutine: bool
) -> None:
    """poll() and close() raise the exception, and the assignment is completed nevertheless."""

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    async def fail_later(*_: object) -> None:
        await asyncio.sleep(0.01)
        raise ZeroDivisionError

    callback = fail_later if coroutine else fail
    consumer = consumer_of(kafka_cluster, {"partition.assignment.strategy": strategy})
    await consumer.subscribe([filled], on_assign=callback, on_revoke=callback)
    with pytest.raises(ZeroDivisionError):
        await consumer.poll(TIMEOUT)
    message = await consumer.poll(TIMEOUT)
    assert message is not None
    assert message.value() == b"0"
    with pytest.raises(ZeroDivisionError):
        await consumer.close()
    with pytest.raises(RuntimeError, match="closed"):
        await consumer.poll()


@in_loop
async def test_a_coroutine_assigns_itself(kafka_cluster: MockCluster, filled: str) -> None:
    """The assign() of the coroutine replaces the default assignment; here it begins at a later
    offset."""

    async def on_assign(consumer: AIOConsumer, partitions: list[TopicPartition]) -> None:
        await asyncio.sleep(0.01)
        await consumer.assign([TopicPartition(one.topic, one.partition, 90) for one in partitions])

    async with consumer_of(kafka_cluster) as consumer:
        await consumer.subscribe([filled], on_assign=on_assign)
        assert values_of(await consumer.consume(10, TIMEOUT)) == numbers(90, FILLED)


@in_loop
async def test_a_coroutine_that_polls_gets_what_there_is(
    kafka_cluster: MockCluster, filled: str
) -> None:
    """poll() in on_assign does not wait for on_assign to end, and close() in on_assign is
    refused."""
    refused: list[str] = []

    async def on_assign(consumer: AIOConsumer, _: list[TopicPartition]) -> None:
        assert await consumer.poll(0) is None
        try:
            await consumer.close()
        except RuntimeError as error:
            refused.append(str(error))

    async with consumer_of(kafka_cluster) as consumer:
        await consumer.subscribe([filled], on_assign=on_assign)
        assert await consumer.poll(TIMEOUT) is not None
    assert refused == ["close() of AIOConsumer must not be called in one of its callbacks"]


@in_loop
async def test_a_coroutine_that_reads_is_waited_for(
    kafka_cluster: MockCluster, filled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the coroutine itself reads messages, other tasks get none before it has ended."""
    monkeypatch.setattr(_client, "_LONGEST_TURN", TIMEOUT)
    revoked: list[TopicPartition] = []
    own: list[bytes | None] = []
    has_read, go_on = asyncio.Event(), asyncio.Event()

    async def on_assign(consumer: AIOConsumer, partitions: list[TopicPartition]) -> None:
        await consumer.assign(partitions)
        await consumer.unsubscribe()  # starts another rebalance, for which the group does not wait
        while not revoked:
            await consumer.poll(0.01)
        await consumer.assign([TopicPartition(filled, 0, 0)])
        own.extend(values_of(await consumer.consume(3, TIMEOUT)))
        has_read.set()
        await go_on.wait()

    async with consumer_of(kafka_cluster) as consumer:
        await consumer.subscribe(
            [filled], on_assign=on_assign, on_revoke=lambda _, taken: revoked.extend(taken)
        )
        waiting = asyncio.create_task(consumer.poll(TIMEOUT))
        await has_read.wait()
        others = await consumer.poll(0), await consumer.consume(1, 0)
        go_on.set()
        assert (own, others) == (numbers(0, 3), (None, []))
        message = await waiting
        assert message is not None
        assert message.value() == b"3"


@in_loop
async def test_lost_partitions(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """If on_lost is a coroutine, it runs when the group has removed the member; then the member
    joins again."""
    calls = Calls(True)
    config = {"session.timeout.ms": 1200}  # the brokers keep the former member for this time
    async with consumer_of(kafka_cluster, config) as consumer:
        await calls.subscribe(consumer, kafka_topic)
        while not await consumer.assignment():
            await consumer.poll(0.01)
        kafka_cluster.inject_errors("Heartbeat", [KafkaError.UNKNOWN_MEMBER_ID])
        # The brokers also remove the member if the machine stops for longer than the session
        # timeout.
        while calls.ended[:3] != ["assign", "lost", "assign"] or not await consumer.assignment():
            await consumer.poll(0.01)
        assert await consumer.assignment() == [TopicPartition(kafka_topic, 0)]


@STRATEGIES
@in_loop
async def test_an_assignment_that_close_is_the_first_to_see(
    kafka_cluster: MockCluster, filled: str, strategy: str
) -> None:
    """If close() is the first to notice an assignment, its callbacks run in the loop, and may
    commit."""
    committed_by: list[str] = []

    async def work(name: str, own: AIOConsumer, partitions: list[TopicPartition]) -> None:
        assert await own.assignment() == ([] if name == "assign" else partitions)
        offsets = [TopicPartition(filled, 0, 7)]
        await own.commit(offsets=offsets, asynchronous=False)
        committed_by.append(name)

    calls = Calls(True, work)
    config = {"partition.assignment.strategy": strategy}
    consumer = consumer_of(kafka_cluster, config)
    await calls.subscribe(consumer, filled)
    await until(lambda: consumer._client._queue_length() > 0)
    await consumer.close()
    assert calls.ended == ["assign", "revoke"] == committed_by


@in_loop
async def test_a_rebalance_that_ends_while_close_leaves(
    kafka_cluster: MockCluster, kafka_topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If close() unsubscribes while the member joins again, the member gets no partitions
    afterwards.

    Otherwise its on_revoke could not even request positions.
    """
    go_on = asyncio.Event()

    async def work(name: str, own: AIOConsumer, partitions: list[TopicPartition]) -> None:
        assert await own.position(partitions)
        if name == "revoke":
            await go_on.wait()

    calls = Calls(True, work)
    consumer = consumer_of(kafka_cluster)
    await calls.subscribe(consumer, kafka_topic)
    while not await consumer.assignment():
        await consumer.poll(0.01)
    finish = consumer._rebalances.finish
    kafka_cluster.start_request_tracking()

    async def finish_late() -> None:
        go_on.set()
        await finish()
        await until(lambda: any(one.api_key == JOIN_GROUP for one in kafka_cluster.requests()))

    kafka_cluster.inject_errors("Heartbeat", [KafkaError.REBALANCE_IN_PROGRESS])
    while len(calls.begun) < 2:
        await consumer.poll(0.01)
    kafka_cluster.set_round_trip_time(None, 0.2)  # joining takes this long
    monkeypatch.setattr(consumer._rebalances, "finish", finish_late)
    await consumer.close()
    assert calls.ended == ["assign", "revoke"]


@pytest.mark.parametrize("told", [False, True], ids=["by hand first", "by the group first"])
@in_loop
async def test_close_after_an_assignment_by_hand(
    kafka_cluster: MockCluster, filled: str, told: bool
) -> None:
    """The group revokes only the partitions that it has assigned; close() waits for no other
    partitions."""
    calls = Calls(coroutine=False)
    async with asyncio.timeout(TIMEOUT), consumer_of(kafka_cluster) as consumer:
        await calls.subscribe(consumer, filled)
        if told:
            assert await consumer.poll(TIMEOUT) is not None
        await consumer.assign([TopicPartition(filled, 0, 0)])
    names = [name for name, _, _ in calls.begun]
    both = ["assign", "revoke"]
    assert names == both or (names == [] and not told)


@in_loop
async def test_on_revoke_that_assigns_again(kafka_cluster: MockCluster, filled: str) -> None:
    """close() ends although on_revoke assigns partitions again."""

    async def on_revoke(consumer: AIOConsumer, partitions: list[TopicPartition]) -> None:
        await consumer.assign(partitions)

    consumer = consumer_of(kafka_cluster)
    await consumer.subscribe([filled], on_revoke=on_revoke)
    assert await consumer.poll(TIMEOUT) is not None
    await consumer.close()


@in_loop
async def test_close_in_a_task_of_a_callback(kafka_cluster: MockCluster, filled: str) -> None:
    """A task that a callback created may not call close(); its poll() does not wait for the
    callback."""
    refused: list[str] = []

    async def on_assign(consumer: AIOConsumer, _: list[TopicPartition]) -> None:
        closed, message = await asyncio.gather(
            consumer.close(), consumer.poll(0.01), return_exceptions=True
        )
        refused.append(str(closed))
        assert message is None

    async with consumer_of(kafka_cluster) as consumer:
        await consumer.subscribe([filled], on_assign=on_assign)
        assert await consumer.poll(TIMEOUT) is not None
    assert refused == ["close() of AIOConsumer must not be called in one of its callbacks"]


def test_a_step_is_put_off_in_a_callback_only(make_consumer: MakeConsumer) -> None:
    """_defer_rebalance() is refused outside of a callback; _finish_rebalance() ignores an unknown
    number."""
    consumer = make_consumer()
    with pytest.raises(RuntimeError, match="rebalance callbacks"):
        consumer._defer_rebalance()
    consumer._finish_rebalance(0)
    with pytest.raises(TypeError):
        consumer._finish_rebalance("x")  # type: ignore[arg-type]


def test_a_step_is_put_off_by_its_own_thread_only(filled: str, make_consumer: MakeConsumer) -> None:
    """While the callback runs, a call from another thread is refused, without an effect on the
    poll."""
    consumer = make_consumer()
    called: list[bool] = []

    def on_assign(own: Consumer, _: list[TopicPartition]) -> None:
        with pytest.raises(RuntimeError, match="rebalance callbacks"):
            Thread(own._defer_rebalance).result()
        called.append(True)

    def ask() -> None:
        with pytest.raises(RuntimeError, match="rebalance callbacks"):
            consumer._defer_rebalance()

    with running(ask):
        consumer.subscribe([filled], on_assign=on_assign)
        assert consumer.poll(TIMEOUT) is not None
    assert called


@STRATEGIES
def test_a_step_that_nobody_takes(
    filled: str, make_consumer: MakeConsumer, producer: Producer, strategy: str
) -> None:
    """close() runs the deferred step. A consumer that is dropped with a deferred step also ends."""
    consumer = make_consumer({"partition.assignment.strategy": strategy})
    numbers_of: list[int] = []
    consumer.subscribe([filled], on_assign=lambda own, _: numbers_of.append(own._defer_rebalance()))
    while not numbers_of:
        assert consumer.poll(0.05) is None
    assert consumer.assignment() == []
    consumer._finish_rebalance(numbers_of[0] + 1)
    assert consumer.assignment() == []
    consumer._finish_rebalance(numbers_of[0])
    assert consumer.assignment() == [TopicPartition(filled, 0)]
    consumer.unsubscribe()
    send(producer, filled, [b"more"])
    consumer.close()


@in_loop
async def test_closed_while_a_part_is_taken_away(
    kafka_cluster: MockCluster, make_consumer: MakeConsumer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a part is revoked just before close(), on_revoke is called for this part and for the rest.

    The coroutine can commit both times.
    """
    kafka_cluster.create_topic("parts", 4)
    config = {"partition.assignment.strategy": "cooperative-sticky"}
    committed_as_revoked: list[TopicPartition] = []

    async def on_revoke(consumer: AIOConsumer, partitions: list[TopicPartition]) -> None:
        offsets = [TopicPartition(one.topic, one.partition, 1) for one in partitions]
        done = await consumer.commit(offsets=offsets, asynchronous=False)
        committed_as_revoked.extend(done or ())

    second = make_consumer(config | {"group.id": "group", "heartbeat.interval.ms": 100})
    serve = AIOConsumer._serve

    def serve_and_rebalance(consumer: AIOConsumer) -> None:
        serve(consumer)
        monkeypatch.setattr(AIOConsumer, "_serve", serve)
        kafka_cluster.start_request_tracking()
        second.subscribe(["parts"])
        wait_until(
            lambda: [one.request for one in kafka_cluster.requests()].count("SyncGroup") >= 2,
            lambda: second.poll(0.01),
        )
        time.sleep(0.5)  # if the first member notices later, the test checks nothing

    async with consumer_of(kafka_cluster, config) as consumer:
        await consumer.subscribe(["parts"], on_revoke=on_revoke)
        while len(await consumer.assignment()) < 4:
            await consumer.poll(0.05)
        monkeypatch.setattr(AIOConsumer, "_serve", serve_and_rebalance)
    assert sorted(one.partition for one in committed_as_revoked) == [0, 1, 2, 3]
