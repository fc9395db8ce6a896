"""A short version of a run of hours: produce and consume at full speed, and watch the memory."""

from __future__ import annotations

import multiprocessing
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition
from tests.chaos.process_memory import Slope, block_means, rss_kb, slope
from tests.chaos.row import Row
from tests.integration.kafka_cluster import KafkaCluster
from tests.integration.topics import create_topic
from tests.support.waiting import TIMEOUT

# The slope's lower confidence bound must not exceed the limit. A run of seconds only finds whole
# messages that are never freed; half an hour finds one byte in fifty messages.
SHORT = {"seconds": 12.0, "warm_up": 4.0, "limit_kb_per_minute": 300_000}
FULL = {"seconds": 1800.0, "warm_up": 300.0, "limit_kb_per_minute": 100}

PARTITIONS = 3
ROUND = 1000  # messages
# The consumer may lag this far behind, so that the queues are not empty, but do not grow.
AHEAD = 50_000
# The standard error treats points as independent, so each of few points is a mean of many samples.
BLOCKS = 20
# Samples use memory too: ten per second would use 70 kB per minute.
SAMPLE_SECONDS = 1.0
FEWEST_SAMPLES = 10
# The test is not about disks, so the topic stays small.
RETENTION = {"retention.bytes": "50000000", "segment.bytes": "10000000", "compression.type": "lz4"}


@dataclass
class _Work:
    """The counts of one process, and samples of its memory."""

    sent: int = 0
    received: int = 0
    reported: int = 0
    failed: int = 0
    duplicated: int = 0
    out_of_order: int = 0
    samples: list[tuple[float, float]] = field(default_factory=list)  # minutes, kB

    def slope(self, warm_up: float) -> Slope:
        """kB per minute after the warm-up, in which queues and memory pools grow once."""
        kept = [(minute, kb) for minute, kb in self.samples if minute > warm_up / 60]
        return slope(block_means(kept, BLOCKS))


def run(kafka: KafkaCluster, seconds: float, warm_up: float, limit_kb_per_minute: float) -> Row:
    topic = f"soak-{uuid.uuid4().hex[:8]}"
    create_topic(kafka, topic, PARTITIONS, RETENTION)
    # A separate process, so that its memory is only the two clients'.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        work = pool.submit(_work, kafka.config(), topic, seconds).result()
    growth = work.slope(warm_up)
    broken = []
    if growth.value - 3 * growth.error > limit_kb_per_minute:
        broken.append("the memory grows")
    if work.failed:
        broken.append(f"{work.failed} messages failed")
    return Row(
        scenario="soak",
        fault="full rate",
        times=1,
        messages=work.sent,
        lost=work.sent - work.received,
        duplicated=work.duplicated,
        out_of_order=work.out_of_order,
        unreported=abs(work.sent - work.reported),
        notes=(
            f"{seconds / 60:.1f} min, {work.sent / seconds:,.0f} messages/s, "
            f"RSS {growth.value:+.0f} ± {growth.error:.0f} kB/min"
        ),
        broken=tuple(broken),
    )


def _work(config: dict[str, Any], topic: str, seconds: float) -> _Work:
    work = _Work()

    def on_delivery(error: KafkaError | None, _: Message) -> None:
        work.reported += 1
        work.failed += error is not None

    reading = {"group.id": topic, "auto.offset.reset": "error", "fetch.wait.max.ms": 10}
    with Producer(config | {"linger.ms": 5}) as producer, Consumer(config | reading) as consumer:
        consumer.assign([TopicPartition(topic, partition, 0) for partition in range(PARTITIONS)])
        last = dict.fromkeys(range(PARTITIONS), -1)
        start = sampled = time.monotonic()
        while (now := time.monotonic()) - start < seconds or len(work.samples) < FEWEST_SAMPLES:
            _send_round(producer, topic, work, on_delivery)
            while work.sent - work.received > AHEAD:
                _receive(consumer.consume(ROUND, 0.1), work, last)
            _receive(_polled(consumer), work, last)
            if now - sampled > SAMPLE_SECONDS:
                sampled = now
                work.samples.append(((now - start) / 60, rss_kb()))
        assert producer.flush(TIMEOUT) == 0
        end = time.monotonic() + TIMEOUT
        while work.received < work.sent and time.monotonic() < end:
            _receive(consumer.consume(ROUND, 0.1), work, last)
    return work


def _send_round(producer: Producer, topic: str, work: _Work, on_delivery: Any) -> None:
    """Send most messages in a batch, and some one by one, with a key and headers."""
    partition = work.sent // ROUND % PARTITIONS
    numbers = range(work.sent, work.sent + ROUND)
    batch = [{"key": b"key", "value": b"%0100d" % number} for number in numbers[:-100]]
    sent = producer.produce_batch(topic, batch, partition, on_delivery=on_delivery, block=TIMEOUT)
    assert sent == len(batch)
    for number in numbers[-100:]:
        producer.produce(
            topic,
            b"%0100d" % number,
            b"key",
            partition,
            on_delivery=on_delivery,
            headers={"trace": b"%d" % number},
            block=TIMEOUT,
        )
    work.sent += ROUND
    producer.poll(0)


def _polled(consumer: Consumer) -> Iterator[Message]:
    for _ in range(100):
        if (message := consumer.poll(0)) is None:
            return
        yield message


def _receive(messages: Any, work: _Work, last: dict[int, int]) -> None:
    """The numbers of a partition ascend; another number is a duplicate or out of order."""
    for message in messages:
        assert message.error() is None, message.error()
        number, partition = int(message.value()), message.partition()
        if number <= last[partition]:
            work.duplicated += number == last[partition]
            work.out_of_order += number < last[partition]
            continue
        if number % 10 == 0:
            headers = message.headers()
            assert headers is None or headers == [("trace", b"%d" % number)]
        last[partition] = number
        work.received += 1
