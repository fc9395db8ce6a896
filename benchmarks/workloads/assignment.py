"""What a large assignment costs, by the partition. The cluster does not have its topic."""

from __future__ import annotations

import argparse

from benchmarks.workloads.common import Stopwatch, print_result
from confluent_kafka import Consumer, TopicPartition

TOPIC = "many"
PARTITIONS = 10_000
ROUNDS = 3


def main() -> None:
    """Pause and resume all partitions, and print the result: a partition stands for a message."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--messages", type=int, help="not used")
    args = parser.parse_args()
    partitions = [TopicPartition(TOPIC, one) for one in range(PARTITIONS)]
    consumer = Consumer({"bootstrap.servers": args.bootstrap, "group.id": "benchmark"})
    consumer.assign(partitions)
    stopwatch = Stopwatch()
    for _ in range(ROUNDS):
        consumer.pause(partitions)
        consumer.resume(partitions)
    print_result(
        messages=ROUNDS * PARTITIONS,
        call_seconds=stopwatch.wall(),
        thread_seconds=stopwatch.thread(),
    )
    consumer.close()


if __name__ == "__main__":
    main()
