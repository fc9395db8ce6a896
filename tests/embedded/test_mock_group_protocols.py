"""Groups of the embedded cluster: strategies of their members, and assignment by the brokers."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.testing import MockCluster
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

TOPIC = "shared"


@pytest.fixture
def cluster(kafka_cluster: MockCluster) -> MockCluster:
    kafka_cluster.create_topic(TOPIC, partitions=4)
    return kafka_cluster


def member(cluster: MockCluster, strategies: str) -> Consumer:
    """A consumer that has subscribed to the topic."""
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": "group",
            "partition.assignment.strategy": strategies,
            "session.timeout.ms": 6000,
            "heartbeat.interval.ms": 100,
            "log_level": 0,
        }
    )
    consumer.subscribe([TOPIC])
    return consumer


@needs("mock-unlike-protocols")
def test_nothing_in_common(cluster: MockCluster) -> None:
    """A member without a common strategy is refused, and the other members keep their
    partitions."""
    with member(cluster, "range") as first:
        wait_until(lambda: len(first.assignment()) == 4, lambda: first.poll(0.01))
        with member(cluster, "cooperative-sticky") as second:
            refused: list[int] = []

            def look() -> None:
                first.poll(0.01)
                try:
                    message = second.poll(0.01)
                except KafkaException as failure:
                    refused.append(failure.args[0].code())
                else:
                    if message is not None and (error := message.error()) is not None:
                        refused.append(error.code())

            wait_until(lambda: refused, look)
            assert set(refused) == {KafkaError.INCONSISTENT_GROUP_PROTOCOL}
            assert len(first.assignment()) == 4
            assert second.assignment() == []


@needs("mock-unlike-protocols")
@pytest.mark.parametrize(
    "strategies",
    [("range", "roundrobin,range"), ("roundrobin,range", "range"), ("range,roundrobin",) * 2],
    ids=["the second has two", "the first has two", "both have two"],
)
def test_one_in_common(cluster: MockCluster, strategies: tuple[str, str]) -> None:
    """Members share the partitions by a strategy that all have."""
    with ExitStack() as stack:
        members = [stack.enter_context(member(cluster, each)) for each in strategies]

        def poll() -> None:
            for each in members:
                each.poll(0.01)

        wait_until(lambda: [len(each.assignment()) for each in members] == [2, 2], poll)
        shared = [place.partition for each in members for place in each.assignment()]
    assert sorted(shared) == [0, 1, 2, 3]


def new_member(cluster: MockCluster, topic: str = TOPIC) -> Consumer:
    """A member of a group with the protocol of KIP-848."""
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": "group",
            "group.protocol": "consumer",
            "log_level": 0,
        }
    )
    consumer.subscribe([topic])
    return consumer


def members_of(cluster: MockCluster) -> int:
    with AdminClient({"bootstrap.servers": cluster.bootstrap_servers}) as admin:
        return len(admin.describe_consumer_groups(["group"])["group"].result(TIMEOUT).members)


@needs("mock-partial-assignment")
def test_a_member_that_waits_for_partitions(cluster: MockCluster) -> None:
    """A member that has no partitions yet, because another one holds them, can leave the group."""
    cluster.set_group_consumer_heartbeat_interval(0.05)
    with new_member(cluster) as first:
        wait_until(lambda: len(first.assignment()) == 4, lambda: first.poll(0.01))
        with new_member(cluster) as second:
            # The first member does not poll, so it does not revoke.
            wait_until(lambda: members_of(cluster) == 2, lambda: second.poll(0.01))
            assert second.assignment() == []
        wait_until(lambda: members_of(cluster) == 1)


@needs("mock-partial-assignment")
def test_partitions_that_are_free(cluster: MockCluster) -> None:
    """A member gets the partitions that are free while it waits for another one."""
    cluster.set_group_consumer_heartbeat_interval(0.05)
    cluster.create_topic("ten", partitions=10)
    with ExitStack() as open_members:
        members: list[Consumer] = []
        for number in range(1, 6):
            members.append(open_members.enter_context(new_member(cluster, "ten")))
            wait_until(
                lambda number=number: members_of(cluster) == number,  # type: ignore[misc]
                lambda: poll(*members),
            )
        wait_until(
            lambda: all(len(each.assignment()) == 2 for each in members), lambda: poll(*members)
        )
        # The coordinator assigns ranges in the order in which members joined. With two members
        # left, each shall have five partitions, and one of them is the middle one's.
        waiting, _, middle, *_ = members
        for each in members:
            if each not in (waiting, middle):
                each.close()
        wait_until(lambda: len(waiting.assignment()) == 4, lambda: poll(waiting))
        assert len(middle.assignment()) == 2
        wait_until(
            lambda: len(waiting.assignment()) == len(middle.assignment()) == 5,
            lambda: poll(waiting, middle),
        )


def poll(*consumers: Consumer) -> None:
    for each in consumers:
        each.poll(0.01)
