"""A member of the group that reads the results: ``python -m examples.flights.member``.

It reads its settings as JSON from the first line of its standard input, polls until that input
ends, writes every row to a file, and reports rebalances, commits and rows as lines of JSON.
"""

import json
import sys
import threading
import time
from typing import IO, Any

from confluent_kafka import Consumer, KafkaError, KafkaException, TopicPartition

from .messages import receive, send

_COMMIT_EVERY = 5_000
_REPORT_EVERY = 0.2


class Member:
    """Reads its share of the results until told that there are no more."""

    def __init__(self, settings: dict[str, Any], file: IO[str]) -> None:
        self._file = file
        self._rows = 0
        self._stop = threading.Event()
        self._consumer = Consumer(
            {
                "bootstrap.servers": settings["servers"],
                "client.id": settings["name"],
                "group.id": settings["group"],
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "enable.auto.offset.store": False,
                "partition.assignment.strategy": "cooperative-sticky",
                "on_commit": self._committed,
            }
        )
        self._consumer.subscribe(
            [settings["results_topic"]],
            on_assign=self._assigned,
            on_revoke=self._revoked,
            on_lost=self._lost,
        )

    def run(self) -> None:
        """Poll until `stop`, then commit and leave the group."""
        reported = 0.0
        with self._consumer:
            while not self._stop.is_set():
                message = self._consumer.poll(_REPORT_EVERY)
                if message is not None:
                    self._take(message)
                if time.monotonic() - reported > _REPORT_EVERY:
                    reported = time.monotonic()
                    send("rows", rows=self._rows)
            self._commit()
        send("rows", rows=self._rows)

    def stop(self) -> None:
        """End `run`, from another thread."""
        self._stop.set()
        self._consumer.wakeup()
