"""Process messages concurrently, in order per partition, and send the results to another topic.

    python -m examples.aio_relay localhost:9092 videos results

The program ends on Ctrl-C. It commits the offset of a message after the result of the message has
been delivered. So no message is skipped, and after a crash some messages may be processed again.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from confluent_kafka import KafkaException, Message, TopicPartition
from confluent_kafka.aio import AIOConsumer, AIOProducer

BATCH = 500
SECONDS = 1.0


async def convert(message: Message) -> bytes:
    """Return the result for a message, for example by calling another service."""
    await asyncio.sleep(0.01)
    return (message.value() or b"").upper()


async def relay(
    bootstrap_servers: str,
    source: str,
    target: str,
    stopped: asyncio.Event,
    work: Callable[[Message], Awaitable[bytes]] = convert,
) -> int:
    """Relay messages until ``stopped`` is set; return the number of processed messages."""
    servers = {"bootstrap.servers": bootstrap_servers}
    reading: dict[str, Any] = {
        "group.id": "aio-relay",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
    done = 0
    async with (
        AIOProducer(servers | {"enable.idempotence": True}) as producer,
        AIOConsumer(servers | reading) as consumer,
    ):
        # Report a wrong password or address now, instead of retrying without an error.
        await consumer.connect(10, source)
        await consumer.subscribe([source])
        while not stopped.is_set():
            messages = await consumer.consume(BATCH, SECONDS)
            for message in messages:
                error = message.error()
                if error is not None:
                    raise KafkaException(error)
            results = await asyncio.gather(*(work(message) for message in messages))
            deliveries = [
                await producer.produce(target, result, message.key())
                for message, result in zip(messages, results, strict=True)
            ]
            await asyncio.gather(*deliveries)
            if messages:
                await consumer.commit(offsets=after(messages), asynchronous=False)
            done += len(messages)
    return done


def after(messages: list[Message]) -> list[TopicPartition]:
    """Return the offset after the last message of each partition."""
    last = {(message.topic(), message.partition()): message for message in messages}
    return [
        TopicPartition(str(message.topic()), message.partition() or 0, (message.offset() or 0) + 1)
        for message in last.values()
    ]


async def main(arguments: list[str]) -> None:
    """Relay messages until Ctrl-C or SIGTERM."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    print(await relay(arguments[0], arguments[1], arguments[2], stopped), "messages relayed")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: python -m examples.aio_relay BOOTSTRAP_SERVERS SOURCE TARGET")
    asyncio.run(main(sys.argv[1:]))
