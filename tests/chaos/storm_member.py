"""A member of the rebalance storm's group: a process that can crash, leave or oversleep.

Everything it does goes to a log file, one line per event, before the next thing happens:

    A|R|L seconds partition          assigned, revoked, lost
    U seconds partition              revoked, and the commit for it was refused
    M seconds partition offset       a record was processed
    C seconds until partition offset a commit, begun and confirmed
    X seconds name                   a commit that was refused
    O seconds                        it begins to overrun max.poll.interval.ms

SIGTERM: it leaves in order. SIGUSR1: it overruns. SIGKILL: it crashes.
"""

from __future__ import annotations

import json
import logging
import signal
import sys
import time
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

BATCH = 200


class Member:
    """Processes records, then commits them: each at least once, and once if nobody dies."""

    def __init__(self, config: dict[str, Any], topic: str, log: Path, overrun: float) -> None:
        self._topic = topic
        self._overrun = overrun
        self._leaving = self._overrunning = False
        signal.signal(signal.SIGTERM, self._leave)
        signal.signal(signal.SIGUSR1, self._oversleep)
        # Whoever sees the file may send signals.
        self._log = log.open("ab", buffering=0)
        # The next offset to commit of each partition that is ours and has news.
        self._next: dict[int, int] = {}
        self._consumer = Consumer(config, logger=_silent())
        self._consumer.subscribe([topic], self._assigned, self._revoked, self._lost)

    def run(self, batches: bool) -> None:
        """Until SIGTERM. Half of the members poll, the other half takes batches."""
        while not self._leaving:
            if batches:
                self._process(self._consumer.consume(BATCH, 0.05))
            else:
                self._poll()
            if self._overrunning:
                self._overrunning = False
                self._write("O")
                time.sleep(self._overrun)
            self._commit(list(self._next))
        self._consumer.close()

    def _leave(self, *_: object) -> None:
        self._leaving = True

    def _oversleep(self, *_: object) -> None:
        self._overrunning = True

    def _poll(self) -> None:
        """Each record is processed before the next poll, which may take its partition away."""
        for number in range(BATCH):
            message = self._consumer.poll(0.05 if number == 0 else 0)
            if message is None:
                return
            self._process([message])

    def _process(self, messages: list[Message]) -> None:
        lines = []
        now = time.monotonic()
        for message in messages:
            error = message.error()
            if error is not None:
                # The one that an overrun is answered with.
                assert error.code() == KafkaError._MAX_POLL_EXCEEDED, error
                continue
            partition, offset = message.partition(), message.offset()
            assert partition is not None
            assert offset is not None
            self._next[partition] = offset + 1
            lines.append(f"M {now} {partition} {offset}\n")
        self._log.write("".join(lines).encode())

    def _commit(self, partitions: list[int]) -> None:
        """What is refused, as it is while members rejoin, is tried again with what comes next."""
        offsets = [
            TopicPartition(self._topic, partition, self._next[partition])
            for partition in partitions
            if partition in self._next
        ]
        if not offsets:
            return
        start = time.monotonic()
        try:
            results = self._consumer.commit(offsets=offsets, asynchronous=False)
        except KafkaException as exception:
            self._write("X", exception.args[0].name())
            return
        for each in results:
            if each.error is not None:
                self._write("X", each.error.name())
                continue
            self._write("C", time.monotonic(), each.partition, each.offset, at=start)
            self._next.pop(each.partition)

    def _assigned(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        for each in partitions:
            self._write("A", each.partition)

    def _revoked(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        """The brokers refuse the last commit too when the next rebalance has begun already."""
        self._commit([each.partition for each in partitions])
        for each in partitions:
            refused = self._next.pop(each.partition, None) is not None
            self._write("U" if refused else "R", each.partition)

    def _lost(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        for each in partitions:
            self._next.pop(each.partition, None)
            self._write("L", each.partition)

    def _write(self, kind: str, *values: object, at: float | None = None) -> None:
        fields = [kind, time.monotonic() if at is None else at, *values]
        self._log.write((" ".join(str(field) for field in fields) + "\n").encode())


def _silent() -> logging.Logger:
    """Lost sessions and overruns are what the storm is about: nothing to print."""
    logger = logging.getLogger("storm")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger


if __name__ == "__main__":
    arguments = json.loads(sys.argv[1])
    batches = arguments.pop("batches")
    Member(**{**arguments, "log": Path(arguments["log"])}).run(batches)
