"""list_topics(): what the cluster says about itself, as objects."""

from __future__ import annotations

from confluent_kafka import Consumer, KafkaError, Producer
from confluent_kafka.admin import ClusterMetadata
from confluent_kafka.testing import MockCluster
from tests.support.refcounts import assert_no_leaks
from tests.support.waiting import wait_until


def test_brokers_and_topics(kafka_cluster: MockCluster, producer: Producer) -> None:
    """Brokers, topics, partitions, leaders and replicas are those of the cluster."""
    kafka_cluster.create_topic("t", partitions=4, replication_factor=2)
    kafka_cluster.create_topic("u")
    kafka_cluster.set_leader("t", 1, 2)
    cluster = producer.list_topics(timeout=30)
    assert isinstance(cluster, ClusterMetadata)
    addresses = {f"{broker.host}:{broker.port}" for broker in cluster.brokers.values()}
    assert addresses == set(kafka_cluster.bootstrap_servers.split(","))
    assert {broker.id for broker in cluster.brokers.values()} == set(cluster.brokers)
    assert cluster.orig_broker_name
    assert set(cluster.topics) == {"t", "u"}
    topic = cluster.topics["t"]
    assert (topic.topic, topic.error, sorted(topic.partitions)) == ("t", None, [0, 1, 2, 3])
    partition = topic.partitions[1]
    assert (partition.id, partition.leader, partition.error) == (1, 2, None)
    assert len(partition.replicas) == 2
    assert sorted(partition.isrs) == sorted(partition.replicas)
    assert set(partition.replicas) <= set(cluster.brokers)


def test_cluster_id_and_controller(kafka_cluster: MockCluster, consumer: Consumer) -> None:
    """Both are there once the client has heard of them."""

    def known() -> bool:
        cluster = consumer.list_topics(timeout=30)
        return cluster.cluster_id is not None and cluster.controller_id >= 0

    wait_until(known)
    assert consumer.list_topics(timeout=30).cluster_id == consumer.cluster_id(timeout=30)


def test_unknown_topic(consumer: Consumer) -> None:
    """A topic that does not exist is in the result, with its error (a producer creates it)."""
    cluster = consumer.list_topics("not-there", timeout=30)
    assert list(cluster.topics) == ["not-there"]
    topic = cluster.topics["not-there"]
    assert topic.error == KafkaError.UNKNOWN_TOPIC_OR_PART
    assert topic.partitions == {}


def test_topic_error(kafka_cluster: MockCluster, kafka_topic: str, producer: Producer) -> None:
    """A topic's error is a KafkaError, shown in the repr."""
    kafka_cluster.set_topic_error(kafka_topic, KafkaError.TOPIC_AUTHORIZATION_FAILED)
    topic = producer.list_topics(kafka_topic, timeout=30).topics[kafka_topic]
    assert topic.error == KafkaError.TOPIC_AUTHORIZATION_FAILED
    assert "TOPIC_AUTHORIZATION_FAILED" in repr(topic)


def test_partition_without_a_leader(
    kafka_cluster: MockCluster, kafka_topic: str, producer: Producer
) -> None:
    """A partition that nobody leads has the leader -1, and its topic has no error."""
    kafka_cluster.set_leader(kafka_topic, 0, None)
    topic = producer.list_topics(kafka_topic, timeout=30).topics[kafka_topic]
    assert topic.error is None
    assert topic.partitions[0].leader == -1


def test_no_leaks(kafka_cluster: MockCluster, producer: Producer) -> None:
    """A result is freed with all its parts, errors included."""
    kafka_cluster.create_topic("t", partitions=8)
    kafka_cluster.create_topic("broken")
    kafka_cluster.set_topic_error("broken", KafkaError.TOPIC_AUTHORIZATION_FAILED)
    assert_no_leaks(lambda: producer.list_topics(timeout=30))
