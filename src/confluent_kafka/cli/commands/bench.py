"""``python -m confluent_kafka bench``: the throughput and latency of a cluster from here."""

from __future__ import annotations

import os
import time
from array import array
from typing import Annotated

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.cli.base.declared import option
from confluent_kafka.cli.base.ending import configuring, ending, fail
from confluent_kafka.cli.base.terminal import counted
from confluent_kafka.cli.bench.figures import (
    MILLION,
    QUANTILES,
    THROUGHPUT,
    Count,
    Size,
    Timeout,
    Topic,
    check_error,
    quantiles,
    throughput,
)
from confluent_kafka.cli.bench.round_trip import round_trip
from confluent_kafka.cli.bench.share import share
from confluent_kafka.cli.connection.administration import AsJson, show
from confluent_kafka.cli.connection.settings import Connection, settings
from confluent_kafka.cli.shell.command import Group

app = Group(
    help="Measure throughput and latency.\n\n"
    "Exit status: 0 measured, 1 failed, 2 wrong usage, 130 Ctrl-C.",
    examples=(
        "confluent-kafka bench produce bench -n 1000000 -b localhost:9092",
        "confluent-kafka bench consume bench -n 1000000 -b localhost:9092",
    ),
)

_BATCH = 1000


@app.command(
    changes=False,
    examples=(
        "confluent-kafka bench produce bench -n 1000000 --size 200 -b localhost:9092",
        "confluent-kafka bench produce bench --rate 10000 -X acks=1 -F prod.properties",
    ),
)
def produce(
    topic: Topic,
    connection: Connection,
    count: Count = MILLION,
    size: Size = 100,
    rate: Annotated[
        int | None,
        option(
            min=1,
            help="Send this many messages per second, to measure the latency without a queue.",
        ),
    ] = None,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """Send messages of random bytes as fast as possible, and show throughput and latency."""
    config = settings(connection)
    with ending():
        with configuring():
            producer = Producer(config)
        try:
            producer.connect(timeout)
            latencies = array("d")
            began = time.monotonic()
            _send(producer, topic, count, size, rate, latencies)
            left = producer.flush(timeout)
            seconds = time.monotonic() - began
        finally:
            producer.close(0)
        if left or len(latencies) < count:
            fail(f"not delivered: {count - len(latencies):,} of {counted(count, 'message')}")
    latencies = array("d", sorted(latencies))
    row = (*throughput(count, count * size, seconds), *quantiles(latencies))
    show((*THROUGHPUT, *QUANTILES), [row], as_json)


def _send(
    producer: Producer,
    topic: str,
    count: int,
    size: int,
    rate: int | None,
    latencies: array[float],
) -> None:
    def delivered(error: KafkaError | None, message: Message) -> None:
        if error is not None:
            raise KafkaException(error)
        latencies.append(message.latency() or 0.0)

    value = os.urandom(size)
    began = time.monotonic()
    step = _BATCH if rate is None else max(1, min(_BATCH, rate // 100))
    for first in range(0, count, step):
        batch = [value] * min(step, count - first)
        producer.produce_batch(topic, batch, on_delivery=delivered, block=-1)
        producer.poll(0)
        if rate is not None:
            _poll_until(producer, began + (first + step) / rate)


def _poll_until(producer: Producer, moment: float) -> None:
    while (seconds := moment - time.monotonic()) > 0:
        producer.poll(seconds)


@app.command(
    changes=False,
    examples=(
        "confluent-kafka bench consume bench -n 1000000 -b localhost:9092",
        "confluent-kafka bench consume bench --json -F prod.properties",
    ),
)
def consume(
    topic: Topic,
    connection: Connection,
    count: Count = MILLION,
    timeout: Timeout = 30,
    as_json: AsJson = False,
) -> None:
    """Read messages from the beginning, without a group, and show the throughput.

    The command ends after --count messages, or at the end of the topic.
    """
    config = settings(connection)
    config |= {"group.id": "bench", "enable.auto.commit": False, "enable.partition.eof": True}
    with ending():
        with configuring():
            consumer = Consumer(config)
        try:
            consumer.connect(timeout, topic)
            numbers = consumer.list_topics(topic, timeout).topics[topic].partitions
            consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for number in numbers])
            began = time.monotonic()
            messages, size = _read(consumer, count, len(numbers), timeout)
            seconds = time.monotonic() - began
        finally:
            consumer.close()
    show(THROUGHPUT, [throughput(messages, size, seconds)], as_json)


def _read(consumer: Consumer, count: int, partitions: int, timeout: float) -> tuple[int, int]:
    """Read `count` messages, or to the end of all partitions; return messages and bytes."""
    messages = size = ended = 0
    last = time.monotonic()
    while messages < count and ended < partitions:
        batch = consumer.consume(min(_BATCH, count - messages), 0.1)
        for message in batch:
            error = message.error()
            if error is None:
                messages += 1
                size += len(message)
            elif error.code() == KafkaError._PARTITION_EOF:
                ended += 1
            else:
                check_error(error)
        now = time.monotonic()
        if batch:
            last = now
        elif now - last > timeout:
            fail(f"no message for {timeout:g} s, after {counted(messages, 'message')}")
    return messages, size


app.command(
    changes=False,
    examples=(
        "confluent-kafka bench round-trip bench -b localhost:9092",
        "confluent-kafka bench round-trip bench -n 10000 --rate 500 -F prod.properties",
    ),
)(round_trip)
app.command(
    changes=False,
    examples=(
        "confluent-kafka bench share bench --group bench -n 1000000 -b localhost:9092",
        "confluent-kafka bench share bench -g bench -n 1000 --json -F prod.properties",
    ),
)(share)
