"""Batch reads."""

from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition

from . import clients, task_reader
from .filters import Limits
from .offsets import Bound, Partition, Times
from .positions import Positions, resolve
from .pyspark_internals import OptionalPushFilters
from .ranges import OffsetRange, report_loss
from .read_options import ReadOptions
from .schema import Projection
from .splitting import plan_tasks


class RdKafkaReader(DataSourceReader):
    """Reads the messages between the starting and the ending offsets.

    Spark sends this object to the executors, so it contains no client.
    """

    def __init__(self, options: ReadOptions, projection: Projection) -> None:
        self._options = options
        self._projection = projection
        self._limits = Limits()

    @property
    def pushFilters(self) -> OptionalPushFilters:  # noqa: N802
        """Take filters, if Spark pushes them down: see `Limits`."""
        return OptionalPushFilters(self._limits.push)

    def partitions(self) -> Sequence[InputPartition]:
        """Return the ranges that each task reads, from the present offsets."""
        options = self._options
        with clients.consumers.borrow(clients.consumer_config(options.kafka)) as consumer:
            asking = Positions(consumer, options.retries)
            wanted = asking.partitions(options.selection)
            first, last = asking.earliest(wanted), asking.latest(wanted)
            starts = resolve("startingOffsets", options.starting, first, last, asking.at)
            ends = resolve("endingOffsets", options.ending, first, last, asking.at)
            planned = [
                self._plan(one, starts[one], ends[one], first[one], last[one]) for one in wanted
            ]
            planned = self._limits.narrow(planned, asking.at)
        return plan_tasks(planned, options)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the messages of a task's ranges, on an executor."""
        return task_reader.read(partition, self._options, self._projection)

    def _plan(
        self, partition: Partition, start: int, end: int, first: int, last: int
    ) -> OffsetRange:
        if start > end:
            raise ValueError(
                f"{partition}: option {_name(self._options.starting, 'startingOffsets')} ({start}) "
                f"is beyond {_name(self._options.ending, 'endingOffsets')} ({end})"
            )
        if start < first or end > last:
            report_loss(
                self._options,
                f"{partition}: offsets {start} to {end - 1} were asked for, "
                f"but the partition has {first} to {last - 1}",
            )
        return OffsetRange(partition, max(start, first), min(end, last))


def _name(bound: Bound, option: str) -> str:
    """Return the option that a bound was given with."""
    return bound.option if isinstance(bound, Times) else option
