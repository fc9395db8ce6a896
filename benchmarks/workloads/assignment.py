"""Measure the cost of a large assignment per partition, on a cluster of its own."""

from __future__ import annotations

import argparse

from benchmarks.cluster import new_cluster
from benchmarks.native_program import PROGRAM
from benchmarks.workloads.common import TIMEOUT_SECONDS, Stopwatch, print_result
from confluent_kafka import Consumer, TopicPartition

TOPIC = "many"
PARTITIONS = 10_000
ROUNDS = 3


def pause(consumer: Consumer, partitions: list[TopicPartition]) -> None:
    """Pause and resume all partitions."""
    consumer.assign(partitions)
    consumer.poll(1)
    stopwatch = Stopwatch()
    for _ in range(ROUNDS):
        consumer.pause(partitions)
        consumer.resume(partitions)
    _show(stopwatch)


def commit(consumer: Consumer, partitions: list[TopicPartition]) -> None:
    """Commit an offset of each partition, and request the committed offsets."""
    consumer.committed(partitions[:1], TIMEOUT_SECONDS)  # the first call finds the coordinator
    stopwatch = Stopwatch()
    for _ in range(ROUNDS):
        consumer.commit(offsets=partitions, asynchronous=False)
        consumer.committed(partitions, TIMEOUT_SECONDS)
    _show(stopwatch)


def _show(stopwatch: Stopwatch) -> None:
    """Print the result; each partition counts as a message."""
    print_result(
        messages=ROUNDS * PARTITIONS,
        call_seconds=stopwatch.wall(),
        thread_seconds=stopwatch.thread(),
    )


CALLS = {"pause": pause, "commit": commit}


def main() -> None:
    """Measure one call and print the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", help="not used")
    parser.add_argument("--messages", type=int, help="not used")
    parser.add_argument("--call", choices=CALLS, required=True)
    args = parser.parse_args()
    with new_cluster(PROGRAM, {TOPIC: PARTITIONS}) as cluster:
        config = {"bootstrap.servers": cluster.bootstrap_servers, "group.id": "benchmark"}
        consumer = Consumer(config)
        CALLS[args.call](consumer, [TopicPartition(TOPIC, one, 0) for one in range(PARTITIONS)])
        consumer.close()


if __name__ == "__main__":
    main()
