"""Uses the source's readers in this process as Spark does: the same code without a JVM."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from confluent_kafka.spark import RdKafkaDataSource
from confluent_kafka.spark.ranges import TaskRanges
from confluent_kafka.spark.reader import RdKafkaReader
from confluent_kafka.spark.schema import source_schema
from confluent_kafka.spark.stream import RdKafkaStreamReader

SCHEMA = source_schema(headers=False)


def source(servers: str, **options: Any) -> RdKafkaDataSource:
    """The data source. Spark passes the names of options in lower case, and so does this
    function."""
    given = {"kafka.bootstrap.servers": servers, **options}
    return RdKafkaDataSource({name.lower(): str(text) for name, text in given.items()})


def batch_reader(servers: str, **options: Any) -> RdKafkaReader:
    return source(servers, **options).reader(SCHEMA)


def stream_reader(servers: str, **options: Any) -> RdKafkaStreamReader:
    return source(servers, **options).streamReader(SCHEMA)


def ranges_of(planned: Any) -> list[tuple[str, int, int, int]]:
    """Topic, partition, start and end of each planned range of all tasks."""
    assert all(isinstance(task, TaskRanges) for task in planned)
    return sorted((*one.partition, one.start, one.end) for task in planned for one in task.ranges)


def values_of(reader: RdKafkaReader | RdKafkaStreamReader, planned: Any) -> list[str]:
    """The values of all messages in the planned ranges, in order."""
    batches = [batch for one in planned for batch in reader.read(one)]
    return sorted(value.decode() for batch in batches for value in _values(batch))


def read(servers: str, **options: Any) -> list[str]:
    """The values of a batch read."""
    reader = batch_reader(servers, **options)
    return values_of(reader, reader.partitions())


def _values(batch: pa.RecordBatch) -> list[bytes]:
    found: list[bytes] = batch.column("value").to_pylist()
    return found
