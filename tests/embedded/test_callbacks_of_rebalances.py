"""Callbacks of rebalances: what they may do, and what happens with their exceptions."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.callbacks import Recorder, assert_from_callback, divide_by_zero, raised_by
from tests.support.kafka import joined, send
from tests.support.patches import needs
from tests.support.threads import Thread
from tests.support.waiting import TIMEOUT, wait_until


@pytest.mark.parametrize("method", ["poll", "consume", "consume_arrow"])
@pytest.mark.parametrize("strategy", ["range", "cooperative-sticky"])
def test_on_assign_raises(
    kafka_topic: str,
    producer: Producer,
    make_consumer: MakeConsumer,
    method: str,
    strategy: str,
) -> None:
    """The call raises the exception, and the assignment has been completed nevertheless."""
    send(producer, kafka_topic, [b"v"])
    consumer = make_consumer({"partition.assignment.strategy": strategy})
    callback = Recorder(raises=1)
    consumer.subscribe([kafka_topic], on_assign=callback)
    arguments = (TIMEOUT,) if method == "poll" else (10, TIMEOUT)
    error = raised_by(lambda: getattr(consumer, method)(*arguments))
    assert_from_callback(error)
    assert consumer.assignment() == [TopicPartition(kafka_topic, 0)]
    message = consumer.poll(TIMEOUT)
    assert message is not None
    assert message.value() == b"v"
    assert callback.calls == [(consumer, [TopicPartition(kafka_topic, 0)])]


@pytest.mark.parametrize("strategy", ["range", "cooperative-sticky"])
def test_on_revoke_raises(kafka_topic: str, make_consumer: MakeConsumer, strategy: str) -> None:
    """The partitions are revoked nevertheless: the group does not wait for this member."""
    consumer = make_consumer({"partition.assignment.strategy": strategy})
    callback = Recorder(raises=1)
    consumer.subscribe([kafka_topic], on_revoke=callback)
    wait_until(consumer.assignment, lambda: consumer.poll(0.01))
    assert_from_callback(raised_by(consumer.unsubscribe))
    assert consumer.subscription() == []
    assert consumer.assignment() == []
    assert len(callback.calls) == 1


def test_on_lost_raises(
    kafka_cluster: MockCluster, kafka_topic: str, make_consumer: MakeConsumer
) -> None:
    """After on_lost has raised, the consumer joins the group again."""
    consumer = make_consumer({"session.timeout.ms": 1200})
    callback = Recorder(raises=1)
    consumer.subscribe([kafka_topic], on_lost=callback)
    wait_until(consumer.assignment, lambda: consumer.poll(0.01))
    kafka_cluster.inject_errors("Heartbeat", [KafkaError.UNKNOWN_MEMBER_ID])
    assert_from_callback(raised_by(lambda: consumer.poll(TIMEOUT)))
    assert consumer.assignment() == []
    wait_until(consumer.assignment, lambda: consumer.poll(0.01))


def test_close_when_on_revoke_raises(kafka_topic: str, make_consumer: MakeConsumer) -> None:
    """close() raises the exception of on_revoke, and the consumer is closed."""
    consumer = make_consumer()
    callback = Recorder(raises=1)
    consumer.subscribe([kafka_topic], on_revoke=callback)
    wait_until(consumer.assignment, lambda: consumer.poll(0.01))
    with pytest.raises(ZeroDivisionError) as caught:
        consumer.close()
    assert_from_callback(caught.value)
    with pytest.raises(RuntimeError, match="closed"):
        consumer.poll(0)
    consumer.close()


def test_on_revoke_that_assigns_again(kafka_topic: str, make_consumer: MakeConsumer) -> None:
    """close() ends, although librdkafka waits until the revoked partitions are unassigned."""
    consumer = make_consumer()
    calls: list[list[TopicPartition]] = []

    def on_revoke(own: Consumer, partitions: list[TopicPartition]) -> None:
        calls.append(partitions)
        own.assign(partitions)

    consumer.subscribe([kafka_topic], on_revoke=on_revoke)
    wait_until(consumer.assignment, lambda: consumer.poll(0.01))
    consumer.unsubscribe()
    wait_until(lambda: calls, lambda: consumer.poll(0.01))
    assert consumer.assignment() == [TopicPartition(kafka_topic, 0)]
    consumer.close()


@pytest.mark.parametrize(
    "call",
    [
        lambda consumer, partitions: consumer.subscribe([partitions[0].topic]),
        lambda consumer, partitions: consumer.committed(partitions),
    ],
    ids=["subscribe", "committed"],
)
def test_calls_of_the_last_on_revoke(
    kafka_topic: str,
    make_consumer: MakeConsumer,
    call: Callable[[Consumer, list[TopicPartition]], object],
) -> None:
    """subscribe() and committed() in the last on_revoke raise, and close() ends.

    In librdkafka, the calls would abort the process or wait forever.
    """
    consumer = make_consumer()
    refusals: list[KafkaError] = []

    def on_revoke(own: Consumer, partitions: list[TopicPartition]) -> None:
        with pytest.raises(KafkaException, match="is leaving the group") as caught:
            call(own, partitions)
        refusals.append(caught.value.args[0])

    consumer.subscribe([kafka_topic], on_revoke=on_revoke)
    wait_until(consumer.assignment, lambda: consumer.poll(0.01))
    consumer.close()
    assert [error.code() for error in refusals] == [KafkaError._DESTROY]


@pytest.mark.parametrize("strategy", ["range", "cooperative-sticky"])
def test_on_revoke_that_adds_to_what_ends(
    kafka_topic: str, make_consumer: MakeConsumer, strategy: str
) -> None:
    """close() ends even if on_revoke calls incremental_assign() instead of unassigning."""
    consumer = make_consumer({"partition.assignment.strategy": strategy})
    calls: list[list[TopicPartition]] = []

    def on_revoke(own: Consumer, partitions: list[TopicPartition]) -> None:
        calls.append(partitions)
        own.incremental_assign(partitions)

    consumer.subscribe([kafka_topic], on_revoke=on_revoke)
    wait_until(consumer.assignment, lambda: consumer.poll(0.01))
    consumer.close()
    assert calls == [[TopicPartition(kafka_topic, 0)]]


@pytest.mark.kafka_topic(partitions=2)
def test_a_callback_that_assigns_itself(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """assign() in on_assign replaces the group's assignment, so the offsets of the call are
    used."""
    for partition in range(2):
        for i in range(10):
            producer.produce(kafka_topic, b"%d" % i, partition=partition)
    assert producer.flush(TIMEOUT) == 0

    def on_assign(who: Consumer, partitions: list[TopicPartition]) -> None:
        assert [entry.partition for entry in sorted(partitions)] == [0, 1]
        who.assign([TopicPartition(kafka_topic, 1, 7)])

    consumer.subscribe([kafka_topic], on_assign=on_assign)
    messages = consumer.consume(3, TIMEOUT)
    assert [(message.partition(), message.offset()) for message in messages] == [
        (1, 7),
        (1, 8),
        (1, 9),
    ]
    assert consumer.assignment() == [TopicPartition(kafka_topic, 1)]


def test_a_callback_that_assigns_incrementally(
    kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """With a cooperative protocol, incremental_assign() in on_assign replaces the default
    assignment."""
    send(producer, kafka_topic, [b"%d" % i for i in range(10)])
    consumer = make_consumer({"partition.assignment.strategy": "cooperative-sticky"})

    def on_assign(who: Consumer, partitions: list[TopicPartition]) -> None:
        for partition in partitions:
            partition.offset = 4
        who.incremental_assign(partitions)

    consumer.subscribe([kafka_topic], on_assign=on_assign)
    message = consumer.poll(TIMEOUT)
    assert message is not None
    assert message.offset() == 4


def test_a_callback_that_assigns_and_raises(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """If a callback assigns and then raises, its assignment stays."""
    send(producer, kafka_topic, [b"%d" % i for i in range(10)])

    def on_assign(who: Consumer, partitions: list[TopicPartition]) -> None:
        who.assign([TopicPartition(kafka_topic, 0, 6)])
        divide_by_zero()

    consumer.subscribe([kafka_topic], on_assign=on_assign)
    assert_from_callback(raised_by(lambda: consumer.poll(TIMEOUT)))
    message = consumer.poll(TIMEOUT)
    assert message is not None
    assert message.offset() == 6


def test_committing_in_on_revoke(
    kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """A commit in on_revoke succeeds, because the partitions still belong to this member."""
    send(producer, kafka_topic, [b"%d" % i for i in range(10)])
    results: list[list[TopicPartition] | None] = []
    consumer = make_consumer()
    consumer.subscribe(
        [kafka_topic], on_revoke=lambda who, _: results.append(who.commit(asynchronous=False))
    )
    assert len(consumer.consume(4, TIMEOUT)) == 4
    consumer.close()
    ((result,),) = (result or [] for result in results)
    assert (result.offset, result.error) == (4, None)


def test_questions_in_on_assign(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """Callbacks may send requests to the brokers: committed(), watermarks, metadata."""
    send(producer, kafka_topic, [b"v"] * 3)
    answers: list[Any] = []

    def on_assign(who: Consumer, partitions: list[TopicPartition]) -> None:
        answers.append(who.committed(partitions, TIMEOUT)[0].offset)
        answers.append(who.get_watermark_offsets(partitions[0], TIMEOUT))
        answers.append(list(who.list_topics(kafka_topic, TIMEOUT).topics))
        answers.append(who.memberid() is not None)

    consumer.subscribe([kafka_topic], on_assign=on_assign)
    assert len(consumer.consume(3, TIMEOUT)) == 3
    assert answers == [-1001, (0, 3), [kafka_topic], True]


def test_close_while_an_assignment_waits(kafka_topic: str, make_consumer: MakeConsumer) -> None:
    """If an assignment waits for a poll, close() calls its callback, and on_revoke before leaving
    the group."""
    config = {
        "partition.assignment.strategy": "cooperative-sticky",
        "heartbeat.interval.ms": 50,
    }
    consumer, other = make_consumer(config), make_consumer(config)
    committed: list[list[TopicPartition]] = []

    def on_revoke(consumer: Consumer, partitions: list[TopicPartition]) -> None:
        offsets = [TopicPartition(each.topic, each.partition, 1) for each in partitions]
        committed.append(consumer.commit(offsets=offsets, asynchronous=False))

    consumer.subscribe([kafka_topic], on_revoke=on_revoke)
    wait_until(consumer.assignment, lambda: consumer.poll(0.01))
    assigned = Recorder()
    other.subscribe([kafka_topic], on_assign=assigned)
    # The consumer keeps its partition; this rebalance event waits for a poll() that never comes.
    wait_until(lambda: assigned.calls, lambda: other.poll(0.01))
    wait_until(consumer._queue_length)
    consumer.close()
    assert committed == [[TopicPartition(kafka_topic, 0, 1)]]
    assert [each.error for each in committed[0]] == [None]


@needs("left-group")
def test_commit_when_the_group_was_left(kafka_topic: str, make_consumer: MakeConsumer) -> None:
    """If the commit gets no answer any more, it raises, and close() ends."""
    consumer = make_consumer({"partition.assignment.strategy": "cooperative-sticky"})
    caught: list[KafkaError] = []

    def on_revoke(consumer: Consumer, partitions: list[TopicPartition]) -> None:
        consumer.incremental_unassign(partitions)  # the group waits only for this consumer
        offsets = [TopicPartition(each.topic, each.partition, 1) for each in partitions]
        # Until then, brokers may accept or refuse the commit, because this consumer is no member
        # any more.
        while KafkaError._DESTROY not in [error.code() for error in caught]:
            try:
                consumer.commit(offsets=offsets, asynchronous=False)
            except KafkaException as exception:
                caught.append(exception.args[0])

    consumer.subscribe([kafka_topic], on_revoke=on_revoke)
    wait_until(consumer.assignment, lambda: consumer.poll(0.01))
    consumer.close()
    assert "has left its group" in caught[-1].str()


# ---- subscriptions ----


def test_subscribing_while_another_thread_calls_back(
    kafka_topic: str, make_consumer: MakeConsumer
) -> None:
    """subscribe() waits for the serving lock, so that no thread serves a rebalance before the new
    callbacks are set."""
    inside, finish, assigned = threading.Event(), threading.Event(), threading.Event()

    def statistics(_: str) -> None:
        inside.set()
        assert finish.wait(TIMEOUT)

    consumer = make_consumer({"statistics.interval.ms": 10, "stats_cb": statistics})
    polling = Thread(consumer.poll)
    assert inside.wait(TIMEOUT)
    subscribing = threading.Thread(
        target=consumer.subscribe, args=([kafka_topic], lambda *_: assigned.set())
    )
    subscribing.start()
    subscribing.join(0.5)
    waits = subscribing.is_alive()
    finish.set()
    assert waits
    subscribing.join(TIMEOUT)
    assert assigned.wait(TIMEOUT)
    consumer.wakeup()
    assert polling.result() is None


def test_subscription_that_fails(kafka_topic: str, consumer: Consumer) -> None:
    """If subscribe() fails, the former subscription stays, with its callbacks."""
    calls: list[str] = []
    consumer.subscribe([kafka_topic], on_assign=lambda *_: calls.append("first"))
    with pytest.raises(KafkaException):
        consumer.subscribe([], on_assign=lambda *_: calls.append("second"))
    joined(consumer)
    assert calls == ["first"]
