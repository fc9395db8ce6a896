"""Runs a member of the group that reads the results: ``python -m examples.flights.member``.

The member reads its settings as JSON from the first line of its standard input, and polls until the
input ends. It writes every row to a file, and reports rebalances, commits and rows as lines of
JSON.
"""

import json
import sys
import threading
import time
from typing import IO, Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from .messages import receive, send

_COMMIT_EVERY = 5_000
# With these errors, a failed commit does no harm. There is nothing to commit, or another member has
# the partitions now and reads the uncommitted messages again.
_HARMLESS = frozenset(
    {
        KafkaError._NO_OFFSET,
        KafkaError._ASSIGNMENT_LOST,
        KafkaError.ILLEGAL_GENERATION,
        KafkaError.REBALANCE_IN_PROGRESS,
        KafkaError.UNKNOWN_MEMBER_ID,
    }
)
_REPORT_EVERY = 0.2


class Member:
    """Reads its share of the results until stop() is called."""

    def __init__(self, settings: dict[str, Any], file: IO[str]) -> None:
        self._file = file
        self._rows = 0
        self._positions: dict[int, int] = {}
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
                "heartbeat.interval.ms": 500,
                "allow.auto.create.topics": True,
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
                    self._report()
            self._commit()
        self._report()

    def stop(self) -> None:
        """End `run`, from another thread."""
        self._stop.set()
        self._consumer.wakeup()

    def _take(self, message: Message) -> None:
        error = message.error()
        if error is not None:
            raise KafkaException(error)
        partition, offset = message.partition(), message.offset()
        assert partition is not None
        assert offset is not None
        value = (message.value() or b"").decode()
        json.dump([partition, offset, value], self._file)
        self._file.write("\n")
        self._consumer.store_offsets(message)
        self._rows += 1
        self._positions[partition] = offset + 1
        if self._rows % _COMMIT_EVERY == 0:
            # Before a commit, all rows must be in the file, and not only in a buffer.
            self._file.flush()
            self._consumer.commit()

    def _report(self) -> None:
        send("rows", rows=self._rows, positions=self._positions)

    def _commit(self) -> None:
        """Commit the offsets of the rows that were read, and wait for the response."""
        self._file.flush()
        try:
            self._consumer.commit(asynchronous=False)
        except KafkaException as failure:
            if failure.code() not in _HARMLESS:
                raise

    def _assigned(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        send("assigned", partitions=[one.partition for one in partitions])

    def _revoked(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        # Commit now, so that the next owner of the partitions continues at these offsets.
        self._commit()
        send("revoked", partitions=[one.partition for one in partitions])

    def _lost(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        # Another member already owns the partitions, and reads uncommitted messages again.
        send("revoked", partitions=[one.partition for one in partitions])

    def _committed(self, error: KafkaError | None, partitions: list[TopicPartition]) -> None:
        if error is None:
            send("committed", partitions=[one.partition for one in partitions])
        elif error.code() not in _HARMLESS:
            raise KafkaException(error)


def main() -> None:
    """Run one member until the standard input ends."""
    settings = receive()
    with open(settings["file"], "w", encoding="utf-8") as file:
        member = Member(settings, file)

        def wait_for_the_end() -> None:
            sys.stdin.read()
            member.stop()

        threading.Thread(target=wait_for_the_end, daemon=True).start()
        member.run()


if __name__ == "__main__":
    main()
