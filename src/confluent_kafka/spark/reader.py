"""Batch reads."""

from collections.abc import Iterator, Sequence

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, InputPartition
from pyspark.sql.types import StructType

from . import clients, positions, ranges
from .offsets import Partition
from .ranges import OffsetRange, report_loss
from .read_options import ReadOptions
from .schema import Projection


class RdKafkaReader(DataSourceReader):
    """Reads what lies between the starting and the ending offsets, one task per partition.

    Spark sends it to the executors, so it holds no client.
    """

    def __init__(self, options: ReadOptions, schema: StructType) -> None:
        self._options = options
        self._projection = Projection(schema)

    def partitions(self) -> Sequence[InputPartition]:
        """Return the ranges to read, as the offsets are now."""
        options = self._options
        with clients.consumers.borrow(clients.consumer_config(options.kafka)) as consumer:
            wanted = positions.partitions(consumer, options.topics)
            first = positions.earliest(consumer, wanted)
            last = positions.latest(consumer, wanted)
        starts = positions.resolve("startingOffsets", options.starting_offsets, first, last)
        ends = positions.resolve("endingOffsets", options.ending_offsets, first, last)
        planned = [self._plan(one, starts[one], ends[one], first[one], last[one]) for one in wanted]
        return [one for one in planned if one.start < one.end]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the messages of one range, on an executor."""
        return ranges.read(partition, self._options, self._projection)

    def _plan(
        self, partition: Partition, start: int, end: int, first: int, last: int
    ) -> OffsetRange:
        if start > end:
            raise ValueError(
                f"{partition}: option startingOffsets ({start}) is beyond endingOffsets ({end})"
            )
        if start < first or end > last:
            report_loss(
                self._options,
                f"{partition}: offsets {start} to {end - 1} were asked for, "
                f"but the partition has {first} to {last - 1}",
            )
        return OffsetRange(partition, max(start, first), min(end, last))
