"""Transactions: either all of their records and offsets become visible, or none of them."""

from __future__ import annotations

import itertools

import pytest

from confluent_kafka import OFFSET_INVALID, Consumer, KafkaError, Producer, TopicPartition
from tests.integration.conftest import MakeTopic
from tests.integration.group_members import (
    PROTOCOLS,
    Member,
    poll_until,
    share,
    with_long_sessions,
)
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.integration.transactional import (
    committed_reader,
    new_id,
    transactional,
    wait_for_markers,
)
from tests.support.kafka import Reports, committed, numbers, poll_values, send
from tests.support.waiting import TIMEOUT

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

PARTITIONS = 3


def all_values(
    kafka: KafkaCluster, topic: str, partitions: int = 1, level: str = "read_committed"
) -> list[bytes | None]:
    """The values that a consumer sees in the topic after its transactions have ended, by
    partition."""
    wait_for_markers(kafka, topic, partitions)
    config = {"isolation.level": level, "enable.partition.eof": True}
    with reader(kafka, config) as consumer:
        return _values_until_end(consumer, topic, partitions)


def _values_until_end(consumer: Consumer, topic: str, partitions: int) -> list[bytes | None]:
    values: dict[int, list[bytes | None]] = {partition: [] for partition in range(partitions)}
    consumer.assign([TopicPartition(topic, partition, 0) for partition in values])
    ends = 0
    while ends < partitions:
        message = consumer.poll(TIMEOUT)
        assert message is not None
        error = message.error()
        if error is None:
            values[message.partition() or 0].append(message.value())
        else:
            assert error == KafkaError._PARTITION_EOF
            ends += 1
    return list(itertools.chain(*values.values()))


def test_commit_and_abort(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """Records of several partitions are visible after the commit, and never after an abort."""
    topic = make_topic(partitions=PARTITIONS)
    with transactional(kafka) as producer:
        for i, end in enumerate(
            [producer.commit_transaction, producer.abort_transaction, producer.commit_transaction]
        ):
            producer.begin_transaction()
            for partition in range(PARTITIONS):
                producer.produce(topic, b"%d" % i, partition=partition)
            assert producer.flush(TIMEOUT) == 0
            end(TIMEOUT)
    assert all_values(kafka, topic, PARTITIONS) == [b"0", b"2"] * PARTITIONS
    everything = all_values(kafka, topic, PARTITIONS, "read_uncommitted")
    assert everything == [b"0", b"1", b"2"] * PARTITIONS


def test_commit_flushes_and_reports(kafka: KafkaCluster, topic: str) -> None:
    """commit_transaction() sends queued messages, and calls the callback of each delivery
    report."""
    reports = Reports()
    with transactional(kafka, config={"linger.ms": 30_000}) as producer:
        producer.begin_transaction()
        for value in numbers(0, 10):
            producer.produce(topic, value, on_delivery=reports)
        producer.commit_transaction(TIMEOUT)
        assert reports.errors == [None] * 10
        assert len(producer) == 0
    assert all_values(kafka, topic) == numbers(0, 10)


def test_abort_purges_and_reports(kafka: KafkaCluster, topic: str) -> None:
    """With abort_transaction(), unsent messages fail with _PURGE_QUEUE."""
    reports = Reports()
    with transactional(kafka, config={"linger.ms": 30_000}) as producer:
        producer.begin_transaction()
        for value in numbers(0, 10):
            producer.produce(topic, value, on_delivery=reports)
        producer.abort_transaction(TIMEOUT)
        assert reports.errors == [KafkaError._PURGE_QUEUE] * 10
        producer.begin_transaction()
        producer.produce(topic, b"next")
        producer.commit_transaction(TIMEOUT)
    assert all_values(kafka, topic, level="read_uncommitted") == [b"next"]


def test_empty_transactions(kafka: KafkaCluster) -> None:
    """A transaction without records can be committed and aborted."""
    with transactional(kafka) as producer:
        producer.begin_transaction()
        producer.commit_transaction(TIMEOUT)
        producer.begin_transaction()
        producer.abort_transaction(TIMEOUT)
        producer.begin_transaction()


def test_close_aborts(kafka: KafkaCluster, topic: str) -> None:
    """close() aborts an open transaction at once: readers do not wait for
    transaction.timeout.ms."""
    with transactional(kafka) as producer:
        producer.begin_transaction()
        send(producer, topic, [b"gone"])
    with writer(kafka) as plain, committed_reader(kafka) as consumer:
        send(plain, topic, [b"after"])
        consumer.assign([TopicPartition(topic, 0, 0)])
        assert poll_values(consumer, 1) == [b"after"]


# ---- consumed offsets ----


@pytest.mark.parametrize("end", ["commit_transaction", "abort_transaction"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_offsets_are_part_of_it(
    kafka: KafkaCluster, topic: str, group: str, protocol: str, end: str
) -> None:
    """The group's offset moves only when the transaction is committed."""
    config = PROTOCOLS[protocol] | {"enable.auto.commit": False}
    with (
        transactional(kafka) as producer,
        Member(kafka, group, config) as member,
        reader(kafka, {"group.id": group}) as witness,
    ):
        member.join(topic)
        share([member], 1)
        producer.begin_transaction()
        offsets = [TopicPartition(topic, 0, 7, metadata="mine")]
        producer.send_offsets_to_transaction(offsets, member.consumer_group_metadata(), TIMEOUT)
        getattr(producer, end)(TIMEOUT)
        assert committed(witness, topic) == (7 if end == "commit_transaction" else OFFSET_INVALID)


def copy(producer: Producer, source: Member, target: str, fails: bool) -> None:
    """Copy the member's new messages in one transaction, and commit or abort it."""
    producer.begin_transaction()
    for value in source.values:
        producer.produce(target, value)
    source.values.clear()
    producer.send_offsets_to_transaction(
        source.position(source.assignment()), source.consumer_group_metadata(), TIMEOUT
    )
    if fails:
        producer.abort_transaction(TIMEOUT)
    else:
        producer.commit_transaction(TIMEOUT)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_exactly_once(
    kafka: KafkaCluster, make_topic: MakeTopic, group: str, protocol: str
) -> None:
    """An application that restarts after each failure copies every record exactly once."""
    source, target = make_topic(), make_topic()
    with writer(kafka) as plain:
        send(plain, source, numbers(0, 100))
    config = PROTOCOLS[protocol] | {"enable.auto.commit": False}
    config |= with_long_sessions(kafka, group, protocol)
    transactional_id = new_id()
    for run in range(4):
        with (
            Member(kafka, group, config) as member,
            transactional(kafka, transactional_id) as producer,
        ):
            member.join(source)
            poll_until([member], lambda: len(member.values) == 20)
            copy(producer, member, target, fails=False)
            poll_until([member], lambda: len(member.values) == 20)
            copy(producer, member, target, fails=run != 3)
    assert all_values(kafka, target) == numbers(0, 100)
