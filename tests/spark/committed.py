"""The values that a reader sees in a topic after all transactions have ended."""

from __future__ import annotations

from confluent_kafka import Consumer, KafkaError, TopicPartition
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.transactional import committed_reader, wait_for_markers
from tests.support.waiting import TIMEOUT


def committed_values(kafka: KafkaCluster, topic: str) -> list[str]:
    """The values of all partitions, sorted."""
    with committed_reader(kafka, {"enable.partition.eof": True}) as consumer:
        count = len(consumer.list_topics(topic, timeout=TIMEOUT).topics[topic].partitions)
        wait_for_markers(kafka, topic, count)
        consumer.assign([TopicPartition(topic, number, 0) for number in range(count)])
        return sorted(_until_end(consumer, count))


def _until_end(consumer: Consumer, partitions: int) -> list[str]:
    values = []
    while partitions:
        message = consumer.poll(TIMEOUT)
        assert message is not None
        error = message.error()
        if error is None:
            values.append((message.value() or b"").decode())
        else:
            assert error == KafkaError._PARTITION_EOF
            partitions -= 1
    return values
