"""isolation.level: which records of transactions readers get, in which order, at which
positions."""

from __future__ import annotations

import pytest

from confluent_kafka import Consumer, KafkaError, TopicPartition
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.integration.transactional import committed_reader, transactional, wait_for_markers
from tests.support.kafka import committed, numbers, poll_values, position, send
from tests.support.waiting import TIMEOUT

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

# With this setting, poll() also returns the end of a partition.
WITH_END = {"enable.partition.eof": True}


def end_of(consumer: Consumer) -> int:
    """Return the offset of the partition's end, which must be the next event."""
    message = consumer.poll(TIMEOUT)
    assert message is not None
    assert message.error() == KafkaError._PARTITION_EOF
    offset = message.offset()
    assert offset is not None
    return offset


def test_an_open_transaction_is_a_wall(kafka: KafkaCluster, topic: str) -> None:
    """Until a transaction ends, readers get no record after its first record, so that the order is
    kept."""
    with (
        transactional(kafka) as slow,
        writer(kafka) as plain,
        committed_reader(kafka, WITH_END) as consumer,
    ):
        slow.begin_transaction()
        send(plain, topic, [b"0"])
        send(slow, topic, [b"1"])
        send(plain, topic, [b"2"])
        consumer.assign([TopicPartition(topic, 0, 0)])
        assert poll_values(consumer, 1) == [b"0"]
        assert end_of(consumer) == 1
        slow.commit_transaction(TIMEOUT)
        assert poll_values(consumer, 2) == [b"1", b"2"]


def test_read_uncommitted_does_not_wait(kafka: KafkaCluster, topic: str) -> None:
    """A read_uncommitted consumer sees records of open and of aborted transactions at once."""
    with (
        transactional(kafka) as producer,
        reader(kafka, {"isolation.level": "read_uncommitted"}) as consumer,
    ):
        consumer.assign([TopicPartition(topic, 0, 0)])
        producer.begin_transaction()
        send(producer, topic, [b"0"])
        assert poll_values(consumer, 1) == [b"0"]
        producer.abort_transaction(TIMEOUT)
        producer.begin_transaction()
        send(producer, topic, [b"1"])
        assert poll_values(consumer, 1) == [b"1"]


def test_transactions_that_overlap(kafka: KafkaCluster, topic: str) -> None:
    """Each record is visible if its own transaction is committed; records keep the log's order."""
    with (
        transactional(kafka) as keeps,
        transactional(kafka) as aborts,
        committed_reader(kafka) as consumer,
    ):
        for producer in (keeps, aborts):
            producer.begin_transaction()
        for i in range(20):
            send(keeps if i % 2 == 0 else aborts, topic, [b"%d" % i])
        aborts.abort_transaction(TIMEOUT)
        keeps.commit_transaction(TIMEOUT)
        consumer.assign([TopicPartition(topic, 0, 0)])
        assert poll_values(consumer, 10) == [b"%d" % i for i in range(0, 20, 2)]


def test_markers_have_offsets(kafka: KafkaCluster, topic: str) -> None:
    """A commit's marker has an offset; the position and the end are after the marker."""
    with transactional(kafka) as producer, committed_reader(kafka, WITH_END) as consumer:
        for start in (0, 3):
            producer.begin_transaction()
            send(producer, topic, numbers(start, start + 3))
            producer.commit_transaction(TIMEOUT)
        wait_for_markers(kafka, topic)
        consumer.assign([TopicPartition(topic, 0, 0)])
        messages = consumer.consume(6, TIMEOUT)
        assert [message.offset() for message in messages] == [0, 1, 2, 4, 5, 6]
        assert end_of(consumer) == 8
        assert consumer.get_watermark_offsets(TopicPartition(topic, 0), TIMEOUT) == (0, 8)
        assert position(consumer, topic) == 8


def test_an_aborted_tail(kafka: KafkaCluster, topic: str) -> None:
    """A consumer reads past the records of an aborted transaction, to the records that follow."""
    with transactional(kafka) as producer, committed_reader(kafka, WITH_END) as consumer:
        producer.begin_transaction()
        send(producer, topic, numbers(0, 100))
        producer.abort_transaction(TIMEOUT)
        wait_for_markers(kafka, topic)
        consumer.assign([TopicPartition(topic, 0, 0)])
        assert end_of(consumer) == 101
        producer.begin_transaction()
        send(producer, topic, [b"seen"])
        producer.commit_transaction(TIMEOUT)
        assert poll_values(consumer, 1) == [b"seen"]


def test_the_committed_offset_leads_to_the_next_record(
    kafka: KafkaCluster, topic: str, group: str
) -> None:
    """A group that has read everything continues with new records, and repeats no record, with or
    without markers."""
    config = {"group.id": group}
    with transactional(kafka) as producer:
        producer.begin_transaction()
        send(producer, topic, numbers(0, 3))
        producer.commit_transaction(TIMEOUT)
        with committed_reader(kafka, config) as consumer:
            consumer.assign([TopicPartition(topic, 0, 0)])
            assert poll_values(consumer, 3) == numbers(0, 3)
            consumer.commit(asynchronous=False)
            # The offset is that of the next record, or of the marker before it.
            assert committed(consumer, topic) in {3, 4}
        producer.begin_transaction()
        send(producer, topic, [b"new"])
        producer.commit_transaction(TIMEOUT)
    with committed_reader(kafka, config) as successor:
        successor.assign([TopicPartition(topic, 0)])
        assert poll_values(successor, 1) == [b"new"]


def test_position_leads_past_the_marker(kafka: KafkaCluster, topic: str, group: str) -> None:
    """Committing position() leaves no lag, even if the last offset is a marker."""
    with (
        transactional(kafka) as producer,
        committed_reader(kafka, WITH_END | {"group.id": group}) as consumer,
    ):
        producer.begin_transaction()
        send(producer, topic, numbers(0, 3))
        producer.commit_transaction(TIMEOUT)
        wait_for_markers(kafka, topic)
        partition = TopicPartition(topic, 0, 0)
        consumer.assign([partition])
        assert poll_values(consumer, 3) == numbers(0, 3)
        assert end_of(consumer) == 4
        consumer.commit(offsets=consumer.position([partition]), asynchronous=False)
        assert committed(consumer, topic) == 4
        assert consumer.get_watermark_offsets(partition, TIMEOUT)[1] == 4
