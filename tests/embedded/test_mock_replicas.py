"""Replicas of the embedded cluster: elections, reassignments and moves between directories."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from confluent_kafka import ElectionType, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
    ReplicaLogDirInfo,
    TopicPartitionReplica,
)
from confluent_kafka.testing import MockCluster
from tests.support.kafka import send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = needs("mock-on-request", "mock-replicas", "mock-snapshot", "raw-request")

PLACE = TopicPartition("orders", 0)


@pytest.fixture
def admin(kafka_cluster: MockCluster) -> Iterator[AdminClient]:
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        yield admin


def create(admin: AdminClient, replicas: list[int]) -> None:
    """Create a topic whose replicas are throttled on brokers that have a rate."""
    config = {"follower.replication.throttled.replicas": "*"}
    topic = NewTopic("orders", replica_assignment=[replicas], config=config)
    admin.create_topics([topic])["orders"].result(TIMEOUT)


def limit(admin: AdminClient, name: str, rate: int | None) -> None:
    """Set the rate of broker 2, in bytes a second, or remove it."""
    operation = AlterConfigOpType.DELETE if rate is None else AlterConfigOpType.SET
    value = None if rate is None else str(rate)
    entry = ConfigEntry(name, value, incremental_operation=operation)
    broker = ConfigResource("broker", "2", incremental_configs=[entry])
    admin.incremental_alter_configs([broker])[broker].result(TIMEOUT)


def placed(admin: AdminClient) -> tuple[int, list[int]]:
    partition = admin.list_topics("orders").topics["orders"].partitions[0]
    return partition.leader, partition.replicas


def elect(admin: AdminClient, kind: ElectionType) -> int:
    (error,) = admin.elect_leaders(kind, [PLACE]).result(TIMEOUT).values()
    return 0 if error is None else error.code()


def test_preferred_leader(admin: AdminClient, kafka_cluster: MockCluster) -> None:
    """The first replica becomes the leader again, unless its broker is down."""
    create(admin, [2, 1])
    assert elect(admin, ElectionType.PREFERRED) == KafkaError.ELECTION_NOT_NEEDED
    kafka_cluster.set_leader("orders", 0, 1)
    kafka_cluster.set_broker_down(2)
    assert elect(admin, ElectionType.PREFERRED) == KafkaError.PREFERRED_LEADER_NOT_AVAILABLE
    kafka_cluster.set_broker_up(2)
    assert elect(admin, ElectionType.PREFERRED) == 0
    assert placed(admin) == (2, [2, 1])


def test_any_leader(admin: AdminClient, kafka_cluster: MockCluster) -> None:
    """An unclean election chooses a replica that is up, if the partition has no leader."""
    create(admin, [2, 3])
    assert elect(admin, ElectionType.UNCLEAN) == KafkaError.ELECTION_NOT_NEEDED
    kafka_cluster.set_broker_down(2)
    assert elect(admin, ElectionType.UNCLEAN) == 0
    assert placed(admin)[0] == 3
    kafka_cluster.set_broker_down(3)
    assert elect(admin, ElectionType.UNCLEAN) == KafkaError.ELIGIBLE_LEADERS_NOT_AVAILABLE


def test_only_the_partitions_that_needed_it(admin: AdminClient, kafka_cluster: MockCluster) -> None:
    """An election of all partitions returns only the partitions with a new leader."""
    create(admin, [2, 1])
    assert admin.elect_leaders(ElectionType.PREFERRED).result(TIMEOUT) == {}
    kafka_cluster.set_leader("orders", 0, 1)
    assert admin.elect_leaders(ElectionType.PREFERRED).result(TIMEOUT) == {PLACE: None}


def test_a_reassignment_takes_its_time(admin: AdminClient, kafka_cluster: MockCluster) -> None:
    """A reassignment ends when the data is copied at the rate of the receiving broker."""
    create(admin, [1])
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        send(producer, "orders", [b"x" * 100_000])
    limit(admin, "follower.replication.throttled.rate", 1)
    admin.alter_partition_reassignments({PLACE: [2, 3]})[PLACE].result(TIMEOUT)
    assert placed(admin) == (1, [2, 3, 1])
    limit(admin, "follower.replication.throttled.rate", 1_000_000)
    wait_until(lambda: admin.list_partition_reassignments().result(TIMEOUT) == {})
    assert placed(admin) == (2, [2, 3])


def test_the_topic_goes_meanwhile(admin: AdminClient, kafka_cluster: MockCluster) -> None:
    """Moves of a deleted topic have no effect on a new topic of the same name."""
    create(admin, [1])
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        send(producer, "orders", [b"x" * 1000])
    limit(admin, "follower.replication.throttled.rate", 1)
    admin.alter_partition_reassignments({PLACE: [2]})[PLACE].result(TIMEOUT)
    admin.delete_topics(["orders"])["orders"].result(TIMEOUT)
    create(admin, [1])
    assert admin.list_partition_reassignments().result(TIMEOUT) == {}
    assert placed(admin) == (1, [1])


def test_a_replica_stays_where_it_is(admin: AdminClient, kafka_cluster: MockCluster) -> None:
    """If a replica is moved to its own directory, a move in progress ends."""
    create(admin, [2])
    with Producer({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as producer:
        send(producer, "orders", [b"x" * 1000])
    limit(admin, "replica.alter.log.dirs.io.max.bytes.per.second", 1)
    replica = TopicPartitionReplica("orders", 0, 2)

    def move(path: str) -> ReplicaLogDirInfo:
        admin.alter_replica_log_dirs({replica: path})[replica].result(TIMEOUT)
        return admin.describe_replica_log_dirs([replica])[replica].result(TIMEOUT)

    assert move("/embedded-2") == ReplicaLogDirInfo("/embedded", 0, "/embedded-2", 1)
    assert move("/embedded") == ReplicaLogDirInfo("/embedded", 0)


def test_a_broker_without_the_replica(admin: AdminClient) -> None:
    """A broker cannot move a replica that it does not have."""
    create(admin, [1])
    replica = TopicPartitionReplica("orders", 0, 3)
    moved = admin.alter_replica_log_dirs({replica: "/embedded-2"})[replica]
    with pytest.raises(KafkaException) as caught:
        moved.result(TIMEOUT)
    assert caught.value.code() == KafkaError.NOT_LEADER_FOR_PARTITION


def test_brokers_that_cannot_be(admin: AdminClient) -> None:
    """A partition needs replicas on different brokers."""
    create(admin, [1])
    refused = admin.alter_partition_reassignments({PLACE: [1, 1]})[PLACE]
    with pytest.raises(KafkaException) as caught:
        refused.result(TIMEOUT)
    assert caught.value.code() == KafkaError.INVALID_REPLICA_ASSIGNMENT
