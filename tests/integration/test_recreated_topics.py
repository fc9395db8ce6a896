"""A topic that is deleted and created again while a consumer reads it, with real brokers."""

from __future__ import annotations

from typing import Any

import pytest

from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic
from tests.integration.broker_requests import move_leader
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.support.kafka import committed, numbers, poll_values, position, send
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, needs("recreated-topic"), pytest.mark.both_clusters]

WAYS: dict[str, dict[str, Any] | None] = {
    "assign": None,
    "classic": {"group.protocol": "classic"},
    "cooperative": {"partition.assignment.strategy": "cooperative-sticky"},
    "consumer": {"group.protocol": "consumer"},
}


@pytest.mark.parametrize("count", [3, 30])
@pytest.mark.parametrize("way", WAYS)
def test_the_new_topic_is_read_from_its_beginning(
    kafka: KafkaCluster, topic: str, group: str, way: str, count: int
) -> None:
    """All messages of the new topic are read, even if the old topic had a leader epoch above 0.

    Without the patch, reading stopped.
    """
    move_leader(kafka, topic)
    config = {"group.id": group, "topic.metadata.refresh.interval.ms": 500}
    with writer(kafka) as producer:
        send(producer, topic, numbers(0, 10))
    with (
        reader(kafka, config | (WAYS[way] or {})) as consumer,
        AdminClient(kafka.config()) as admin,
    ):
        if WAYS[way] is None:
            consumer.assign([TopicPartition(topic, 0, 0)])
        else:
            consumer.subscribe([topic])
        assert poll_values(consumer, 10) == numbers(0, 10)
        consumer.commit(asynchronous=False)
        admin.delete_topics([topic])[topic].result(TIMEOUT)
        wait_until(lambda: topic not in admin.list_topics(timeout=TIMEOUT).topics)
        admin.create_topics([NewTopic(topic, 1)])[topic].result(TIMEOUT)
        with writer(kafka) as producer:
            send(producer, topic, [b"new %d" % i for i in range(count)])
        values: list[bytes | None] = []

        def step() -> None:
            message = consumer.poll(0.1)
            if message is not None and message.error() is None:
                values.append(message.value())

        wait_until(lambda: len(values) >= count, step, timeout=2 * TIMEOUT)
        assert values == [b"new %d" % i for i in range(count)]
        assert position(consumer, topic) == count
        consumer.commit(asynchronous=False)
        assert committed(consumer, topic) == count
