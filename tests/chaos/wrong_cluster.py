"""The address in a client's configuration suddenly belongs to another cluster."""

from __future__ import annotations

import contextlib
import logging
import shutil
import tempfile
import uuid
from pathlib import Path

from confluent_kafka import Consumer, TopicPartition
from tests.chaos.one_broker import OneBroker, one_broker
from tests.chaos.probe import Probe
from tests.chaos.row import Row
from tests.integration.kafka_cluster import RealKafkaCluster
from tests.integration.topics import create_topic
from tests.support.waiting import wait_until

SHORT = {"messages": 200}
FULL = {"messages": 20_000}

TOPIC = "moved"
# The message that librdkafka logs about another cluster.
COMPLAINT = "reports different ClusterId"


class _Complaints(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def emit(self, record: logging.LogRecord) -> None:
        self.count += COMPLAINT in record.getMessage()


def run(kafka: RealKafkaCluster, messages: int) -> Row:
    complaints = _Complaints()
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        cluster = stack.enter_context(one_broker(kafka, [Path(folder)]))
        create_topic(cluster, TOPIC)
        config = cluster.config() | {"topic.metadata.refresh.interval.ms": 500}
        probe = stack.enter_context(Probe(config | {"logger": complaints}, TOPIC))
        usable = probe.send(0, messages) == messages
        _replace(cluster, Path(folder))
        # The topic does not exist in the new cluster.
        failed = messages - probe.send(0, messages)
        wait_until(lambda: complaints.count, lambda: probe.producer.poll(0.1))
        create_topic(cluster, TOPIC)
        before = len(probe.delivered[0])
        wait_until(lambda: probe.send(0, 1))
        usable &= probe.send(0, messages) == messages
        with Consumer(cluster.config() | {"group.id": TOPIC}) as consumer:
            _, end = consumer.get_watermark_offsets(TopicPartition(TOPIC, 0), 10)
        arrived = len(probe.delivered[0]) - before
    broken = []
    if not usable:
        broken.append("the client does not recover")
    if failed != messages:
        broken.append(f"{messages - failed} messages were delivered to no topic")
    return Row(
        scenario="wrong cluster",
        fault="the broker's address is that of another cluster",
        times=1,
        messages=probe.sent,
        lost=arrived - end,
        duplicated=0,
        out_of_order=0,
        promised=("lost", "unreported"),
        unreported=probe.unreported,
        notes=f"{complaints.count} warnings logged, reported: {dict(probe.errors)}",
        broken=tuple(broken),
    )


def _replace(cluster: OneBroker, logs: Path) -> None:
    """Replace the cluster with an empty one that has the same address and another id."""
    broker = cluster.broker
    broker.stop()
    for folder in (logs, Path(broker.mkpath("metadata"))):
        shutil.rmtree(folder)
        folder.mkdir()
    broker.cluster.uuid = uuid.uuid4().hex[:22]
    broker.kraft_setup_storage()
    cluster.restart()
