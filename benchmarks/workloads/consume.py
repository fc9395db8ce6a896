"""Read messages, either after librdkafka has fetched them or while librdkafka fetches.

The first way measures the cost of the client's own calls. The second way measures the path from the
cluster, whose mock broker shares the machine's cores.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from benchmarks.workloads.common import TIMEOUT_SECONDS, Stopwatch, print_result
from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

BATCH_SIZE = 1000


def failure(message: Any) -> RuntimeError:
    """Return the exception for a missing message, or for an error instead of a message."""
    if message is None:
        return RuntimeError(f"no message within {TIMEOUT_SECONDS} s")
    return RuntimeError(f"an error instead of a message: {message.error()}")


def next_batch(consumer: Consumer, wanted: int) -> list[Any]:
    """Return the next messages: at most a batch, and at most the number that is left."""
    batch = consumer.consume(min(BATCH_SIZE, wanted), TIMEOUT_SECONDS)
    if not batch:
        raise failure(None)
    return batch


def poll(consumer: Consumer, messages: int) -> None:
    """Read only error(), message by message."""
    poll = consumer.poll
    for _ in range(messages):
        message = poll(TIMEOUT_SECONDS)
        if message is None or message.error():
            raise failure(message)


def poll_value(consumer: Consumer, messages: int) -> None:
    """Read error() and value(), message by message."""
    poll = consumer.poll
    for _ in range(messages):
        message = poll(TIMEOUT_SECONDS)
        if message is None or message.error():
            raise failure(message)
        message.value()


def consume_value(consumer: Consumer, messages: int) -> None:
    """Read error() and value() of messages in batches."""
    while messages > 0:
        batch = next_batch(consumer, messages)
        for message in batch:
            if message.error():
                raise failure(message)
            message.value()
        messages -= len(batch)


def consume_columns(consumer: Consumer, messages: int) -> None:
    """Read the same fields as an Arrow batch without headers, through the accessors."""
    while messages > 0:
        batch = next_batch(consumer, messages)
        for message in batch:
            if message.error():
                raise failure(message)
            message.topic()
            message.partition()
            message.offset()
            message.key()
            message.value()
            message.timestamp()
        messages -= len(batch)


def consume_all(consumer: Consumer, messages: int) -> None:
    """Read the same fields as an Arrow batch with headers, through the accessors."""
    while messages > 0:
        batch = next_batch(consumer, messages)
        for message in batch:
            if message.error():
                raise failure(message)
            message.topic()
            message.partition()
            message.offset()
            message.key()
            message.value()
            message.timestamp()
            message.headers()
        messages -= len(batch)


def consume_arrow(consumer: Consumer, messages: int, headers: bool = True) -> None:
    """Take Arrow batches with every column, and export each batch, as a reader does."""
    while messages > 0:
        batch = consumer.consume_arrow(min(BATCH_SIZE, messages), TIMEOUT_SECONDS, headers=headers)
        if not len(batch):
            raise failure(None)
        batch.__arrow_c_array__()
        messages -= len(batch)


def consume_arrow_columns(consumer: Consumer, messages: int) -> None:
    """Take Arrow batches with every column but headers."""
    consume_arrow(consumer, messages, headers=False)


CALLS: dict[str, Callable[[Consumer, int], None]] = {
    "poll": poll,
    "poll-value": poll_value,
    "consume-value": consume_value,
    "consume-columns": consume_columns,
    "consume-all": consume_all,
    "arrow-columns": consume_arrow_columns,
    "arrow-all": consume_arrow,
}


def wait_until_fetched() -> None:
    """Wait until librdkafka's threads have fetched all messages.

    The threads have finished when they use almost no CPU time. Every call that could show this
    would also take messages. The threads must have begun before this call; otherwise the wait ends
    at once.
    """
    deadline = time.monotonic() + TIMEOUT_SECONDS
    quiet = 0
    while quiet < 2:
        before = time.process_time()
        time.sleep(0.1)
        quiet = quiet + 1 if time.process_time() - before < 0.002 else 0
        if time.monotonic() > deadline:
            raise RuntimeError(f"the messages were not fetched in {TIMEOUT_SECONDS} s")


def main() -> None:
    """Measure one call and print the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--topic", required=True)
    parser.add_argument("--partitions", type=int, required=True)
    parser.add_argument("--messages", type=int, required=True, help="messages in the topic")
    parser.add_argument("--call", choices=CALLS, required=True)
    parser.add_argument("--fetch", choices=("before", "meanwhile"), required=True)
    args = parser.parse_args()
    consumer = Consumer(
        {
            "bootstrap.servers": args.bootstrap,
            "group.id": "benchmarks",
            "enable.auto.commit": False,
            # The queue has room for the whole topic, so that the client can fetch it before the
            # clock starts.
            "queued.min.messages": 10_000_000,
            "queued.max.messages.kbytes": 2_097_151,
        }
    )
    consumer.assign(
        [TopicPartition(args.topic, p, OFFSET_BEGINNING) for p in range(args.partitions)]
    )
    poll(consumer, 1)  # fetching has begun
    if args.fetch == "before":
        wait_until_fetched()

    messages = args.messages - 1
    stopwatch = Stopwatch()
    CALLS[args.call](consumer, messages)
    print_result(
        messages=messages, call_seconds=stopwatch.wall(), thread_seconds=stopwatch.thread()
    )
    consumer.close()


if __name__ == "__main__":
    main()
