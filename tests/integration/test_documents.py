"""Snippets that only real brokers can do run as they stand."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import pytest

from confluent_kafka.admin import AdminClient
from tests.integration.kafka_cluster import USERS, OwnKafkaCluster
from tests.integration.topics import create_topic, delete_topic, wait_for_topic
from tests.support import command_line
from tests.support.documents import ADDRESS, block_with, run
from tests.support.patches import needs
from tests.support.waiting import wait_until

pytestmark = pytest.mark.integration

ADMIN = "docs/guides/administration.md"
TOPICS = ("orders", "bills", "jobs")  # as the guides name them


@pytest.fixture
def cluster(own_kafka: OwnKafkaCluster) -> Iterator[OwnKafkaCluster]:
    """Without what the guides leave there."""
    yield own_kafka
    with AdminClient(own_kafka.config()) as admin:
        there = admin.list_topics().topics.keys() & set(TOPICS)
        for future in admin.delete_consumer_groups(["shop", "workers"]).values():
            future.exception()
    for topic in there:
        delete_topic(own_kafka, topic)


def test_administration(cluster: OwnKafkaCluster, capsys: pytest.CaptureFixture[str]) -> None:
    """Topics are made, a configuration is changed, and a group gets its offsets."""

    def printed_by(text: str) -> str:
        run(block_with(ADMIN, text), cluster)
        return capsys.readouterr().out

    assert printed_by("create_topics(") == "orders is there\nbills is there\n"
    wait_for_topic(cluster, "orders", 6)
    assert printed_by("TopicIdCollection") == "orders\n"
    # The broker that is asked may not have heard of the change yet, as the guide says.
    changed = "604800000 DYNAMIC_TOPIC_CONFIG\n"
    wait_until(lambda: printed_by("AlterConfigOpType.SET") == changed)
    # Nor may a new cluster know the group's coordinator yet.
    wait_until(lambda: printed_by("OffsetSpec.for_timestamp") == "done\n")
    told = printed_by("DESCRIBE_LOG_DIRS").splitlines()
    assert sorted(told) == [f"broker {node}: 2 directories" for node in (1, 2, 3)]


@needs("raw-request")
def test_delegation_token(cluster: OwnKafkaCluster, capsys: pytest.CaptureFixture[str]) -> None:
    """A user gets a token, and what to log in with."""
    block = block_with(ADMIN, "create_delegation_token(").replace("SASL_SSL", "SASL_PLAINTEXT")
    block = block.replace(ADDRESS, cluster.servers("SASL_PLAINTEXT"))
    token = run(block, password=USERS["alice"])["token"]
    assert capsys.readouterr().out == (
        f"user name: {token.token_info.token_id} password: {token.hmac_as_base64}\n"
    )


def test_start_of_a_share_group(cluster: OwnKafkaCluster) -> None:
    """The command of the guide, which the embedded cluster has a method for, is right."""
    command = block_with("docs/guides/share-groups.md", "share.auto.offset.reset=earliest")
    name, *arguments = shlex.split(command.replace(ADDRESS, cluster.bootstrap_servers))
    done = command_line.run(*arguments)
    assert (name, *done) == ("confluent-kafka", 0, b"group workers was changed\n", "")


@needs("raw-request")
def test_offsets_of_a_share_group(cluster: OwnKafkaCluster) -> None:
    """The commands of the guide set where a group starts, and show it."""
    create_topic(cluster, "jobs")

    def shown_by(text: str) -> tuple[object, ...]:
        name, *arguments = shlex.split(block_with("docs/guides/share-groups.md", text))
        return name, *command_line.run(*arguments, "-b", cluster.bootstrap_servers)

    start = b"topic\tpartition\tstart\njobs\t0\t0\n"
    assert shown_by("reset-offsets workers") == ("confluent-kafka", 0, start, "")
    offsets = b"topic\tpartition\tstart\tlag\njobs\t0\t0\t0\n"
    expected = ("confluent-kafka", 0, offsets, "")
    wait_until(lambda: shown_by("share-groups offsets workers") == expected)
