"""Subscriptions to patterns, and topics that are created later."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from confluent_kafka import Consumer, KafkaError, TopicPartition
from confluent_kafka.admin import AdminClient
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.integration.topics import create_topic, delete_topic
from tests.support.kafka import send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]


@pytest.fixture(params=["classic", "consumer"])
def member(request: pytest.FixtureRequest, kafka: KafkaCluster, group: str) -> Iterator[Consumer]:
    """A consumer in a group that looks for new topics five times a second.

    With the protocol `consumer`, the brokers look for new topics, at most once in ten seconds.
    """
    config = {
        "enable.auto.commit": True,  # otherwise a rebalance would start at the beginning again
        "group.id": group,
        "group.protocol": request.param,
        "topic.metadata.refresh.interval.ms": 200,
    }
    if request.param == "classic":
        config |= {"session.timeout.ms": 6000, "heartbeat.interval.ms": 200}
    with reader(kafka, config) as consumer:
        yield consumer


@pytest.fixture
def prefix() -> str:
    """The prefix of the names of a test's topics."""
    return f"pattern-{uuid.uuid4().hex[:12]}"


def assigned_topics(member: Consumer) -> set[str]:
    return {each.topic for each in member.assignment()}


def test_topics_that_come_later(kafka: KafkaCluster, member: Consumer, prefix: str) -> None:
    """A new topic that matches is read from its beginning; other topics are not read."""
    create_topic(kafka, f"{prefix}-one")
    create_topic(kafka, f"not-{prefix}-one")
    values: list[bytes | None] = []

    def poll() -> None:
        message = member.poll(0.1)
        if message is not None:
            assert message.error() is None, message.error()
            values.append(message.value())

    member.subscribe([f"^{prefix}-.*"])
    with writer(kafka) as producer:
        send(producer, f"{prefix}-one", [b"one"])
        send(producer, f"not-{prefix}-one", [b"not"])
        wait_until(lambda: values == [b"one"], poll)
        assert assigned_topics(member) == {f"{prefix}-one"}
        create_topic(kafka, f"{prefix}-two", partitions=2)
        send(producer, f"{prefix}-two", [b"two"])
        wait_until(lambda: values == [b"one", b"two"], poll)
    names = [(each.topic, each.partition) for each in member.assignment()]
    expected = [(f"{prefix}-one", 0), (f"{prefix}-two", 0), (f"{prefix}-two", 1)]
    assert sorted(names) == expected


def test_a_pattern_beside_a_name(kafka: KafkaCluster, member: Consumer, prefix: str) -> None:
    """One subscription may contain a pattern and a name."""
    for name in (f"{prefix}-1", f"{prefix}-2", f"name-{prefix}"):
        create_topic(kafka, name)
    member.subscribe([f"^{prefix}-[0-9]$", f"name-{prefix}"])
    expected = {f"{prefix}-1", f"{prefix}-2", f"name-{prefix}"}
    wait_until(lambda: assigned_topics(member) == expected, lambda: member.poll(0.1))


@pytest.mark.parametrize("member", ["classic"], indirect=True)
def test_a_pattern_without_topics(kafka: KafkaCluster, member: Consumer, prefix: str) -> None:
    """If no topic matches yet, there is no error; the first topic that appears is read."""
    member.subscribe([f"^{prefix}-.*"])
    for _ in range(5):
        message = member.poll(0.1)
        assert message is None or message.error() == KafkaError.UNKNOWN_TOPIC_OR_PART
    create_topic(kafka, f"{prefix}-first")
    wait_until(
        lambda: member.assignment() == [TopicPartition(f"{prefix}-first", 0)],
        lambda: member.poll(0.1),
    )


@needs("pattern-creation")
@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_deleted_topic_is_not_created_again(
    kafka: KafkaCluster, group: str, prefix: str, protocol: str
) -> None:
    """A consumer that may create topics does not create a deleted topic that matched its
    pattern."""
    kept, deleted = f"{prefix}-kept", f"{prefix}-deleted"
    for name in (kept, deleted):
        create_topic(kafka, name)
    config = {
        "allow.auto.create.topics": True,
        "group.id": group,
        "group.protocol": protocol,
        "statistics.interval.ms": 50,
        "topic.metadata.refresh.interval.ms": 100,
    }
    with reader(kafka, config) as member, AdminClient(kafka.config()) as admin:

        def asked() -> int:
            """The member's requests for metadata."""
            known = member.stats()
            assert known is not None
            return sum(broker.req.get("Metadata", 0) for broker in known.brokers.values())

        def poll() -> None:
            member.poll(0.05)

        member.subscribe([f"^{prefix}-.*"])
        wait_until(lambda: assigned_topics(member) == {kept, deleted}, poll)
        delete_topic(kafka, deleted)
        wait_until(lambda: assigned_topics(member) == {kept}, poll)
        before = asked()
        wait_until(lambda: asked() >= before + 5, poll)
        assert deleted not in admin.list_topics(timeout=TIMEOUT).topics
        assert assigned_topics(member) == {kept}
