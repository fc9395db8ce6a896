"""After a callback raises, the same call still runs the callbacks of the following milliseconds.

The call raises the last exception, with the earlier exceptions as its context.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from confluent_kafka import (
    Consumer,
    DeserializingConsumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    ShareConsumer,
    TopicPartition,
    protocol,
)
from confluent_kafka.admin import AdminClient
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.embedded.throttle import throttling_proxy
from tests.support.kafka import NO_BROKER, joined, numbers, send, wait_for_statistics
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

# On a busy machine the second event can come too late once, but not again and again.
ATTEMPTS = 50


# A batch is sent as soon as it has three messages, so that one event contains their reports.
THREE_AT_ONCE = {"batch.num.messages": 3, "linger.ms": 60_000}


class Oops(Exception):
    """The exception that callbacks raise."""


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """The exception and the exceptions in its context, beginning with the last one."""
    while error is not None:
        yield error
        error = error.__context__


def raised_by(call: Callable[[], object]) -> list[Any]:
    """The arguments of the exceptions that a call raises together, beginning with the first one."""
    with pytest.raises(Oops) as caught:
        call()
    return [error.args[0] for error in chain(caught.value)][::-1]


def refuse(error: KafkaError) -> None:
    raise Oops(error.name())


def produced(producer: Producer) -> Producer:
    producer.produce("topic", b"v")
    return producer


def flush_again(producer: Producer) -> None:
    """Repeat flush() until a callback has raised, because a short flush() can end earlier."""
    while True:
        producer.flush(0.02)


def subscribed(consumer: Any) -> Any:
    consumer.subscribe(["topic"])
    return consumer


def end(client: Any) -> None:
    """Close a client whose callbacks still raise."""
    with contextlib.suppress(Oops):
        client.close()


GROUP = {"group.id": "g"}

CALLS: dict[str, Callable[[dict[str, Any]], tuple[Any, Callable[[Any], object]]]] = {
    "Producer.poll": lambda config: (Producer(config), lambda one: one.poll(TIMEOUT)),
    "Producer.flush": lambda config: (produced(Producer(config)), flush_again),
    "Consumer.poll": lambda config: (
        subscribed(Consumer(config | GROUP)),
        lambda one: one.poll(TIMEOUT),
    ),
    "Consumer.consume": lambda config: (
        subscribed(Consumer(config | GROUP)),
        lambda one: one.consume(10, TIMEOUT),
    ),
    "Consumer.consume_arrow": lambda config: (
        subscribed(Consumer(config | GROUP)),
        lambda one: one.consume_arrow(10, TIMEOUT),
    ),
    "Consumer.__next__": lambda config: (subscribed(Consumer(config | GROUP)), next),
    "DeserializingConsumer.poll": lambda config: (
        subscribed(DeserializingConsumer(config | GROUP)),
        lambda one: one.poll(TIMEOUT),
    ),
    "AdminClient.poll": lambda config: (AdminClient(config), lambda one: one.poll(TIMEOUT)),
    "ShareConsumer.poll": lambda config: (
        subscribed(ShareConsumer(config | GROUP)),
        lambda one: one.poll(TIMEOUT),
    ),
}


def first_exceptions(name: str) -> list[Any]:
    """Return what the first call of a new client raises if the client reaches no broker."""
    client, call = CALLS[name]({"bootstrap.servers": NO_BROKER, "error_cb": refuse, "log_level": 0})
    try:
        return raised_by(lambda: call(client))
    finally:
        if isinstance(client, Producer):
            client.purge(blocking=False)
        end(client)


@pytest.mark.parametrize("name", CALLS)
def test_no_broker_and_all_are_down(name: str) -> None:
    """The first call raises both errors of a server that cannot be reached; close() raises none."""
    both = ["_TRANSPORT", "_ALL_BROKERS_DOWN"]
    assert any(first_exceptions(name)[:2] == both for _ in range(ATTEMPTS))


def test_a_report_of_what_the_callback_sent(kafka_topic: str, make_producer: MakeProducer) -> None:
    """poll() also raises the exception of a report that comes one round trip after the first
    report."""
    producer = make_producer({"linger.ms": 0})

    def first(error: KafkaError | None, message: Message) -> None:
        producer.produce(kafka_topic, b"second", partition=0, on_delivery=second)
        raise Oops("first")

    def second(error: KafkaError | None, message: Message) -> None:
        raise Oops("second")

    for _ in range(ATTEMPTS):
        producer.produce(kafka_topic, b"first", partition=0, on_delivery=first)
        if raised_by(lambda: producer.poll(TIMEOUT)) == ["first", "second"]:
            return
        assert raised_by(lambda: producer.poll(TIMEOUT)) == ["second"]
    pytest.fail("the second exception never came out of the call that raised the first")


def test_a_commit_of_the_callback(kafka_topic: str, make_consumer: MakeConsumer) -> None:
    """poll() also raises the exception of the on_commit for a commit that the first on_commit
    began."""
    calls = itertools.count()
    place = TopicPartition(kafka_topic, 0, 1)

    def committed(error: KafkaError | None, partitions: list[TopicPartition]) -> None:
        call = next(calls)
        if call % 2 == 0:
            consumer.commit(offsets=[place])
        raise Oops(call % 2)

    consumer = make_consumer({"on_commit": committed})
    for _ in range(ATTEMPTS):
        consumer.commit(offsets=[place])
        if raised_by(lambda: consumer.poll(TIMEOUT)) == [0, 1]:
            return
        assert raised_by(lambda: consumer.poll(TIMEOUT)) == [1]
    pytest.fail("the second exception never came out of the call that raised the first")


@pytest.mark.parametrize("timeout", [0, TIMEOUT])
def test_reports_that_wait(kafka_topic: str, make_producer: MakeProducer, timeout: float) -> None:
    """One poll() raises the exceptions of all reports of a batch, even if it does not wait."""
    producer = make_producer(THREE_AT_ONCE)

    def report(error: KafkaError | None, message: Message) -> None:
        raise Oops(message.value())

    for value in numbers(0, 3):
        producer.produce(kafka_topic, value, partition=0, on_delivery=report)
    raised: list[Any] = []
    while not raised:
        try:
            producer.poll(timeout)
        except Oops as error:
            raised = [one.args[0] for one in chain(error)][::-1]
    assert raised == numbers(0, 3)


def test_no_exception_is_dropped(kafka_topic: str, make_producer: MakeProducer) -> None:
    """A call stops after sixteen exceptions, and the next call raises the rest."""
    producer = make_producer({"linger.ms": 50})

    def report(error: KafkaError | None, message: Message) -> None:
        raise Oops(message.value())

    for value in numbers(0, 40):
        producer.produce(kafka_topic, value, partition=0, on_delivery=report)
    raised: list[Any] = []
    while len(raised) < 40:
        found = raised_by(lambda: producer.poll(TIMEOUT))
        assert len(found) <= 16
        raised += found
    assert raised == numbers(0, 40)


def test_an_interrupt_ends_the_call(kafka_topic: str, make_producer: MakeProducer) -> None:
    """Ctrl-C in a callback is raised at once, and the other callbacks run in the next call."""
    producer = make_producer(THREE_AT_ONCE)
    seen: list[bytes | None] = []

    def report(error: KafkaError | None, message: Message) -> None:
        seen.append(message.value())
        raise Oops if len(seen) == 1 else KeyboardInterrupt

    for value in numbers(0, 3):
        producer.produce(kafka_topic, value, partition=0, on_delivery=report)
    with pytest.raises(KeyboardInterrupt) as caught:
        producer.poll(TIMEOUT)
    assert isinstance(caught.value.__context__, Oops)
    assert seen == numbers(0, 2)
    with pytest.raises(KeyboardInterrupt):
        producer.poll(TIMEOUT)


def test_messages_that_come_meanwhile(
    kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """The messages stay for the next calls: each comes once, in order."""
    send(producer, kafka_topic, numbers(0, 20))
    seen: list[bytes | None] = []

    def statistics(text: str) -> None:
        if len(seen) < 20:
            raise Oops

    config = {"statistics.interval.ms": 1, "stats_cb": statistics}
    consumer = make_consumer({"auto.offset.reset": "earliest"} | config)
    consumer.assign([TopicPartition(kafka_topic, 0)])
    while len(seen) < 20:
        with contextlib.suppress(Oops):
            message = consumer.poll(TIMEOUT)
            assert message is not None
            assert message.error() is None
            seen.append(message.value())
    assert seen == numbers(0, 20)


# ---- every callback can be the first one that raises ----


@dataclass
class First:
    """A callback that raises once, while statistics wait. Then stats_cb also raises once."""

    client: Any = None
    """The client that calls the callback; while this is None, nothing raises."""
    left: list[str] = field(default_factory=lambda: ["second", "first"])
    """The arguments of the exceptions that are still to be raised; the next exception is last."""

    def __call__(self, *_: object) -> None:
        if self.client is not None and self.left[-1:] == ["first"]:
            wait_for_statistics(self.client)
            raise Oops(self.left.pop())

    def statistics(self, _: str) -> None:
        if self.left == ["second"]:
            raise Oops(self.left.pop())

    @property
    def config(self) -> dict[str, Any]:
        return {"statistics.interval.ms": 1, "stats_cb": self.statistics}


class Handler(logging.Handler):
    """Calls a function for each record of a logger, and does not catch its exceptions."""

    def __init__(self, function: Callable[[logging.LogRecord], object]) -> None:
        super().__init__()
        self._function = function

    def emit(self, record: logging.LogRecord) -> None:
        self._function(record)


@dataclass
class Setting:
    """The parts from which a case makes its client."""

    cluster: MockCluster
    topic: str
    make_producer: MakeProducer
    make_consumer: MakeConsumer
    cleanup: contextlib.ExitStack

    def transaction(self, config: dict[str, Any], on_delivery: Any) -> Producer:
        """A producer that has a message in its open transaction."""
        producer = self.make_producer(config | {"transactional.id": self.topic})
        producer.init_transactions(TIMEOUT)
        producer.begin_transaction()
        producer.produce(self.topic, b"v", partition=0, on_delivery=on_delivery)
        return producer


@pytest.fixture
def setting(
    kafka_cluster: MockCluster,
    kafka_topic: str,
    make_producer: MakeProducer,
    make_consumer: MakeConsumer,
) -> Iterator[Setting]:
    with contextlib.ExitStack() as cleanup:
        yield Setting(kafka_cluster, kafka_topic, make_producer, make_consumer, cleanup)


# A case creates a client, and returns it with the call in which its first callback runs.
Case = tuple[Any, Callable[[], object]]


def in_flush(setting: Setting, first: First) -> Case:
    producer = setting.make_producer(first.config)
    producer.produce(setting.topic, b"v", on_delivery=first)
    return producer, lambda: producer.flush(TIMEOUT)


def in_commit_transaction(setting: Setting, first: First) -> Case:
    producer = setting.transaction(first.config, first)
    return producer, lambda: producer.commit_transaction(TIMEOUT)


def in_abort_transaction(setting: Setting, first: First) -> Case:
    producer = setting.transaction(first.config, first)
    return producer, lambda: producer.abort_transaction(TIMEOUT)


def of_throttling(setting: Setting, first: First) -> Case:
    setting.cluster.set_api_versions("Produce", 0, 7)
    servers = setting.cleanup.enter_context(throttling_proxy(setting.cluster, milliseconds=100))
    config = {"bootstrap.servers": servers, "throttle_cb": first}
    producer = setting.make_producer(first.config | config)
    setting.cleanup.callback(producer.close, TIMEOUT)
    producer.produce(setting.topic, b"v")
    return producer, lambda: producer.poll(TIMEOUT)


def of_on_assign(setting: Setting, first: First) -> Case:
    consumer = setting.make_consumer(first.config)
    consumer.subscribe([setting.topic], on_assign=first)
    return consumer, lambda: consumer.poll(TIMEOUT)


def of_on_revoke(setting: Setting, first: First) -> Case:
    consumer = setting.make_consumer(first.config)
    consumer.subscribe([setting.topic], on_revoke=first)
    joined(consumer)
    return consumer, consumer.unsubscribe


def of_on_lost(setting: Setting, first: First) -> Case:
    consumer = setting.make_consumer(first.config)
    consumer.subscribe([setting.topic], on_lost=first)
    joined(consumer)
    setting.cluster.inject_errors("Heartbeat", [KafkaError.UNKNOWN_MEMBER_ID])
    return consumer, lambda: consumer.consume(10, TIMEOUT)


def of_on_commit(setting: Setting, first: First) -> Case:
    consumer = setting.make_consumer(first.config | {"on_commit": first})
    consumer.commit(offsets=[TopicPartition(setting.topic, 0, 0)])
    return consumer, lambda: consumer.poll(TIMEOUT)


def in_commit_sync(setting: Setting, first: First) -> Case:
    setting.cluster.set_share_group_auto_offset_reset("earliest")
    send(setting.make_producer(), setting.topic, [b"v"])
    config = {"bootstrap.servers": setting.cluster.bootstrap_servers} | GROUP | first.config
    consumer = setting.cleanup.enter_context(ShareConsumer(config))
    consumer.subscribe([setting.topic])
    consumer.set_acknowledgement_commit_callback(first)
    wait_until(lambda: consumer.poll(TIMEOUT))
    return consumer, lambda: consumer.commit_sync(TIMEOUT)


def of_a_producers_logger(setting: Setting, first: First) -> Case:
    config = {"bootstrap.servers": NO_BROKER, "logger": Handler(first)}
    producer = setting.make_producer(first.config | config)
    return producer, lambda: producer.poll(TIMEOUT)


def of_a_consumers_logger(setting: Setting, first: First) -> Case:
    config = {"bootstrap.servers": NO_BROKER, "logger": Handler(first)}
    consumer = setting.make_consumer(first.config | config)
    return consumer, lambda: consumer.consume(10, TIMEOUT)


@pytest.mark.parametrize(
    "case",
    [
        in_flush,
        in_commit_transaction,
        in_abort_transaction,
        of_throttling,
        of_on_assign,
        of_on_revoke,
        of_on_lost,
        of_on_commit,
        in_commit_sync,
        of_a_producers_logger,
        of_a_consumers_logger,
    ],
)
def test_what_waits_behind_it(setting: Setting, case: Callable[[Setting, First], Case]) -> None:
    """If any callback raises while statistics wait, the same call also raises the exception of
    stats_cb."""
    first = First()
    first.client, call = case(setting, first)
    raised: list[Any] = []
    while not raised:
        try:
            call()
        except Oops as error:
            raised = [one.args[0] for one in chain(error)][::-1]
    assert raised == ["first", "second"]


def test_each_record_of_a_logger(setting: Setting) -> None:
    """If a handler raises for each record, one call passes waiting records to it until the call's
    limit of exceptions is reached."""
    armed: list[bool] = []

    def refuse_record(record: logging.LogRecord) -> None:
        if armed:
            raise Oops(record.getMessage())

    producer = setting.make_producer({"logger": Handler(refuse_record), "debug": "all"})
    producer.list_topics(timeout=TIMEOUT)  # logs dozens of lines, and calls no handler
    armed.append(True)
    raised = raised_by(lambda: producer.poll(0))
    armed.clear()
    assert 2 <= len(raised) <= 16


# ---- a step of a transaction ends, whatever callbacks raise ----


def test_a_transaction_that_fails(setting: Setting) -> None:
    """The error of a transaction has the callbacks' exceptions as its context; the next call works.

    The transaction fails just before the report of its message comes. If the call has raised its
    error by then, the exception of the report's callback comes out of the next call.
    """

    def report(error: KafkaError | None, message: Message) -> None:
        raise Oops(error and error.code())

    setting.cluster.inject_errors("Produce", [KafkaError.INVALID_RECORD])
    producer = setting.transaction({}, report)
    with pytest.raises(KafkaException) as caught:
        producer.commit_transaction(TIMEOUT)
    raised = [one.args for one in chain(caught.value.__context__)]
    try:
        producer.abort_transaction(TIMEOUT)
    except Oops as late:
        raised.append(late.args)
    assert raised == [(KafkaError.INVALID_RECORD,)]
    producer.begin_transaction()
    producer.commit_transaction(TIMEOUT)


@needs("mock-on-request")
def test_an_interrupt_ends_a_commit(setting: Setting) -> None:
    """After Ctrl-C in a callback, a commit does not wait for the broker; the next commit returns
    its result."""
    ended = threading.Event()
    answered: list[bool] = []

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    setting.cluster.on_request(
        protocol.EndTxnRequest.api_key, lambda *_: answered.append(ended.wait(TIMEOUT))
    )
    producer = setting.transaction({}, interrupt)
    with pytest.raises(KeyboardInterrupt):
        producer.commit_transaction(TIMEOUT)
    ended.set()
    producer.commit_transaction(TIMEOUT)
    assert answered == [True]


def test_an_interrupt_in_a_logger_ends_a_step(setting: Setting) -> None:
    """A waiting step of a transaction calls log handlers, and Ctrl-C in a handler ends the wait."""
    armed: list[bool] = []

    def interrupt(_: logging.LogRecord) -> None:
        if armed:
            armed.pop()
            raise KeyboardInterrupt

    config = {"bootstrap.servers": NO_BROKER, "transactional.id": setting.topic}
    producer = setting.make_producer(config | {"logger": Handler(interrupt)})
    armed.append(True)
    with pytest.raises(KeyboardInterrupt):
        producer.init_transactions(TIMEOUT)


# ---- no longer than ten milliseconds ----


@needs("fetched-messages")
@pytest.mark.parametrize("name", [name for name in CALLS if name != "Producer.flush"])
def test_the_end_of_what_follows(name: str) -> None:
    """The call ends even if events never stop: after its timeout, it serves only the events already
    there."""
    calls = itertools.count()
    behind: list[int] = []

    def statistics(_: str) -> None:
        if next(calls) == 0:
            raise Oops("first")
        behind.append(1)
        assert len(behind) < 100, "the call does not end"
        time.sleep(0.02)  # twice the time of the call

    config = {"bootstrap.servers": NO_BROKER, "log_level": 0, "error_cb": lambda _: None}
    client, call = CALLS[name](config | {"statistics.interval.ms": 1, "stats_cb": statistics})

    def call_again_and_again() -> None:
        while True:
            call(client)

    with pytest.raises(Oops):
        call_again_and_again()
    assert len(behind) <= 4
    end(client)
