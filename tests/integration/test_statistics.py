"""librdkafka's statistics count the work of a client."""

from __future__ import annotations

import json
from typing import Any

import pytest

from confluent_kafka import TopicPartition
from tests.integration.conftest import MakeTopic
from tests.integration.kafka_cluster import BROKERS, KafkaCluster
from tests.integration.plain_clients import reader, writer
from tests.support.kafka import read
from tests.support.waiting import TIMEOUT, wait_until

pytestmark = [pytest.mark.integration, pytest.mark.both_clusters]

MESSAGES = 300


class Statistics:
    """A stats_cb that keeps the last statistics."""

    def __init__(self) -> None:
        self.last: dict[str, Any] = {}

    def __call__(self, text: str) -> None:
        self.last = json.loads(text)

    def config(self) -> dict[str, Any]:
        return {"stats_cb": self, "statistics.interval.ms": 100}


def named_brokers(statistics: dict[str, Any]) -> list[dict[str, Any]]:
    """The brokers of the cluster's metadata, without the entries of bootstrap.servers."""
    return [each for each in statistics["brokers"].values() if each["nodeid"] > 0]


def test_producer(kafka: KafkaCluster, make_topic: MakeTopic) -> None:
    """A producer's statistics count sent messages by broker, topic and partition."""
    topic = make_topic(partitions=3)
    statistics = Statistics()
    config = statistics.config() | {"client.id": "counted"}
    with writer(kafka) as first, writer(kafka, config) as producer:
        for partition in range(3):  # leaders are ready: retries would be counted, too
            first.produce(topic, b"first", partition=partition)
        assert first.flush(TIMEOUT) == 0
        for number in range(MESSAGES):
            producer.produce(topic, bytes(100), partition=number % 3)
        assert producer.flush(TIMEOUT) == 0

        def counts() -> list[object]:
            return [statistics.last.get(field) for field in ("txmsgs", "msg_cnt", "msg_size")]

        wait_until(lambda: counts() == [MESSAGES, 0, 0], lambda: producer.poll(TIMEOUT))
    last = statistics.last
    assert (last["type"], last["client_id"]) == ("producer", "counted")
    assert last["txmsg_bytes"] >= MESSAGES * 100
    assert len(named_brokers(last)) == BROKERS
    leaders = {each["leader"] for each in last["topics"][topic]["partitions"].values()}
    for broker in named_brokers(last):
        assert broker["nodename"] in kafka.bootstrap_servers.split(",")
        if broker["nodeid"] in leaders - {-1}:
            assert broker["state"] == "UP"
            assert broker["tx"] > 0
            assert broker["rx"] > 0
    partitions = last["topics"][topic]["partitions"]
    assert {key: partitions[key]["txmsgs"] for key in ("0", "1", "2")} == {
        "0": 100,
        "1": 100,
        "2": 100,
    }
    assert last["eos"]["idemp_state"] == "Assigned"
    assert last["eos"]["producer_id"] >= 0


def test_consumer(kafka: KafkaCluster, make_topic: MakeTopic, group: str) -> None:
    """A consumer's statistics contain received messages, the ends of partitions, and the group's
    lag."""
    topic = make_topic(partitions=2)
    statistics = Statistics()
    config = statistics.config() | {"group.id": group}
    with writer(kafka) as producer, reader(kafka, config) as consumer:
        for number in range(MESSAGES):
            producer.produce(topic, bytes(100), partition=number % 2)
        assert producer.flush(TIMEOUT) == 0
        read(consumer, topic, MESSAGES, partitions=2)
        behind = [TopicPartition(topic, 0, 100), TopicPartition(topic, 1, 150)]
        consumer.commit(offsets=behind, asynchronous=False)

        def each(field: str) -> list[object]:
            partitions = statistics.last.get("topics", {}).get(topic, {}).get("partitions", {})
            return [partitions.get(str(number), {}).get(field) for number in range(2)]

        wait_until(lambda: each("consumer_lag") == [50, 0], lambda: consumer.poll(0.1))
    assert statistics.last["type"] == "consumer"
    assert statistics.last["rxmsgs"] == MESSAGES
    assert statistics.last["rxmsg_bytes"] >= MESSAGES * 100
    assert each("rxmsgs") == [150, 150]
    assert each("hi_offset") == [150, 150]
    assert each("app_offset") == [150, 150]
    assert each("committed_offset") == [100, 150]
