"""Streaming writes."""

from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamArrowWriter
from pyspark.sql.types import StructType

from .exactly_once import Task, write_exactly_once
from .pyspark_internals import check_input_stream
from .schema import writable_columns
from .task_input import TaskInput
from .write_options import WriteOptions
from .writer import Written, write_at_least_once


class RdKafkaStreamWriter(DataSourceStreamArrowWriter):
    """Writes the rows of each micro-batch as messages.

    A task ends when the brokers have stored its rows. So the driver has nothing to do when it
    commits a batch, and it cannot undo anything when a batch fails.
    """

    def __init__(self, options: WriteOptions, schema: StructType) -> None:
        self._options = options
        if options.transactions is not None:
            # This check runs on the driver, before the first batch, instead of in every task.
            check_input_stream()
        columns = writable_columns(
            schema, topic_given=options.topic is not None, encoded=options.payloads.parts
        )
        self._encoded = options.payloads.encoder(schema, options.topic)
        self._columns = self._encoded.columns(columns)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Write the rows of one task, on an executor.

        Raises:
            KafkaException: a row was refused or not delivered, or a later attempt of the task has
                replaced this one.
            UnencodableRow: a row cannot be encoded.
        """
        rows = self._encoded(iterator)
        if self._options.transactions is None:
            return write_at_least_once(rows, self._options, self._columns)
        return write_exactly_once(rows, TaskInput(), Task.current(), self._options, self._columns)
