"""A service whose handler waits for SECONDS: python worker.py KIND BROKERS TOPIC SECONDS."""

import asyncio
import sys
import time

from confluent_kafka import Message
from confluent_kafka.processing import AIOWorker, Worker

kind, brokers, topic, seconds = sys.argv[1:]
config = {"bootstrap.servers": brokers, "group.id": "group", "auto.offset.reset": "earliest"}


def handle(message: Message) -> None:
    print("begun", flush=True)
    time.sleep(float(seconds))
    print("done", flush=True)


async def await_and_handle(message: Message) -> None:
    print("begun", flush=True)
    await asyncio.sleep(float(seconds))
    print("done", flush=True)


async def serve() -> None:
    await AIOWorker(config, [topic], await_and_handle).run()


if kind == "blocking":
    Worker(config, [topic], handle).run()
else:
    asyncio.run(serve())
print("ended", flush=True)
