"""Callbacks that call their own client, or another client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer, MakeProducer
from tests.support.callbacks import Recorder, assert_from_callback, divide_by_zero, raised_by
from tests.support.kafka import send
from tests.support.waiting import TIMEOUT, Stopwatch, wait_until


@pytest.mark.parametrize("kind", ["producer", "consumer"])
def test_close_from_a_callback(
    make_producer: MakeProducer, make_consumer: MakeConsumer, kind: str
) -> None:
    """poll() raises a RuntimeError that contains advice, and the client stays open."""
    make: Callable[..., Any] = make_producer if kind == "producer" else make_consumer
    closes = [True]

    def statistics(_: str) -> None:
        if closes:
            closes.pop()  # a slow machine has several statistics to serve in one poll()
            client.close()

    client = make({"statistics.interval.ms": 10, "stats_cb": statistics})
    with pytest.raises(RuntimeError, match="callback"):
        client.poll(TIMEOUT)
    assert client.list_topics(timeout=TIMEOUT).brokers


def test_close_of_another_client_from_a_callback(
    kafka_topic: str, make_producer: MakeProducer
) -> None:
    """A callback can close another client."""
    other = make_producer()
    producer = make_producer({"on_delivery": lambda *_: other.close()})
    producer.produce(kafka_topic, b"v")
    assert producer.flush(TIMEOUT) == 0
    with pytest.raises(RuntimeError, match="closed"):
        other.poll(0)


def test_poll_inside_a_rebalance_callback(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """In the callback, poll() runs callbacks but returns no message; the outer call returns all
    messages."""
    send(producer, kafka_topic, [b"%d" % i for i in range(10)])
    nested: list[Any] = []

    def on_assign(who: Consumer, partitions: list[TopicPartition]) -> None:
        nested.append(who.poll(0.01))
        nested.append(who.consume(10, 0.01))

    consumer.subscribe([kafka_topic], on_assign=on_assign)
    messages = consumer.consume(10, TIMEOUT)
    assert nested == [None, []]
    assert [message.offset() for message in messages] == list(range(10))


def test_a_callback_that_polls_another_client(
    kafka_topic: str, producer: Producer, make_producer: MakeProducer, consumer: Consumer
) -> None:
    """A callback can run another client's callbacks, and raises their exceptions."""
    inner = Recorder(raises=1)
    other = make_producer({"on_delivery": inner})

    def on_assign(*_: object) -> None:
        other.produce(kafka_topic, b"inner")
        other.flush(TIMEOUT)

    send(producer, kafka_topic, [b"v"])
    consumer.subscribe([kafka_topic], on_assign=on_assign)
    assert_from_callback(raised_by(lambda: consumer.poll(TIMEOUT)))
    values = [message.value() for message in consumer.consume(2, TIMEOUT)]
    assert values == [b"v", b"inner"]
    assert len(inner.calls) == 1


def test_an_exception_in_a_nested_call(kafka_topic: str, make_producer: MakeProducer) -> None:
    """flush() in a callback raises the exceptions of inner callbacks, and the outer callback may
    catch them."""
    producer = make_producer({"linger.ms": 60_000})
    log: list[str] = []

    def outer(error: KafkaError | None, message: Message) -> None:
        try:
            producer.flush(TIMEOUT)
        except ZeroDivisionError:
            log.append("caught inside")

    producer.produce(kafka_topic, b"outer", on_delivery=outer)
    producer.produce(kafka_topic, b"inner", on_delivery=divide_by_zero)
    assert producer.flush(TIMEOUT) == 0
    assert log == ["caught inside"]


def test_subscribing_in_a_rebalance_callback(
    kafka_cluster: MockCluster, consumer: Consumer
) -> None:
    """A callback may replace the subscription, including the callback itself."""
    kafka_cluster.create_topic("one")
    kafka_cluster.create_topic("two")
    calls: list[str] = []

    def second(who: Consumer, partitions: list[TopicPartition]) -> None:
        calls.append("second")

    def first(who: Consumer, partitions: list[TopicPartition]) -> None:
        calls.append("first")
        who.subscribe(["two"], on_assign=second)

    consumer.subscribe(["one"], on_assign=first)
    wait_until(
        lambda: consumer.assignment() == [TopicPartition("two", 0)], lambda: consumer.poll(0.01)
    )
    assert calls == ["first", "second"]


def test_callbacks_interrupt_no_longer_than_they_take(make_consumer: MakeConsumer) -> None:
    """A callback that does not raise does not change how long poll() waits."""
    statistics = Recorder()
    consumer = make_consumer({"statistics.interval.ms": 10, "stats_cb": statistics})
    watch = Stopwatch()
    assert consumer.poll(0.5) is None
    assert 0.5 <= watch.elapsed < TIMEOUT
    assert len(statistics.calls) > 1
