"""Where a consumer reads: seek(), pause(), offsets by time, watermarks, and missing offsets."""

from __future__ import annotations

import pytest

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    TopicPartition,
)
from tests.integration.broker_requests import delete_records, move_leader
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.support.kafka import numbers, poll_values, position, send, values_of
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

FILLED = 100


@pytest.fixture
def filled(kafka: KafkaCluster, topic: str) -> str:
    """A topic with 100 messages, in batches of ten."""
    with writer(kafka, {"batch.num.messages": 10}) as producer:
        send(producer, topic, numbers(0, FILLED))
    return topic


def watermarks(consumer: Consumer, topic: str) -> tuple[int, int]:
    return consumer.get_watermark_offsets(TopicPartition(topic, 0), TIMEOUT)


# ---- seek, pause ----


def test_seek(kafka: KafkaCluster, filled: str) -> None:
    """A seek backward, forward, into the middle of a batch, or to an end decides the next
    message."""
    with reader(kafka) as consumer:
        consumer.assign([TopicPartition(filled, 0, 0)])
        assert poll_values(consumer, 5) == numbers(0, 5)
        for offset in (77, 3, 99, 0, 50):
            consumer.seek(TopicPartition(filled, 0, offset))
            assert poll_values(consumer, 1) == [b"%d" % offset]
            assert position(consumer, filled) == offset + 1
        consumer.seek(TopicPartition(filled, 0, OFFSET_BEGINNING))
        assert values_of(consumer.consume(FILLED, TIMEOUT)) == numbers(0, FILLED)
        consumer.seek(TopicPartition(filled, 0, 10))
        assert poll_values(consumer, 1) == [b"10"]


def test_seek_to_the_end(kafka: KafkaCluster, filled: str) -> None:
    """After a seek to the end, the consumer reads only later messages."""
    config = {"enable.partition.eof": True}
    with writer(kafka) as producer, reader(kafka, config) as consumer:
        consumer.assign([TopicPartition(filled, 0, 0)])
        assert poll_values(consumer, 1) == [b"0"]
        consumer.seek(TopicPartition(filled, 0, OFFSET_END))
        end = consumer.poll(TIMEOUT)
        assert end is not None
        assert end.error() == KafkaError._PARTITION_EOF
        assert end.offset() == FILLED
        send(producer, filled, [b"later"])
        assert poll_values(consumer, 1) == [b"later"]


def test_pause(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """A paused partition is not read while the other partition is read; later it continues where it
    stopped."""
    topic = make_topic(partitions=2)
    with writer(kafka) as producer, reader(kafka) as consumer:
        for number in range(FILLED):
            for partition in range(2):
                producer.produce(topic, b"%d" % number, partition=partition)
        assert producer.flush(TIMEOUT) == 0
        consumer.assign([TopicPartition(topic, partition, 0) for partition in range(2)])
        early = consumer.consume(20, TIMEOUT)
        consumer.pause([TopicPartition(topic, 0)])
        rested = [each for each in early if each.partition() == 0]
        other = FILLED - (20 - len(rested))
        messages = consumer.consume(other, TIMEOUT)
        assert [message.partition() for message in messages] == [1] * other
        assert consumer.consume(1, 0.3) == []
        consumer.resume([TopicPartition(topic, 0)])
        rest = consumer.consume(FILLED - len(rested), TIMEOUT)
    assert {message.partition() for message in rest} == {0}
    assert values_of(rested + rest) == numbers(0, FILLED)


# ---- offsets by time ----


def test_offsets_for_times(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """offsets_for_times() returns the first message at or after the time, or the end if there is
    none."""
    topic = make_topic(partitions=2, retention_ms="-1")
    with writer(kafka) as producer, reader(kafka) as consumer:
        # the timestamps are not in order
        for number, timestamp in enumerate([1000, 5000, 3000, 6000]):
            producer.produce(topic, b"%d" % number, partition=0, timestamp=timestamp)
            assert producer.flush(TIMEOUT) == 0

        def offset_at(timestamp: int) -> int:
            (found,) = consumer.offsets_for_times([TopicPartition(topic, 0, timestamp)], TIMEOUT)
            assert found.error is None
            return found.offset

        times = [0, 1000, 1001, 3000, 5000, 5001, 6000]
        assert [offset_at(time) for time in times] == [0, 0, 1, 1, 1, 3, 3]
        assert offset_at(6001) == OFFSET_END
        both = [TopicPartition(topic, 1, 1000), TopicPartition(topic, 0, 2000)]
        found = consumer.offsets_for_times(both, TIMEOUT)
        assert [(each.partition, each.offset) for each in found] == [(1, OFFSET_END), (0, 1)]
        consumer.assign(found[1:])
        assert poll_values(consumer, 1) == [b"1"]


def test_offsets_for_times_in_compressed_batches(
    kafka: KafkaCluster, make_topic: MakeTopic
) -> None:
    """The lookup finds a message inside a batch, and not only the batch's first message."""
    topic = make_topic(retention_ms="-1")
    config = {"compression.type": "zstd", "linger.ms": 100}
    with writer(kafka, config) as producer, reader(kafka) as consumer:
        for number in range(1, 101):
            producer.produce(topic, b"v", partition=0, timestamp=number * 1000)
        assert producer.flush(TIMEOUT) == 0
        (found,) = consumer.offsets_for_times([TopicPartition(topic, 0, 41_500)], TIMEOUT)
    assert found.offset == 41


def test_offsets_for_times_of_an_unknown_partition(kafka: KafkaCluster, topic: str) -> None:
    """For an unknown partition, the result has an error or the call raises; it never has an
    offset."""
    with reader(kafka) as consumer:
        try:
            (found,) = consumer.offsets_for_times([TopicPartition(topic, 9, 0)], TIMEOUT)
            error = found.error
        except KafkaException as exception:
            error = exception.args[0]
    assert error is not None
    assert error.code() in {KafkaError._UNKNOWN_PARTITION, KafkaError.UNKNOWN_TOPIC_OR_PART}


# ---- watermarks, and offsets outside them ----


def test_watermarks(kafka: KafkaCluster, filled: str) -> None:
    """The watermarks are the first offset and the offset after the last one, from a request or a
    fetch."""
    with reader(kafka) as consumer:
        assert watermarks(consumer, filled) == (0, FILLED)
        delete_records(kafka, filled, before=40)
        assert watermarks(consumer, filled) == (40, FILLED)
        consumer.assign([TopicPartition(filled, 0, 40)])
        assert poll_values(consumer, 1) == [b"40"]
        _, high = consumer.get_watermark_offsets(TopicPartition(filled, 0), cached=True)
        assert high == FILLED


@pytest.mark.parametrize(("reset", "first"), [("earliest", b"40"), ("latest", b"new")])
@pytest.mark.parametrize("start", [5, 5000])
def test_reset(kafka: KafkaCluster, filled: str, reset: str, first: bytes, start: int) -> None:
    """If an offset was deleted or does not exist yet, auto.offset.reset decides where reading
    starts."""
    delete_records(kafka, filled, before=40)
    config = {"auto.offset.reset": reset, "enable.partition.eof": True}
    with writer(kafka) as producer, reader(kafka, config) as consumer:
        consumer.assign([TopicPartition(filled, 0, start)])
        message = consumer.poll(TIMEOUT)
        assert message is not None
        if reset == "latest":
            assert message.error() == KafkaError._PARTITION_EOF
            assert message.offset() == FILLED
            send(producer, filled, [b"new"])
            assert poll_values(consumer, 1) == [first]
        else:
            assert (message.error(), message.value()) == (None, first)


@pytest.mark.parametrize("start", [5, 5000])
def test_no_reset(kafka: KafkaCluster, filled: str, start: int) -> None:
    """With auto.offset.reset=error, a missing offset is an error. The partition is read if it is
    assigned again at an existing offset."""
    delete_records(kafka, filled, before=40)
    with reader(kafka, {"auto.offset.reset": "error"}) as consumer:
        consumer.assign([TopicPartition(filled, 0, start)])
        message = consumer.poll(TIMEOUT)
        assert message is not None
        assert message.error() == KafkaError._AUTO_OFFSET_RESET
        assert (message.topic(), message.partition()) == (filled, 0)
        low, _ = watermarks(consumer, filled)
        consumer.incremental_unassign([TopicPartition(filled, 0)])
        consumer.incremental_assign([TopicPartition(filled, 0, low)])
        assert poll_values(consumer, 1) == [b"40"]


def test_deleted_while_reading(kafka: KafkaCluster, filled: str) -> None:
    """If the consumer's next record is deleted, it continues with the first existing record."""
    config = {"fetch.message.max.bytes": 1, "queued.min.messages": 1}  # one batch at a time
    with reader(kafka, config) as consumer:
        consumer.assign([TopicPartition(filled, 0, 0)])
        assert poll_values(consumer, 1) == [b"0"]
        consumer.pause([TopicPartition(filled, 0)])
        delete_records(kafka, filled, before=95)
        consumer.resume([TopicPartition(filled, 0)])
        values: list[bytes | None] = []
        wait_until(
            lambda: values[-1:] == [b"99"],
            lambda: values.extend(values_of(consumer.consume(1, 0.1))),
        )
    assert values == numbers(95, 100)


# ---- leader epochs ----


def test_leader_epochs(kafka: KafkaCluster, filled: str) -> None:
    """After a change of leader, clients use the new leader, and each message has its leader's
    epoch."""
    with writer(kafka) as producer, reader(kafka) as consumer:
        consumer.assign([TopicPartition(filled, 0, 0)])
        before = consumer.consume(FILLED, TIMEOUT)
        move_leader(kafka, filled)
        send(producer, filled, numbers(FILLED, FILLED + 10))
        after = consumer.consume(10, TIMEOUT)
        (place,) = consumer.position([TopicPartition(filled, 0)])
        assert values_of(after) == numbers(FILLED, FILLED + 10)
        (old,) = {message.leader_epoch() for message in before}
        (new,) = {message.leader_epoch() for message in after}
        assert old is not None
        assert new is not None
        assert 0 <= old < new
        assert (place.offset, place.leader_epoch) == (FILLED + 10, new)
        consumer.seek(TopicPartition(filled, 0, 50, leader_epoch=old))
        assert poll_values(consumer, 1) == [b"50"]
