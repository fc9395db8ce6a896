"""partitioner.rack.aware: messages without a key go to partitions whose leader is in the producer's
rack (KIP-1123)."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka import Producer
from confluent_kafka.testing import MockCluster
from tests.embedded.conftest import MakeProducer
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

RACKS = {1: "a", 2: "b", 3: "b"}
LEADERS = {0: 1, 1: 2, 2: 3, 3: 1, 4: 2, 5: 3}
# Without sticky partitions, the producer chooses a partition for each message.
AWARE = {"partitioner.rack.aware": True, "sticky.partitioning.linger.ms": 0}
COUNT = 200


@pytest.fixture
def topic(kafka_cluster: MockCluster, request: pytest.FixtureRequest) -> str:
    name = request.node.originalname
    kafka_cluster.create_topic(name, len(LEADERS))
    for broker, rack in RACKS.items():
        kafka_cluster.set_rack(broker, rack)
    for partition, leader in LEADERS.items():
        kafka_cluster.set_leader(name, partition, leader)
    return str(name)


def partitions_of(producer: Producer, topic: str, **message: Any) -> set[int]:
    """Send messages, and return the partitions that they went to."""
    chosen: set[int] = set()
    for _ in range(COUNT):
        producer.produce(
            topic, b"value", on_delivery=lambda _, sent: chosen.add(sent.partition()), **message
        )
    assert producer.flush(TIMEOUT) == 0
    return chosen


@needs("producer-racks")
@pytest.mark.parametrize(
    ("config", "partitions"),
    [
        (AWARE | {"client.rack": "a"}, {0, 3}),
        (AWARE | {"client.rack": "b"}, {1, 2, 4, 5}),
        (AWARE | {"client.rack": "a", "partitioner": "murmur2_random"}, {0, 3}),
        (AWARE | {"client.rack": "no such rack"}, set(LEADERS)),
        (AWARE, set(LEADERS)),
        ({"client.rack": "a", "sticky.partitioning.linger.ms": 0}, set(LEADERS)),
    ],
    ids=["one leader", "two leaders", "another partitioner", "other rack", "no rack", "not aware"],
)
def test_messages_stay_in_the_rack(
    topic: str, make_producer: MakeProducer, config: dict[str, Any], partitions: set[int]
) -> None:
    """Every partition of the rack is chosen, and no other one. If the rack has no leader, or the
    option is not set, all partitions are chosen."""
    assert partitions_of(make_producer(config), topic) == partitions


@needs("producer-racks")
def test_sticky_partitions_are_in_the_rack(topic: str, make_producer: MakeProducer) -> None:
    """By default, one partition of the rack takes all messages for a while."""
    producer = make_producer({"partitioner.rack.aware": True, "client.rack": "a"})
    chosen = partitions_of(producer, topic)
    assert chosen
    assert chosen <= {0, 3}


@needs("producer-racks")
def test_keys_and_partitions_decide_first(topic: str, make_producer: MakeProducer) -> None:
    """The rack has no effect on messages that have a key or a partition."""
    producer = make_producer(AWARE | {"client.rack": "a"})
    assert partitions_of(producer, topic, partition=4) == {4}
    other = make_producer({"client.rack": "a"})
    for key in (b"one", b"two", b"three"):
        assert partitions_of(producer, topic, key=key) == partitions_of(other, topic, key=key)


@needs("producer-racks")
def test_a_leader_moves_to_another_rack(
    kafka_cluster: MockCluster, topic: str, make_producer: MakeProducer
) -> None:
    """After new metadata, the producer follows the leaders of its rack."""
    producer = make_producer(AWARE | {"client.rack": "a"})
    assert partitions_of(producer, topic) == {0, 3}
    kafka_cluster.set_leader(topic, 0, 3)
    kafka_cluster.set_leader(topic, 4, 1)
    wait_until(
        lambda: partitions_of(producer, topic) == {3, 4},
        lambda: producer.list_topics(topic, TIMEOUT),
    )
    kafka_cluster.set_rack(1, "c")
    kafka_cluster.set_rack(2, "a")
    wait_until(
        lambda: partitions_of(producer, topic) == {1},
        lambda: producer.list_topics(topic, TIMEOUT),
    )
