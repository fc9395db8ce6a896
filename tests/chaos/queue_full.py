"""An application produces at three times the rate that brokers accept, and waits with `block=`."""

from __future__ import annotations

import multiprocessing
import time
import uuid
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition
from tests.chaos.process_memory import rss_kb
from tests.chaos.row import Row
from tests.integration.broker_requests import set_client_quota
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.topics import create_topic
from tests.support.waiting import TIMEOUT

# Bytes per second that each leader accepts.
SHORT = {"seconds": 6.0, "broker_rate": 1_000_000}
FULL = {"seconds": 300.0, "broker_rate": 1_000_000}

PARTITIONS = 3
VALUE_BYTES = 1000
QUEUE_KB = 8 * 1024
# The limit contains the queue, requests in flight, and librdkafka's own bytes for each message.
BOUND_KB = 2 * QUEUE_KB
# How long a message may wait: the queue drains in much less time.
PATIENCE = 120.0


@dataclass
class _Produced:
    messages: int = 0
    reported: int = 0
    failed: int = 0
    out_of_order: int = 0
    waits: int = 0  # calls of produce() that waited
    growth_kb: int = 0


def run(kafka: KafkaCluster, seconds: float, broker_rate: int) -> Row:
    topic = f"slow-{uuid.uuid4().hex[:8]}"
    create_topic(kafka, topic, PARTITIONS)
    set_client_quota(kafka, topic, "producer_byte_rate", broker_rate)
    try:
        # A separate process, so that its memory is only the producer's.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            offered = 3 * PARTITIONS * broker_rate / VALUE_BYTES
            produced = pool.submit(_produce, kafka.config(), topic, seconds, offered).result()
    finally:
        set_client_quota(kafka, topic, "producer_byte_rate", None)
    read, duplicated, out_of_order = _read(kafka.config(), topic)
    broken = []
    if produced.growth_kb > BOUND_KB:
        broken.append(f"RSS grew by {produced.growth_kb} kB")
    if produced.failed:
        broken.append(f"{produced.failed} messages failed")
    return Row(
        scenario="queue full, slow broker",
        fault="three times what the brokers' quota allows",
        times=1,
        messages=produced.messages,
        lost=produced.messages - read,
        duplicated=duplicated,
        out_of_order=out_of_order,
        unreported=abs(produced.messages - produced.reported),
        notes=(
            f"{seconds:.0f} s, {produced.waits} calls of produce() waited, "
            f"RSS +{produced.growth_kb / 1024:.1f} MB with a queue of {QUEUE_KB / 1024:.0f} MB"
        ),
        broken=tuple(broken),
    )


def _produce(config: dict[str, Any], topic: str, seconds: float, offered: float) -> _Produced:
    """Produce `offered` messages per second, or fewer if produce() waits."""
    result = _Produced()

    def on_delivery(error: KafkaError | None, _: Message) -> None:
        result.reported += 1
        result.failed += error is not None

    settings = {
        "client.id": topic,
        "enable.idempotence": True,
        "queue.buffering.max.kbytes": QUEUE_KB,
        "message.timeout.ms": int(PATIENCE * 1000),
        # Messages in requests use memory twice: in the queue and in a buffer.
        "batch.size": 100_000,
        "linger.ms": 5,
    }
    with Producer(config | settings) as producer:
        producer.list_topics(topic, TIMEOUT)
        before, most = rss_kb(), 0
        start = time.monotonic()
        while (elapsed := time.monotonic() - start) < seconds:
            # The loop does not catch up on messages that it could not produce in time.
            for _ in range(100):
                partition = result.messages % PARTITIONS
                value = b"%0*d" % (VALUE_BYTES, result.messages)
                called = time.monotonic()
                producer.produce(
                    topic, value, partition=partition, on_delivery=on_delivery, block=PATIENCE
                )
                result.waits += time.monotonic() - called > 0.001
                result.messages += 1
            producer.poll(max(0.0, result.messages / offered - elapsed))
            most = max(most, rss_kb())
        producer.flush(PATIENCE)
        result.growth_kb = most - before
    return result


def _read(config: dict[str, Any], topic: str) -> tuple[int, int, int]:
    """Count different messages, duplicates, and messages after one with a higher number."""
    seen: set[int] = set()
    duplicated = out_of_order = 0
    settings = {
        "group.id": topic,
        "enable.auto.commit": False,
        "auto.offset.reset": "error",
        "enable.partition.eof": True,
    }
    with Consumer(config | settings) as consumer:
        consumer.assign([TopicPartition(topic, partition, 0) for partition in range(PARTITIONS)])
        last = dict.fromkeys(range(PARTITIONS), -1)
        ended: set[int | None] = set()
        end = time.monotonic() + PATIENCE
        while len(ended) < PARTITIONS:
            assert time.monotonic() < end, "the reader does not reach the end of the topic"
            for message in consumer.consume(5000, 0.2):
                error, partition = message.error(), message.partition()
                if error is not None:
                    assert error.code() == KafkaError._PARTITION_EOF, error
                    ended.add(partition)
                    continue
                number = int(message.value() or b"")
                assert partition is not None
                duplicated += number in seen
                out_of_order += number < last[partition]
                last[partition] = number
                seen.add(number)
    return len(seen), duplicated, out_of_order
