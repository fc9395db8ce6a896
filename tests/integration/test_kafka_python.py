"""compat.kafka: KafkaProducer and KafkaConsumer on real brokers."""

from __future__ import annotations

from pathlib import Path

import pytest

from confluent_kafka.compat.kafka import KafkaConsumer, KafkaProducer, TopicPartition
from confluent_kafka.compat.kafka.errors import SaslAuthenticationFailedError
from confluent_kafka.compat.kafka.structs import OffsetAndTimestamp
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import KafkaCluster, SecuredKafkaCluster
from tests.support import kafka_python_situations as holds
from tests.support.kafka_python import Told, consumers_at, filled, joined, many, values
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

TEN = [b"%d" % i for i in range(10)]


@pytest.fixture
def servers(kafka: KafkaCluster) -> str:
    """The addresses of the brokers."""
    return str(kafka.config()["bootstrap.servers"])


def test_sending_and_waiting(servers: str, make_topic: MakeTopic) -> None:
    """The result of send()'s future is the partition and offset where the message really is."""
    holds.messages_are_where_they_were_said_to_be(servers, make_topic(1))


def test_objects(servers: str, make_topic: MakeTopic) -> None:
    """A consumer gets the same object that was serialized and compressed."""
    holds.objects_come_back(servers, make_topic(2))


def test_manual_commits(servers: str, make_topic: MakeTopic, group: str) -> None:
    """The next run of a group continues at the committed offsets."""
    holds.commits_hold(servers, make_topic(1), group)


def test_offsets_elsewhere(servers: str, make_topic: MakeTopic, group: str) -> None:
    """A listener seeks to the offset where the last run ended."""
    holds.offsets_are_kept_elsewhere(servers, make_topic(1), group)


def test_transactions(servers: str, make_topic: MakeTopic, group: str) -> None:
    """Messages are copied exactly once, and the group's offsets are committed with them."""
    holds.copies_are_whole(servers, make_topic(1), make_topic(1), group)


@pytest.mark.parametrize("group_protocol", ["classic", "consumer"])
def test_two_members(servers: str, make_topic: MakeTopic, group: str, group_protocol: str) -> None:
    """Two members share the partitions; when the second member leaves, the first gets them all
    again."""
    topic, told = make_topic(2), Told()
    properties = {"group.protocol": group_protocol}
    with consumers_at(servers) as make:
        first = make(group_id=group, properties=properties)
        first.subscribe([topic], listener=told)
        joined(first, count=2)
        second = make(topic, group_id=group, properties=properties)
        joined(first, second, count=1)
        assert not first.assignment() & second.assignment()
        second.close()
        assert joined(first, count=2) == {TopicPartition(topic, each) for each in (0, 1)}
    assert told.calls[-1][0] == "revoked"


def test_offsets_by_time(servers: str, make_topic: MakeTopic) -> None:
    """offsets_for_times() returns the offset and timestamp of the first message at or after the
    time."""
    partition = TopicPartition(filled(servers, make_topic(1), 10), 0)
    with consumers_at(servers) as make:
        consumer = make(partition.topic)
        third = many(consumer, 10)[3]
        found = consumer.offsets_for_times({partition: third.timestamp})[partition]
        assert isinstance(found, OffsetAndTimestamp)
        assert found.offset <= 3
        assert found.timestamp == third.timestamp
        assert consumer.offsets_for_times({partition: third.timestamp + 10**9}) == {partition: None}


def test_tls(secured_kafka: SecuredKafkaCluster, make_topic: MakeTopic, tmp_path: Path) -> None:
    """A client connects with the certificate files that its keywords name."""
    conf = secured_kafka.config("SSL")
    keywords = {
        "bootstrap_servers": conf["bootstrap.servers"],
        "security_protocol": "SSL",
        "ssl_cafile": conf["ssl.ca.location"],
        "ssl_certfile": conf.get("ssl.certificate.location"),
        "ssl_keyfile": conf.get("ssl.key.location"),
        "ssl_password": conf.get("ssl.key.password"),
    }
    topic = make_topic(1)
    with KafkaProducer(**keywords) as producer:
        assert producer.send(topic, b"v").get(TIMEOUT).offset == 0
    with KafkaConsumer(topic, auto_offset_reset="earliest", **keywords) as consumer:
        assert values(many(consumer, 1)) == [b"v"]


def test_wrong_credentials(secured_kafka: SecuredKafkaCluster) -> None:
    """If brokers refuse the credentials, the constructor raises their error."""
    conf = secured_kafka.config("SASL_PLAINTEXT")
    with pytest.raises(SaslAuthenticationFailedError):
        KafkaProducer(
            bootstrap_servers=conf["bootstrap.servers"],
            security_protocol="SASL_PLAINTEXT",
            sasl_mechanism="PLAIN",
            sasl_plain_username="nobody",
            sasl_plain_password="wrong",
            bootstrap_timeout_ms=TIMEOUT * 1000,
        )


@pytest.mark.parametrize("is_by_hand", [False, True])
@pytest.mark.parametrize("has_group", [False, True])
def test_a_topic_that_is_not_there(
    servers: str, group: str, has_group: bool, is_by_hand: bool
) -> None:
    """poll() lets the brokers create the topic, and then reads its messages."""
    topic = f"new-{group}"
    with consumers_at(servers) as make:
        consumer = make(*(() if is_by_hand else [topic]), group_id=group if has_group else None)
        if is_by_hand:
            consumer.assign([TopicPartition(topic, 0)])
        wait_until(lambda: topic in consumer.topics(), lambda: consumer.poll(20))
        filled(servers, topic, 1)
        assert values(many(consumer, 1)) == [b"0"]
