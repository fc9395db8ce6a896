"""The tasks in examples/aiokafka_situations.py on real brokers."""

from __future__ import annotations

from pathlib import Path

import pytest

from confluent_kafka.compat.aiokafka import AIOKafkaProducer
from confluent_kafka.compat.aiokafka.errors import KafkaConnectionError
from confluent_kafka.compat.aiokafka.helpers import create_ssl_context
from examples import aiokafka_situations as situations
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import KafkaCluster, SecuredKafkaCluster
from tests.support import aiokafka_situations as holds
from tests.support.aio import in_loop

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]


@pytest.fixture
def servers(kafka: KafkaCluster) -> str:
    """The addresses of the brokers."""
    return str(kafka.config()["bootstrap.servers"])


@pytest.fixture
def topic(make_topic: MakeTopic) -> str:
    """A topic of two partitions."""
    return make_topic(2)


@in_loop
async def test_objects(servers: str, topic: str) -> None:
    """A consumer gets the same object that was serialized and compressed."""
    await holds.objects_come_back(servers, topic)


@in_loop
async def test_manual_commits(servers: str, topic: str, group: str) -> None:
    """The next run of a group continues at the committed offsets."""
    await holds.commits_hold(servers, topic, group)


@in_loop
async def test_a_group(servers: str, topic: str, group: str) -> None:
    """Each message is read by one member of the group, and each member has some."""
    await holds.members_share(servers, topic, group)


@in_loop
async def test_a_partitioner(servers: str, topic: str) -> None:
    """Messages of a region are in one partition."""
    await holds.regions_stay_together(servers, topic)


@in_loop
async def test_tls(secured_kafka: SecuredKafkaCluster, topic: str) -> None:
    """A client connects with the certificate files of its SSL context."""
    conf = secured_kafka.config("SSL")
    files = [conf[f"ssl.{name}.location"] for name in ("ca", "certificate", "key")]
    password = conf.get("ssl.key.password")
    servers = conf["bootstrap.servers"]
    assert await situations.over_tls(servers, topic, *files, password) == b"secret"
    context = create_ssl_context(cafile=files[0])
    with pytest.raises(KafkaConnectionError):
        await AIOKafkaProducer(
            bootstrap_servers=servers, security_protocol="SSL", ssl_context=context
        ).start()


@in_loop
async def test_offsets_outside_kafka(servers: str, topic: str, group: str, tmp_path: Path) -> None:
    """Without committed offsets, a second run counts only the messages that came meanwhile."""
    await holds.counts_go_on(servers, topic, group, tmp_path)


@in_loop
async def test_batches(servers: str, topic: str) -> None:
    """Each batch begins where the partition's previous batch ended."""
    await holds.batches_are_whole(servers, topic)


@in_loop
async def test_exactly_once(servers: str, make_topic: MakeTopic, group: str) -> None:
    """Each message has one result, over two runs of the transactional program."""
    await holds.results_come_once(servers, make_topic(2), make_topic(2), group, (8, 12))
