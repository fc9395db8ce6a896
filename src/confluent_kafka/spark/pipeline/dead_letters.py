"""Send rows that cannot be decoded to a topic for dead letters, with the reason in a header."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pyarrow as pa

from confluent_kafka import KafkaError, KafkaException, Message
from confluent_kafka.spark import clients

PREFIX = "__dlq."
REASON = PREFIX + "reason"
# A task gives up when the producer's queue has been full for so many seconds.
_QUEUE_TIMEOUT = 300.0
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class DeadLetters:
    """Writes rows to the topic of dead letters, on an executor.

    It waits until the brokers have stored them, so that the micro-batch commits only after that.
    If Spark repeats a task, the task writes its dead letters again.

    Args:
        topic: the topic of dead letters.
        kafka: properties of the producer.
    """

    topic: str
    kafka: Mapping[str, str]

    def send(self, batch: pa.RecordBatch, failures: Mapping[int, str]) -> None:
        """Send rows of a batch with the reasons for which they failed.

        A dead letter has the key, value, headers and timestamp of the message. Its last headers
        begin with ``__dlq.``: reason, topic, partition and offset.

        Raises:
            KafkaException: the brokers refused a dead letter.
        """
        rows = batch.take(pa.array(sorted(failures))).to_pylist()
        report = _Report()
        with clients.producers.borrow(clients.producer_config(self.kafka)) as producer:
            try:
                for row, reason in zip(
                    rows, (failures[one] for one in sorted(failures)), strict=True
                ):
                    origin = {"reason": reason, **{name: row[name] for name in _PLACE}}
                    headers = [(one["key"], one["value"]) for one in row["headers"] or []]
                    headers += [(PREFIX + name, str(one).encode()) for name, one in origin.items()]
                    producer.produce(
                        self.topic,
                        row["value"],
                        row["key"],
                        headers=headers,
                        timestamp=_milliseconds(row["timestamp"]),
                        on_delivery=report,
                        block=_QUEUE_TIMEOUT,
                    )
                producer.flush()
                report.check()
            except BaseException:
                # The producer would otherwise keep sending for a task that has failed.
                producer.purge()
                raise


_PLACE = ("topic", "partition", "offset")


def _milliseconds(timestamp: datetime | None) -> int:
    """Return a timestamp for produce(), where 0 is the current time."""
    # Not through seconds: as a float they can lose the last millisecond.
    return 0 if timestamp is None else (timestamp - _EPOCH) // timedelta(milliseconds=1)


class _Report:
    """Keeps the first error of a delivery."""

    def __init__(self) -> None:
        self._error: KafkaError | None = None

    def __call__(self, error: KafkaError | None, message: Message) -> None:
        self._error = self._error or error

    def check(self) -> None:
        if self._error is not None:
            what = f"a dead letter was not delivered: {self._error.str()}"
            raise KafkaException(KafkaError(self._error.code(), what))
