"""``top`` on a real cluster: it shows the same numbers as the admin client."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

pytest.importorskip("click", reason="the extra [cli] is not installed")

from confluent_kafka import ConsumerGroupTopicPartitions, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec
from tests.integration.conftest import MakeTopic
from tests.integration.group_members import Member, poll_until
from tests.integration.kafka_cluster import KafkaCluster, OwnKafkaCluster
from tests.integration.plain_clients import writer
from tests.integration.test_aio_faults import leader_that_dies
from tests.integration.topics import wait_for_topic
from tests.support.command_line import run
from tests.support.patches import needs
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters, needs("raw-request")]


def rows(kafka: KafkaCluster | OwnKafkaCluster, view: str) -> list[dict[str, Any]]:
    options = ["--once", "--json", "--every", "0.5s", "--timeout", "5"]
    done = run("top", view, *options, "-b", kafka.bootstrap_servers)
    # Metadata can still contain a broker that is down. The command then fails without rows.
    assert done.status in (0, 1), done
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_topic_and_its_group(kafka: KafkaCluster, make_topic: MakeTopic, group: str) -> None:
    """Ends, under-replicated partitions, brokers and lag agree with what the admin client
    returns."""
    topic = make_topic(partitions=3)
    with (
        writer(kafka) as producer,
        Member(kafka, group, {"enable.auto.commit": False}) as member,
        AdminClient(kafka.config()) as admin,
    ):
        for partition, count in ((0, 40), (2, 25)):
            for number in range(count):
                producer.produce(topic, b"%d" % number, partition=partition)
        assert producer.flush(TIMEOUT) == 0
        member.join(topic)
        poll_until([member], lambda: member.partitions == [0, 1, 2])
        places = [TopicPartition(topic, 0, 30), TopicPartition(topic, 2, 25)]
        member.commit(offsets=places, asynchronous=False)

        metadata = admin.list_topics(timeout=TIMEOUT)
        partitions = metadata.topics[topic].partitions
        asked = {TopicPartition(topic, number): OffsetSpec.latest() for number in partitions}
        ends = {
            place.partition: future.result().offset
            for place, future in admin.list_offsets(asked, request_timeout=TIMEOUT).items()
        }
        positions = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])
        lags = {
            place.partition: ends[place.partition] - place.offset
            for place in positions[group].result(TIMEOUT).topic_partitions
        }

        (found,) = (row for row in rows(kafka, "topics") if row["topic"] == topic)
        assert found["partitions"] == len(partitions) == 3
        assert found["ends"] == sum(ends.values()) == 65
        behind = [one for one in partitions.values() if len(one.isrs) < len(one.replicas)]
        assert found["under-replicated"] == len(behind)
        assert found["offline"] == len([one for one in partitions.values() if one.leader < 0])

        (found,) = (row for row in rows(kafka, "groups") if row["group"] == group)
        assert found["lag"] == sum(lags.values()) == 10
        assert (found["members"], found["state"]) == (1, "stable")
        assert (found["lag/s"], found["read/s"]) == (0.0, 0.0)

        brokers = {row["broker"]: row for row in rows(kafka, "brokers")}
        assert set(brokers) == set(metadata.brokers)
        assert {row["state"] for row in brokers.values()} == {"up"}
        assert len([row for row in brokers.values() if row["controller"]]) <= 1


@pytest.mark.usefixtures("real_kafka")  # topics of the embedded cluster always have leaders
def test_a_broker_that_is_gone(own_kafka: OwnKafkaCluster) -> None:
    """The broker is down, and its partitions are under-replicated or offline, as the admin client
    says. The other numbers are still there."""
    name = f"top-{uuid.uuid4().hex[:12]}"
    with AdminClient(own_kafka.config()) as admin:
        new = [NewTopic(name, 3, 1), NewTopic(f"{name}-3", 3, 3)]
        for future in admin.create_topics(new).values():
            future.result(TIMEOUT)
        wait_for_topic(own_kafka, name, 3)
        wait_for_topic(own_kafka, f"{name}-3", 3)
        with leader_that_dies(own_kafka, name) as leader:
            leader.kill()
            topics: dict[str, dict[str, Any]] = {}

            def look() -> None:
                topics.update({row["topic"]: row for row in rows(own_kafka, "topics")})

            def is_seen() -> bool:
                return bool(topics) and (topics[name]["offline"], lacking()) == (1, 3)

            def lacking() -> int:
                return int(topics[f"{name}-3"]["under-replicated"])

            wait_until(is_seen, look, timeout=90)
            described = admin.list_topics(timeout=TIMEOUT).topics
            for topic in (name, f"{name}-3"):
                partitions = described[topic].partitions.values()
                offline = [one for one in partitions if one.leader < 0]
                behind = [one for one in partitions if len(one.isrs) < len(one.replicas)]
                assert topics[topic]["offline"] == len(offline)
                assert topics[topic]["under-replicated"] == len(behind)
                assert topics[topic]["ends"] == 0
            brokers: dict[int, str] = {}

            def look_at_brokers() -> None:
                brokers.update({row["broker"]: row["state"] for row in rows(own_kafka, "brokers")})

            wait_until(lambda: brokers, look_at_brokers, timeout=90)
            assert brokers.pop(leader.appid) == "down"
            assert set(brokers.values()) == {"up"}
