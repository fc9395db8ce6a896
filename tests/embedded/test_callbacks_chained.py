"""After a callback has raised, what is there or comes within milliseconds runs in the same call.

The exceptions come out of that call as one: the last, with the others as its context.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from confluent_kafka import (
    Consumer,
    DeserializingConsumer,
    KafkaError,
    Message,
    Producer,
    ShareConsumer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.support.kafka import NO_BROKER, numbers, send
from tests.support.waiting import TIMEOUT

# On a busy machine the second event can come too late, but not again and again.
ATTEMPTS = 50


# Sent when there are three messages: one event has their reports.
THREE_AT_ONCE = {"batch.num.messages": 3, "linger.ms": 60_000}


class Oops(Exception):
    """What a callback raises."""


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """The exceptions that come out as one, the last first."""
    while error is not None:
        yield error
        error = error.__context__


def raised_by(call: Callable[[], object]) -> list[Any]:
    """What the exceptions were made with, the first first."""
    with pytest.raises(Oops) as caught:
        call()
    return [error.args[0] for error in chain(caught.value)][::-1]


def refuse(error: KafkaError) -> None:
    raise Oops(error.name())


def produced(producer: Producer) -> Producer:
    producer.produce("topic", b"v")
    return producer


def flush_again(producer: Producer) -> None:
    """Until a callback has raised, which a short flush() can end before."""
    while True:
        producer.flush(0.02)


def subscribed(consumer: Any) -> Any:
    consumer.subscribe(["topic"])
    return consumer


def end(client: Any) -> None:
    """Close a client whose callbacks raise."""
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
    """What the first call of a new client raises that reaches no broker."""
    client, call = CALLS[name]({"bootstrap.servers": NO_BROKER, "error_cb": refuse, "log_level": 0})
    try:
        return raised_by(lambda: call(client))
    finally:
        if isinstance(client, Producer):
            client.purge(blocking=False)
        end(client)


@pytest.mark.parametrize("name", CALLS)
def test_no_broker_and_all_are_down(name: str) -> None:
    """Both errors of a server that cannot be reached come out of the first call, not of close()."""
    both = ["_TRANSPORT", "_ALL_BROKERS_DOWN"]
    assert any(first_exceptions(name)[:2] == both for _ in range(ATTEMPTS))


def test_a_report_of_what_the_callback_sent(kafka_topic: str, make_producer: MakeProducer) -> None:
    """The report of a message that the first callback sends comes a round trip later."""
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
    """The same of a consumer whose on_commit commits again."""
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
    """Those of one batch come out of one poll(), also of one that does not wait."""
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
    """A call stops when it has sixteen: the next one raises the rest."""
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
    """Ctrl-C in a callback comes out at once, and the other callbacks run in the next call."""
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
    """They stay for the calls that follow: each comes once, in order."""
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
