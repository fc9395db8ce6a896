"""Consumers as members of a group: subscribe(), rebalances, close()."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from confluent_kafka import (
    TIMESTAMP_CREATE_TIME,
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import FILLED, MakeConsumer
from tests.support.kafka import committed, joined, numbers, poll_values, send, values_of
from tests.support.patches import needs
from tests.support.waiting import SOON, TIMEOUT, Stopwatch, wait_until

# The brokers set sessions and heartbeats, not the members.
KIP_848 = {
    "group.protocol": "consumer",
    "session.timeout.ms": None,
    "heartbeat.interval.ms": None,
}


# ---- subscribe ----


@pytest.mark.kafka_topic(partitions=3)
def test_subscribe_reads_all_partitions(
    kafka_topic: str, producer: Producer, consumer: Consumer
) -> None:
    """If a group has one member, the member gets every partition and all messages."""
    for i in range(30):
        producer.produce(kafka_topic, b"%d" % i, partition=i % 3)
    assert producer.flush(TIMEOUT) == 0
    consumer.subscribe([kafka_topic])
    messages = consumer.consume(30, TIMEOUT)
    assert sorted(int(value or b"") for value in values_of(messages)) == list(range(30))
    assert sorted(consumer.assignment()) == [TopicPartition(kafka_topic, i) for i in range(3)]


def test_messages_have_all_fields(kafka_topic: str, producer: Producer, consumer: Consumer) -> None:
    """A consumed message has all produced fields, and its partition and offset."""
    producer.produce(kafka_topic, b"first")
    producer.produce(
        kafka_topic, b"value", b"key", timestamp=4711, headers=[("a", b"1"), ("a", None)]
    )
    assert producer.flush(TIMEOUT) == 0
    consumer.subscribe([kafka_topic])
    first, message = consumer.consume(2, TIMEOUT)
    assert (message.topic(), message.partition(), message.offset()) == (kafka_topic, 0, 1)
    assert (message.value(), message.key()) == (b"value", b"key")
    assert message.timestamp() == (TIMESTAMP_CREATE_TIME, 4711)
    assert message.headers() == [("a", b"1"), ("a", None)]
    assert message.error() is None
    assert message.latency() is None
    assert len(message) == len(b"value")
    assert first.headers() is None
    assert first.topic() is message.topic()


def test_rebalance_callbacks(kafka_topic: str, make_consumer: MakeConsumer) -> None:
    """on_assign and on_revoke get the consumer and the partitions; they run in poll()."""
    calls: list[tuple[str, Consumer, list[TopicPartition]]] = []
    consumer = make_consumer()
    consumer.subscribe(
        [kafka_topic],
        on_assign=lambda who, what: calls.append(("assign", who, what)),
        on_revoke=lambda who, what: calls.append(("revoke", who, what)),
        on_lost=lambda who, what: calls.append(("lost", who, what)),
    )
    partitions = [TopicPartition(kafka_topic, 0)]
    assert joined(consumer) == partitions
    assert calls == [("assign", consumer, partitions)]
    consumer.unsubscribe()
    wait_until(lambda: len(calls) > 1, lambda: consumer.poll(0.01))
    assert calls[1:] == [("revoke", consumer, partitions)]
    assert consumer.assignment() == []


@pytest.mark.parametrize("has_on_lost", [True, False])
def test_lost_partitions(
    kafka_cluster: MockCluster, kafka_topic: str, make_consumer: MakeConsumer, has_on_lost: bool
) -> None:
    """When the group has removed a member, on_lost is called, or on_revoke if there is no
    on_lost."""
    consumer = make_consumer({"session.timeout.ms": 1200})
    calls: list[str] = []
    callbacks: dict[str, Any] = {
        "on_assign": lambda *_: calls.append("assign"),
        "on_revoke": lambda *_: calls.append("revoke"),
    }
    if has_on_lost:
        callbacks["on_lost"] = lambda *_: calls.append("lost")
    consumer.subscribe([kafka_topic], **callbacks)
    joined(consumer)
    kafka_cluster.inject_errors("Heartbeat", [KafkaError.UNKNOWN_MEMBER_ID])
    wait_until(lambda: calls.count("assign") == 2, lambda: consumer.poll(0.01))
    assert calls == ["assign", "lost" if has_on_lost else "revoke", "assign"]


def test_close_revokes(kafka_topic: str, make_consumer: MakeConsumer) -> None:
    """close() calls on_revoke a last time, while the consumer still has its assignment."""
    calls: list[list[TopicPartition]] = []
    consumer = make_consumer()
    consumer.subscribe([kafka_topic], on_revoke=lambda who, _: calls.append(who.assignment()))
    joined(consumer)
    consumer.close()
    assert calls == [[TopicPartition(kafka_topic, 0)]]


def test_regular_expression(
    kafka_cluster: MockCluster, producer: Producer, make_consumer: MakeConsumer
) -> None:
    """'^...' subscribes to all topics that match, including topics that are created later."""
    consumer = make_consumer({"topic.metadata.refresh.interval.ms": 50})
    kafka_cluster.create_topic("logs-a")
    kafka_cluster.create_topic("other")
    consumer.subscribe(["^logs-.*"])
    assert joined(consumer) == [TopicPartition("logs-a", 0)]
    kafka_cluster.create_topic("logs-b")
    later = [TopicPartition("logs-a", 0), TopicPartition("logs-b", 0)]
    wait_until(lambda: sorted(consumer.assignment()) == later, lambda: consumer.poll(0.01))
    send(producer, "logs-b", [b"late"])
    assert poll_values(consumer, 1) == [b"late"]


def test_subscribe_replaces(kafka_cluster: MockCluster, consumer: Consumer) -> None:
    """A second subscribe() replaces the first one, including its callbacks."""
    kafka_cluster.create_topic("one")
    kafka_cluster.create_topic("two")
    calls: list[str] = []
    consumer.subscribe(("one",), on_assign=lambda *_: calls.append("first"))
    assert joined(consumer) == [TopicPartition("one", 0)]
    consumer.subscribe(["two"], on_assign=lambda *_: calls.append("second"))
    wait_until(
        lambda: consumer.assignment() == [TopicPartition("two", 0)],
        lambda: consumer.poll(0.01),
    )
    assert calls == ["first", "second"]


@pytest.mark.parametrize("topics", [[], [""], ["^("]])
def test_wrong_subscriptions(consumer: Consumer, topics: list[str]) -> None:
    """An empty list, an empty name and an invalid pattern are refused with _INVALID_ARG."""
    with pytest.raises(KafkaException) as caught:
        consumer.subscribe(topics)
    assert caught.value.args[0] == KafkaError._INVALID_ARG


@pytest.mark.kafka_topic(partitions=4)
@pytest.mark.parametrize("strategy", ["range", "roundrobin", "cooperative-sticky"])
def test_two_members_share(kafka_topic: str, make_consumer: MakeConsumer, strategy: str) -> None:
    """With each assignor, a second member takes half of the partitions, even without callbacks."""
    members = [make_consumer({"partition.assignment.strategy": strategy}) for _ in range(2)]
    members[0].subscribe([kafka_topic])
    assert len(joined(members[0])) == 4
    members[1].subscribe([kafka_topic])

    def poll_both() -> None:
        for member in members:
            member.poll(0.01)

    wait_until(lambda: [len(m.assignment()) for m in members] == [2, 2], poll_both)
    assert sorted(members[0].assignment() + members[1].assignment()) == [
        TopicPartition(kafka_topic, i) for i in range(4)
    ]


@pytest.mark.kafka_topic(partitions=4)
def test_kip_848_group(
    kafka_cluster: MockCluster, kafka_topic: str, make_consumer: MakeConsumer
) -> None:
    """The group protocol of Kafka 4 uses the same callbacks."""
    kafka_cluster.set_group_consumer_heartbeat_interval(0.05)
    calls: list[str] = []

    def member(name: str) -> Consumer:
        consumer = make_consumer(KIP_848)
        consumer.subscribe(
            [kafka_topic],
            on_assign=lambda _, what: calls.extend(f"{name} +" for _ in what),
            on_revoke=lambda _, what: calls.extend(f"{name} -" for _ in what),
        )
        return consumer

    one = member("one")
    wait_until(lambda: len(one.assignment()) == 4, lambda: one.poll(0.01))
    two = member("two")

    def poll_both() -> None:
        one.poll(0.01)
        two.poll(0.01)

    wait_until(lambda: len(one.assignment()) == len(two.assignment()) == 2, poll_both)
    assert calls == ["one +"] * 4 + ["one -"] * 2 + ["two +"] * 2


# ---- the group ----


def test_member_id(kafka_topic: str, consumer: Consumer) -> None:
    """memberid() is None until the consumer is a member; then it is the coordinator's id."""
    assert consumer.memberid() is None
    consumer.subscribe([kafka_topic])
    joined(consumer)
    member = consumer.memberid()
    assert isinstance(member, str)
    assert member


def test_group_metadata(kafka_topic: str, consumer: Consumer) -> None:
    """The metadata of the group is bytes, which change with the membership."""
    before = consumer.consumer_group_metadata()
    assert isinstance(before, bytes)
    consumer.subscribe([kafka_topic])
    joined(consumer)
    assert consumer.consumer_group_metadata() != before


# ---- close ----


def test_close_commits_what_was_returned(filled: str, make_consumer: MakeConsumer) -> None:
    """With enable.auto.commit, the next member continues after the last returned message."""
    config = {"enable.auto.commit": True}
    first = make_consumer(config)
    first.subscribe([filled])
    assert poll_values(first, 20) == numbers(0, 20)
    first.close()
    second = make_consumer(config)
    second.subscribe([filled])
    assert values_of(second.consume(80, TIMEOUT)) == numbers(20, FILLED)


def test_close_leaves_the_group(
    kafka_cluster: MockCluster, filled: str, make_consumer: MakeConsumer
) -> None:
    """When a member closes, the next member gets its partitions at once, and not after the session
    ends."""
    kafka_cluster.set_group_consumer_heartbeat_interval(0.05)
    kafka_cluster.set_group_consumer_session_timeout(3600)
    first = make_consumer(KIP_848)
    first.subscribe([filled])
    assert poll_values(first, 1) == [b"0"]
    first.close()
    second = make_consumer(KIP_848)
    second.subscribe([filled])
    assert poll_values(second, 1) == [b"0"]


def test_close_leaves_a_classic_group(
    kafka_cluster: MockCluster, kafka_topic: str, make_consumer: MakeConsumer
) -> None:
    """close() sends the coordinator one request to leave the group."""
    consumer = make_consumer()
    consumer.subscribe([kafka_topic])
    joined(consumer)
    kafka_cluster.start_request_tracking()
    consumer.close()
    assert [r.request for r in kafka_cluster.requests()].count("LeaveGroup") == 1


@needs("mock-lost-member")
def test_close_after_assign_and_subscribe(
    kafka_cluster: MockCluster, filled: str, make_consumer: MakeConsumer
) -> None:
    """close() does not wait for a member that left before it had joined.

    Without mock-lost-member.patch, close() waited: it commits first, and the broker answered the
    commit only after this member's JoinGroup, which waited for the member that had left.
    """

    def asked_to_join(consumer: Consumer, count: int) -> None:
        wait_until(
            # It takes longer if the broker notices late that the first member has left.
            lambda: [r.request for r in kafka_cluster.requests()].count("JoinGroup") >= count,
            lambda: consumer.poll(0.01),
        )

    kafka_cluster.start_request_tracking()
    # the broker does not answer the first JoinGroup
    kafka_cluster.set_group_initial_rebalance_delay(600)
    first = make_consumer()
    first.subscribe([filled])
    asked_to_join(first, 1)
    first.close()
    kafka_cluster.set_group_initial_rebalance_delay(0)
    second = make_consumer({"enable.auto.commit": True, "session.timeout.ms": 45_000})
    second.assign([TopicPartition(filled, 0, 0)])
    assert poll_values(second, 1) == [b"0"]
    second.subscribe([filled])
    asked_to_join(second, 2)
    watch = Stopwatch()
    second.close()
    assert watch.elapsed < SOON


@pytest.mark.kafka_topic(partitions=3)
def test_subscription(kafka_topic: str, consumer: Consumer) -> None:
    """subscription() returns the names and patterns of subscribe(), and ignores assign()."""
    assert consumer.subscription() == []
    consumer.assign([TopicPartition(kafka_topic, 0)])
    assert consumer.subscription() == []
    consumer.subscribe([kafka_topic, "^other.*"])
    assert sorted(consumer.subscription()) == sorted([kafka_topic, "^other.*"])
    consumer.unsubscribe()
    assert consumer.subscription() == []


def test_a_commit_in_the_background_before_close(filled: str, make_consumer: MakeConsumer) -> None:
    """close() waits for commits under way and runs their on_commit."""
    calls: list[KafkaError | None] = []
    consumer = make_consumer({"on_commit": lambda error, _: calls.append(error)})
    consumer.subscribe([filled])
    assert poll_values(consumer, 1) == [b"0"]
    consumer.commit()
    consumer.close()
    assert calls == [None]
    assert committed(make_consumer(), filled) == 1


def test_a_commit_answered_during_the_last_callback(
    filled: str, make_consumer: MakeConsumer
) -> None:
    """close() runs the on_commit of an answer that came while it ran another callback."""
    calls: list[KafkaError | None] = []
    closing = threading.Event()
    other = make_consumer()

    def stats_cb(_: str) -> None:
        if closing.is_set():
            wait_until(lambda: committed(other, filled) == 1)

    consumer = make_consumer(
        {
            "on_commit": lambda error, _: calls.append(error),
            "stats_cb": stats_cb,
            "statistics.interval.ms": 1,
        }
    )
    consumer.assign([TopicPartition(filled, 0, 0)])
    assert poll_values(consumer, 1) == [b"0"]
    closing.set()
    consumer.commit()
    consumer.close()
    assert calls == [None]


def test_close_drops_what_nobody_has_seen(
    kafka_cluster: MockCluster, filled: str, make_consumer: MakeConsumer
) -> None:
    """close() does not commit messages that were fetched but not returned."""
    kafka_cluster.start_request_tracking()
    first = make_consumer({"enable.auto.commit": True, "auto.commit.interval.ms": 10})
    first.subscribe([filled])
    assert poll_values(first, 1) == [b"0"]
    wait_until(lambda: "OffsetCommit" in [r.request for r in kafka_cluster.requests()])
    first.close()
    assert committed(make_consumer(), filled) == 1
