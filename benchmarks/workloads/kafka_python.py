"""Send and read messages with kafka-python's API, from kafka-python or this package."""

from __future__ import annotations

import argparse
import importlib
from typing import Any

from benchmarks.workloads.common import TIMEOUT_SECONDS, VALUES, Stopwatch, print_result

# A fraction of the run's messages, because kafka-python needs half a minute for a million.
SENT_FRACTION = 20
READ_FRACTION = 4
ANSWERS = 500  # number of requests; the program awaits each response before the next request
OLD_BATCH = 200  # messages in one call of send_messages(), kafka-python 0.9's API


def send(args: argparse.Namespace) -> tuple[int, Stopwatch]:
    """Call send() and, at the end, flush()."""
    client = importlib.import_module(args.client)
    producer = client.KafkaProducer(bootstrap_servers=args.bootstrap)
    try:
        producer.send(args.topic, VALUES[0]).get(TIMEOUT_SECONDS)  # gets the list of partitions
        messages = args.messages // SENT_FRACTION
        stopwatch = Stopwatch()
        for _ in range(messages // len(VALUES)):
            for value in VALUES:
                producer.send(args.topic, value)
        producer.flush()
    finally:
        producer.close()
    return messages, stopwatch


def send_messages(args: argparse.Namespace) -> tuple[int, Stopwatch]:
    """Call send_messages() of kafka-python 0.9's API with 200 messages each time."""
    old = importlib.import_module(args.client)
    producer = old.SimpleProducer(old.KafkaClient(args.bootstrap))
    producer.send_messages(args.topic, VALUES[0])  # gets the list of partitions
    messages = args.messages // SENT_FRACTION
    batch = VALUES[:OLD_BATCH]
    stopwatch = Stopwatch()
    for _ in range(messages // OLD_BATCH):
        producer.send_messages(args.topic, *batch)
    return messages, stopwatch


def _consumer(args: argparse.Namespace) -> Any:
    """Make a consumer of all partitions that has begun to fetch."""
    client = importlib.import_module(args.client)
    consumer = client.KafkaConsumer(
        bootstrap_servers=args.bootstrap,
        auto_offset_reset="earliest",
        consumer_timeout_ms=TIMEOUT_SECONDS * 1000,
    )
    consumer.assign([client.TopicPartition(args.topic, p) for p in range(args.partitions)])
    next(consumer)
    return consumer


def iterate(args: argparse.Namespace) -> tuple[int, Stopwatch]:
    """Iterate and read ``value``, message by message."""
    consumer = _consumer(args)
    messages = args.messages // READ_FRACTION
    stopwatch = Stopwatch()
    for _, record in zip(range(messages), consumer, strict=False):
        record.value  # noqa: B018 - reading it is measured
    consumer.close()
    return messages, stopwatch


def poll(args: argparse.Namespace) -> tuple[int, Stopwatch]:
    """Call poll() for at most 500 messages and read ``value`` of each."""
    consumer = _consumer(args)
    count = 0
    stopwatch = Stopwatch()
    while count < args.messages // READ_FRACTION:
        found = consumer.poll(TIMEOUT_SECONDS * 1000, max_records=500)
        if not found:
            raise RuntimeError(f"no message within {TIMEOUT_SECONDS} s")
        for records in found.values():
            for record in records:
                record.value  # noqa: B018 - reading it is measured
            count += len(records)
    consumer.close()
    return count, stopwatch


def ask(args: argparse.Namespace) -> tuple[int, Stopwatch]:
    """Request all topics from the brokers, and the partitions of one topic from the client."""
    client = importlib.import_module(args.client)
    consumer = client.KafkaConsumer(bootstrap_servers=args.bootstrap)
    consumer.topics()
    stopwatch = Stopwatch()
    for _ in range(ANSWERS):
        consumer.topics()
        consumer.partitions_for_topic(args.topic)
    consumer.close()
    return ANSWERS, stopwatch


CALLS = {
    "send": send,
    "send-messages": send_messages,
    "iterate": iterate,
    "poll": poll,
    "ask": ask,
}


def main() -> None:
    """Measure one call and print the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--client", required=True, help="the module that has the API")
    parser.add_argument("--topic", required=True)
    parser.add_argument("--partitions", type=int, default=0)
    parser.add_argument("--messages", type=int, required=True)
    parser.add_argument("--call", choices=CALLS, required=True)
    args = parser.parse_args()
    messages, stopwatch = CALLS[args.call](args)
    print_result(
        messages=messages, call_seconds=stopwatch.wall(), thread_seconds=stopwatch.thread()
    )


if __name__ == "__main__":
    main()
