"""The compatibility APIs after offsets without records, for example after a compaction."""

from __future__ import annotations

from confluent_kafka.compat.kafka import TopicPartition
from confluent_kafka.testing import MockCluster
from tests.support.aio import in_loop
from tests.support.aiokafka_consumer import reading
from tests.support.aiokafka_consumer import values as values_of
from tests.support.compacted import append_holes
from tests.support.kafka_python import consumers_at, many, values
from tests.support.patches import needs
from tests.support.waiting import wait_until

pytestmark = needs("next-position", "mock-holes")


@in_loop
async def test_aiokafka(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The position reaches the end, and the end is committed."""
    append_holes(kafka_cluster, kafka_topic, kept=[3, 7], last=9)
    place = TopicPartition(kafka_topic, 0)
    async with reading(kafka_cluster.bootstrap_servers, place, group_id="holes") as consumer:
        assert await values_of(consumer, 2) == [b"3", b"7"]
        assert await consumer.getmany(timeout_ms=200) == {}
        assert await consumer.position(place) == consumer.highwater(place) == 10
        await consumer.commit()
        assert await consumer.committed(place) == 10


def test_kafka_python(kafka_cluster: MockCluster, kafka_topic: str) -> None:
    """The usual loop ends when the position is at the end."""
    append_holes(kafka_cluster, kafka_topic, kept=[3, 7], last=9)
    place = TopicPartition(kafka_topic, 0)
    with consumers_at(kafka_cluster.bootstrap_servers) as make:
        consumer = make(group_id="holes")
        consumer.assign([place])
        assert values(many(consumer, 2)) == [b"3", b"7"]
        end = consumer.end_offsets([place])[place]
        wait_until(lambda: consumer.position(place) == end, lambda: consumer.poll(20))
        consumer.commit()
        assert consumer.committed(place) == end == consumer.highwater(place)
