"""Log directories on real brokers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from confluent_kafka import KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ReplicaLogDirInfo,
    TopicPartitionReplica,
)
from tests.integration.kafka_cluster import KafkaCluster
from tests.support.kafka import send
from tests.support.patches import needs
from tests.support.real_kafka import MakeTopic
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, needs("raw-request"), pytest.mark.both_clusters]


@pytest.fixture
def admin(kafka: KafkaCluster) -> Iterator[AdminClient]:
    with AdminClient(kafka.config()) as admin:
        yield admin


def test_describe_log_dirs(kafka: KafkaCluster, admin: AdminClient, topic: str) -> None:
    """Each replica is in one of its broker's directories, and has a size there."""
    with Producer(kafka.config()) as producer:
        send(producer, topic, [b"x" * 1000])
    cluster = admin.list_topics(topic)
    place = TopicPartition(topic, 0)
    leader = cluster.topics[topic].partitions[0].leader
    found = admin.describe_log_dirs(list(cluster.brokers))
    sizes = {}
    for broker, future in found.items():
        for path, directory in future.result(TIMEOUT).items():
            assert path.startswith("/")
            assert directory.error is None
            assert 0 < (directory.usable_bytes or 0) <= (directory.total_bytes or 0)
            if place in directory.replicas:
                sizes[broker] = directory.replicas[place]
    assert sizes.keys() == set(cluster.topics[topic].partitions[0].replicas)
    assert sizes[leader].size > 1000
    assert (sizes[leader].offset_lag, sizes[leader].is_future) == (0, False)


@pytest.fixture
def slow_disk(admin: AdminClient) -> Iterator[int]:
    """The id of a broker that needs eleven seconds to move a batch between its directories."""
    _limit_moves(admin, AlterConfigOpType.SET, "1")
    yield 2
    _limit_moves(admin, AlterConfigOpType.DELETE, None)


def _limit_moves(admin: AdminClient, operation: AlterConfigOpType, rate: str | None) -> None:
    entry = ConfigEntry(
        "replica.alter.log.dirs.io.max.bytes.per.second", rate, incremental_operation=operation
    )
    broker = ConfigResource("broker", "2", incremental_configs=[entry])
    admin.incremental_alter_configs([broker])[broker].result(TIMEOUT)


def _info(admin: AdminClient, replica: TopicPartitionReplica) -> ReplicaLogDirInfo:
    return admin.describe_replica_log_dirs([replica])[replica].result(TIMEOUT)


def test_move(
    kafka: KafkaCluster, admin: AdminClient, slow_disk: int, make_topic: MakeTopic
) -> None:
    """During a move, a replica is in both directories; afterwards it is only in the new one."""
    # The fixture has limited the rate: when the new topic exists, the broker has the new rate.
    topic = make_topic()
    with Producer(kafka.config(), acks="all") as producer:
        for _ in range(12):
            send(producer, topic, [b"x" * 900_000])
    replica = TopicPartitionReplica(topic, 0, slow_disk)
    wait_until(lambda: _info(admin, replica).current_replica_offset_lag == 0)
    here = _info(admin, replica).current_replica_log_dir
    paths = admin.describe_log_dirs([slow_disk])[slow_disk].result(TIMEOUT)
    there = next(path for path in paths if path != here)
    assert admin.alter_replica_log_dirs({replica: there})[replica].result(TIMEOUT) is None
    moving = _info(admin, replica)
    assert 0 < (moving.future_replica_offset_lag or 0) <= 12
    assert moving == ReplicaLogDirInfo(here, 0, there, moving.future_replica_offset_lag)
    _limit_moves(admin, AlterConfigOpType.DELETE, None)
    wait_until(lambda: _info(admin, replica) == ReplicaLogDirInfo(there, 0))


@pytest.fixture
def replicated(admin: AdminClient, topic: str) -> str:
    """A topic with a replica on each broker, after all brokers have created their replicas."""
    replicas = [TopicPartitionReplica(topic, 0, broker) for broker in (1, 2, 3)]
    wait_until(lambda: all(_info(admin, one).current_replica_log_dir for one in replicas))
    return topic


def test_replicas_of_several_brokers(admin: AdminClient, replicated: str) -> None:
    """The client asks each broker for its own replicas. If a broker does not have a replica, the
    result contains no directory."""
    topic = replicated
    replicas = [TopicPartitionReplica(topic, 0, broker) for broker in (1, 2, 3)]
    nowhere = TopicPartitionReplica(topic, 7, 3)
    futures = admin.describe_replica_log_dirs([*replicas, nowhere])
    assert list(futures) == [*replicas, nowhere]
    for replica in replicas:
        assert futures[replica].result(TIMEOUT).current_replica_log_dir
    assert futures[nowhere].result(TIMEOUT) == ReplicaLogDirInfo()


def test_each_replica_has_its_own_error(admin: AdminClient, replicated: str) -> None:
    """If a broker refuses one replica, the requests for other replicas still succeed."""
    one, two = (TopicPartitionReplica(replicated, 0, broker) for broker in (1, 2))
    missing = TopicPartitionReplica(replicated, 7, 2)
    here = _info(admin, two).current_replica_log_dir
    assert here
    futures = admin.alter_replica_log_dirs({one: "/not/there", two: here, missing: here})
    assert futures[two].result(TIMEOUT) is None
    codes = []
    for replica in (one, missing):
        error = futures[replica].exception(TIMEOUT)
        assert isinstance(error, KafkaException)
        codes.append(error.code())
    assert codes == [KafkaError.LOG_DIR_NOT_FOUND, KafkaError.UNKNOWN_TOPIC_OR_PART]


def test_broker_that_is_not_there(admin: AdminClient) -> None:
    """If a broker does not exist, its future fails after the timeout."""
    error = admin.describe_log_dirs([77], request_timeout=0.5)[77].exception(TIMEOUT)
    assert isinstance(error, KafkaException)
    assert error.code() == KafkaError._TIMED_OUT
