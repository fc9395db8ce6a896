"""Groups of the embedded cluster whose members have several assignment strategies."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException
from confluent_kafka.testing import MockCluster
from tests.support.patches import needs
from tests.support.waiting import wait_until

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
