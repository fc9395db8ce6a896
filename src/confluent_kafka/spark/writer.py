"""Batch writes."""

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from . import clients
from .schema import writable_columns
from .write_options import WriteOptions

# Seconds without room in the producer's queue after which a write gives up; it fails earlier
# if the brokers do not take a message within message.timeout.ms.
_QUEUE_TIMEOUT = 300.0


@dataclass(frozen=True)
class Written(WriterCommitMessage):
    """How many rows one task wrote."""

    rows: int


class RdKafkaWriter(DataSourceArrowWriter):
    """Writes rows as messages; each task waits until the brokers have all of its own.

    A task that Spark runs again writes its rows again: delivery is at least once.
    """

    def __init__(self, options: WriteOptions, schema: StructType) -> None:
        self._options = options
        self._columns = writable_columns(schema, topic_given=options.topic is not None)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Write the rows of one task, on an executor.

        Raises:
            KafkaException: a row was refused or not delivered.
        """
        rows = 0
        undelivered = _Undelivered()
        config = clients.producer_config(self._options.kafka)
        with clients.producers.borrow(config) as producer:
            try:
                for batch in iterator:
                    rows += self._produce(producer, batch, undelivered)
                    undelivered.check()
                producer.flush()
                undelivered.check()
            except BaseException:
                # Closing it would go on sending the rows of a task that has failed.
                producer.purge()
                raise
        return Written(rows)

    def _produce(self, producer: Producer, batch: pa.RecordBatch, report: "_Undelivered") -> int:
        return producer.produce_arrow(
            batch.select(self._columns),
            self._options.topic,
            on_delivery=report,
            block=_QUEUE_TIMEOUT,
        )


class _Undelivered:
    """Collects the messages of a task that the brokers did not take."""

    def __init__(self) -> None:
        self._count = 0
        self._first: tuple[KafkaError, str] | None = None

    def __call__(self, error: KafkaError | None, message: Message) -> None:
        if error is None:
            return
        self._count += 1
        if self._first is None:
            size = len(message.value() or b"")
            self._first = error, f"the first to topic {message.topic()!r}, value of {size} bytes"

    def check(self) -> None:
        """Raise for what was not delivered so far."""
        if self._first is None:
            return
        error, where = self._first
        what = f"{self._count} message(s) were not delivered, {where}: {error.str()}"
        raise KafkaException(KafkaError(error.code(), what))
