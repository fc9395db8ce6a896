"""The metadata of the cluster: its brokers and topics."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import BROKERS, KafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.support.waiting import TIMEOUT

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]


@pytest.fixture(params=["producer", "consumer"])
def client(request: pytest.FixtureRequest, kafka: KafkaCluster) -> Iterator[Producer | Consumer]:
    config = {"allow.auto.create.topics": False}
    make = writer if request.param == "producer" else reader
    with make(kafka, config) as client:
        yield client


def test_brokers(kafka: KafkaCluster, client: Producer | Consumer) -> None:
    """list_topics() returns the brokers' addresses, the controller and the cluster's id."""
    metadata = client.list_topics(timeout=TIMEOUT)
    addresses = {f"{each.host}:{each.port}" for each in metadata.brokers.values()}
    assert addresses == set(kafka.bootstrap_servers.split(","))
    assert all(number == broker.id for number, broker in metadata.brokers.items())
    assert metadata.controller_id in metadata.brokers
    assert metadata.orig_broker_id in {-1, *metadata.brokers}
    assert metadata.cluster_id
    assert client.cluster_id(TIMEOUT) == metadata.cluster_id


def test_topics(kafka: KafkaCluster, make_topic: MakeTopic, client: Producer | Consumer) -> None:
    """list_topics() returns all topics or one topic, with partitions, replicas and leaders."""
    one, two = make_topic(), make_topic(partitions=4)
    assert {one, two} <= set(client.list_topics(timeout=TIMEOUT).topics)
    metadata = client.list_topics(two, TIMEOUT)
    assert list(metadata.topics) == [two]
    partitions = metadata.topics[two].partitions
    assert sorted(partitions) == [0, 1, 2, 3]
    for number, partition in partitions.items():
        assert (partition.id, partition.error) == (number, None)
        assert sorted(partition.replicas) == sorted(metadata.brokers)
        assert set(partition.isrs) <= set(partition.replicas)
        assert partition.leader in partition.isrs
    assert len(metadata.brokers) == BROKERS


def test_an_unknown_topic(client: Producer | Consumer) -> None:
    """An unknown topic has an error, and is not created."""
    for _ in range(2):
        topic = client.list_topics("topic-nobody-made", TIMEOUT).topics["topic-nobody-made"]
        assert topic.error == KafkaError.UNKNOWN_TOPIC_OR_PART
        assert topic.partitions == {}
    assert "topic-nobody-made" not in client.list_topics(timeout=TIMEOUT).topics


def test_a_wrong_name(client: Producer | Consumer) -> None:
    """An invalid topic name has its own error."""
    topic = client.list_topics("not a topic!", TIMEOUT).topics["not a topic!"]
    assert topic.error == KafkaError.TOPIC_EXCEPTION


def test_watermarks_of_an_unknown_partition(kafka: KafkaCluster, topic: str) -> None:
    """A request for the watermarks of an unknown partition raises an exception."""
    with reader(kafka) as consumer, pytest.raises(KafkaException) as caught:
        consumer.get_watermark_offsets(TopicPartition(topic, 9), TIMEOUT)
    assert caught.value.args[0].code() in {
        KafkaError._UNKNOWN_PARTITION,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
    }
