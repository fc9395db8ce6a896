"""Writes that deliver at least once: batch writes, and by default streaming writes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from . import clients
from .schema import writable_columns
from .sending import Sender
from .write_options import WriteOptions


@dataclass(frozen=True)
class Written(WriterCommitMessage):
    """The number of rows that one task wrote."""

    rows: int


class RdKafkaWriter(DataSourceArrowWriter):
    """Writes rows as messages; each task waits until the brokers have stored all of its rows.

    If Spark runs a task again, the task writes its rows again: delivery is at least once.
    """

    def __init__(self, options: WriteOptions, schema: StructType) -> None:
        self._options = options
        columns = writable_columns(
            schema, topic_given=options.topic is not None, encoded=options.payloads.parts
        )
        self._encoded = options.payloads.encoder(schema, options.topic)
        self._columns = self._encoded.columns(columns)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Write the rows of one task, on an executor.

        Raises:
            KafkaException: a row was refused or not delivered.
            UnencodableRow: a row cannot be encoded.
        """
        return write_at_least_once(self._encoded(iterator), self._options, self._columns)


def write_at_least_once(
    batches: Iterator[pa.RecordBatch], options: WriteOptions, columns: Sequence[str]
) -> Written:
    """Write the rows of one task and wait until the brokers have stored them.

    Raises:
        KafkaException: a row was refused or not delivered.
        ValueError: a row has no topic, or its partition does not exist.
    """
    config = clients.producer_config(options.kafka)
    with clients.producers.borrow(config) as producer:
        sender = Sender(producer, options.topic, columns)
        try:
            rows = sum(sender.send(batch) for batch in batches)
            sender.flush()
        except BaseException:
            # close() would continue to send the rows of a task that has failed.
            producer.purge()
            raise
    return Written(rows)
