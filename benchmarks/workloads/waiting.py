"""Measure how soon a message reaches a waiting task, and how late the ticks of a busy loop are."""

from __future__ import annotations

import argparse
import asyncio
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from itertools import cycle, islice
from random import Random
from statistics import quantiles
from typing import Any
from uuid import uuid4

from benchmarks.workloads.common import TIMEOUT_SECONDS, VALUES, print_result
from confluent_kafka import OFFSET_END, Consumer, Producer, TopicPartition
from confluent_kafka.aio import AIOConsumer, AIOProducer

RATE = 1_000  # messages a second, for the latency
WARM_UP = 500  # first messages, which are not counted

PRODUCERS = 1_000  # number of producing tasks in the busy event loop
PAUSE = 0.1  # seconds between two messages of one producing task
TICK = 0.010

STAMP = struct.Struct("<d")


def stamped() -> bytes:
    """Return a value that contains its creation time."""
    return STAMP.pack(time.perf_counter())


def age(value: bytes | None) -> float:
    """Return the seconds since a value was created."""
    return time.perf_counter() - STAMP.unpack(value or b"")[0]


def pace(messages: int) -> Iterator[None]:
    """Yield when each message is due. The times are random, because fetches are regular."""
    intervals = Random(1)
    due = time.perf_counter()
    for _ in range(messages):
        due += intervals.expovariate(RATE)
        time.sleep(max(0.0, due - time.perf_counter()))
        yield


def producing(bootstrap: str) -> dict[str, Any]:
    return {"bootstrap.servers": bootstrap, "linger.ms": 0}


def consuming(bootstrap: str, fetch_wait_ms: int = 1) -> dict[str, Any]:
    """Return a configuration with a short wait, because mock brokers respond only after it."""
    return {
        "bootstrap.servers": bootstrap,
        "group.id": "benchmarks",
        "enable.auto.commit": False,
        "fetch.wait.max.ms": fetch_wait_ms,
    }


def new_topic(bootstrap: str) -> TopicPartition:
    """Make a topic and return the end of its first partition.

    A mock broker searches for an offset from the beginning of the log. In a full topic, the search
    takes longer than the measured times. So each measurement makes a topic of its own.
    """
    topic = f"waiting-{uuid4()}"
    with Producer(producing(bootstrap)) as producer:
        producer.produce(topic, b"", partition=0)
        producer.flush()
    return TopicPartition(topic, 0, 1)


async def latency_of_tasks(bootstrap: str, place: TopicPartition, messages: int) -> list[float]:
    """Return the seconds from produce() in one task to getone() in another task."""
    async with (
        AIOProducer(producing(bootstrap)) as producer,
        AIOConsumer(consuming(bootstrap)) as consumer,
    ):
        await consumer.assign([place])

        async def read() -> list[float]:
            return [age((await consumer.getone()).value()) for _ in range(messages)]

        loop = asyncio.get_running_loop()
        due: asyncio.Queue[None] = asyncio.Queue()

        def wake() -> None:
            # Another thread wakes the task, because the event loop's own timers are late, often
            # until just after a message has arrived.
            for _ in pace(messages):
                loop.call_soon_threadsafe(due.put_nowait, None)

        reading = asyncio.create_task(read())
        waking = asyncio.create_task(asyncio.to_thread(wake))
        for _ in range(messages):
            await due.get()
            await producer.produce(place.topic, stamped(), partition=0)
        await waking
        return await reading


def latency_of_threads(bootstrap: str, place: TopicPartition, messages: int) -> list[float]:
    """Return the seconds from produce() in one thread to poll() in another thread."""
    ages: list[float] = []
    with Producer(producing(bootstrap)) as producer, Consumer(consuming(bootstrap)) as consumer:
        consumer.assign([place])

        def read() -> None:
            while len(ages) < messages:
                message = consumer.poll(TIMEOUT_SECONDS)
                if message is None or message.error():
                    return
                ages.append(age(message.value()))

        reading = threading.Thread(target=read)
        reading.start()
        for _ in pace(messages):
            producer.produce(place.topic, stamped(), partition=0)
            producer.poll(0)
        reading.join()
    return ages


async def lateness_of_ticks(
    bootstrap: str, places: list[TopicPartition], consumers: int, seconds: float
) -> list[float]:
    """Return how late each tick of a task was, while many other tasks produce and consume.

    Each consumer reads one of `places`, and the producing tasks write to them in turn.
    """
    async with AsyncExitStack() as stack:
        producer = await stack.enter_async_context(AIOProducer(producing(bootstrap)))
        clients = [
            await stack.enter_async_context(await AIOConsumer.create(consuming(bootstrap, 100)))
            for _ in range(consumers)
        ]

        async def consume(consumer: AIOConsumer, place: TopicPartition) -> None:
            await consumer.assign([place])
            while True:
                await consumer.getmany()

        async def produce(place: TopicPartition) -> None:
            while True:
                await (await producer.produce(place.topic, VALUES[0], partition=place.partition))
                await asyncio.sleep(PAUSE)

        tasks = [
            asyncio.create_task(consume(client, place))
            for client, place in zip(clients, cycle(places), strict=False)
        ]
        tasks += [asyncio.create_task(produce(place)) for place in islice(cycle(places), PRODUCERS)]
        await asyncio.sleep(1)  # all clients are connected now
        late = []
        end = time.perf_counter() + seconds
        while (now := time.perf_counter()) < end:
            await asyncio.sleep(TICK)
            late.append(time.perf_counter() - now - TICK)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return late


def main() -> None:
    """Run one of the three measurements, and print the percentiles."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--what", choices=("tasks", "threads", "ticks"), required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--consumers", type=int)
    parser.add_argument("--shared-topic", help="has a partition for each consumer")
    args = parser.parse_args()
    messages = WARM_UP + int(args.seconds * RATE)
    place = new_topic(args.bootstrap)
    if args.what == "ticks":
        places = [place]
        if args.shared_topic:
            numbers = range(args.consumers)
            places = [TopicPartition(args.shared_topic, each, OFFSET_END) for each in numbers]
        busy = lateness_of_ticks(args.bootstrap, places, args.consumers, args.seconds)
        found = asyncio.run(busy)
    elif args.what == "tasks":
        found = asyncio.run(latency_of_tasks(args.bootstrap, place, messages))[WARM_UP:]
    else:
        found = latency_of_threads(args.bootstrap, place, messages)[WARM_UP:]
    cuts = quantiles(found, n=100)
    print_result(p50_seconds=cuts[49], p99_seconds=cuts[98], count=len(found))


if __name__ == "__main__":
    main()
