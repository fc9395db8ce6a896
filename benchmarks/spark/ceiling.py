"""The limit of Spark's Python data sources: generate rows, and drop them.

Every figure of `rdkafka` includes the cost of Spark itself between the JVM and a Python worker.
This source only copies a record batch of the same size as the batches of `rdkafka`. No source can
do less work. The sink ignores the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import (
    DataSource,
    DataSourceArrowWriter,
    DataSourceReader,
    DataSourceStreamReader,
    InputPartition,
    WriterCommitMessage,
)
from pyspark.sql.types import StructType

from benchmarks.spark.rows import KEY_BYTES, PARTITIONS, Side
from confluent_kafka.spark.fetching import BATCH_BYTES, MOST_ROWS
from confluent_kafka.spark.pyspark_internals import to_arrow_schema
from confluent_kafka.spark.schema import source_schema

_SAMPLE_ROWS = 1_000


class CeilingDataSource(DataSource):
    """A data source of rows like the rows of `rdkafka`.

    Options of a read: ``rows``, and ``valuebytes``, the size of each value.
    """

    @classmethod
    def name(cls) -> str:
        return Side.CEILING

    def schema(self) -> StructType:
        return source_schema(headers=False)

    def reader(self, schema: StructType) -> _Reader:
        return _Reader(self._rows(schema))

    def streamReader(self, schema: StructType) -> _StreamReader:  # noqa: N802
        return _StreamReader(self._rows(schema))

    def writer(self, schema: StructType, overwrite: bool) -> _Writer:
        return _Writer()

    def _rows(self, schema: StructType) -> _Rows:
        return _Rows(schema, int(self.options["rows"]), int(self.options["valuebytes"]))


@dataclass(frozen=True)
class _Rows:
    """Generates all rows. There is a task for each partition of the other sides' topics."""

    schema: StructType
    count: int
    value_bytes: int

    def tasks(self) -> list[InputPartition]:
        return [InputPartition(self.count // PARTITIONS) for _ in range(PARTITIONS)]

    def batches(self, rows: int) -> Iterator[pa.RecordBatch]:
        sample = self._batch(_SAMPLE_ROWS)
        size = min(MOST_ROWS, BATCH_BYTES * _SAMPLE_ROWS // sample.nbytes)
        batch = self._batch(size)
        image = memoryview(batch.serialize())
        while rows > 0:
            # The batch is copied once. The columns of the copy refer to its memory.
            copy = pa.ipc.read_record_batch(pa.py_buffer(bytes(image)), batch.schema)
            yield copy.slice(0, min(rows, size))
            rows -= size

    def _batch(self, rows: int) -> pa.RecordBatch:
        columns = {
            "key": lambda: [b"k" * KEY_BYTES] * rows,
            "value": lambda: [b"v" * self.value_bytes] * rows,
            "topic": lambda: ["ceiling"] * rows,
            "partition": lambda: [0] * rows,
            "offset": lambda: range(rows),
            "timestamp": lambda: [1_700_000_000_000_000] * rows,
            "timestampType": lambda: [0] * rows,
        }
        schema = to_arrow_schema(self.schema)
        arrays = [pa.array(columns[field.name](), field.type) for field in schema]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)


class _Reader(DataSourceReader):
    def __init__(self, rows: _Rows) -> None:
        self._rows = rows

    def partitions(self) -> Sequence[InputPartition]:
        return self._rows.tasks()

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return self._rows.batches(partition.value)


class _StreamReader(DataSourceStreamReader):
    """Returns all rows as one micro-batch."""

    def __init__(self, rows: _Rows) -> None:
        self._rows = rows

    def initialOffset(self) -> dict[str, int]:  # noqa: N802
        return {"rows": 0}

    def latestOffset(self, start: dict[str, Any], limit: object) -> dict[str, int]:  # noqa: N802
        return {"rows": self._rows.count}

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        return self._rows.tasks() if start != end else []

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        return self._rows.batches(partition.value)


class _Writer(DataSourceArrowWriter):
    def write(self, iterator: Iterator[pa.RecordBatch]) -> WriterCommitMessage:
        for _ in iterator:
            pass
        return WriterCommitMessage()
