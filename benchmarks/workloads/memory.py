"""Measure the resident memory after each of several rounds of producing or consuming."""

from __future__ import annotations

import argparse
import ctypes
import resource
from collections.abc import Iterator
from pathlib import Path

from benchmarks.workloads.common import print_result
from benchmarks.workloads.consume import consume_all, consume_arrow, poll_value
from benchmarks.workloads.produce import produce_each_with_callback
from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

# A tenth of the size of the producer's queue, so that it is never full.
MESSAGES_PER_FLUSH = 10_000


def produce_rounds(args: argparse.Namespace) -> Iterator[None]:
    """Produce with delivery callbacks; a round ends when all of its messages are delivered."""
    producer = Producer({"bootstrap.servers": args.bootstrap})
    while True:
        for _ in range(args.messages // MESSAGES_PER_FLUSH):
            produce_each_with_callback(producer, args.topic, MESSAGES_PER_FLUSH)
        yield


def consume_rounds(args: argparse.Namespace) -> Iterator[None]:
    """Read the whole topic again in each round, with every accessor or as Arrow batches."""
    consumer = Consumer(
        {
            "bootstrap.servers": args.bootstrap,
            "group.id": "benchmarks",
            "enable.auto.commit": False,
            # The client checks a full queue for room again after this number of milliseconds.
            "fetch.queue.backoff.ms": 1,
        }
    )
    partitions = [TopicPartition(args.topic, p, OFFSET_BEGINNING) for p in range(args.partitions)]
    while True:
        consumer.assign(partitions)
        if args.call == "arrow":
            consume_arrow(consumer, args.messages)
        else:
            poll_value(consumer, args.messages // 2)
            consume_all(consumer, args.messages - args.messages // 2)
        yield


class ResidentMemory:
    """The resident memory of this process, without free memory that glibc keeps.

    Free memory is not a leak, but it changes from round to round by more than a leak would.
    malloc_trim() releases all free memory only if there is one arena, so the class allows only one.
    Other C libraries have no such calls, so their memory is measured unchanged.
    """

    _M_ARENA_MAX = -8  # from <malloc.h>

    def __init__(self) -> None:
        self._c = ctypes.CDLL(None)
        self._is_glibc = hasattr(self._c, "gnu_get_libc_version")
        if self._is_glibc:
            self._c.mallopt(self._M_ARENA_MAX, 1)

    def bytes(self) -> int:
        """Return the resident size (getrusage() returns only its peak)."""
        if self._is_glibc:
            self._c.malloc_trim(0)
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * resource.getpagesize()


def main() -> None:
    """Run the rounds, and print the resident memory after each round."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--topic", required=True)
    parser.add_argument("--partitions", type=int, required=True)
    parser.add_argument("--messages", type=int, required=True, help="messages of one round")
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--call", choices=("produce", "consume", "arrow"), required=True)
    args = parser.parse_args()
    memory = ResidentMemory()
    rounds = produce_rounds(args) if args.call == "produce" else consume_rounds(args)
    resident = []
    for _ in range(args.rounds):
        next(rounds)
        resident.append(memory.bytes())
    print_result(resident_bytes=resident)


if __name__ == "__main__":
    main()
