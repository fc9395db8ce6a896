"""Sends the rows of one task as messages; the first row that does not arrive fails the task."""

import re
import time
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from confluent_kafka.admin import ClusterMetadata

# A write fails when the producer's queue has been full for so many seconds. It fails earlier if the
# brokers do not accept a message within message.timeout.ms.
_QUEUE_TIMEOUT = 300.0
# Seconds within which the brokers must have returned the metadata of a topic.
_TOPIC_TIMEOUT = 15.0
# Seconds within which a topic must appear that the brokers create on the first request for it.
_CREATION_TIMEOUT = 5.0
_ASK_AGAIN_AFTER = 0.2

_ADDRESS = (
    "see option kafka.bootstrap.servers for the brokers' addresses, and kafka.security.protocol, "
    "kafka.sasl.* and kafka.ssl.* for how to log in"
)
_OPTIONS = {
    KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED: "see option transactionalIdPrefix",
    KafkaError.INVALID_TRANSACTION_TIMEOUT: (
        "see option kafka.transaction.timeout.ms, and transaction.max.timeout.ms of the brokers"
    ),
    KafkaError.GROUP_AUTHORIZATION_FAILED: (
        "see option transactionalIdPrefix: the groups of the markers begin with it"
    ),
    KafkaError.TOPIC_AUTHORIZATION_FAILED: (
        "see option markerTopic: this user must be allowed to read the topic"
    ),
}

# The text with which produce_arrow() names the row that it refused.
_ROW = re.compile(r"\brow (\d+)\b")


class Sender:
    """Sends record batches through a producer that nobody else uses.

    Args:
        producer: the producer; its delivery reports are served here.
        topic: the topic of every row, or None if the column ``topic`` names it.
        columns: which columns are written.
    """

    def __init__(self, producer: Producer, topic: str | None, columns: Sequence[str]) -> None:
        self._producer = producer
        self._topic = topic
        self._columns = list(columns)
        self._partition_counts: dict[str, int] = {}
        self._undelivered = _Undelivered()

    def send(self, batch: pa.RecordBatch) -> int:
        """Put the rows of a batch into the queue, and return how many rows there were.

        Raises:
            KafkaException: a row was refused, an earlier row was not delivered, or the metadata of
                a topic cannot be fetched or does not contain it.
            ValueError: a row has no topic, or its partition does not exist.
        """
        rows = batch.select(self._columns)
        self._check_topics(rows)
        try:
            sent = self._producer.produce_arrow(
                rows,
                self._topic,
                on_delivery=self._undelivered,
                block=_QUEUE_TIMEOUT,
                # None for rows of several topics.
                partition_count=self._partition_counts.get(self._topic or ""),
            )
        except KafkaException as refused:
            error = refused.args[0]
            reason = f"{error.str()}{self._describe(rows, error.str())}"
            raise KafkaException(KafkaError(error.code(), reason)) from None
        except ValueError as refused:
            raise ValueError(f"{refused}{self._describe(rows, str(refused))}") from None
        self._undelivered.check()
        return sent

    def flush(self) -> None:
        """Wait until the brokers have stored every row.

        Raises:
            KafkaException: a row was not delivered.
        """
        self._producer.flush()
        self._undelivered.check()

    def _check_topics(self, rows: pa.RecordBatch) -> None:
        """Ask for the metadata of new topics: a message to a missing topic would fail late."""
        if self._topic is not None:
            names = {self._topic}
        else:
            names = set(pc.unique(rows.column("topic")).to_pylist())
        # produce_arrow() refuses a row without a topic, because its error contains the row.
        for name in sorted(names - self._partition_counts.keys() - {None, ""}):
            self._partition_counts[name] = require_topic(self._producer, name)

    def _describe(self, rows: pa.RecordBatch, reason: str) -> str:
        """Return the topic, the partition and the size of the row that an error names."""
        found = _ROW.search(reason)
        if found is None:
            return ""
        row = rows.slice(int(found[1]), 1).to_pylist()[0]
        topic = row.get("topic") if self._topic is None else self._topic
        key, value = (_size(row.get(name)) for name in ("key", "value"))
        place = _place(topic, row.get("partition"))
        return f" ({place}, key of {key} bytes, value of {value} bytes)"


def require_topic(producer: Producer, name: str) -> int:
    """Return how many partitions a topic has, when the brokers have its metadata.

    Brokers that create topics automatically may create it.

    Raises:
        KafkaException: the topic does not exist or may not be read, or no broker answers in time.
    """
    deadline = time.monotonic() + _CREATION_TIMEOUT
    while True:
        topic = _metadata(producer, name).topics[name]
        error = topic.error
        if error is None:
            return len(topic.partitions)
        passing = error.code() in (
            KafkaError.UNKNOWN_TOPIC_OR_PART,
            KafkaError.LEADER_NOT_AVAILABLE,
        )
        if not passing or time.monotonic() > deadline:
            raise KafkaException(KafkaError(error.code(), f"topic {name!r}: {error.str()}"))
        time.sleep(_ASK_AGAIN_AFTER)


def _metadata(producer: Producer, topic: str) -> ClusterMetadata:
    try:
        return producer.list_topics(topic, timeout=_TOPIC_TIMEOUT)
    except KafkaException as failure:
        raise with_option(failure) from None


def with_option(failure: KafkaException) -> KafkaException:
    """Return the error of a first request, with a hint at the option that may be wrong."""
    error = failure.args[0]
    return KafkaException(
        KafkaError(error.code(), f"{error.str()} ({_OPTIONS.get(error.code(), _ADDRESS)})")
    )


def _place(topic: str | None, partition: int | None) -> str:
    """Return a text that names the topic, and the partition if it is known."""
    is_known = partition is not None and partition >= 0
    return f"topic {topic!r}, partition {partition}" if is_known else f"topic {topic!r}"


def _size(cell: object) -> int:
    if isinstance(cell, str):
        return len(cell.encode())
    return len(cell) if isinstance(cell, bytes) else 0


class _Undelivered:
    """Collects the messages of a task that the brokers did not accept."""

    def __init__(self) -> None:
        self._count = 0
        self._first: tuple[KafkaError, str] | None = None

    def __call__(self, error: KafkaError | None, message: Message) -> None:
        if error is None:
            return
        self._count += 1
        if self._first is None:
            size = len(message.value() or b"")
            place = _place(message.topic(), message.partition())
            self._first = error, f"the first to {place}, value of {size} bytes"

    def check(self) -> None:
        """Raise an error if messages were not delivered."""
        if self._first is None:
            return
        error, where = self._first
        what = f"{self._count} message(s) were not delivered, {where}: {error.str()}"
        raise KafkaException(KafkaError(error.code(), what))
