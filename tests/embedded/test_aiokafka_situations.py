"""The tasks in examples/aiokafka_situations.py on the embedded cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from confluent_kafka.testing import MockCluster
from tests.support import aiokafka_situations as holds
from tests.support.aio import in_loop

pytestmark = pytest.mark.kafka_topic(partitions=2)


@pytest.fixture
def servers(kafka_cluster: MockCluster) -> str:
    """The addresses of the brokers."""
    return kafka_cluster.bootstrap_servers


@in_loop
async def test_objects(servers: str, kafka_topic: str) -> None:
    """A consumer gets the same object that was serialized and compressed."""
    await holds.objects_come_back(servers, kafka_topic)


@in_loop
async def test_manual_commits(servers: str, kafka_topic: str) -> None:
    """The next run of a group continues at the committed offsets."""
    await holds.commits_hold(servers, kafka_topic, "g")


@in_loop
async def test_a_group(servers: str, kafka_topic: str) -> None:
    """Each message is read by one member of the group, and each member has some."""
    await holds.members_share(servers, kafka_topic, "g")


@in_loop
async def test_a_partitioner(servers: str, kafka_topic: str) -> None:
    """Messages of a region are in one partition."""
    await holds.regions_stay_together(servers, kafka_topic)


@in_loop
async def test_offsets_outside_kafka(servers: str, kafka_topic: str, tmp_path: Path) -> None:
    """Without committed offsets, a second run counts only the messages that came meanwhile."""
    await holds.counts_go_on(servers, kafka_topic, "g", tmp_path)


@in_loop
async def test_batches(servers: str, kafka_topic: str) -> None:
    """Each batch begins where the partition's previous batch ended."""
    await holds.batches_are_whole(servers, kafka_topic)


@in_loop
async def test_exactly_once(servers: str, kafka_cluster: MockCluster) -> None:
    """Each message has one result."""
    # The mock brokers do not commit a transaction's offsets, so a second run would start again.
    for topic in ("source", "target"):
        kafka_cluster.create_topic(topic, 2)
    await holds.results_come_once(servers, "source", "target", "g", (20,))
