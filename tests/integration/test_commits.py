"""Committed offsets: every way to commit, where a group continues, and commits that are refused."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka import (
    OFFSET_INVALID,
    OFFSET_STORED,
    Consumer,
    KafkaError,
    KafkaException,
    TopicPartition,
)
from tests.integration.group_members import PROTOCOLS, Member, poll_until, share
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.support.kafka import committed, numbers, poll_values, send, values_of
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

FILLED = 10
every_protocol = pytest.mark.parametrize("protocol", PROTOCOLS)


@pytest.fixture
def filled(kafka: KafkaCluster, topic: str) -> str:
    """A topic with b"0" to b"9" at the offsets 0 to 9."""
    with writer(kafka) as producer:
        send(producer, topic, numbers(0, FILLED))
    return topic


def committer(kafka: KafkaCluster, group: str, config: dict[str, Any] | None = None) -> Consumer:
    """A consumer that commits for a group without being a member. The group has no members."""
    return reader(kafka, {"group.id": group} | (config or {}))


# ---- ways to commit ----


def test_commit_and_wait(kafka: KafkaCluster, filled: str, group: str) -> None:
    """commit() commits and returns the offsets of all returned messages, of one message, or given
    offsets."""
    with committer(kafka, group) as consumer:
        consumer.assign([TopicPartition(filled, 0, 0)])
        assert committed(consumer, filled) == OFFSET_INVALID
        messages = consumer.consume(5, TIMEOUT)
        assert consumer.commit(asynchronous=False) == [TopicPartition(filled, 0, 5)]
        assert committed(consumer, filled) == 5
        (result,) = consumer.commit(messages[1], asynchronous=False)
        assert (result.offset, result.error) == (2, None)
        assert committed(consumer, filled) == 2
        consumer.commit(offsets=[TopicPartition(filled, 0, 7)], asynchronous=False)
        assert committed(consumer, filled) == 7


def test_commit_in_the_background(kafka: KafkaCluster, filled: str, group: str) -> None:
    """on_commit is called once for each commit, in order, with the committed offsets."""
    calls: list[tuple[KafkaError | None, list[TopicPartition]]] = []
    config = {"on_commit": lambda *call: calls.append(call)}
    with committer(kafka, group, config) as consumer:
        for offset in (3, 1, 8):
            consumer.commit(offsets=[TopicPartition(filled, 0, offset)])
        wait_until(lambda: len(calls) == 3, lambda: consumer.poll(0.01))
        assert calls == [(None, [TopicPartition(filled, 0, offset)]) for offset in (3, 1, 8)]
        assert [offsets[0].offset for _, offsets in calls] == [3, 1, 8]
        assert committed(consumer, filled) == 8


def test_metadata_and_leader_epoch(kafka: KafkaCluster, filled: str, group: str) -> None:
    """committed() returns the metadata and the leader epoch that were committed with an offset."""
    with committer(kafka, group) as consumer:
        offset = TopicPartition(filled, 0, 4, metadata="é: job 17", leader_epoch=0)
        consumer.commit(offsets=[offset], asynchronous=False)
        (result,) = consumer.committed([TopicPartition(filled, 0)], TIMEOUT)
    assert (result.offset, result.metadata, result.leader_epoch) == (4, "é: job 17", 0)


def test_stored_offsets(kafka: KafkaCluster, filled: str, group: str) -> None:
    """If enable.auto.offset.store is off, only the offsets given to store_offsets() are
    committed."""
    with committer(kafka, group, {"enable.auto.offset.store": False}) as consumer:
        consumer.assign([TopicPartition(filled, 0, 0)])
        messages = consumer.consume(FILLED, TIMEOUT)
        consumer.store_offsets(messages[2])
        consumer.commit(asynchronous=False)
        assert committed(consumer, filled) == 3
        consumer.store_offsets(offsets=[TopicPartition(filled, 0, 6, metadata="half")])
        consumer.commit(asynchronous=False)
        (result,) = consumer.committed([TopicPartition(filled, 0)], TIMEOUT)
        assert (result.offset, result.metadata) == (6, "half")


@every_protocol
def test_automatic_commits(kafka: KafkaCluster, filled: str, group: str, protocol: str) -> None:
    """enable.auto.commit: messages that poll() returned are committed in the background, and the
    last ones by close()."""
    config = PROTOCOLS[protocol] | {"auto.commit.interval.ms": 50}
    with Member(kafka, group, config) as member, reader(kafka, {"group.id": group}) as witness:
        member.join(filled)
        poll_until([member], lambda: len(member.values) == 3)
        wait_until(lambda: committed(witness, filled) == 3)
        poll_until([member], lambda: len(member.values) == 5)
        member.close()
        assert committed(witness, filled) == 5
    with Member(kafka, group, config) as successor:
        successor.join(filled)
        poll_until([successor], lambda: len(successor.values) == 5)
        assert successor.values == numbers(5, FILLED)


# ---- where a group continues ----


def test_a_committed_offset_is_where_reading_starts(
    kafka: KafkaCluster, filled: str, group: str
) -> None:
    """OFFSET_STORED starts at the committed offset, even if this is the end of the partition."""
    with committer(kafka, group) as consumer, writer(kafka) as producer:
        consumer.commit(offsets=[TopicPartition(filled, 0, 6)], asynchronous=False)
        consumer.assign([TopicPartition(filled, 0, OFFSET_STORED)])
        assert values_of(consumer.consume(4, TIMEOUT)) == numbers(6, FILLED)
        consumer.commit(asynchronous=False)
        consumer.assign([TopicPartition(filled, 0)])
        send(producer, filled, [b"new"])
        assert poll_values(consumer, 1) == [b"new"]


@pytest.mark.parametrize("committed_offset", [None, 1000])
@pytest.mark.parametrize("reset", ["earliest", "latest", "error"])
def test_offset_reset(
    kafka: KafkaCluster, filled: str, group: str, reset: str, committed_offset: int | None
) -> None:
    """auto.offset.reset applies if no offset is committed or the committed offset does not
    exist."""
    config = {"auto.offset.reset": reset, "enable.partition.eof": True}
    with committer(kafka, group, config) as consumer:
        if committed_offset is not None:
            offsets = [TopicPartition(filled, 0, committed_offset)]
            consumer.commit(offsets=offsets, asynchronous=False)
        consumer.assign([TopicPartition(filled, 0)])
        message = consumer.poll(TIMEOUT)
        assert message is not None
        error = message.error()
        if reset == "error":
            assert error == KafkaError._AUTO_OFFSET_RESET
        elif reset == "latest":
            assert error == KafkaError._PARTITION_EOF
            assert message.offset() == FILLED
        else:
            assert (error, message.offset()) == (None, 0)


# ---- commits that are refused ----


def refused(consumer: Consumer, topic: str, metadata: str | None = None) -> KafkaError:
    """The error of a commit that must fail."""
    with pytest.raises(KafkaException) as caught:
        consumer.commit(
            offsets=[TopicPartition(topic, 0, 1, metadata=metadata)], asynchronous=False
        )
    error = caught.value.args[0]
    assert isinstance(error, KafkaError)
    return error


@every_protocol
def test_a_stranger_may_not_commit(
    kafka: KafkaCluster, filled: str, group: str, protocol: str
) -> None:
    """While a group has members, a commit of another consumer fails with UNKNOWN_MEMBER_ID."""
    with Member(kafka, group, PROTOCOLS[protocol]) as member, committer(kafka, group) as stranger:
        member.join(filled)
        share([member], 1)
        assert refused(stranger, filled) == KafkaError.UNKNOWN_MEMBER_ID
        assert committed(stranger, filled) == OFFSET_INVALID


def test_too_much_metadata(kafka: KafkaCluster, filled: str, group: str) -> None:
    """A commit with more than 4096 bytes of metadata fails with OFFSET_METADATA_TOO_LARGE."""
    with committer(kafka, group) as consumer:
        error = refused(consumer, filled, metadata="x" * 4097)
        assert error == KafkaError.OFFSET_METADATA_TOO_LARGE
        assert committed(consumer, filled) == OFFSET_INVALID


def test_a_topic_that_is_not_there(kafka: KafkaCluster, group: str) -> None:
    """A commit for a topic that does not exist fails with UNKNOWN_TOPIC_OR_PART."""
    with committer(kafka, group) as consumer:
        assert refused(consumer, f"no-{group}") == KafkaError.UNKNOWN_TOPIC_OR_PART


@every_protocol
def test_storing_for_a_revoked_partition(
    kafka: KafkaCluster, filled: str, group: str, protocol: str
) -> None:
    """store_offsets() raises _STATE for a revoked partition, so that nobody commits it by
    accident."""
    config = PROTOCOLS[protocol] | {"enable.auto.offset.store": False}
    with Member(kafka, group, config) as member:
        member.join(filled)
        share([member], 1)
        member.unsubscribe()
        poll_until([member], lambda: not member.partitions)
        with pytest.raises(KafkaException) as caught:
            member.store_offsets(offsets=[TopicPartition(filled, 0, 1)])
        assert caught.value.args[0] == KafkaError._STATE
