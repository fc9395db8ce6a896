"""Every coroutine of `aio` is cancelled at each of its suspensions: nothing is lost.

A call is cancelled at its first, second, ... n-th suspension: while it waits, or just after its
awaited result has come. Messages are neither lost nor repeated, only returned messages are
committed, and the client works as before.
"""

from __future__ import annotations

import asyncio
import inspect
import itertools
from collections.abc import Callable
from importlib.util import find_spec
from random import Random
from typing import Any

import pytest

from confluent_kafka import (
    OFFSET_INVALID,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
    aio,
)
from confluent_kafka.admin import NewTopic, OffsetSpec
from confluent_kafka.aio import (
    AIOAdminClient,
    AIOConsumer,
    AIOProducer,
    AsyncDeserializingConsumer,
)
from confluent_kafka.columns import AvroDecoder
from confluent_kafka.serialization import SerializationContext
from confluent_kafka.testing import MockCluster
from tests.support.aio import LOOPS, run_in, until
from tests.support.aio_calls import CALLS, arguments_of, config_of
from tests.support.cancelling import (
    NOTHING,
    SUSPENSIONS,
    Cut,
    coroutines_of,
    cut_everywhere,
    read_in_pieces,
)
from tests.support.kafka import send
from tests.support.waiting import TIMEOUT

MESSAGES = 40

# All calls that return messages.
READS: dict[str, Callable[[Any], Any]] = {
    "poll": lambda consumer: consumer.poll(5),
    "getone": lambda consumer: consumer.getone(),
    "getone of": lambda consumer: consumer.getone(*consumer._client.assignment()),
    "getmany": lambda consumer: consumer.getmany(timeout=5, max_records=3),
    "consume": lambda consumer: consumer.consume(3, 0.3),
    "consume_arrow": lambda consumer: consumer.consume_arrow(3, 0.3),
    "consume_arrow of values": lambda consumer: consumer.consume_arrow(
        3, 0.3, value=AvroDecoder('"int"')
    ),
    "anext": lambda consumer: anext(consumer),
}
needs_polars = pytest.mark.skipif(find_spec("polars") is None, reason="polars is not installed")
EACH_READ = pytest.mark.parametrize(
    "read", [pytest.param(name, marks=needs_polars if "arrow" in name else ()) for name in READS]
)


async def slowly(data: bytes | None, _: SerializationContext) -> Any:
    """A deserializer that suspends one to three times, so that later values may be finished
    first."""
    for _ in range(1 + (data or b"\0")[0] % 3):
        await asyncio.sleep(0)
    return data


def offsets_of(result: Any) -> list[int]:
    if result is None:
        return []
    if hasattr(result, "__arrow_c_array__"):
        import polars

        offsets: list[int] = polars.DataFrame(result)["offset"].to_list()
        return offsets
    if isinstance(result, dict):
        result = list(itertools.chain.from_iterable(result.values()))
    return [one.offset() for one in (result if isinstance(result, list) else [result])]


async def stored(consumer: AIOConsumer) -> int:
    """The offset that a commit would commit; 0 if there is nothing to commit."""
    try:
        answer = await consumer.commit(asynchronous=False) or []
    except KafkaException as error:
        if error.args[0].code() != KafkaError._NO_OFFSET:
            raise
        answer = await consumer.committed(await consumer.assignment(), TIMEOUT)
    return max(0, answer[0].offset)


def reading(kind: type[Any], cluster: MockCluster, topic: str) -> Any:
    config = config_of(kind, cluster.bootstrap_servers) | {"group.id": topic}
    return kind(config | ({"value.deserializer": slowly} if kind is not AIOConsumer else {}))


@pytest.mark.parametrize("kind", [AIOConsumer, AsyncDeserializingConsumer])
@EACH_READ
def test_reads(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, kind: type[Any], read: str
) -> None:
    """Each message is returned once and in order; position and stored offset are one after the last
    message."""
    send(producer, kafka_topic, [bytes([2 * number % 64]) for number in range(MESSAGES)])

    async def work() -> None:
        async with reading(kind, kafka_cluster, kafka_topic) as consumer:
            await consumer.assign([TopicPartition(kafka_topic, 0, 0)])

            async def next_offsets() -> list[int]:
                return offsets_of(await READS[read](consumer))

            async def check(count: int) -> None:
                assert await stored(consumer) == count
                [place] = await consumer.position(await consumer.assignment())
                # A slow machine has not fetched anything in the 0.3 s of consume().
                nothing_came = count == 0 and place.offset == OFFSET_INVALID
                assert place.offset == count or nothing_came

            await read_in_pieces(next_offsets, MESSAGES, check)

    run_in(LOOPS["asyncio"], work())


@pytest.mark.parametrize("seed", range(3))
@EACH_READ
def test_reads_of_several_tasks(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, read: str, seed: int
) -> None:
    """Several tasks read at the same time and are cancelled at random. Each message is returned
    once, and is committed only then."""
    send(producer, kafka_topic, [bytes([2 * number % 64]) for number in range(MESSAGES)])
    random = Random(seed)

    async def work() -> None:
        seen: list[int] = []

        async def noted(consumer: Any) -> None:
            seen.extend(offsets_of(await READS[read](consumer)))

        async def reader(consumer: Any) -> None:
            while len(seen) < MESSAGES:
                moment = random.choice(["waiting", "ready"])
                cut = Cut(noted(consumer), random.randint(1, 12), moment)
                running = asyncio.ensure_future(cut.run())
                while not running.done() and len(seen) < MESSAGES:
                    await asyncio.wait([running], timeout=0.05)
                running.cancel()
                await asyncio.wait([running])
                assert running.cancelled() or running.exception() is None
                committed = await stored(consumer)
                assert set(range(committed)) <= set(seen)

        async with reading(AsyncDeserializingConsumer, kafka_cluster, kafka_topic) as consumer:
            await consumer.assign([TopicPartition(kafka_topic, 0, 0)])
            await asyncio.gather(*(reader(consumer) for _ in range(3)))
            assert sorted(seen) == list(range(MESSAGES))
            assert await stored(consumer) == MESSAGES

    run_in(LOOPS["asyncio"], work())


# ---- all other calls: the client works as before ----


async def consumer_works(consumer: AIOConsumer, topic: str) -> None:
    if await consumer.subscription():
        await consumer.unsubscribe()
    await consumer.assign([TopicPartition(topic, 0, 0)])
    await consumer.resume([TopicPartition(topic, 0)])
    message = await consumer.poll(TIMEOUT)
    assert message is not None
    assert message.offset() == 0


async def producer_works(producer: AIOProducer, topic: str) -> None:
    await (await producer.produce(topic, b"value", partition=0))
    assert await producer.flush(TIMEOUT) == 0


async def transactions_work(producer: AIOProducer, topic: str) -> None:
    for _ in range(2):
        async with producer.transaction(TIMEOUT):
            await producer.produce(topic, b"value", partition=0)


async def admin_works(admin: AIOAdminClient, topic: str) -> None:
    assert topic in (await admin.list_topics(topic, TIMEOUT)).topics
    assert (await admin.describe_cluster(request_timeout=TIMEOUT)).nodes


CHECKS: dict[type[Any], Callable[..., Any]] = {
    AIOProducer: producer_works,
    AIOConsumer: consumer_works,
    AIOAdminClient: admin_works,
}
TRANSACTIONAL = {name for name in CALLS[AIOProducer] if "transaction" in name}
_COMMON = CALLS[AIOProducer].keys() & CALLS[AIOConsumer].keys()
# AIOAdminClient sends a request when a method is called, and returns an awaitable of asyncio. One
# method is enough for all methods with arguments.
ADMIN = {
    "create_topics": lambda admin, topic: admin.create_topics([NewTopic(f"{topic}-more", 1)]),
    "list_offsets": lambda admin, topic: admin.list_offsets(
        {TopicPartition(topic, 0): OffsetSpec.latest()}
    ),
}
WITH_ARGUMENTS = {
    name
    for name in CALLS[AIOAdminClient].keys() - _COMMON
    if arguments_of(getattr(AIOAdminClient, name))
}
COVERED = [
    (kind, name)
    for kind in CHECKS
    for name in sorted(CALLS[kind])
    if kind is not AIOAdminClient or name in ADMIN or name not in WITH_ARGUMENTS
]


def call_of(kind: type[Any], name: str) -> Callable[[Any, str], Any]:
    return ADMIN.get(name, CALLS[kind][name]) if kind is AIOAdminClient else CALLS[kind][name]


def check_of(kind: type[Any], name: str) -> Callable[..., Any]:
    return transactions_work if kind is AIOProducer and name in TRANSACTIONAL else CHECKS[kind]


async def prepared(client: Any, name: str, topic: str) -> None:
    """Prepare a client so that a call is possible."""
    if isinstance(client, AIOConsumer):
        await client.assign([TopicPartition(topic, 0, 0)])
        await client.poll(TIMEOUT)
    elif name in TRANSACTIONAL - {"init_transactions"}:
        await client.init_transactions(TIMEOUT)
        if name not in {"begin_transaction", "transaction"}:
            await client.begin_transaction()
            await client.produce(topic, b"value", partition=0)


async def finished(client: Any, name: str) -> None:
    """End the transaction in which a call was cancelled. After an `async with` block, there is
    none."""
    if name == "transaction":
        return
    steps = [client.init_transactions] if name == "init_transactions" else []
    if name in TRANSACTIONAL:
        steps.append(client.abort_transaction)
    for step in steps:
        try:
            await step(TIMEOUT)
        except KafkaException as error:
            if error.args[0].code() != KafkaError._STATE:  # there is no open transaction
                raise


@pytest.mark.parametrize(("kind", "name"), COVERED, ids=lambda one: getattr(one, "__name__", one))
def test_the_client_works_after_every_call(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer, kind: type[Any], name: str
) -> None:
    """If a call is cancelled at any suspension, its client is as usable as before, or closed."""
    send(producer, kafka_topic, [b"value"] * 3)
    config = config_of(kind, kafka_cluster.bootstrap_servers)
    if kind is AIOProducer and name in TRANSACTIONAL:
        config["transactional.id"] = kafka_topic
    if kind is AIOConsumer and name == "store_offsets":
        config["enable.auto.offset.store"] = False

    async def once(at: int, moment: str) -> bool:
        async with kind(config) as client:
            await prepared(client, name, kafka_topic)
            result = call_of(kind, name)(client, kafka_topic)
            if not inspect.isawaitable(result):
                return False
            cut = Cut(result, at, moment)
            try:
                await cut.run()
            except KafkaException as refused:
                if refused.args[0].code() == KafkaError._FATAL:
                    raise
            if name == "close":
                assert await client.close()
                return cut.was_reached
            await finished(client, name)
            await check_of(kind, name)(client, kafka_topic)
            return cut.was_reached

    run_in(LOOPS["asyncio"], cut_everywhere(once))


@pytest.mark.parametrize("kind", CHECKS)
@pytest.mark.parametrize("name", ["__aenter__", "__aexit__"])
def test_blocks(kafka_cluster: MockCluster, kind: type[Any], name: str) -> None:
    """If a block is cancelled while it begins or ends, close() still closes the client."""

    async def once(at: int, moment: str) -> bool:
        client = kind(config_of(kind, kafka_cluster.bootstrap_servers))
        arguments = () if name == "__aenter__" else (None, None, None)
        cut = Cut(getattr(client, name)(*arguments), at, moment)
        await cut.run()
        await client.close()
        with pytest.raises(RuntimeError):
            await client.list_topics(timeout=1)
        return cut.was_reached

    run_in(LOOPS["asyncio"], cut_everywhere(once))


@pytest.mark.parametrize("kind", CHECKS)
def test_create(kafka_cluster: MockCluster, kind: type[Any]) -> None:
    """If create() is cancelled, so that nobody gets the client, the client is closed."""
    made: list[Any] = []

    class Noted(kind):  # type: ignore[misc]
        def __init__(self, conf: dict[str, Any]) -> None:
            super().__init__(conf)
            made.append(self)

    async def once(at: int, moment: str) -> bool:
        made.clear()
        cut = Cut(Noted.create(config_of(kind, kafka_cluster.bootstrap_servers)), at, moment)
        unwanted = await cut.run() is NOTHING
        await until(lambda: made and (not unwanted or made[0]._closing is not None))
        await made[0].close()
        return cut.was_reached

    run_in(LOOPS["asyncio"], cut_everywhere(once))


def test_no_call_is_left_out() -> None:
    """All public coroutines are cancelled; coroutines that return messages also have their own
    checks.

    AsyncDeserializingConsumer and AsyncSerializingProducer inherit all calls except for calls that
    read and send.
    """
    assert SUSPENSIONS >= 1
    others = {(kind, name) for kind in CHECKS for name in ("__aenter__", "__aexit__", "create")}
    covered = {*COVERED, *others, (AIOConsumer, "__anext__")}
    for kind, name in coroutines_of(aio):
        assert any((base, name) in covered for base in kind.__mro__), (kind, name)
    for name in WITH_ARGUMENTS:  # none of the package's code runs while it is awaited
        assert not inspect.iscoroutinefunction(getattr(AIOAdminClient, name))
