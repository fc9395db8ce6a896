"""A call that waited returns all messages that a real broker sent in one answer."""

from __future__ import annotations

import uuid

import pytest

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from confluent_kafka.compat.kafka import KafkaConsumer, TopicPartition
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.topics import wait_for_topic
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, needs("whole-answers"), pytest.mark.both_clusters]

PARTITIONS = 6
EACH = 100
ALL = PARTITIONS * EACH
POLLS = 12
# If a thread of librdkafka stops for 5 ms after it has prepared one partition, librdkafka requests
# this partition alone. Without the patch, about half of the polls returned too few messages.
WHOLE = 10


@pytest.fixture
def topic(kafka: KafkaCluster) -> str:
    """A topic of six partitions with a hundred messages each, all on one broker."""
    name = f"answers-{uuid.uuid4().hex[:12]}"
    with AdminClient(kafka.config()) as admin:
        broker = min(admin.list_topics(timeout=TIMEOUT).brokers)
        new = NewTopic(
            name,
            replica_assignment=[[broker]] * PARTITIONS,
            config={"min.insync.replicas": "1"},
        )
        admin.create_topics([new])[name].result(TIMEOUT)
    wait_for_topic(kafka, name, PARTITIONS)
    with Producer(kafka.config()) as producer:
        for number in range(ALL):
            producer.produce(name, b"%d" % number, partition=number % PARTITIONS)
        assert producer.flush(TIMEOUT) == 0
    return name


def test_one_poll_returns_the_whole_answer(kafka: KafkaCluster, topic: str) -> None:
    """compat.kafka: a poll() that has to wait returns the messages of all partitions."""
    partitions = [TopicPartition(topic, each) for each in range(PARTITIONS)]
    with KafkaConsumer(
        bootstrap_servers=kafka.bootstrap_servers,
        auto_offset_reset="earliest",
        fetch_max_wait_ms=20,  # a seek waits for a pending fetch
    ) as consumer:
        consumer.assign(partitions)

        def read() -> int:
            found = consumer.poll(timeout_ms=1000, max_records=ALL)
            return sum(map(len, found.values()))

        counts: list[int] = []
        for _ in range(POLLS):
            got: list[int] = []
            wait_until(lambda: sum(got) >= ALL, lambda: got.append(read()))  # noqa: B023
            counts.append(next(filter(None, got)))
            consumer.pause(*partitions)
            consumer.seek_to_beginning(*partitions)
            consumer.resume(*partitions)
    print(f"first polls returned {counts}")
    assert sum(count == ALL for count in counts) >= WHOLE, counts
