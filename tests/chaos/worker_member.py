"""A process with a Worker or an AIOWorker, for the scenario of killed workers.

It appends a line to its log for each message, when the handler begins: seconds, key, number.
SIGTERM: it drains and leaves. SIGKILL: it crashes.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time

from confluent_kafka import Message
from confluent_kafka.processing import AIOWorker, Worker

LONGEST_WORK = 0.004  # seconds: handlers of different keys end in another order than they begin


def main(config: dict[str, object], topic: str, log: str, kind: str) -> None:
    file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def begin(message: Message) -> None:
        key, value = message.key(), message.value()
        assert isinstance(key, bytes)
        assert value is not None
        os.write(file, b"%.6f %b %b\n" % (time.monotonic(), key, value))

    def handle(message: Message) -> None:
        begin(message)
        time.sleep(random.uniform(0, LONGEST_WORK))

    async def handle_awaiting(message: Message) -> None:
        begin(message)
        await asyncio.sleep(random.uniform(0, LONGEST_WORK))

    async def serve() -> None:
        await AIOWorker(config, [topic], handle_awaiting).run()

    if kind == "blocking":
        Worker(config, [topic], handle).run()
    else:
        asyncio.run(serve())


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]))
