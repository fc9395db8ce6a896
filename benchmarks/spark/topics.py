"""Fills topics with messages, and sends the slow stream that measures latency."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from benchmarks.spark.rows import KEY_BYTES
from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition
from confluent_kafka.columns.batch import ColumnEncoder

_BATCH_ROWS = 40_000
_BATCH_BYTES = 16 << 20
_QUEUE_TIMEOUT = 120.0


def fill(bootstrap: str, topic: str, partitions: int, messages: int, value_bytes: int) -> float:
    """Fill partitions evenly with a producer at full speed; return the duration in seconds."""
    rows = min(_BATCH_ROWS, _BATCH_BYTES // value_bytes) // partitions * partitions
    return send(bootstrap, topic, partitions, messages, _batch(rows, partitions, value_bytes))


def send(
    bootstrap: str,
    topic: str,
    partitions: int,
    messages: int,
    batch: pa.RecordBatch,
    value: ColumnEncoder | None = None,
) -> float:
    """Send a batch's rows repeatedly until a topic has enough; return the duration in seconds.

    Args:
        bootstrap: the addresses of the brokers.
        topic: the topic, which must be empty.
        partitions: the number of partitions of the topic.
        messages: the number of messages to send.
        batch: the columns of messages, for produce_arrow().
        value: encodes the column `value`.
    """
    started = time.monotonic()
    config: dict[str, str | int | bool] = {
        "bootstrap.servers": bootstrap,
        "broker.address.family": "v4",
        "linger.ms": 50,
        "batch.size": 1_000_000,
        "queue.buffering.max.kbytes": 262_144,
        "queue.buffering.max.messages": 1_000_000,
        "delivery.report.only.error": True,
    }
    with Producer(config) as producer:
        for first in range(0, messages, len(batch)):
            part = batch.slice(0, min(len(batch), messages - first))
            producer.produce_arrow(
                part, topic, on_delivery=_fail, block=_QUEUE_TIMEOUT, value=value
            )
        if producer.flush(_QUEUE_TIMEOUT):
            raise RuntimeError(f"{topic}: not all messages were delivered")
    seconds = time.monotonic() - started
    if (found := count(bootstrap, topic, partitions)) != messages:
        raise RuntimeError(f"{topic}: there are {found:,} messages, not {messages:,}")
    return seconds


def count(bootstrap: str, topic: str, partitions: int) -> int:
    """Return the number of messages in a topic, from each partition's first and last offset."""
    config = {
        "bootstrap.servers": bootstrap,
        "broker.address.family": "v4",
        "group.id": "benchmarks",
    }
    with Consumer(config) as consumer:
        ends = [
            consumer.get_watermark_offsets(TopicPartition(topic, number), timeout=30)
            for number in range(partitions)
        ]
    return sum(high - low for low, high in ends)


@contextmanager
def trickle(bootstrap: str, topic: str, per_second: int) -> Iterator[None]:
    """Send messages that contain the time, at a steady rate, until the block ends."""
    done = threading.Event()
    failures: list[BaseException] = []

    def send() -> None:
        config = {"bootstrap.servers": bootstrap, "broker.address.family": "v4"}
        try:
            with Producer(config) as producer:
                due = time.monotonic()
                while not done.is_set():
                    producer.produce(topic, b"x" * 100, on_delivery=_fail)
                    producer.poll(0)
                    due += 1 / per_second
                    done.wait(max(0.0, due - time.monotonic()))
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=send, name="trickle")
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
    if failures:
        raise failures[0]


def _batch(rows: int, partitions: int, value_bytes: int) -> pa.RecordBatch:
    """Return rows that go to all partitions in turn, with bytes that do not compress."""
    noise = random.Random(4)
    return pa.record_batch(
        {
            "key": _column(noise.randbytes(rows * KEY_BYTES), rows),
            "value": _column(noise.randbytes(rows * value_bytes), rows),
            "partition": pa.array([row % partitions for row in range(rows)], pa.int32()),
        }
    )


def _column(data: bytes, rows: int) -> pa.Array:
    size = len(data) // rows
    return pa.array([data[at : at + size] for at in range(0, len(data), size)], pa.binary())


def _fail(error: KafkaError | None, message: Message) -> None:
    if error is not None:
        raise RuntimeError(f"{message.topic()}: {error.str()}")
