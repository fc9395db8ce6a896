"""A topic is deleted while clients write and read it, and is created again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from confluent_kafka import Consumer
from tests.chaos.one_broker import one_broker
from tests.chaos.probe import Probe
from tests.chaos.row import Row
from tests.integration.kafka_cluster import RealKafkaCluster
from tests.integration.topics import create_topic, delete_topic
from tests.support.waiting import wait_until

SHORT = {"messages": 100}
FULL = {"messages": 10_000}

TOPIC, UNKNOWN = "deleted", "UNKNOWN_TOPIC_OR_PART"


def run(kafka: RealKafkaCluster, messages: int) -> Row:
    with one_broker(kafka) as cluster:
        create_topic(cluster, TOPIC)
        # A short interval, so that clients notice changes of topics soon.
        config = cluster.config() | {"topic.metadata.refresh.interval.ms": 1000}
        seen: Counter[str] = Counter()  # the errors that the consumer returned
        reading = {"group.id": TOPIC, "auto.offset.reset": "earliest"}
        with Consumer(config | reading) as consumer, Probe(config, TOPIC) as probe:
            consumer.subscribe([TOPIC])
            numbers: set[int] = set()

            def read() -> None:
                message = consumer.poll(0.05)
                if message is None:
                    return
                error = message.error()
                if error is not None:
                    seen[error.name()] += 1
                else:
                    numbers.add(int((message.value() or b"").split()[0]))

            # Send more messages than the new topic will have. Otherwise, the consumer's offset
            # would exist in the new topic, and the consumer would continue there.
            delivered = probe.send(0, 2 * messages)
            wait_until(lambda: len(numbers) == delivered, read)
            delete_topic(cluster, TOPIC)
            # For a moment, the broker still accepts messages, although its metadata has no such
            # topic.
            wait_until(lambda: not Path(cluster.broker.conf["log_dirs"], f"{TOPIC}-0").exists())
            refused = messages - probe.send(0, messages)
            wait_until(lambda: seen[UNKNOWN], read)
            create_topic(cluster, TOPIC)
            again = probe.sent
            # The clients notice the new topic at their next metadata refresh.
            wait_until(lambda: probe.send(0, 1))
            probe.send(0, messages)
            expected = {number for number in probe.delivered[0] if number >= again}
            wait_until(lambda: expected <= numbers, read)
        broken = []
        if delivered != 2 * messages or refused != messages:
            broken.append(f"{delivered} delivered before, {refused} refused after the deletion")
        return Row(
            scenario="topic deleted",
            fault="deleted while in use, and created again",
            times=1,
            messages=probe.sent,
            lost=len(probe.delivered[0] - numbers),
            duplicated=0,
            out_of_order=0,
            promised=("lost", "unreported"),
            unreported=probe.unreported,
            notes=f"reported: {dict(probe.errors)}; to the consumer: {dict(seen)}",
            broken=tuple(broken),
        )
