"""If something goes wrong, asyncio clients do not hang, lose messages, or read them twice."""

from __future__ import annotations

import asyncio
import gc
import os
from typing import Any

import pytest

from confluent_kafka import KafkaError, Message, Producer, TopicPartition
from confluent_kafka.aio import AIOAdminClient, AIOConsumer, AIOProducer
from confluent_kafka.error import ConsumeError
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import FILLED
from tests.support.aio import LOOPS, across_an_outage, consumer_at, in_loop, run_in
from tests.support.clients import QUIET
from tests.support.kafka import NO_BROKER, numbers, values_of
from tests.support.waiting import TIMEOUT, wait_until

AWAITS = 1000
# Much longer than a busy machine needs between two polls, and short enough for a test.
LIVELY = {"session.timeout.ms": 6000, "max.poll.interval.ms": 6000}
LEAVE_GROUP = 13  # the Kafka protocol's number of this request


@in_loop
async def test_brokers_that_die_while_a_thousand_tasks_wait(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """When the brokers are back, each task gets one message."""
    async with consumer_at(kafka_cluster, {"logger": QUIET}) as consumer:
        await consumer.assign([TopicPartition(kafka_topic, 0, 0)])
        place = [TopicPartition(kafka_topic, 0)]
        waiting = [asyncio.create_task(consumer.getone(*place * (i % 2))) for i in range(AWAITS)]
        found = await across_an_outage(kafka_cluster, producer, kafka_topic, waiting)
    assert sorted(message.offset() for message in found) == list(range(AWAITS))


@in_loop
async def test_loop_that_is_blocked_for_longer_than_the_group_waits(
    kafka_cluster: MockCluster, filled: str
) -> None:
    """The group revokes the partitions, the next call raises _MAX_POLL_EXCEEDED, and reading
    continues after the last commit.

    Only messages that were returned and not committed are returned again, as for every consumer.
    """
    config = LIVELY | {"logger": QUIET}
    told: list[str] = []
    kafka_cluster.start_request_tracking()

    def is_out() -> bool:
        return any(one.api_key == LEAVE_GROUP for one in kafka_cluster.requests())

    async def on_lost(_: AIOConsumer, lost: list[TopicPartition]) -> None:
        told.append("lost")

    async with consumer_at(kafka_cluster, config) as consumer:
        await consumer.subscribe([filled], on_lost=on_lost)
        first = [await consumer.getone() for _ in range(10)]
        await consumer.commit(asynchronous=False)
        wait_until(is_out)  # blocks the event loop
        rest: list[Message] = []
        errors: list[int] = []
        while len(rest) < FILLED - 10:
            try:
                for messages in (await consumer.getmany()).values():
                    rest += messages
            except ConsumeError as error:
                errors.append(error.code)
        assert values_of([*first, *rest]) == numbers(0, FILLED)
        assert errors == [KafkaError._MAX_POLL_EXCEEDED]
        assert told == ["lost"]


@pytest.mark.parametrize("call", ["poll", "getone", "getmany", "getone of one"])
@pytest.mark.parametrize("callback", ["stats_cb", "on_assign", "coroutine on_assign"])
@in_loop
async def test_callbacks_that_raise(
    kafka_cluster: MockCluster, filled: str, call: str, callback: str
) -> None:
    """The next call raises the callback's exception, and no message is lost."""
    raised: list[int] = []

    def fail(*_: object) -> None:
        if not raised:
            raised.append(1)
            raise ZeroDivisionError

    async def fail_later(*_: object) -> None:
        await asyncio.sleep(0)
        fail()

    config = {"statistics.interval.ms": 5, "stats_cb": fail} if callback == "stats_cb" else {}
    on_assign: Any = {"on_assign": fail, "coroutine on_assign": fail_later}.get(callback)
    async with consumer_at(kafka_cluster, config) as consumer:
        await consumer.subscribe([filled], on_assign=on_assign)
        place = [TopicPartition(filled, 0)] if call.endswith("of one") else []
        values: list[bytes | None] = []
        failures = 0
        while len(values) < FILLED or not failures:
            try:
                if call == "poll" or len(values) == FILLED:
                    message = await consumer.poll(0.05)
                    values += [] if message is None else [message.value()]
                elif call == "getmany":
                    for messages in (await consumer.getmany(max_records=3)).values():
                        values += values_of(messages)
                else:
                    values.append((await consumer.getone(*place)).value())
            except ZeroDivisionError:
                failures += 1
        assert (values, failures) == (numbers(0, FILLED), 1)


@pytest.mark.parametrize("step", ["assign", "revoke"])
@in_loop
async def test_rebalance_callback_that_is_cancelled(
    kafka_cluster: MockCluster, filled: str, step: str
) -> None:
    """If the callback is cancelled, the rebalance continues, and close() does not wait for ever."""
    cancelled: list[str] = []

    def cancels_itself(name: str) -> Any:
        async def callback(*_: object) -> None:
            task = asyncio.current_task()
            if name == step and task is not None:
                cancelled.append(name)
                task.cancel()
            await asyncio.sleep(0)

        return callback

    async with consumer_at(kafka_cluster) as consumer:
        await consumer.subscribe([filled], cancels_itself("assign"), cancels_itself("revoke"))
        assert values_of(await consumer.consume(FILLED)) == numbers(0, FILLED)
    assert cancelled == [step]


@in_loop
async def test_close_ends_what_waits(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """close() ends waiting calls such as getone() and getmany() with an error; more close() calls
    do nothing."""
    place = TopicPartition(kafka_topic, 0)
    consumer = consumer_at(kafka_cluster)
    await consumer.subscribe([kafka_topic])
    calls = [consumer.getone(), consumer.getone(place), consumer.getmany(), consumer.getmany(place)]
    waiting: list[Any] = [asyncio.create_task(call) for call in calls]  # type: ignore[arg-type]
    await asyncio.sleep(0)
    assert await asyncio.gather(consumer.close(), consumer.close()) == [True, True]
    assert await consumer.close(0) is True
    waiting += [consumer.getone(), consumer.getmany(timeout=0), consumer.seek_to_end(place)]
    waiting += [consumer.paused(), consumer.memberid(), consumer.end_offsets([place])]
    for call in waiting:
        with pytest.raises(RuntimeError, match="closed"):
            await call


@in_loop
async def test_close_that_takes_longer_than_its_time(
    kafka_cluster: MockCluster, filled: str
) -> None:
    """close() continues in the background. A later close() waits for it, and raises its
    exception."""
    go_on = asyncio.Event()

    async def on_revoke(*_: object) -> None:
        await go_on.wait()
        raise ZeroDivisionError

    consumer = consumer_at(kafka_cluster)
    await consumer.subscribe([filled], on_revoke=on_revoke)
    await consumer.getone()
    assert await consumer.close(0.05) is False
    assert await consumer.close(timeout=0) is False
    go_on.set()
    with pytest.raises(ZeroDivisionError):
        await consumer.close(TIMEOUT)
    assert await consumer.close() is True


@in_loop
async def test_other_loop(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """A call from a second loop is refused at once, and the client still works in its own loop."""
    place = TopicPartition(kafka_topic, 0)
    async with consumer_at(kafka_cluster) as consumer:
        calls = [
            consumer.getone,
            consumer.getmany,
            consumer.seek_to_end,
            consumer.close,
            consumer.pause_while().__aenter__,
            lambda: consumer.getone(place),
            lambda: consumer.end_offsets([place]),
        ]

        async def elsewhere() -> None:
            for call in calls:
                with pytest.raises(RuntimeError, match="belongs to another event loop"):
                    await call()  # type: ignore[operator]

        await asyncio.to_thread(asyncio.run, elsewhere())
        assert await consumer.getmany(timeout=0) == {}


def clients_of(bootstrap: str) -> list[Any]:
    config = {"bootstrap.servers": bootstrap, "logger": QUIET}
    return [
        AIOConsumer(config | {"group.id": "group"}),
        AIOProducer(config),
        AIOAdminClient(config),
    ]


@pytest.mark.parametrize("kind", LOOPS)
@pytest.mark.parametrize("bootstrap", ["", NO_BROKER], ids=["brokers", "no brokers"])
def test_loop_that_ends_with_live_clients(
    kafka_cluster: MockCluster, kafka_topic: str, bootstrap: str, kind: str
) -> None:
    """Clients of a loop that has ended are collected later, each with a warning; nothing waits for
    them."""
    kept: list[Any] = []

    async def work() -> None:
        consumer, producer, admin = clients_of(bootstrap or kafka_cluster.bootstrap_servers)
        await consumer.subscribe([kafka_topic])
        kept.extend((consumer, producer, admin, await producer.produce(kafka_topic, b"value")))
        kept.append(asyncio.create_task(consumer.getone()))
        kept.append(admin.describe_cluster())
        await asyncio.sleep(0)

    run_in(LOOPS[kind], work())
    with pytest.warns(ResourceWarning) as warned:  # noqa: PT031 - the collector runs when it likes
        kept.clear()
        gc.collect()
    text = " ".join(str(one.message) for one in warned)
    assert all(name in text for name in ("Consumer", "AdminClient"))


@in_loop
async def test_block_that_is_cancelled_in_pause_while(
    kafka_cluster: MockCluster, filled: str
) -> None:
    """If the block is cancelled, reading continues after it where it stopped."""
    async with consumer_at(kafka_cluster) as consumer:
        await consumer.subscribe([filled])
        assert (await consumer.getone()).value() == b"0"
        inside = asyncio.Event()

        async def work() -> None:
            async with consumer.pause_while():
                inside.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(work())
        await inside.wait()
        assert await consumer.getmany(timeout=0.05) == {}
        with pytest.raises(RuntimeError, match="cannot be nested"):
            await work()
        task.cancel()
        await asyncio.wait([task])
        assert values_of(await consumer.consume(FILLED - 1)) == numbers(1, FILLED)


@in_loop
async def test_pause_while_keeps_the_member(kafka_cluster: MockCluster, filled: str) -> None:
    """Work that takes longer than max.poll.interval.ms loses no partition.

    This is true even if a framework cancels all other tasks of the loop meanwhile.
    """
    async with consumer_at(kafka_cluster, LIVELY) as consumer:
        await consumer.subscribe([filled])
        await consumer.getone()
        pause = consumer.pause_while()
        before = asyncio.all_tasks()
        async with pause as inside:
            for task in asyncio.all_tasks() - before:
                task.cancel()
            await asyncio.sleep(LIVELY["max.poll.interval.ms"] / 1000 + 1)
            assert inside.lost == []
        assert pause.lost == []
        assert values_of(await consumer.consume(FILLED - 1)) == numbers(1, FILLED)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork()")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@in_loop
async def test_fork(kafka_cluster: MockCluster, filled: str) -> None:
    """A forked child cannot use the client, and can end; the parent loses no message."""
    async with consumer_at(kafka_cluster) as consumer:
        await consumer.subscribe([filled])
        await consumer.getone()
        admin = AIOAdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers})
        child = os.fork()
        if child == 0:
            refused = 0
            try:
                for call in (
                    lambda: consumer._client._by_partition(1, None, True),
                    lambda: consumer._client._poll_of([TopicPartition(filled, 0)], True),
                    admin._client._serve_answers,
                    admin.describe_cluster,
                ):
                    try:
                        call()
                    except RuntimeError:
                        refused += 1
            finally:
                os._exit(refused)
        _, status = await asyncio.to_thread(os.waitpid, child, 0)
        assert os.waitstatus_to_exitcode(status) == 4
        await admin.close()
        assert values_of(await consumer.consume(FILLED - 1)) == numbers(1, FILLED)
