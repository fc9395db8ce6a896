"""Names that no topic can have, in subscriptions and in calls that need a partition's leader."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec
from confluent_kafka.testing import MockCluster
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT

NAME = "a/b"


@needs("invalid-topic", "mock-topic-names")
@pytest.mark.parametrize(
    "ask",
    [
        lambda consumer: consumer.get_watermark_offsets(TopicPartition(NAME, 0), TIMEOUT),
        lambda consumer: consumer.offsets_for_times([TopicPartition(NAME, 0, 1)], TIMEOUT),
    ],
    ids=["get_watermark_offsets", "offsets_for_times"],
)
def test_a_consumer_asks(kafka_cluster: MockCluster, ask: Callable[[Consumer], Any]) -> None:
    """The error of the call is that of a missing topic, and not a timeout."""
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
    with Consumer(config) as consumer, pytest.raises(KafkaException) as caught:
        ask(consumer)
    assert caught.value.code() == KafkaError._UNKNOWN_PARTITION


@needs("invalid-topic", "mock-topic-names")
def test_a_consumer_subscribes(kafka_cluster: MockCluster) -> None:
    """The error of the message is about an invalid name, and not about a missing topic."""
    config = {"bootstrap.servers": kafka_cluster.bootstrap_servers, "group.id": "group"}
    with Consumer(config) as consumer:
        consumer.subscribe([NAME])
        message = consumer.poll(TIMEOUT)
    assert message is not None
    assert message.error() == KafkaError.TOPIC_EXCEPTION
    assert message.topic() == NAME


@needs("invalid-topic", "mock-topic-names")
@pytest.mark.parametrize(
    "ask",
    [
        lambda admin, place: admin.list_offsets({place: OffsetSpec.latest()}),
        lambda admin, place: admin.delete_records([place]),
    ],
    ids=["list_offsets", "delete_records"],
)
def test_an_administrator_asks(
    kafka_cluster: MockCluster, ask: Callable[[AdminClient, TopicPartition], Any]
) -> None:
    """The future fails with the error of a topic that does not exist."""
    with AdminClient({"bootstrap.servers": kafka_cluster.bootstrap_servers}) as admin:
        [future] = ask(admin, TopicPartition(NAME, 0, 1)).values()
        with pytest.raises(KafkaException) as caught:
            future.result(TIMEOUT)
    assert caught.value.code() == KafkaError._NOENT
