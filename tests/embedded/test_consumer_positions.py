"""Positions of a consumer: assign(), seek(), pause(), position(), and requests to the brokers."""

from __future__ import annotations

import functools
import threading

import pytest

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    OFFSET_INVALID,
    OFFSET_STORED,
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import FILLED, MakeConsumer
from tests.support.kafka import (
    committed,
    numbers,
    poll_values,
    position,
    send,
    values_of,
    wait_for_statistics,
)
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, Stopwatch, wait_until

# ---- assign ----


@pytest.mark.parametrize(
    ("offset", "first"),
    [(0, 0), (42, 42), (OFFSET_BEGINNING, 0), (OFFSET_STORED, 17), (OFFSET_INVALID, 17)],
)
def test_assign_starts_at_the_offset(
    filled: str, consumer: Consumer, offset: int, first: int
) -> None:
    """assign() starts at an offset, at the beginning, or at the offset that the group has
    committed."""
    consumer.commit(offsets=[TopicPartition(filled, 0, 17)], asynchronous=False)
    consumer.assign([TopicPartition(filled, 0, offset)])
    assert poll_values(consumer, 1) == [b"%d" % first]


def test_assign_at_the_end(filled: str, producer: Producer, make_consumer: MakeConsumer) -> None:
    """OFFSET_END reads only what comes later."""
    consumer = make_consumer({"enable.partition.eof": True})
    consumer.assign([TopicPartition(filled, 0, OFFSET_END)])
    end = consumer.poll(TIMEOUT)
    assert end is not None
    assert end.error() == KafkaError._PARTITION_EOF
    send(producer, filled, [b"later"])
    assert poll_values(consumer, 1) == [b"later"]


def test_assign_starts_anew(filled: str, consumer: Consumer) -> None:
    """assign() drops the messages that were fetched ahead: the next message is at the given
    offset."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, 20) == numbers(0, 20)
    consumer.assign([TopicPartition(filled, 0, 5)])
    assert poll_values(consumer, 20) == numbers(5, 25)


@pytest.mark.kafka_topic(partitions=3)
def test_incremental_assignment(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """incremental_assign() adds partitions, and incremental_unassign() removes partitions."""
    for partition in range(3):
        producer.produce(kafka_topic, b"%d" % partition, partition=partition)
    assert producer.flush(TIMEOUT) == 0
    partitions = [TopicPartition(kafka_topic, i, 0) for i in range(3)]
    consumer.incremental_assign(partitions[:1])
    assert poll_values(consumer, 1) == [b"0"]
    consumer.incremental_assign(partitions[1:])
    assert sorted(poll_values(consumer, 2), key=str) == [b"1", b"2"]
    consumer.incremental_unassign(partitions[:2])
    assert consumer.assignment() == partitions[2:]
    consumer.unassign()
    assert consumer.assignment() == []


def test_unassigned_partitions_are_not_returned(filled: str, consumer: Consumer) -> None:
    """After unassign(), no messages are returned, even if they were fetched ahead."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, 10) == numbers(0, 10)
    consumer.unassign()
    assert consumer.poll(0.1) is None


def test_incremental_assign_twice(filled: str, consumer: Consumer) -> None:
    """Adding a partition twice raises a KafkaException, and reading continues."""
    consumer.incremental_assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, 1) == [b"0"]
    with pytest.raises(KafkaException):
        consumer.incremental_assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, 20) == numbers(1, 21)


# ---- position and seek ----


def test_nothing_committed(filled: str, consumer: Consumer) -> None:
    """committed() is OFFSET_INVALID where the group has no offset."""
    assert committed(consumer, filled) == OFFSET_INVALID


@pytest.mark.parametrize(
    "code",
    [
        KafkaError.NOT_COORDINATOR,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    ],
)
def test_committed_while_the_coordinator_moves(
    filled: str, consumer: Consumer, kafka_cluster: MockCluster, code: int
) -> None:
    """committed() repeats its request until its timeout, because the coordinator of a group may
    move."""
    consumer.commit(offsets=[TopicPartition(filled, 0, 17)], asynchronous=False)
    kafka_cluster.inject_errors("OffsetFetch", [code, code])
    assert committed(consumer, filled) == 17
    kafka_cluster.inject_errors("OffsetFetch", [code] * 1000)
    with pytest.raises(KafkaException) as raised:
        consumer.committed([TopicPartition(filled, 0)], timeout=0.3)
    assert raised.value.args[0] in (code, KafkaError._TIMED_OUT)


def test_position_follows_the_application(filled: str, consumer: Consumer) -> None:
    """position() is the offset after the last returned message."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert position(consumer, filled) == OFFSET_INVALID
    for i in range(50):
        assert poll_values(consumer, 1) == [b"%d" % i]
        assert position(consumer, filled) == i + 1
    consumer.consume(10, TIMEOUT)
    assert position(consumer, filled) == 60


@pytest.mark.parametrize("offset", [0, 5, 70, OFFSET_BEGINNING])
def test_seek(filled: str, consumer: Consumer, offset: int) -> None:
    """After seek(), reading continues at the new offset, and messages that were fetched ahead are
    dropped."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, 20) == numbers(0, 20)
    consumer.seek(TopicPartition(filled, 0, offset))
    start = max(offset, 0)
    assert poll_values(consumer, 20) == numbers(start, start + 20)


def test_seek_of_a_partition_that_is_not_assigned(filled: str, consumer: Consumer) -> None:
    """seek() of an unassigned partition raises a KafkaException."""
    with pytest.raises(KafkaException):
        consumer.seek(TopicPartition(filled, 0, 5))


def test_seek_while_another_thread_polls(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """After seek() has returned, the polling thread gets no earlier message."""
    send(producer, kafka_topic, numbers(0, 2000))
    consumer.assign([TopicPartition(kafka_topic, 0, 1900)])
    offsets: list[int | None] = []
    stop = threading.Event()

    def poll() -> None:
        while not stop.is_set():
            message = consumer.poll(0.01)
            if message is not None:
                offsets.append(message.offset())

    thread = threading.Thread(target=poll)
    thread.start()
    try:
        # seek backwards, because polling alone only moves forward
        for target in (1700, 1500, 1000, 100, 3):
            wait_until(lambda: offsets)
            consumer.seek(TopicPartition(kafka_topic, 0, target))
            last = target + 20
            wait_until(lambda: last in offsets)  # noqa: B023
            first = offsets.index(target)
            assert offsets[first : first + 20] == list(range(target, last))
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("move", ["seek", "assign"])
def test_moving_in_a_callback_of_consume(
    filled: str, make_consumer: MakeConsumer, move: str
) -> None:
    """If a callback calls seek() or assign(), consume() does not return messages that it had
    collected before."""
    moved = TopicPartition(filled, 0, FILLED - 5)
    done: list[str] = []

    def statistics(_: str) -> None:
        offset = position(consumer, filled)
        if offset == 0 and not done:  # messages are collected but not returned yet
            consumer.seek(moved) if move == "seek" else consumer.assign([moved])
            done.append(move)
        elif offset == moved.offset:
            consumer.wakeup()

    consumer = make_consumer({"statistics.interval.ms": 10, "stats_cb": statistics})
    consumer.assign([TopicPartition(filled, 0, 0)])
    values = values_of(consumer.consume(FILLED + 10, TIMEOUT))
    assert done == [move]
    assert values
    assert values == numbers(moved.offset, moved.offset + len(values))


@needs("latest-only")
@pytest.mark.kafka_topic(partitions=2)
def test_seek_in_a_callback_of_a_full_batch(
    kafka_topic: str, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """After a seek(), consume() also drops messages that librdkafka has collected.

    Messages of the other partition fill the batch.
    """
    partitions = [TopicPartition(kafka_topic, partition, 0) for partition in (0, 1)]
    calls: list[str] = []

    def statistics(text: str) -> None:
        if not calls:
            consumer.seek(partitions[0])
        calls.append(text)

    def is_fetched(partition: TopicPartition) -> bool:
        return consumer.get_watermark_offsets(partition, cached=True)[1] == 5

    consumer = make_consumer({"statistics.interval.ms": 10, "stats_cb": statistics})
    consumer.assign(partitions)
    for partition in partitions:
        for value in numbers(0, 5):
            producer.produce(kafka_topic, value, partition=partition.partition)
        assert producer.flush(TIMEOUT) == 0
        wait_until(functools.partial(is_fetched, partition))
        wait_for_statistics(consumer)
    messages = consumer.consume(10, TIMEOUT)
    assert calls
    send(producer, kafka_topic, [b"end"])
    while messages[-1].value() != b"end":
        messages.extend(consumer.consume(1, TIMEOUT))
    values = values_of(message for message in messages if message.partition() == 0)
    assert values == [*numbers(0, 5), b"end"]


# ---- pause and resume ----


def test_pause_and_resume(filled: str, consumer: Consumer) -> None:
    """A paused partition returns nothing; after resume() it continues exactly where it stopped."""
    partition = TopicPartition(filled, 0, 0)
    consumer.assign([partition])
    assert poll_values(consumer, 20) == numbers(0, 20)
    consumer.pause([partition])
    assert consumer.poll(0.2) is None
    assert consumer.consume(10, 0) == []
    assert consumer.assignment() == [partition]
    consumer.resume([partition])
    assert poll_values(consumer, 80) == numbers(20, FILLED)


def test_position_of_a_paused_partition(filled: str, consumer: Consumer) -> None:
    """pause() does not change the position: position() and commit() use the offset where the
    application stopped."""
    consumer.assign([TopicPartition(filled, 0, 0)])
    poll_values(consumer, 20)
    consumer.pause([TopicPartition(filled, 0)])
    assert position(consumer, filled) == 20
    assert consumer.poll(0.1) is None
    assert position(consumer, filled) == 20
    consumer.commit(asynchronous=False)
    assert committed(consumer, filled) == 20
    consumer.resume([TopicPartition(filled, 0)])
    assert poll_values(consumer, 1) == [b"20"]
    assert position(consumer, filled) == 21


@pytest.mark.kafka_topic(partitions=2)
def test_pausing_one_partition(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """If one partition is paused, the other partitions are read in order and without gaps."""
    for i in range(400):
        producer.produce(kafka_topic, b"%d" % i, partition=i % 2)
    assert producer.flush(TIMEOUT) == 0
    consumer.assign([TopicPartition(kafka_topic, i, 0) for i in range(2)])
    seen: dict[int | None, list[int | None]] = {0: [], 1: []}

    def step() -> None:
        message = consumer.poll(0.01)
        if message is not None:
            seen[message.partition()].append(message.offset())

    wait_until(lambda: len(seen[0]) > 3 or len(seen[1]) > 3, step)
    paused = len(seen[0])
    consumer.pause([TopicPartition(kafka_topic, 0)])
    wait_until(lambda: len(seen[1]) == 200, step)
    assert len(seen[0]) == paused
    consumer.resume([TopicPartition(kafka_topic, 0)])
    wait_until(lambda: len(seen[0]) == 200, step)
    assert seen == {0: list(range(200)), 1: list(range(200))}


def test_pausing_what_is_not_assigned(filled: str, consumer: Consumer) -> None:
    """pause() of an unassigned partition raises _UNKNOWN_PARTITION."""
    with pytest.raises(KafkaException, match="pause") as caught:
        consumer.pause([TopicPartition("another topic", 0)])
    assert caught.value.args[0] == KafkaError._UNKNOWN_PARTITION


# ---- requests to the brokers ----


def test_watermarks(filled: str, consumer: Consumer) -> None:
    """The watermarks are the broker's first offset and next offset."""
    assert consumer.get_watermark_offsets(TopicPartition(filled, 0), TIMEOUT) == (0, FILLED)


def test_cached_watermarks(kafka_cluster: MockCluster, filled: str, consumer: Consumer) -> None:
    """With cached=True, the watermarks come from the last fetch, without a request."""
    partition = TopicPartition(filled, 0, 0)
    kafka_cluster.set_broker_down()  # nothing is fetched meanwhile
    consumer.assign([partition])
    assert consumer.get_watermark_offsets(partition, cached=True)[1] == OFFSET_INVALID
    kafka_cluster.set_broker_up()
    poll_values(consumer, 1)
    assert consumer.get_watermark_offsets(partition, cached=True)[1] == FILLED


def test_offsets_for_times(filled: str, consumer: Consumer) -> None:
    """Each partition gets the offset for its time; here, the times are only the beginning and the
    end."""
    begin, end = OFFSET_BEGINNING, OFFSET_END
    (first,) = consumer.offsets_for_times([TopicPartition(filled, 0, begin)], TIMEOUT)
    (last,) = consumer.offsets_for_times([TopicPartition(filled, 0, end)], timeout=TIMEOUT)
    assert (first.offset, last.offset) == (0, FILLED)


def test_questions_without_a_broker(kafka_topic: str, make_consumer: MakeConsumer) -> None:
    """Without a broker, the requests raise an error after their timeout."""
    consumer = make_consumer({"bootstrap.servers": "127.0.0.1:1"})
    partition = TopicPartition(kafka_topic, 0, 0)
    watch = Stopwatch()
    for ask in (
        lambda: consumer.committed([partition], 0.1),
        lambda: consumer.get_watermark_offsets(partition, 0.1),
        lambda: consumer.offsets_for_times([partition], 0.1),
    ):
        with pytest.raises(KafkaException) as caught:
            ask()
        assert caught.value.args[0].code() in (
            KafkaError._TIMED_OUT,
            KafkaError._TRANSPORT,
            KafkaError._WAIT_COORD,
            KafkaError._ALL_BROKERS_DOWN,
        )
    assert watch.elapsed < TIMEOUT
