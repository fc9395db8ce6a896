"""A client is given the brokers of two clusters."""

from __future__ import annotations

import logging
import uuid

from confluent_kafka import Consumer, TopicPartition
from tests.chaos.one_broker import one_broker
from tests.chaos.probe import Probe
from tests.chaos.row import Row
from tests.integration.kafka_cluster import OwnKafkaCluster
from tests.integration.topics import create_topic
from tests.support.waiting import wait_until

SHORT = {"messages": 200}
FULL = {"messages": 20_000}

# What librdkafka logs then.
COMPLAINT = "reports different ClusterId"


class _Complaints(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += COMPLAINT in record.getMessage()


def run(kafka: OwnKafkaCluster, messages: int) -> Row:
    topic = f"two-clusters-{uuid.uuid4().hex[:8]}"
    create_topic(kafka, topic)
    complaints = _Complaints()
    with one_broker(kafka) as other:
        config = kafka.config() | {
            "bootstrap.servers": f"{other.bootstrap_servers},{kafka.bootstrap_servers}",
            "topic.metadata.refresh.interval.ms": 300,
            "logger": complaints,
        }
        probe = Probe(config, topic)
        # Each answer for metadata may come from either cluster.
        wait_until(lambda: complaints.count, lambda: probe.send(0, 1))
        probe.send(0, messages)
    # The other cluster is gone: the same client goes on with the right one.
    wait_until(lambda: probe.send(0, 1))
    usable = probe.send(0, messages) == messages
    delivered = len(probe.delivered[0])
    with Consumer(kafka.config() | {"group.id": topic}) as consumer:
        _, end = consumer.get_watermark_offsets(TopicPartition(topic, 0), 10)
    return Row(
        scenario="wrong cluster",
        fault="bootstrap.servers of two clusters",
        times=1,
        messages=probe.sent,
        lost=max(0, delivered - end),
        duplicated=0,
        out_of_order=0,
        promised=("lost", "unreported"),
        unreported=probe.unreported,
        notes=f"{complaints.count} log lines, {delivered} delivered, {dict(probe.errors)}",
        broken=() if usable else ("the client does not recover",),
    )
