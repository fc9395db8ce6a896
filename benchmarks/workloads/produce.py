"""Produce messages as fast as the client accepts them, then wait until all are delivered."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from benchmarks.workloads.common import (
    MESSAGES_PER_POLL,
    TIMEOUT_SECONDS,
    VALUES,
    Stopwatch,
    print_result,
)
from confluent_kafka import Producer


def produce_each(producer: Producer, topic: str, messages: int) -> None:
    """Call produce() with only the value."""
    produce, poll = producer.produce, producer.poll
    for _ in range(messages // MESSAGES_PER_POLL):
        for value in VALUES:
            produce(topic, value)
        poll(0)


def produce_each_with_callback(producer: Producer, topic: str, messages: int) -> None:
    """Call produce() with a delivery callback, until every callback has run."""
    delivered = 0

    def on_delivery(error: Any, message: Any) -> None:
        nonlocal delivered
        if error is not None:
            raise RuntimeError(f"not delivered: {error}")
        delivered += 1

    produce, poll = producer.produce, producer.poll
    for _ in range(messages // MESSAGES_PER_POLL):
        for value in VALUES:
            produce(topic, value, on_delivery=on_delivery)
        poll(0)
    producer.flush(TIMEOUT_SECONDS)
    if delivered != messages:
        raise RuntimeError(f"{delivered} delivery callbacks for {messages} messages")


def produce_batches(producer: Producer, topic: str, messages: int, batch: list[Any]) -> None:
    """Call produce_batch() with all messages between two polls."""
    for _ in range(messages // len(batch)):
        if producer.produce_batch(topic, batch) != len(batch):
            raise RuntimeError("produce_batch() did not queue every message")
        producer.poll(0)


def produce_values(producer: Producer, topic: str, messages: int) -> None:
    """Call produce_batch() with a list of values, which only this package accepts."""
    produce_batches(producer, topic, messages, VALUES)


def produce_dicts(producer: Producer, topic: str, messages: int) -> None:
    """Call produce_batch() with a list of dicts."""
    produce_batches(producer, topic, messages, [{"value": value} for value in VALUES])


CALLS: dict[str, Callable[[Producer, str, int], None]] = {
    "produce": produce_each,
    "callback": produce_each_with_callback,
    "values": produce_values,
    "dicts": produce_dicts,
}


def main() -> None:
    """Measure one call and print the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--topic", required=True)
    parser.add_argument("--messages", type=int, required=True)
    parser.add_argument("--call", choices=CALLS, required=True)
    args = parser.parse_args()
    producer = Producer(
        {
            "bootstrap.servers": args.bootstrap,
            # The queue has no limit. With a full queue, the program would measure the cluster
            # instead of the call.
            "queue.buffering.max.messages": 0,
            "queue.buffering.max.kbytes": 2_147_483_647,
        }
    )
    call = CALLS[args.call]
    call(producer, args.topic, MESSAGES_PER_POLL)  # connects, and gets the topic's partitions
    producer.flush(TIMEOUT_SECONDS)

    stopwatch = Stopwatch()
    call(producer, args.topic, args.messages)
    call_seconds = stopwatch.wall()
    if producer.flush(TIMEOUT_SECONDS):
        raise RuntimeError(f"{len(producer)} messages not delivered in {TIMEOUT_SECONDS} s")
    print_result(
        messages=args.messages,
        call_seconds=call_seconds,
        total_seconds=stopwatch.wall(),
        thread_seconds=stopwatch.thread(),
    )


if __name__ == "__main__":
    main()
