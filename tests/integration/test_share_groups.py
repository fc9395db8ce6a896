"""Share groups on real brokers (KIP-932): sharing, acknowledgements, locks and lost records."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from random import Random

import pytest

from confluent_kafka import (
    AcknowledgeType,
    IllegalStateException,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
    renewing,
)
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import writer
from tests.integration.share_groups import (
    MakeMember,
    Member,
    configure_group,
    nothing_comes,
    wait_for_answer,
)
from tests.support.kafka import numbers, send
from tests.support.patches import needs
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]


@pytest.fixture
def make_member(kafka: KafkaCluster, topic: str, group: str) -> Iterator[MakeMember]:
    """make_member(mode="explicit", **config): a member of the group that subscribes to `topic`."""
    configure_group(kafka, group)
    with contextlib.ExitStack() as members:

        def make(mode: str = "explicit", **config: object) -> Member:
            member = members.enter_context(Member(kafka, group, mode, **config))
            member.subscribe([topic])
            return member

        yield make


@pytest.fixture
def ten(kafka: KafkaCluster, topic: str) -> str:
    """The topic with the values b"0" to b"9"."""
    with writer(kafka) as producer:
        send(producer, topic, numbers(0, 10))
    return topic


def test_members_share_one_partition(
    kafka: KafkaCluster, topic: str, make_member: MakeMember
) -> None:
    """Two members get records of the same partition, and each record is for one of them."""
    members = [make_member(max_poll_records=5) for _ in range(2)]
    read: dict[Member, list[Message]] = {member: [] for member in members}
    sent = 0
    with writer(kafka) as producer:

        def step() -> None:
            nonlocal sent
            if not all(read.values()):  # one member may join much later than the other
                send(producer, topic, numbers(sent, sent + 20))  # brokers deliver whole batches
                sent += 20
            for member in members:
                records = member.poll(0.1).records()
                member.accept(records)
                read[member] += records

        wait_until(lambda: all(read.values()) and sum(map(len, read.values())) >= sent, step)
    offsets = [record.offset() for records in read.values() for record in records]
    assert sorted(offsets) == list(range(sent))
    assert {record.delivery_count() for records in read.values() for record in records} == {1}


def test_accept_release_reject(ten: str, make_member: MakeMember) -> None:
    """Accepted and rejected records do not come again; released records come again, with a count of
    2."""
    member = make_member()
    records = member.fetch()
    assert [record.value() for record in records] == numbers(0, 10)
    types = {0: AcknowledgeType.RELEASE, 1: AcknowledgeType.REJECT}
    for record in records:
        member.acknowledge(record, types.get(record.offset() or 0, AcknowledgeType.ACCEPT))
    assert member.commit_sync() == {TopicPartition(ten, 0): None}
    assert member.acknowledged == set(range(10))
    (again,) = member.fetch()
    assert (again.offset(), again.delivery_count()) == (0, 2)
    wait_for_answer(member, lambda: member.acknowledge_offset(ten, 0, 0, 1))
    assert member.answers[-1] == ({TopicPartition(ten, 0): {0}}, None)
    assert nothing_comes(member)


def test_unacknowledged_records_block_poll(ten: str, make_member: MakeMember) -> None:
    """In explicit mode, poll() raises while a record has no acknowledgement, and loses no
    record."""
    member = make_member()
    records = member.fetch()
    member.accept(records[1:])
    with pytest.raises(IllegalStateException, match=r"1 records? .*not been acknowledged"):
        member.poll(0)
    wait_for_answer(member, lambda: member.acknowledge(records[0]))
    assert member.acknowledged == set(range(10))
    assert nothing_comes(member)


def test_last_acknowledgement_counts(ten: str, make_member: MakeMember) -> None:
    """An acknowledgement can be changed until it is sent; afterwards a change is an error."""
    member = make_member()
    records = member.fetch()
    for record in records:
        member.acknowledge(record, AcknowledgeType.RELEASE)
    member.accept(records[1:])
    assert set(member.commit_sync().values()) == {None}
    with pytest.raises(IllegalStateException, match=f"{ten} \\[0\\] at offset 1 "):
        member.acknowledge(records[1])
    assert [record.offset() for record in member.fetch()] == [0]
    member.acknowledge_offset(ten, 0, 0)


def test_lock_runs_out(kafka: KafkaCluster, ten: str, group: str, make_member: MakeMember) -> None:
    """Records that are acknowledged too late go to other members, and the late commit gets an
    error."""
    configure_group(kafka, group, share_record_lock_duration_ms="2000")
    slow, other = make_member(), make_member()
    watch = Stopwatch()
    records = slow.fetch()
    configure_group(kafka, group, share_record_lock_duration_ms="30000")  # for the next lock
    taken = []
    wait_until(lambda: taken, lambda: taken.extend(other.poll(0.2)))
    assert watch.elapsed > 1.9
    assert {record.delivery_count() for record in taken} == {2}
    slow.accept(records)
    (exception,) = slow.commit_sync().values()
    assert isinstance(exception, KafkaException)
    assert exception.args[0] == KafkaError.INVALID_RECORD_STATE
    other.accept(taken)
    assert set(other.commit_sync().values()) == {None}


@needs("share-renewal")
def test_renewal(kafka: KafkaCluster, ten: str, group: str, make_member: MakeMember) -> None:
    """With renewing(), every record is accepted, even if its handler takes longer than several
    locks."""
    configure_group(kafka, group, share_record_lock_duration_ms="1000")
    member = make_member()
    with renewing(member):
        while len(member.acknowledged) < 10:
            for record in member.poll(0.5):
                time.sleep(0.5)
                member.acknowledge(record, AcknowledgeType.RENEW)
                assert set(member.commit_sync(TIMEOUT).values()) == {None}
                member.acknowledge(record)
            assert set(member.commit_sync(TIMEOUT).values()) <= {None}
    assert {exception for _, exception in member.answers} == {None}


def test_delivery_limit(
    kafka: KafkaCluster, topic: str, group: str, make_member: MakeMember
) -> None:
    """After share.delivery.count.limit deliveries, a released record is not delivered again."""
    configure_group(kafka, group, share_delivery_count_limit="2")
    member = make_member()
    with writer(kafka) as producer:
        send(producer, topic, [b"poison"])
    for count in (1, 2):
        (record,) = member.fetch()
        assert (record.value(), record.delivery_count()) == (b"poison", count)
        member.acknowledge(record, AcknowledgeType.RELEASE)
        assert set(member.commit_sync().values()) == {None}
    assert nothing_comes(member)


def test_implicit_mode(ten: str, make_member: MakeMember) -> None:
    """In implicit mode, the next poll() accepts all records of the last one; acknowledge()
    raises."""
    member = make_member("implicit")
    assert [record.value() for record in member.fetch()] == numbers(0, 10)
    with pytest.raises(IllegalStateException, match=r"share\.acknowledgement\.mode=explicit"):
        member.acknowledge_offset(ten, 0, 0)
    wait_for_answer(member, lambda: None)
    assert member.acknowledged == set(range(10))
    assert nothing_comes(member)


def test_close_releases(ten: str, make_member: MakeMember) -> None:
    """close() sends acknowledgements; other members get the remaining records at once."""
    closed = make_member()
    records = closed.fetch()
    closed.accept(records[:4])
    watch = Stopwatch()
    closed.close()
    assert closed.acknowledged == set(range(4))
    other = make_member()
    rest = other.fetch()
    assert watch.elapsed < SOON  # the lock lasts for 30 s
    assert [record.offset() for record in rest] == list(range(4, 10))
    other.accept(rest)


def test_implicit_close_releases(ten: str, make_member: MakeMember) -> None:
    """In implicit mode, close() does not accept the records of the last poll(): they are delivered
    again."""
    with make_member("implicit") as closed:
        assert len(closed.fetch()) == 10
    with make_member("implicit") as other:
        again = other.fetch()
        assert {record.delivery_count() for record in again} == {2}
        assert other.commit_sync() == {TopicPartition(ten, 0): None}
    assert nothing_comes(make_member("implicit"))


def test_commit_async(ten: str, make_member: MakeMember) -> None:
    """commit_async() returns at once, and the callback gets the result in a later poll()."""
    member = make_member()
    member.accept(member.fetch())
    member.commit_async()
    assert member.answers == []
    assert member.commit_sync() == {}  # nothing is left to send
    wait_until(lambda: member.answers, lambda: member.poll(0.1))
    assert member.answers == [({TopicPartition(ten, 0): set(range(10))}, None)]


def test_commit_sync_of_many_partitions(
    kafka: KafkaCluster, make_topic: MakeTopic, make_member: MakeMember
) -> None:
    """The result contains each partition, even if their leaders are on different brokers."""
    topic = make_topic(partitions=6)
    member = make_member("implicit")
    member.subscribe([topic])
    with writer(kafka) as producer:
        for partition in range(6):
            producer.produce(topic, b"value", partition=partition)
        assert producer.flush(30) == 0
    seen: set[TopicPartition] = set()
    results: dict[TopicPartition, KafkaException | None] = {}

    def step() -> None:
        seen.update(TopicPartition(topic, r.partition() or 0) for r in member.poll(0.5))
        results.update(member.commit_sync())

    wait_until(lambda: len(seen) == 6, step)
    assert results == dict.fromkeys(seen)


def test_topic_that_does_not_exist(kafka: KafkaCluster, ten: str, make_member: MakeMember) -> None:
    """If one topic is missing, the member waits for it and reads the other topics meanwhile."""
    member = make_member()
    member.subscribe([ten, f"{ten}-to-come"])
    records = member.fetch()
    assert {record.topic() for record in records} == {ten}
    member.accept(records)
    assert member.subscription() == [ten, f"{ten}-to-come"]


def test_unsubscribe(ten: str, make_member: MakeMember) -> None:
    """poll() raises without a subscription; a new subscription continues where the group
    stopped."""
    member = make_member()
    member.accept(member.fetch())
    assert set(member.commit_sync().values()) == {None}
    member.unsubscribe()
    assert member.subscription() == []
    with pytest.raises(IllegalStateException, match="not subscribed"):
        member.poll(0)
    member.subscribe([ten])
    assert nothing_comes(member)


def test_nothing_is_lost(
    kafka: KafkaCluster, make_topic: MakeTopic, make_member: MakeMember
) -> None:
    """Members in threads release some records and leave: each record is accepted exactly once."""
    topic, count = make_topic(partitions=3), 600
    with writer(kafka) as producer:
        for i in range(count):
            producer.produce(topic, b"%d" % i, partition=i % 3)
            if i % 30 == 29:  # batches of their own
                assert producer.flush(TIMEOUT) == 0
    accepted: list[bytes | None] = []

    def work(number: int) -> None:
        random, left = Random(number), 5 if number == 0 else None
        with make_member(max_poll_records=20) as member:
            member.subscribe([topic])
            while len(accepted) < count and left != 0:
                mine = []
                for record in member.poll(0.3):
                    if record.delivery_count() < 3 and random.randrange(4) == 0:
                        member.acknowledge(record, AcknowledgeType.RELEASE)
                    else:
                        member.acknowledge(record)
                        mine.append(record)
                if mine and left is not None:
                    left -= 1
                results = member.commit_sync()
                accepted.extend(
                    record.value()
                    for record in mine
                    if results[TopicPartition(topic, record.partition() or 0)] is None
                )

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(2 * TIMEOUT)
    assert sorted(accepted, key=lambda value: int(value or 0)) == numbers(0, count)
