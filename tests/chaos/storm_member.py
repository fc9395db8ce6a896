"""A member of the rebalance storm's group: a process that can crash, leave, or poll too late.

The member writes a line to its log file for each event, before it continues:

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
    """Processes records, then commits them.

    Each record is processed at least once, and exactly once if no member dies.
    """

    def __init__(self, config: dict[str, Any], topic: str, log: Path, overrun: float) -> None:
        self._topic = topic
        self._overrun = overrun
        self._leaving = self._overrunning = False
        signal.signal(signal.SIGTERM, self._leave)
        signal.signal(signal.SIGUSR1, self._oversleep)
        # When this file exists, the scenario may send signals.
        self._log = log.open("ab", buffering=0)
        # The next offset to commit of each owned partition with new records.
        self._next: dict[int, int] = {}
        self._consumer = Consumer(config, logger=_silent())
        self._consumer.subscribe([topic], self._assigned, self._revoked, self._lost)

    def run(self, batches: bool) -> None:
        """Run until SIGTERM. Half of the members poll, the other half consumes batches."""
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
        """Process each record before the next poll, which may revoke its partition."""
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
                # An overrun causes this error.
                assert error.code() == KafkaError._MAX_POLL_EXCEEDED, error
                continue
            partition, offset = message.partition(), message.offset()
            assert partition is not None
            assert offset is not None
            self._next[partition] = offset + 1
            lines.append(f"M {now} {partition} {offset}\n")
        self._log.write("".join(lines).encode())

    def _commit(self, partitions: list[int]) -> None:
        """Commit offsets; a later commit repeats a refused one. Rebalances cause refusals."""
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
        """The brokers also refuse the last commit if the next rebalance has already begun."""
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
    """A logger without output: lost sessions and overruns are expected here."""
    logger = logging.getLogger("storm")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    return logger


if __name__ == "__main__":
    arguments = json.loads(sys.argv[1])
    batches = arguments.pop("batches")
    Member(**{**arguments, "log": Path(arguments["log"])}).run(batches)
