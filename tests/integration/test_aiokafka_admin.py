"""compat.aiokafka: AIOKafkaAdminClient on real brokers."""

from __future__ import annotations

import asyncio
import uuid

import pytest

from confluent_kafka.compat.aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from confluent_kafka.compat.aiokafka.admin import (
    AIOKafkaAdminClient,
    NewPartitions,
    NewTopic,
    RecordsToDelete,
)
from confluent_kafka.compat.aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from confluent_kafka.compat.aiokafka.errors import NotLeaderForPartitionError, for_code
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.topics import wait_for_topic
from tests.support.aio import in_loop

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]


@in_loop
async def test_the_life_of_a_topic(kafka: KafkaCluster) -> None:
    """A topic is created, configured, given partitions and records, emptied and deleted."""
    topic = f"topic-{uuid.uuid4().hex}"
    servers = kafka.config()["bootstrap.servers"]
    async with AIOKafkaAdminClient(bootstrap_servers=servers) as admin:
        configs = {"retention.ms": "86400000"}
        created = await admin.create_topics([NewTopic(topic, 1, 1, topic_configs=configs)])
        assert created.topic_errors == [(topic, 0, None)]
        again = await admin.create_topics([NewTopic(topic, 1, 1)])
        assert for_code(again.topic_errors[0].error_code).message == "TOPIC_ALREADY_EXISTS"

        resource = ConfigResource(ConfigResourceType.TOPIC, topic, {"retention.ms": "3600000"})
        [altered] = await admin.alter_configs([resource])
        assert altered.resources == [(0, None, 2, topic)]
        grown = await admin.create_partitions({topic: NewPartitions(2)})
        assert grown.topic_errors == [(topic, 0, None)]
        # Brokers apply changes in order: if a broker has the new partitions, it has the
        # configuration.
        await asyncio.to_thread(wait_for_topic, kafka, topic, 2)
        [described] = await admin.describe_configs([resource], include_synonyms=True)
        [entry] = described.resources[0].config_entries
        assert (entry.config_names, entry.config_value) == ("retention.ms", "3600000")
        assert entry.config_synonyms

        async with AIOKafkaProducer(bootstrap_servers=servers) as producer:
            for _ in range(3):
                await producer.send_and_wait(topic, b"v", partition=0)
        place = TopicPartition(topic, 0)
        assert await admin.delete_records({place: RecordsToDelete(2)}) == {place: 2}
        # A broker returns an unusual error for such a name, so librdkafka repeats the request.
        with pytest.raises(NotLeaderForPartitionError):
            await admin.delete_records({TopicPartition("not a name", 0): RecordsToDelete(0)})
        deleted = await admin.delete_topics([topic])
        assert deleted.topic_error_codes == [(topic, 0)]


@in_loop
async def test_a_group(kafka: KafkaCluster, topic: str, group: str) -> None:
    """A group is listed, described and found; its offsets are the committed offsets."""
    servers = kafka.config()["bootstrap.servers"]
    async with AIOKafkaProducer(bootstrap_servers=servers) as producer:
        await producer.send_and_wait(topic, b"v")
    async with (
        AIOKafkaConsumer(
            topic,
            bootstrap_servers=servers,
            group_id=group,
            auto_offset_reset="earliest",
            session_timeout_ms=45_000,
        ) as consumer,
        AIOKafkaAdminClient(bootstrap_servers=servers) as admin,
    ):
        await consumer.getone()
        await consumer.commit()
        assert (group, "consumer") in await admin.list_consumer_groups()
        [described] = await admin.describe_consumer_groups([group])
        [found] = described.groups
        assert (found.group, found.state, found.protocol) == (group, "Stable", "roundrobin")
        assert [member.client_id for member in found.members] == ["aiokafka-0.14.0"]
        offsets = await admin.list_consumer_group_offsets(group)
        assert offsets[TopicPartition(topic, 0)].offset == 1
        cluster = await admin.describe_cluster()
        brokers = {broker["node_id"] for broker in cluster["brokers"]}
        assert await admin.find_coordinator(group) in brokers
