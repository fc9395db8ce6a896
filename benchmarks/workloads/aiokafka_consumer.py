"""Read messages with aiokafka's API, from aiokafka or this package, in one task.

Both packages fetch at the same time. aiokafka fetches in the same event loop.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
from collections.abc import Awaitable, Callable
from typing import Any

from benchmarks.workloads.common import TIMEOUT_SECONDS, Stopwatch, print_result

# A fraction of the run's messages, because aiokafka needs seconds for a million single messages.
FRACTIONS = {"getone": 2, "getmany": 1}


async def getone(consumer: Any, messages: int) -> int:
    """Await getone() and read ``value``, message by message."""
    for _ in range(messages):
        (await consumer.getone()).value  # noqa: B018 - reading it is measured
    return messages


async def getmany(consumer: Any, messages: int) -> int:
    """Await getmany() and read the ``value`` of each record."""
    count = 0
    while count < messages:
        found = await consumer.getmany(timeout_ms=TIMEOUT_SECONDS * 1000)
        if not found:
            raise RuntimeError(f"no message within {TIMEOUT_SECONDS} s")
        for records in found.values():
            for record in records:
                record.value  # noqa: B018 - reading it is measured
            count += len(records)
    return count


CALLS: dict[str, Callable[[Any, int], Awaitable[int]]] = {"getone": getone, "getmany": getmany}


async def measure(args: argparse.Namespace) -> None:
    """Read from the beginning of all partitions."""
    client = importlib.import_module(args.client)
    consumer = client.AIOKafkaConsumer(
        bootstrap_servers=args.bootstrap, auto_offset_reset="earliest"
    )
    consumer.assign([client.TopicPartition(args.topic, p) for p in range(args.partitions)])
    await consumer.start()
    try:
        await consumer.getone()  # fetching has begun
        stopwatch = Stopwatch()
        messages = args.messages // FRACTIONS[args.call] - 1
        count = await CALLS[args.call](consumer, messages)
        print_result(
            messages=count, call_seconds=stopwatch.wall(), thread_seconds=stopwatch.thread()
        )
    finally:
        await consumer.stop()


def main() -> None:
    """Measure one call and print the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--client", required=True, help="the module that has the API")
    parser.add_argument("--topic", required=True)
    parser.add_argument("--partitions", type=int, required=True)
    parser.add_argument("--messages", type=int, required=True)
    parser.add_argument("--call", choices=CALLS, required=True)
    asyncio.run(measure(parser.parse_args()))


if __name__ == "__main__":
    main()
