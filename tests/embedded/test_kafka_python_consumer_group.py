"""compat.kafka: KafkaConsumer as a member of a group."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from time import monotonic
from typing import Any

import pytest

from confluent_kafka import KafkaError
from confluent_kafka.admin import AdminClient
from confluent_kafka.compat.kafka import (
    AsyncConsumerRebalanceListener,
    ConsumerRebalanceListener,
    OffsetAndMetadata,
    TopicPartition,
    errors,
)
from confluent_kafka.compat.kafka.coordinator.assignors.cooperative_sticky import (
    CooperativeStickyAssignor,
)
from confluent_kafka.testing import MockCluster
from tests.support.kafka_python import (
    MakeConsumer,
    Told,
    consumers_at,
    filled,
    joined,
    many,
    values,
)
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = pytest.mark.kafka_topic(partitions=2)

_names = itertools.count()
TEN = [b"%d" % i for i in range(10)]


@pytest.fixture
def make(kafka_cluster: MockCluster) -> Iterator[MakeConsumer]:
    with consumers_at(kafka_cluster.bootstrap_servers) as make_one:
        yield make_one


@pytest.fixture
def group() -> str:
    return f"group-{next(_names)}"


@pytest.fixture
def both(kafka_topic: str) -> set[TopicPartition]:
    """Both partitions of the topic."""
    return {TopicPartition(kafka_topic, each) for each in (0, 1)}


@pytest.fixture
def ten(kafka_cluster: MockCluster, kafka_topic: str) -> TopicPartition:
    """A partition with the values b"0" to b"9"."""
    return TopicPartition(filled(kafka_cluster.bootstrap_servers, kafka_topic, 10), 0)


class Seeking(ConsumerRebalanceListener):
    """A listener that seeks its assigned partitions to an offset."""

    def __init__(self, consumer: Any, offset: int) -> None:
        self._consumer = consumer
        self._offset = offset

    def on_partitions_revoked(self, revoked: set[TopicPartition]) -> None:
        pass

    def on_partitions_assigned(self, assigned: set[TopicPartition]) -> None:
        for partition in assigned:
            self._consumer.seek(partition, self._offset)


class Failing(ConsumerRebalanceListener):
    """A listener that raises an exception."""

    def on_partitions_revoked(self, revoked: set[TopicPartition]) -> None:
        pass

    def on_partitions_assigned(self, assigned: set[TopicPartition]) -> None:
        raise ZeroDivisionError


class Awaited(AsyncConsumerRebalanceListener):
    """A listener whose methods are coroutines that record their calls."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    async def on_partitions_revoked(self, revoked: set[TopicPartition]) -> None:
        self.calls.append("revoked")

    async def on_partitions_assigned(self, assigned: set[TopicPartition]) -> None:
        self.calls.append("assigned")


def test_a_listener(
    make: MakeConsumer, kafka_topic: str, group: str, both: set[TopicPartition]
) -> None:
    """The listener is first called with no partitions to revoke, then for each assignment, and at
    the end."""
    told = Told()
    consumer = make(group_id=group)
    consumer.subscribe([kafka_topic], listener=told)
    assert told.calls == []
    assert joined(consumer, count=2) == both
    assert told.calls == [("revoked", set()), ("assigned", both)]
    consumer.close()
    assert told.calls[2:] == [("revoked", both)]


def test_a_listener_at_the_end(make: MakeConsumer, ten: TopicPartition, group: str) -> None:
    """While the consumer closes, its listener can request positions and commit."""
    consumer = make(group_id=group)
    asked: list[int | None] = []

    class Last(Told):
        def on_partitions_revoked(self, revoked: set[TopicPartition]) -> None:
            asked.extend(consumer.position(partition) for partition in revoked & {ten})
            if revoked:
                consumer.commit()

    consumer.subscribe([ten.topic], listener=Last())
    many(consumer, 10)
    consumer.close()
    assert asked == [10]
    assert make(group_id=group).committed(ten) == 10


def test_a_listener_that_raises_at_the_end(
    make: MakeConsumer, kafka_topic: str, group: str
) -> None:
    """close() closes the consumer, and raises a KafkaError with the listener's exception."""

    class Broken(Told):
        def on_partitions_revoked(self, revoked: set[TopicPartition]) -> None:
            if revoked:
                raise ZeroDivisionError

    consumer = make(group_id=group)
    consumer.subscribe([kafka_topic], listener=Broken())
    joined(consumer, count=2)
    with pytest.raises(errors.KafkaError, match="User rebalance callback"):
        consumer.close()
    with pytest.raises(errors.IllegalStateError, match="closed"):
        consumer.poll()


def test_a_second_member(
    make: MakeConsumer, kafka_topic: str, group: str, both: set[TopicPartition]
) -> None:
    """All partitions are revoked, and each member gets a part of them."""
    told = Told()
    first, second = make(group_id=group), make(group_id=group)
    first.subscribe([kafka_topic], listener=told)
    joined(first, count=2)
    second.subscribe([kafka_topic])
    joined(first, second, count=1)
    assert told.calls[2] == ("revoked", both)
    assert told.calls[-1] == ("assigned", first.assignment())
    assert first.assignment() | second.assignment() == both


def test_another_subscription(make: MakeConsumer, kafka_topic: str, group: str) -> None:
    """Until the group has rebalanced, the assignment stays the same; unsubscribe() does not call
    the listener."""
    told, later = Told(), Told()
    consumer = make(group_id=group)
    consumer.subscribe([kafka_topic], listener=told)
    had = joined(consumer, count=2)
    consumer.unsubscribe()
    assert len(told.calls) == 2
    assert consumer.assignment() == set()
    consumer.subscribe([kafka_topic], listener=later)
    assert joined(consumer, count=2) == had
    assert later.calls == [("revoked", set()), ("assigned", had)]


def test_seeking_in_a_listener(make: MakeConsumer, ten: TopicPartition, group: str) -> None:
    """A seek() in a listener decides where reading starts."""
    consumer = make(group_id=group)
    consumer.subscribe([ten.topic], listener=Seeking(consumer, 7))
    assert values(many(consumer, 3)) == TEN[7:]


def test_a_listener_that_raises(
    make: MakeConsumer, kafka_topic: str, group: str, both: set[TopicPartition]
) -> None:
    """poll() raises a KafkaError whose cause is the listener's exception; the partitions are
    assigned."""
    consumer = make(group_id=group)
    consumer.subscribe([kafka_topic], listener=Failing())
    with pytest.raises(errors.KafkaError, match="User rebalance callback") as caught:
        wait_until(lambda: False, lambda: consumer.poll(100))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert consumer.assignment() == both
    assert consumer.poll(10) == {}


def test_a_listener_of_coroutines(make: MakeConsumer, kafka_topic: str, group: str) -> None:
    """The coroutines of a listener run to their end."""
    told = Awaited()
    consumer = make(group_id=group)
    consumer.subscribe([kafka_topic], listener=told)
    joined(consumer, count=2)
    assert told.calls == ["revoked", "assigned"]


def test_a_cooperative_protocol(
    make: MakeConsumer, kafka_topic: str, group: str, both: set[TopicPartition], ten: TopicPartition
) -> None:
    """Partitions that stay are read without interruption; the listener gets the other
    partitions."""
    told = Told()
    keywords: dict[str, Any] = {
        "group_id": group,
        "partition_assignment_strategy": (CooperativeStickyAssignor,),
    }
    first, second = make(**keywords), make(**keywords)
    first.subscribe([kafka_topic], listener=told)
    assert values(many(first, 10)) == TEN
    assert told.calls == [("assigned", both)]
    first.commit()
    second.subscribe([kafka_topic])
    joined(second, first, count=1)
    wait_until(lambda: len(told.calls) >= 2, lambda: first.poll(20))
    assert told.calls[1] == ("revoked", both - first.assignment())
    assert first.assignment() | second.assignment() == both


def test_committing(make: MakeConsumer, ten: TopicPartition, group: str) -> None:
    """commit() commits the positions or given offsets; committed() and other consumers return
    them."""
    consumer = make(ten.topic, group_id=group)
    assert consumer.committed(ten) is None
    assert consumer.committed(ten, metadata=True) is None
    many(consumer, 10)
    consumer.commit()
    assert consumer.committed(ten) == 10
    consumer.commit({ten: OffsetAndMetadata(4, "text", -1)})
    found = consumer.committed(ten, metadata=True)
    assert (type(found), found.offset, found.metadata) == (OffsetAndMetadata, 4, "text")
    consumer.commit({})
    assert consumer.committed(TopicPartition("no-such-topic", 0)) is None
    for offsets in ({ten: 3}, {("t", 0): OffsetAndMetadata(3)}, [1]):
        with pytest.raises(TypeError, match="offsets must be dict"):
            consumer.commit(offsets)
        with pytest.raises(TypeError, match="offsets must be dict"):
            consumer.commit_async(offsets)
    consumer.close()
    assert values(many(make(ten.topic, group_id=group), 6)) == TEN[4:]


def test_committing_without_waiting(make: MakeConsumer, ten: TopicPartition, group: str) -> None:
    """The future ends with the commit; the application's next call runs the callback."""
    called: list[Any] = []
    consumer = make(ten.topic, group_id=group)
    many(consumer, 10)
    offsets = {ten: OffsetAndMetadata(3)}
    future = consumer.commit_async(offsets, lambda *answer: called.append(answer))
    wait_until(lambda: future.is_done)
    assert (future.value, future.exception, called) == (None, None, [])
    consumer.poll()
    assert called == [(offsets, None)]
    assert consumer.committed(ten) == 3
    consumer.commit_async(callback=lambda *answer: called.append(answer))
    consumer.close()
    assert called[1][1] is None
    assert called[1][0][ten].offset == 10


def test_callbacks_of_commits_while_iterating(
    make: MakeConsumer, ten: TopicPartition, group: str
) -> None:
    """Callbacks of commits are called even if there is always a next message."""
    called: list[Any] = []
    consumer = make(ten.topic, group_id=group)
    next(consumer)
    future = consumer.commit_async(callback=lambda *answer: called.append(answer))
    wait_until(lambda: future.is_done)
    next(consumer)
    assert len(called) == 1


def test_commits_that_fail(
    make: MakeConsumer, ten: TopicPartition, group: str, kafka_cluster: MockCluster
) -> None:
    """A removed member gets a CommitFailedError; in other cases the broker's error is raised."""
    consumer = make(ten.topic, group_id=group)
    many(consumer, 10)
    for code, kind in (
        (KafkaError.UNKNOWN_MEMBER_ID, errors.CommitFailedError),
        (KafkaError.OFFSET_METADATA_TOO_LARGE, errors.OffsetMetadataTooLargeError),
    ):
        kafka_cluster.inject_errors("OffsetCommit", [code])
        with pytest.raises(kind):
            consumer.commit()
        kafka_cluster.inject_errors("OffsetCommit", [code])
        future = consumer.commit_async()
        assert future._wait(TIMEOUT)
        assert isinstance(future.exception, kind)


def test_committing_by_itself(make: MakeConsumer, ten: TopicPartition, group: str) -> None:
    """With enable_auto_commit, the default callback is called; close() commits unless
    autocommit=False."""
    called: list[Any] = []
    keywords: dict[str, Any] = {"group_id": group, "enable_auto_commit": True}
    consumer = make(
        ten.topic,
        auto_commit_interval_ms=50,
        default_offset_commit_callback=lambda *answer: called.append(answer),
        **keywords,
    )
    many(consumer, 10)
    # The messages may have arrived and been committed one by one.
    wait_until(
        lambda: called and called[-1][0] == {ten: OffsetAndMetadata(10)}, lambda: consumer.poll(20)
    )
    assert [(offsets.keys(), error) for offsets, error in called] == [({ten}, None)] * len(called)
    consumer.seek(ten, 5)
    many(consumer, 1, max_records=1)
    consumer.close()
    other = make(ten.topic, auto_commit_interval_ms=3_600_000, **keywords)
    at = other.committed(ten)
    many(other, 1, max_records=1)
    other.close(autocommit=False)
    assert make(group_id=group).committed(ten) == at == 6


def test_a_pattern_that_follows_topics(
    make: MakeConsumer, kafka_topic: str, group: str, kafka_cluster: MockCluster
) -> None:
    """A topic that comes later is subscribed to, and assigned."""
    consumer = make(group_id=group, metadata_max_age_ms=100)
    consumer.subscribe(pattern=kafka_topic)
    joined(consumer, count=2)
    kafka_cluster.create_topic(f"{kafka_topic}-more", 1)
    joined(consumer, count=3)
    assert consumer.subscription() == {kafka_topic, f"{kafka_topic}-more"}


def test_group_metadata(make: MakeConsumer, kafka_topic: str, group: str) -> None:
    """The metadata is that of the member, after it has joined."""
    consumer = make(kafka_topic, group_id=group)
    assert consumer.group_metadata() == (group, -1, "", None, "<unjoined>")
    joined(consumer, count=2)
    metadata = consumer.group_metadata()
    assert metadata.generation_id >= 0
    assert metadata.member_id
    assert metadata.state == "<stable>"


def test_a_partition_that_stays(make: MakeConsumer, kafka_topic: str, group: str) -> None:
    """Only a partition that stays keeps its position and pause, as in kafka-python 3."""
    consumer = make(group_id=group)
    consumer.subscribe([kafka_topic])
    both = joined(consumer, count=2)
    for partition in both:
        consumer.seek(partition, 5)
    consumer.pause(*both)
    other = make(kafka_topic, group_id=group)
    (kept,) = joined(consumer, other, count=1)
    assert consumer.position(kept) == 5
    assert consumer.paused() == {kept}
    other.close()
    wait_until(lambda: len(consumer.assignment()) == 2, lambda: consumer.poll(20))
    assert consumer.paused() == {kept}
    (back,) = both - {kept}
    assert consumer.position(back) == 0


def test_a_commit_after_a_revocation(
    make: MakeConsumer, kafka_topic: str, group: str, kafka_cluster: MockCluster
) -> None:
    """A commit after a revocation raises CommitFailedError; the position stays at the next
    message."""
    told = Told()
    consumer, silent = make(group_id=group), make(kafka_topic, group_id=group)
    consumer.subscribe([kafka_topic], listener=told)
    (place,) = joined(consumer, silent, count=1)
    filled(kafka_cluster.bootstrap_servers, kafka_topic, 10, place.partition)
    many(consumer, 10)
    consumer.commit()
    third = make(kafka_topic, group_id=group)
    told.calls.clear()
    # `silent` does not poll, so that the rebalance does not end.
    wait_until(lambda: bool(told.calls), lambda: (third.poll(20), consumer.poll(20)))
    assert told.calls == [("revoked", {place})]
    assert consumer.position(place) == 10
    with pytest.raises(errors.CommitFailedError):
        consumer.commit()
    future = consumer.commit_async()
    wait_until(lambda: future.is_done)
    assert type(future.exception) is errors.CommitFailedError
    third.close()
    silent.close()
    assert consumer.committed(place) == 10


def test_a_member_that_was_fenced(
    make: MakeConsumer, ten: TopicPartition, group: str, kafka_cluster: MockCluster
) -> None:
    """Every commit raises FencedInstanceIdError, not only the first."""
    consumer = make(ten.topic, group_id=group, group_instance_id="one")
    many(consumer, 10)
    kafka_cluster.inject_errors("OffsetCommit", [KafkaError.FENCED_INSTANCE_ID])
    for _ in range(2):
        with pytest.raises(errors.FencedInstanceIdError):
            consumer.commit()


def test_brokers_that_cannot_say_where_to_begin(
    make: MakeConsumer, ten: TopicPartition, group: str, kafka_cluster: MockCluster
) -> None:
    """If a broker refuses OffsetFetch temporarily, the consumer repeats the request."""
    consumer = make(ten.topic, group_id=group)
    kafka_cluster.inject_errors("OffsetFetch", [KafkaError.REQUEST_TIMED_OUT])
    assert values(many(consumer, 10)) == TEN
    assert consumer.position(ten, timeout_ms=TIMEOUT * 1000) == 10


def test_a_topic_of_a_pattern_that_is_deleted(
    make: MakeConsumer, kafka_topic: str, group: str, kafka_cluster: MockCluster
) -> None:
    """A deleted topic that matched a pattern is not created again, and is no longer read. Topics
    that are subscribed to by name are created again."""
    kafka_cluster.create_topic(f"{kafka_topic}-more", 1)
    consumer = make(group_id=group, metadata_max_age_ms=100)
    consumer.subscribe(pattern=kafka_topic)
    joined(consumer, count=3)
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        (deleted,) = admin.delete_topics([f"{kafka_topic}-more"]).values()
        deleted.result()
    joined(consumer, count=2)
    until = monotonic() + 0.5  # librdkafka requests metadata several times in this time
    while monotonic() < until:
        consumer.poll(20)
    assert consumer.topics() == {kafka_topic}
