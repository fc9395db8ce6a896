"""Consumer.pause_while(): long work keeps the membership, and late commits are fenced."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeConsumer
from tests.support.kafka import committed, send, values_of
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until

# Work that takes longer without a poll ends the membership, but a pause of the machine does not.
IMPATIENT = {"max.poll.interval.ms": 6000, "session.timeout.ms": 6000}
LONGER = 7.0


def first_message(consumer: Consumer, topic: str, **callbacks: Any) -> Any:
    consumer.subscribe([topic], **callbacks)
    message = consumer.poll(TIMEOUT)
    assert message is not None
    assert message.error() is None
    return message


def test_longer_than_the_poll_interval(make_consumer: MakeConsumer, filled: str) -> None:
    """With pause_while(), work that takes longer than max.poll.interval.ms keeps the partition: the
    same member commits and continues to read, without a gap or a rebalance. Without pause_while(),
    the partition is lost."""
    events: list[str] = []
    consumer = make_consumer(IMPATIENT)
    message = first_message(consumer, filled, on_revoke=lambda *_: events.append("revoked"))
    member = consumer.memberid()
    without = make_consumer(IMPATIENT | {"group.id": "without"})
    first_message(without, filled)
    with consumer.pause_while() as pause:
        time.sleep(LONGER)
        assert pause.lost == []
        consumer.commit(message, asynchronous=False)
    assert consumer.memberid() == member
    assert values_of(consumer.consume(99, TIMEOUT)) == [b"%d" % number for number in range(1, 100)]
    assert committed(consumer, filled) == 1
    assert events == []
    codes: list[int] = []

    def poll() -> None:
        message = without.poll(0.05)
        if message is not None and message.error() is not None:
            codes.append(message.error().code())

    wait_until(lambda: codes, poll)
    assert codes[0] == KafkaError._MAX_POLL_EXCEEDED


def test_nothing_is_read_meanwhile(
    make_consumer: MakeConsumer, filled: str, producer: Producer
) -> None:
    """Inside the block, poll() returns no messages; after the block, no message is missing."""
    consumer = make_consumer()
    first_message(consumer, filled)
    with consumer.pause_while():
        send(producer, filled, [b"100"])
        assert consumer.consume(10, 0.5) == []
        (position,) = consumer.position(consumer.assignment())
        assert position.offset == 1
    values = values_of(consumer.consume(100, TIMEOUT))
    assert values == [b"%d" % number for number in range(1, 101)]


@pytest.mark.kafka_topic(partitions=2)
def test_paused_partitions_stay_paused(
    make_consumer: MakeConsumer, kafka_topic: str, producer: Producer
) -> None:
    """At the end of the block, partitions that the application had paused itself stay paused."""
    for partition in range(2):
        producer.produce(kafka_topic, b"%d" % partition, partition=partition)
    assert producer.flush(TIMEOUT) == 0
    consumer = make_consumer()
    consumer.assign([TopicPartition(kafka_topic, number, 0) for number in range(2)])
    consumer.pause([TopicPartition(kafka_topic, 0)])
    with consumer.pause_while():
        pass
    assert values_of(consumer.consume(1, TIMEOUT)) == [b"1"]
    assert consumer.consume(1, 0.3) == []
    consumer.resume([TopicPartition(kafka_topic, 0)])
    with consumer.pause_while():
        pass
    message = consumer.poll(TIMEOUT)
    assert message is not None
    assert message.value() == b"0"


def test_paused_by_a_call_that_failed_for_others(consumer: Consumer, filled: str) -> None:
    """If pause() raises for an unassigned partition, the other partitions are paused nevertheless.

    They count as paused by the application.
    """
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert values_of(consumer.consume(1, TIMEOUT)) == [b"0"]
    with pytest.raises(KafkaException) as caught:
        consumer.pause([TopicPartition(filled, 0), TopicPartition("another", 0)])
    assert caught.value.args[0].code() == KafkaError._UNKNOWN_PARTITION
    with consumer.pause_while():
        pass
    assert consumer.consume(1, 0.3) == []
    consumer.resume([TopicPartition(filled, 0)])
    assert values_of(consumer.consume(1, TIMEOUT)) == [b"1"]


@pytest.mark.parametrize("strategy", ["range", "cooperative-sticky"])
@pytest.mark.kafka_topic(partitions=2)
def test_a_partition_is_taken_away(
    make_consumer: MakeConsumer, kafka_topic: str, producer: Producer, strategy: str
) -> None:
    """A partition that a second member gets inside the block is in `lost`.

    The first member can neither commit this partition nor store its offsets. It can commit the
    partition that it keeps, and continues to read that partition after the block.
    """
    for partition in range(2):
        for number in range(10):
            producer.produce(kafka_topic, b"%d" % number, partition=partition)
    assert producer.flush(TIMEOUT) == 0
    config = {"partition.assignment.strategy": strategy, "enable.auto.offset.store": False}
    first, second = make_consumer(config), make_consumer(config)
    first.subscribe([kafka_topic])
    messages = first.consume(20, TIMEOUT)
    assert len(messages) == 20
    last = {message.partition(): message for message in messages}
    revoked: list[int] = []
    with first.pause_while() as pause:
        second.subscribe([kafka_topic])
        found: list[Any] = []
        wait_until(
            lambda: len(second.assignment()) == 1 and len(first.assignment()) == 1,
            lambda: found.append(second.poll(0.05)),
        )
        (kept,) = first.assignment()
        (taken,) = second.assignment()
        revoked = [place.partition for place in pause.lost]
        assert taken.partition in revoked
        for commit in (
            lambda: first.commit(last[taken.partition], asynchronous=False),
            lambda: first.commit(offsets=[TopicPartition(kafka_topic, taken.partition, 9)]),
            lambda: first.store_offsets(last[taken.partition]),
        ):
            with pytest.raises(KafkaException, match=r"revoked during pause_while\(\)") as caught:
                commit()
            assert caught.value.args[0] == KafkaError._ASSIGNMENT_LOST
        if kept.partition not in revoked:  # with an eager protocol, all partitions would be lost
            (answer,) = first.commit(last[kept.partition], asynchronous=False)
            assert answer.error is None
    with pytest.raises(KafkaException, match="revoked"):
        first.commit(last[taken.partition], asynchronous=False)
    messages = []
    producer.produce(kafka_topic, b"new", partition=kept.partition)
    assert producer.flush(TIMEOUT) == 0
    wait_until(
        lambda: any(message is not None and message.value() == b"new" for message in messages),
        lambda: messages.append(first.poll(0.05)),
    )
    (answer,) = first.commit(messages[-1], asynchronous=False)  # the fence has ended
    assert (answer.error, answer.partition) == (None, kept.partition)


def test_what_is_assigned_inside_is_paused(make_consumer: MakeConsumer, filled: str) -> None:
    """A partition that is assigned inside the block is read after the block."""
    consumer = make_consumer()
    consumer.subscribe([filled])
    with consumer.pause_while():
        wait_until(consumer.assignment)
        assert consumer.consume(1, 0.5) == []
    message = consumer.poll(TIMEOUT)
    assert message is not None
    assert message.value() == b"0"


def test_callbacks_run_on_its_thread(make_consumer: MakeConsumer, filled: str) -> None:
    """Callbacks run inside the block, but not on the thread of the block.

    The next poll() raises the exception of a callback.
    """
    threads: list[int] = []

    def assigned(consumer: Consumer, partitions: list[TopicPartition]) -> None:
        threads.append(threading.get_ident())
        raise ZeroDivisionError

    consumer = make_consumer()
    consumer.subscribe([filled], on_assign=assigned)
    with consumer.pause_while():
        wait_until(lambda: threads)
        wait_until(consumer.assignment)
    assert threads != [threading.get_ident()]
    with pytest.raises(ZeroDivisionError):
        consumer.poll(TIMEOUT)
    message = consumer.poll(TIMEOUT)
    assert message is not None


def test_an_exception_leaves_the_block(make_consumer: MakeConsumer, filled: str) -> None:
    """If the block raises, it ends as usual: reading continues, and no thread is left."""
    consumer = make_consumer()
    first_message(consumer, filled)
    before = set(threading.enumerate())  # threads of other tests, which may end meanwhile

    def work() -> None:
        with consumer.pause_while():
            assert len(set(threading.enumerate()) - before) == 1
            raise KeyError

    with pytest.raises(KeyError):
        work()
    assert set(threading.enumerate()) <= before
    assert values_of(consumer.consume(1, TIMEOUT)) == [b"1"]


def test_blocks_in_one_another(consumer: Consumer, filled: str) -> None:
    """A block inside another one is refused, and the outer block still works.

    One block after another is allowed, even with the same object.
    """
    consumer.assign([TopicPartition(filled, 0, 0)])
    pause = consumer.pause_while()
    with pause:
        with pytest.raises(RuntimeError, match="in use"), consumer.pause_while():
            pass
        assert consumer.consume(1, 0.3) == []
    with pause:
        pass
    assert values_of(consumer.consume(1, TIMEOUT)) == [b"0"]


def test_inside_a_callback(make_consumer: MakeConsumer, filled: str) -> None:
    """pause_while() in a callback is refused, because the end of the block would wait forever."""
    consumer = make_consumer()
    refusals: list[str] = []

    def on_assign(consumer: Consumer, _: list[TopicPartition]) -> None:
        with pytest.raises(RuntimeError, match="in a callback") as caught, consumer.pause_while():
            pass
        refusals.append(str(caught.value))

    first_message(consumer, filled, on_assign=on_assign)
    assert len(refusals) == 1
    with consumer.pause_while():
        pass


def test_close_inside(make_consumer: MakeConsumer, filled: str) -> None:
    """If the consumer is closed inside the block, the block ends at once and raises nothing."""
    consumer = make_consumer()
    first_message(consumer, filled)
    watch = Stopwatch()
    with consumer.pause_while() as pause:
        consumer.close()
    assert watch.elapsed < SOON
    assert pause.lost == []


def test_no_assignment(kafka_cluster: MockCluster, consumer: Consumer) -> None:
    """Without an assignment, there is nothing to pause."""
    with consumer.pause_while() as pause:
        pass
    assert pause.lost == []
