"""Callbacks raise at their first, second or later call, while calls are also cancelled.

In all cases, each exception is raised once, each message is returned once and in order, only
returned messages are committed, and the client works until it is closed.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from confluent_kafka import Consumer, DeserializingConsumer, KafkaException, Producer
from confluent_kafka.aio import AIOConsumer, AIOProducer, AsyncDeserializingConsumer
from confluent_kafka.compat.aiokafka import AIOKafkaConsumer, ConsumerRebalanceListener
from confluent_kafka.testing import MockCluster
from tests.support.aio import LOOPS, LoopErrors, run_in
from tests.support.cancelling import NOTHING, SUSPENSIONS, Cut, cuts
from tests.support.kafka import NO_BROKER, Reports, committed, numbers, send
from tests.support.waiting import TIMEOUT

MESSAGES = 12

CALLBACKS = ("on_assign", "on_revoke", "on_commit", "stats_cb", "error_cb", "value.deserializer")
# Callbacks raise at every call. In the long run, they also raise only at every second or third
# call.
EVERY = (1, 2, 3) if SUSPENSIONS > 3 else (1,)


class Oops(Exception):
    """The exception that callbacks raise."""


class Faulty:
    """A callback or deserializer that raises at every n-th call.

    Args:
        every: the number n.
        awaits: whether it is a coroutine.
    """

    def __init__(self, every: int, awaits: bool = False) -> None:
        self._every = every
        self._awaits = awaits
        self._calls = itertools.count(1)
        self.raised: set[BaseException] = set()

    def __call__(self, *arguments: Any) -> Any:
        return self._later(arguments) if self._awaits else self._now(arguments)

    def _now(self, arguments: tuple[Any, ...]) -> Any:
        if next(self._calls) % self._every == 0:
            error = Oops()
            self.raised.add(error)
            raise error
        return arguments[0]

    async def _later(self, arguments: tuple[Any, ...]) -> Any:
        await asyncio.sleep(0)
        return self._now(arguments)


def told(error: BaseException | None) -> Iterator[BaseException]:
    """The callbacks' exceptions in an exception, its causes and its contexts."""
    while error is not None:
        if isinstance(error, Oops):
            yield error
        error = error.__cause__ or error.__context__


def config_of(cluster: MockCluster, topic: str, callback: str, faulty: Faulty) -> dict[str, Any]:
    config: dict[str, Any] = {
        # An address without a server: error_cb is called for it.
        "bootstrap.servers": f"{NO_BROKER},{cluster.bootstrap_servers}",
        "group.id": topic,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "fetch.wait.max.ms": 20,
        "log_level": 0,
    }
    if callback == "stats_cb":
        config["statistics.interval.ms"] = 5
    if callback not in ("on_assign", "on_revoke"):
        config[callback] = faulty
    return config


def rebalances_of(callback: str, faulty: Faulty) -> dict[str, Any]:
    return {callback: faulty} if callback in ("on_assign", "on_revoke") else {}


def of_kinds(*kinds: type[Any]) -> Any:
    cases = [
        (kind, callback)
        for kind in kinds
        for callback in CALLBACKS
        if callback != "value.deserializer" or "Deserializing" in kind.__name__
    ]
    return pytest.mark.parametrize(
        ("kind", "callback"), cases, ids=lambda one: getattr(one, "__name__", one)
    )


def committed_by(cluster: MockCluster, topic: str) -> int:
    with Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": topic}) as other:
        return committed(other, topic)


@pytest.mark.parametrize("every", EVERY)
@of_kinds(Consumer, DeserializingConsumer)
def test_consumers(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    kind: type[Any],
    callback: str,
    every: int,
) -> None:
    """poll(), commit() or close() raises each exception, exactly once."""
    send(producer, kafka_topic, numbers(0, MESSAGES))
    faulty = Faulty(every)
    seen: list[int] = []
    errors: list[BaseException] = []
    consumer = kind(config_of(kafka_cluster, kafka_topic, callback, faulty))
    consumer.subscribe([kafka_topic], **rebalances_of(callback, faulty))

    def step() -> None:
        message = consumer.poll(TIMEOUT)
        if message is not None:
            seen.append(message.offset())
            consumer.commit(message)

    def noting(call: Any) -> None:
        try:
            call()
        except (Oops, KafkaException) as error:
            errors.extend(told(error))
            if (skipped := getattr(error, "kafka_message", None)) is not None:
                seen.append(skipped.offset())

    while len(seen) < MESSAGES:
        noting(step)
    noting(lambda: consumer.commit(asynchronous=False))
    noting(consumer.close)
    assert seen == list(range(MESSAGES))
    assert len(errors) == len(set(errors))
    assert set(errors) == faulty.raised
    assert committed_by(kafka_cluster, kafka_topic) == MESSAGES


@pytest.mark.parametrize("awaits", [False, True], ids=["function", "coroutine"])
@pytest.mark.parametrize("every", EVERY)
@of_kinds(AIOConsumer, AsyncDeserializingConsumer)
def test_asyncio_consumers(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    kind: type[Any],
    callback: str,
    every: int,
    awaits: bool,
) -> None:
    """A reading call or close() raises each exception, exactly once, even if calls are
    cancelled."""
    send(producer, kafka_topic, numbers(0, MESSAGES))
    faulty = Faulty(every, awaits)
    seen: list[int] = []
    errors: list[BaseException] = []

    async def noting(work: Any) -> None:
        try:
            await work
        except (Oops, KafkaException) as error:
            errors.extend(told(error))
            if (skipped := getattr(error, "kafka_message", None)) is not None:
                seen.append(skipped.offset())

    async def work() -> None:
        consumer = kind(config_of(kafka_cluster, kafka_topic, callback, faulty))
        await consumer.subscribe([kafka_topic], **rebalances_of(callback, faulty))

        async def step() -> None:
            message = None if len(seen) == MESSAGES else await consumer.poll(TIMEOUT)
            if message is not None:
                seen.append(message.offset())

        cut = itertools.cycle(cuts())
        with LoopErrors() as elsewhere:
            while len(seen) < MESSAGES:
                await noting(Cut(step(), *next(cut)).run())
                await noting(step())
                await noting(consumer.commit())
            await noting(consumer.commit(asynchronous=False))
            await noting(consumer.close())
        errors.extend(itertools.chain.from_iterable(map(told, elsewhere.seen)))

    run_in(LOOPS["asyncio"], work())
    assert seen == list(range(MESSAGES))
    assert len(errors) == len(set(errors))
    assert set(errors) == faulty.raised
    assert committed_by(kafka_cluster, kafka_topic) == MESSAGES


@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize("callback", ["on_delivery", "stats_cb", "error_cb"])
def test_producers(kafka_cluster: MockCluster, kafka_topic: str, callback: str, every: int) -> None:
    """Each exception is raised by a call, exactly once; each message is delivered and reported
    once."""
    faulty, reports = Faulty(every), Reports()
    errors: list[BaseException] = []

    def report(error: Any, message: Any) -> None:
        reports(error, message)
        if callback == "on_delivery":
            faulty(error, message)

    config = config_of(kafka_cluster, kafka_topic, callback, faulty)
    kept = {"bootstrap.servers", "log_level", "statistics.interval.ms"} & config.keys()
    more = {} if callback == "on_delivery" else {callback: faulty}
    small = {"queue.buffering.max.messages": 2, "linger.ms": 0}
    producer = Producer({name: config[name] for name in kept} | more | small)

    def noting(call: Any) -> Any:
        try:
            return call()
        except Oops as error:
            errors.extend(told(error))
            return NOTHING

    def produce() -> None:
        producer.produce(kafka_topic, b"v", partition=0, on_delivery=report, block=TIMEOUT)

    for _ in range(MESSAGES):
        while noting(produce) is NOTHING:  # the message is not enqueued
            pass
    while noting(lambda: producer.flush(TIMEOUT)) is NOTHING:
        pass
    while noting(producer.close) is NOTHING:
        pass
    assert reports.errors == [None] * MESSAGES
    assert [message.offset() for message in reports.messages] == list(range(MESSAGES))
    assert len(errors) == len(set(errors))
    assert set(errors) == faulty.raised


@pytest.mark.parametrize("every", EVERY)
@pytest.mark.parametrize("awaits", [False, True], ids=["function", "coroutine"])
def test_asyncio_producers(
    kafka_cluster: MockCluster, kafka_topic: str, awaits: bool, every: int
) -> None:
    """The loop's exception handler gets each exception; messages of a cancelled call are
    delivered."""
    faulty = Faulty(every, awaits)

    async def work() -> None:
        deliveries: list[asyncio.Future[Any]] = []
        with LoopErrors() as elsewhere:
            async with AIOProducer(
                {"bootstrap.servers": kafka_cluster.bootstrap_servers, "linger.ms": 0}
            ) as producer:
                for cut in (*cuts(), *cuts()):
                    sent = producer.produce(
                        kafka_topic, b"v", partition=0, on_delivery=lambda _, m: faulty(m)
                    )
                    delivery = await Cut(sent, *cut).run()
                    if delivery is not NOTHING:
                        deliveries.append(delivery)
                    await Cut(producer.flush(TIMEOUT), *cut).run()
                messages = await asyncio.gather(*deliveries)
        offsets = [message.offset() for message in messages]
        assert offsets == sorted(set(offsets))
        assert len(elsewhere.seen) == len(faulty.raised)
        assert set(elsewhere.seen) == faulty.raised

    run_in(LOOPS["asyncio"], work())


@pytest.mark.parametrize(
    ("callback", "every"),
    [("on_assign", 1), ("on_revoke", 1), ("value.deserializer", 2), ("value.deserializer", 3)],
)
def test_aiokafka(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    producer: Producer,
    caplog: pytest.LogCaptureFixture,
    callback: str,
    every: int,
) -> None:
    """The log contains the exceptions of a listener. A call raises the exceptions of a
    deserializer, and the message comes again."""
    send(producer, kafka_topic, numbers(0, MESSAGES))
    faulty = Faulty(every)

    class Listener(ConsumerRebalanceListener):
        def on_partitions_assigned(self, assigned: Any) -> None:
            if callback == "on_assign":
                faulty(assigned)

        def on_partitions_revoked(self, revoked: Any) -> None:
            if callback == "on_revoke":
                faulty(revoked)

    async def work() -> None:
        seen: list[int] = []
        errors: list[BaseException] = []
        consumer = AIOKafkaConsumer(
            bootstrap_servers=kafka_cluster.bootstrap_servers,
            group_id=kafka_topic,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            fetch_max_wait_ms=20,
            value_deserializer=faulty if callback == "value.deserializer" else None,
        )
        cut = itertools.cycle(cuts())

        async def step() -> None:
            try:
                if len(seen) < MESSAGES:
                    seen.append((await consumer.getone()).offset)
            except Oops as error:
                errors.append(error)

        async with consumer:
            consumer.subscribe([kafka_topic], listener=Listener())
            while len(seen) < MESSAGES:
                await Cut(step(), *next(cut)).run()
                await step()
            await consumer.commit()
        logged = [record.exc_info[1] for record in caplog.records if record.exc_info]
        assert seen == list(range(MESSAGES))
        assert {*errors, *logged} == faulty.raised
        assert len(errors) + len(logged) == len(faulty.raised)

    run_in(LOOPS["asyncio"], work())
    assert committed_by(kafka_cluster, kafka_topic) == MESSAGES
