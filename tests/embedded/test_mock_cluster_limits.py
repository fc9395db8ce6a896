"""The limits in MockCluster's docstring are the measured ones."""

from __future__ import annotations

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.testing import MockCluster
from tests.support.patches import needs

TIMEOUT = 30


def client(kafka_cluster: MockCluster, **extra: str | int) -> dict[str, str | int]:
    """A client's configuration; `group_id` stands for group.id."""
    config: dict[str, str | int] = {"bootstrap.servers": kafka_cluster.bootstrap_servers}
    return config | {key.replace("_", "."): value for key, value in extra.items()}


def test_a_partition_keeps_5_mib(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """Beyond 5 MiB of batches, the oldest batches are deleted, and the low watermark moves."""
    with Producer(client(kafka_cluster, batch_num_messages=10)) as producer:
        for _ in range(800):
            producer.produce(kafka_topic, bytes(10_000))
        assert producer.flush(TIMEOUT) == 0
    with Consumer(client(kafka_cluster, group_id="g")) as consumer:
        low, high = consumer.get_watermark_offsets(TopicPartition(kafka_topic, 0), TIMEOUT)
    assert high == 800
    # Whole batches are kept. A batch holds up to 10 records and 100 kB. This counts only the 10,000
    # bytes of each value, without the headers.
    assert 5 * 2**20 - 110_000 < (high - low) * 10_000 <= 5 * 2**20


@needs("mock-retention")
def test_retention() -> None:
    """retention_bytes sets how much a partition keeps: less than 5 MiB, or more."""
    for megabytes, oldest in ((1, range(600, 800)), (20, range(1))):
        with MockCluster(1, retention_bytes=megabytes * 2**20) as cluster:
            cluster.create_topic("t")
            with Producer(client(cluster, batch_num_messages=10)) as producer:
                for _ in range(800):
                    producer.produce("t", bytes(10_000))
                assert producer.flush(TIMEOUT) == 0
            with Consumer(client(cluster, group_id="g")) as consumer:
                low, high = consumer.get_watermark_offsets(TopicPartition("t", 0), TIMEOUT)
        assert low in oldest
        assert high == 800


def test_topics_come_into_being_with_4_partitions(kafka_cluster: MockCluster) -> None:
    """If a client requests a missing topic, the topic is created with 4 partitions and 3
    replicas."""
    with Producer(client(kafka_cluster)) as producer:
        producer.produce("new", b"x")
        assert producer.flush(TIMEOUT) == 0
        partitions = producer.list_topics("new", TIMEOUT).topics["new"].partitions
    assert [len(partition.replicas) for partition in partitions.values()] == [3, 3, 3, 3]
