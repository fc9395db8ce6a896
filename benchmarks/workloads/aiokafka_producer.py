"""Send messages with aiokafka's API, from aiokafka or this package, in one task."""

from __future__ import annotations

import argparse
import asyncio
import importlib
from typing import Any

from benchmarks.workloads.common import VALUES, Stopwatch, print_result

# A fraction of the run's messages, because aiokafka needs ten seconds for a million.
FRACTION = 10


async def send(producer: Any, topic: str, messages: int) -> None:
    """Await send() for a thousand messages, then each of their deliveries."""
    for _ in range(messages // len(VALUES)):
        for delivery in [await producer.send(topic, value) for value in VALUES]:
            await delivery


async def gather(producer: Any, topic: str, messages: int) -> None:
    """Do the same as send(), but wait with gather(), whose callbacks cost as much as a message."""
    for _ in range(messages // len(VALUES)):
        await asyncio.gather(*[await producer.send(topic, value) for value in VALUES])


CALLS = {"send": send, "gather": gather}


async def measure(args: argparse.Namespace) -> None:
    """Produce until all messages are delivered."""
    client = importlib.import_module(args.client)
    call = CALLS[args.call]
    messages = args.messages // FRACTION
    async with client.AIOKafkaProducer(bootstrap_servers=args.bootstrap) as producer:
        await call(producer, args.topic, len(VALUES))  # gets the list of partitions
        stopwatch = Stopwatch()
        await call(producer, args.topic, messages)
        print_result(
            messages=messages, call_seconds=stopwatch.wall(), thread_seconds=stopwatch.thread()
        )


def main() -> None:
    """Measure and print the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--client", required=True, help="the module that has the API")
    parser.add_argument("--topic", required=True)
    parser.add_argument("--messages", type=int, required=True)
    parser.add_argument("--call", choices=CALLS, required=True)
    asyncio.run(measure(parser.parse_args()))


if __name__ == "__main__":
    main()
