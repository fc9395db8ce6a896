"""Process messages that take minutes each, without leaving the group, and show the lag.

    python -m examples.long_work localhost:9092 videos

The program ends on Ctrl-C, or when no messages are left. The next run reads unfinished messages
again.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

from confluent_kafka import Consumer, KafkaException, Message

CONNECT_SECONDS = 10
WAIT_SECONDS = 5.0


def convert(message: Message) -> None:
    """Process a message. This may take longer than max.poll.interval.ms."""
    time.sleep(1)


def run(
    bootstrap_servers: str,
    topic: str,
    work: Callable[[Message], None] = convert,
    wait: float = WAIT_SECONDS,
) -> int:
    """Process the messages of a topic; return the number of processed messages."""
    config: dict[str, Any] = {
        "bootstrap.servers": bootstrap_servers,
        "group.id": "long-work",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
    done = 0
    with Consumer(config) as consumer:
        # Report a wrong password or address now, instead of retrying without an error.
        consumer.connect(CONNECT_SECONDS, topic)
        consumer.subscribe([topic])
        while (message := consumer.poll(wait)) is not None:
            error = message.error()
            if error is not None:
                raise KafkaException(error)
            with consumer.pause_while() as pause:
                work(message)
            if pause.lost:
                print("another member of the group got partitions: it processes the messages again")
                continue
            consumer.commit(message, asynchronous=False)
            done += 1
            behind = sum(lag or 0 for lag in consumer.lag().values())
            print(f"done: offset {message.offset()}, {behind} to go")
    return done


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2])
