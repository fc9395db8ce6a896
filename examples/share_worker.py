"""A work queue with retries: each job is done, tried again, or rejected.

Start as many workers as you need. They share the topic's partitions::

    python -m examples.share_worker localhost:9092 jobs

A job is JSON such as ``{"divide": [84, 2]}``. A job that fails goes back to the queue, at most
twice. A job that cannot be read, or that has failed three times, is rejected.
"""

from __future__ import annotations

import json
import signal
import sys
from collections import Counter
from typing import Any

from confluent_kafka import AcknowledgeType, Message, ShareConsumer, TopicPartition

ATTEMPTS = 3
JOB_SECONDS = 5.0


def do(job: dict[str, list[float]]) -> float:
    """Do a job, and return its result."""
    number, divisor = job["divide"]
    return number / divisor


def outcome(message: Message) -> AcknowledgeType:
    """Do one job; return whether to accept, release or reject it."""
    value = message.value()
    if message.error() is not None or value is None:
        return AcknowledgeType.REJECT
    try:
        job = json.loads(value)
    except ValueError:
        return AcknowledgeType.REJECT
    try:
        print(f"{job}: {do(job)}")
    except ArithmeticError:
        failed = (message.delivery_count() or 1) >= ATTEMPTS
        return AcknowledgeType.REJECT if failed else AcknowledgeType.RELEASE
    except (KeyError, TypeError, ValueError):
        return AcknowledgeType.REJECT
    return AcknowledgeType.ACCEPT


def report(offsets: dict[TopicPartition, set[int]], exception: Exception | None) -> None:
    """Print failed acknowledgements. The broker delivers these jobs again after their locks end."""
    if exception is not None:
        print(f"not acknowledged: {offsets}: {exception}", file=sys.stderr)


def work(bootstrap_servers: str, topic: str, **config: Any) -> Counter[str]:
    """Do jobs until Ctrl-C, or until no job has come for some seconds; return the outcomes."""
    settings = {
        "bootstrap.servers": bootstrap_servers,
        "group.id": "workers",
        "share.acknowledgement.mode": "explicit",
    }
    outcomes: Counter[str] = Counter()
    with ShareConsumer(settings | config) as consumer:
        signal.signal(signal.SIGTERM, lambda *_: consumer.wakeup())
        consumer.set_acknowledgement_commit_callback(report)
        consumer.subscribe([topic])
        while jobs := consumer.poll(JOB_SECONDS):
            for message in jobs:
                kind = outcome(message)
                consumer.acknowledge(message, kind)
                outcomes[kind.name] += 1
        # close() sends the last acknowledgements.
    return outcomes


if __name__ == "__main__":
    print(dict(work(*sys.argv[1:3])))
