"""compat.kafka_2: the usage pages of kafka-python 2's documentation, on real brokers."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from confluent_kafka.compat.kafka_2 import (
    KafkaAdminClient,
    KafkaConsumer,
    KafkaProducer,
    OffsetAndMetadata,
    TopicPartition,
    errors,
)
from confluent_kafka.compat.kafka_2.admin import ConfigResource, ConfigResourceType, NewTopic
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.topics import wait_for_topic
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

# The session does not end if the machine pauses; version 2's default is 10 seconds.
MEMBER = {"session_timeout_ms": 2 * TIMEOUT * 1000}


@pytest.fixture
def at(kafka: KafkaCluster) -> dict[str, Any]:
    """The brokers' addresses, and the time limit for finding a broker."""
    return {
        "bootstrap_servers": kafka.bootstrap_servers.split(","),
        "api_version_auto_timeout_ms": TIMEOUT * 1000,
    }


def test_a_producer(at: dict[str, Any], make_topic: MakeTopic) -> None:
    """The producer supports futures, keys that choose partitions, objects as JSON, callbacks and
    flush()."""
    topic = make_topic(3)
    told: list[Any] = []
    with KafkaProducer(
        **at, retries=5, value_serializer=lambda value: json.dumps(value).encode()
    ) as producer:
        first = producer.send(topic, {"number": 0}, key=b"one key").get(timeout=TIMEOUT)
        assert first.topic == topic
        sent = producer.send(topic, {"number": 1}, key=b"one key")
        sent.add_callback(told.append).add_errback(told.append)
        producer.flush(timeout=TIMEOUT)
        assert sent.succeeded()
    (second,) = told
    assert (second.partition, second.offset) == (first.partition, first.offset + 1)
    with KafkaConsumer(
        **at,
        value_deserializer=json.loads,
        auto_offset_reset="earliest",
        consumer_timeout_ms=TIMEOUT * 1000,
    ) as consumer:
        consumer.assign([TopicPartition(topic, first.partition)])
        found = [next(consumer).value for _ in range(2)]
    assert found == [{"number": 0}, {"number": 1}]


def test_a_group(at: dict[str, Any], make_topic: MakeTopic, group: str) -> None:
    """Messages come one by one, offsets are committed, and the next member continues there."""
    topic = make_topic(1)
    with KafkaProducer(**at) as producer:
        for number in range(4):
            producer.send(topic, b"%d" % number)
    keywords = at | {"group_id": group, "auto_offset_reset": "earliest"}
    keywords |= {"enable_auto_commit": False, "consumer_timeout_ms": TIMEOUT * 1000} | MEMBER
    with KafkaConsumer(topic, **keywords) as consumer:
        for message in consumer:
            if message.value == b"1":
                break
        place = TopicPartition(topic, message.partition)
        consumer.commit({place: OffsetAndMetadata(message.offset + 1, None)})
    with KafkaConsumer(**keywords) as consumer:
        consumer.subscribe(pattern=f"^{topic}$")
        assert [next(consumer).value for _ in range(2)] == [b"2", b"3"]
        assert consumer.committed(place) == 2
        assert consumer.end_offsets([place]) == {place: 4}


def test_the_end_of_iteration(at: dict[str, Any], make_topic: MakeTopic) -> None:
    """If no message comes within consumer_timeout_ms, the iteration ends."""
    with KafkaConsumer(make_topic(1), consumer_timeout_ms=1000, **at) as consumer:
        assert list(consumer) == []


def test_topics(kafka: KafkaCluster, at: dict[str, Any]) -> None:
    """A topic is created, described and deleted; creating it a second time raises an exception."""
    name = f"made-by-version-2-{uuid.uuid4().hex[:12]}"
    topic = NewTopic(name, num_partitions=2, replication_factor=1)
    admin = KafkaAdminClient(**at)
    try:
        assert admin.create_topics([topic]).topic_errors[0][:2] == (name, 0)
        wait_for_topic(kafka, name, 2)
        with pytest.raises(errors.TopicAlreadyExistsError):
            admin.create_topics([topic])
        (answer,) = admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, name)])
        values = {entry[0]: entry[1] for entry in answer.resources[0].config_entries}
        assert values["cleanup.policy"] == "delete"
        assert admin.delete_topics([name]).topic_error_codes == [(name, 0)]
    finally:
        admin.close()


def test_groups(at: dict[str, Any], make_topic: MakeTopic, group: str) -> None:
    """A group is listed and described, with its offsets, and deleted."""
    topic = make_topic(1)
    place = TopicPartition(topic, 0)
    admin = KafkaAdminClient(**at)
    try:
        keywords = at | {"group_id": group, "enable_auto_commit": False} | MEMBER
        with KafkaConsumer(topic, **keywords) as consumer:
            wait_until(lambda: place in consumer.assignment(), lambda: consumer.poll(100))
            consumer.commit({place: OffsetAndMetadata(3, "text")})
            assert (group, "consumer") in admin.list_consumer_groups()
            (described,) = admin.describe_consumer_groups([group])
            (member,) = described.members
            assert member.member_metadata.subscription == [topic]
            assert admin.list_consumer_group_offsets(group)[place][:2] == (3, "text")
        wait_until(lambda: admin.describe_consumer_groups([group])[0].state == "Empty")
        assert admin.delete_consumer_groups([group]) == [(group, errors.NoError)]
    finally:
        admin.close()
