"""Messages through the asyncio clients, in one event loop with one task."""

from __future__ import annotations

import argparse
import asyncio
import logging
import warnings
from collections.abc import Awaitable, Callable
from typing import Any

from benchmarks.workloads.common import TIMEOUT_SECONDS, VALUES, Stopwatch, print_result
from benchmarks.workloads.consume import failure, wait_until_fetched
from benchmarks.workloads.memory import ResidentMemory
from confluent_kafka import OFFSET_BEGINNING, TopicPartition

# confluent-kafka warns that its asyncio clients are experimental.
warnings.simplefilter("ignore")

BATCH_SIZE = 500  # max.poll.records of Kafka's own consumer

# Fractions of the run's messages. "before" is small, because a client that uses a thread for each
# call is a hundred times slower. "meanwhile" is the same as in aiokafka_consumer, because the
# report compares the two.
FRACTIONS = {"before": 20, "meanwhile": 2}
BATCH_FRACTIONS = {"before": 2, "meanwhile": 1}


async def produce(producer: Any, topic: str, messages: int) -> None:
    """Await produce() for a thousand messages, flush, then await all of their deliveries."""
    for _ in range(messages // len(VALUES)):
        deliveries = [await producer.produce(topic, value) for value in VALUES]
        await producer.flush()
        await asyncio.gather(*deliveries)


async def send(producer: Any, topic: str, messages: int) -> None:
    """Await produce() for a thousand messages, then each of their deliveries."""
    for _ in range(messages // len(VALUES)):
        for delivery in [await producer.produce(topic, value) for value in VALUES]:
            await delivery


async def gather(producer: Any, topic: str, messages: int) -> None:
    """Do the same as send(), but wait with gather(), whose callbacks cost as much as a message."""
    for _ in range(messages // len(VALUES)):
        await asyncio.gather(*[await producer.produce(topic, value) for value in VALUES])


async def send_many(producer: Any, topic: str, messages: int) -> None:
    """Do the same as send(), but with one future for a thousand messages."""
    for _ in range(messages // len(VALUES)):
        await (await producer.produce_many(topic, VALUES))


async def poll(consumer: Any, messages: int) -> None:
    """Await poll() and read value(), message by message."""
    for _ in range(messages):
        message = await consumer.poll(TIMEOUT_SECONDS)
        if message is None or message.error():
            raise failure(message)
        message.value()


async def consume(consumer: Any, messages: int) -> None:
    """Await consume() and read value() of messages in batches."""
    while messages > 0:
        batch = await consumer.consume(min(BATCH_SIZE, messages), TIMEOUT_SECONDS)
        if not batch:
            raise failure(None)
        for message in batch:
            if message.error():
                raise failure(message)
            message.value()
        messages -= len(batch)


CONSUMING: dict[str, Callable[[Any, int], Awaitable[None]]] = {"poll": poll, "consume": consume}
PRODUCING: dict[str, Callable[[Any, str, int], Awaitable[None]]] = {
    "produce": produce,
    "send": send,
    "gather": gather,
    "send-many": send_many,
}


async def measure_producer(args: argparse.Namespace, messages: int) -> None:
    """Produce until all messages are delivered."""
    from confluent_kafka.aio import AIOProducer

    call = PRODUCING[args.call]
    # As with aiokafka, the program waits for each thousand messages before it produces more.
    producer = AIOProducer({"bootstrap.servers": args.bootstrap, "linger.ms": 0})
    await call(producer, args.topic, len(VALUES))  # connects, and gets the list of partitions
    stopwatch = Stopwatch()
    await call(producer, args.topic, messages)
    report(stopwatch, messages)
    await producer.close()


async def measure_pending(args: argparse.Namespace, messages: int) -> None:
    """Print the resident memory without messages, with queued messages, and with their futures."""
    from confluent_kafka.aio import AIOProducer

    config = {
        "bootstrap.servers": "127.0.0.1:1",
        "queue.buffering.max.messages": messages,
        "queue.buffering.max.kbytes": 2_097_151,
        "logger": logging.NullHandler(),
    }
    memory = ResidentMemory()
    resident = [memory.bytes()]
    for call in ("produce_batch", "produce"):
        producer = AIOProducer(config)
        pending = []
        for value in VALUES * (messages // len(VALUES)):
            if call == "produce":
                pending.append(await producer.produce(args.topic, value))
            else:
                await producer.produce_batch(args.topic, [value])
        resident.append(memory.bytes())
        await producer.close(0)
        for delivery in pending:
            delivery.exception()
    print_result(messages=messages, resident_bytes=resident)


async def measure_consumer(args: argparse.Namespace, messages: int) -> None:
    """Consume messages that librdkafka has already fetched, or fetches at the same time."""
    from confluent_kafka.aio import AIOConsumer

    consumer = AIOConsumer(
        {
            "bootstrap.servers": args.bootstrap,
            "group.id": "benchmarks",
            "enable.auto.commit": False,
            "queued.min.messages": 10_000_000,
            "queued.max.messages.kbytes": 2_097_151,
        }
    )
    partitions = range(args.partitions)
    await consumer.assign([TopicPartition(args.topic, p, OFFSET_BEGINNING) for p in partitions])
    await poll(consumer, 1)  # fetching has begun
    if args.fetch == "before":
        wait_until_fetched()
    stopwatch = Stopwatch()
    await CONSUMING[args.call](consumer, messages - 1)
    report(stopwatch, messages - 1)
    await consumer.close()


def report(stopwatch: Stopwatch, messages: int) -> None:
    """Print the result."""
    print_result(
        messages=messages, call_seconds=stopwatch.wall(), thread_seconds=stopwatch.thread()
    )


def main() -> None:
    """Measure one call and print the result."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--topic", required=True)
    parser.add_argument("--partitions", type=int, default=0, help="for consumers")
    parser.add_argument("--messages", type=int, required=True)
    parser.add_argument("--call", choices=("pending", *PRODUCING, *CONSUMING), required=True)
    parser.add_argument("--fetch", choices=FRACTIONS, default="before", help="for consumers")
    args = parser.parse_args()
    if args.call == "pending":
        asyncio.run(measure_pending(args, args.messages))
        return
    measure = measure_producer if args.call in PRODUCING else measure_consumer
    fractions = BATCH_FRACTIONS if args.call == "consume" else FRACTIONS
    messages = args.messages // fractions[args.fetch]
    asyncio.run(measure(args, max(messages, len(VALUES))))


if __name__ == "__main__":
    main()
