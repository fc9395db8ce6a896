"""What tools/patches changes in librdkafka, seen from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from confluent_kafka.testing import MockCluster
from tests.support.scripts import check_script


def linked_dynamically() -> bool:
    """Whether this is the system's librdkafka, which has no patches of ours."""
    maps = Path("/proc/self/maps")
    return maps.exists() and "librdkafka.so" in maps.read_text()


@pytest.mark.skipif(linked_dynamically(), reason="the system's librdkafka is not patched")
def test_assignments_in_a_row(kafka_cluster: MockCluster) -> None:
    """assign() while partitions of the one before are being stopped: the process survives.

    stop-once.patch: librdkafka told a fetcher to stop that had not yet answered the first
    time, and aborted on the second answer.
    """
    kafka_cluster.create_topic("reassigned", 100)
    check_script(
        """
        import sys
        from confluent_kafka import Consumer, Producer, TopicPartition

        config = {"bootstrap.servers": sys.argv[1]}
        partitions = [TopicPartition("reassigned", number, 0) for number in range(100)]
        with Producer(config) as producer:
            for each in partitions:
                producer.produce(each.topic, b"value", partition=each.partition)
        with Consumer(config | {"group.id": "group"}) as consumer:
            consumer.assign(partitions)
            consumed = 0
            while consumed < 100:
                consumed += len(consumer.consume(100, 0.1))
            for _ in range(20):
                consumer.assign(partitions[:50])
        """,
        kafka_cluster.bootstrap_servers,
    )
