"""A service whose handler waits for SECONDS: python worker.py KIND BROKERS TOPIC SECONDS.

KIND is "blocking", "asyncio", or "two": two AIOWorkers in one loop, of which one has no messages.
"""

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
    workers = [AIOWorker(config, [topic], await_and_handle)]
    if kind == "two":
        workers.append(AIOWorker({**config, "group.id": "other"}, ["other"], await_and_handle))
    await asyncio.gather(*(worker.run() for worker in workers))


if kind == "blocking":
    Worker(config, [topic], handle).run()
else:
    asyncio.run(serve())
print("ended", flush=True)
