"""Reads all ranges of a task on an executor, at the same time and with one consumer."""

import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.datasource import InputPartition

from confluent_kafka import KafkaException, TopicPartition

from . import clients
from .clients import RangeConsumer
from .fetching import Fetching, is_loss, rows_before
from .offsets import Offsets, Partition
from .range_reader import RangeReader
from .ranges import OffsetRange, TaskRanges
from .read_options import ReadOptions
from .schema import Projection

_WHERE = ("topic", "partition")


def read(
    wanted: InputPartition, options: ReadOptions, projection: Projection
) -> Iterator[pa.RecordBatch]:
    """Yield the messages of a task's ranges as record batches.

    Raises:
        DataLoss: messages of a range no longer exist.
        TimeoutError: there was no progress for ``kafkaConsumer.pollTimeoutMs``.
        KafkaException: the brokers refuse the request.
    """
    # If there is nothing to read, Spark passes a partition of its own.
    if not isinstance(wanted, TaskRanges):
        return
    with clients.consumers.borrow(clients.consumer_config(options.kafka)) as consumer:
        if len(wanted.ranges) == 1:
            yield from RangeReader(consumer, wanted.ranges[0], options, projection)
        else:
            yield from _RangesReader(consumer, wanted.ranges, options, projection)
        consumer.unassign()


class _RangesReader:
    """Yields the messages of several ranges in the order in which they arrive.

    The messages of one range come in the order of their offsets.
    """

    def __init__(
        self,
        consumer: RangeConsumer,
        wanted: Sequence[OffsetRange],
        options: ReadOptions,
        projection: Projection,
    ) -> None:
        self._consumer = consumer
        self._fetching = Fetching(consumer, sorted({*projection.columns, *_WHERE}))
        # The ranges that are not yet read to their end.
        self._positions: Offsets = {one.partition: one.start for one in wanted}
        self._ends: Offsets = {one.partition: one.end for one in wanted}
        self._options = options
        self._projection = projection

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        self._consumer.assign([TopicPartition(*one, at) for one, at in self._positions.items()])
        deadline = time.monotonic() + self._options.poll_timeout
        while self._positions:
            before = self._positions.copy()
            try:
                batch = self._next()
            except KafkaException as failure:
                if not is_loss(failure):
                    raise
                # The error does not name the partition: the reader of each range will find out.
                for reader in self._readers():
                    yield from reader
                return
            if batch.num_rows > 0:
                yield self._projection(batch, partial(_partition_at, batch))
            if self._positions != before:
                # The deadline starts here, because Spark's time for the previous batch does not
                # count.
                deadline = time.monotonic() + self._options.poll_timeout
            elif time.monotonic() > deadline:
                for reader in self._readers():
                    reader.give_up()
                return

    def _next(self) -> pa.RecordBatch:
        """Return the next messages of the ranges, if there are any, and advance the positions."""
        left = sum(self._ends[one] - at for one, at in self._positions.items())
        batch, ends = self._fetching.next(left)
        batch = self._within_ranges(batch)
        # The last offsets before the end of a range may have no message.
        for end in ends:
            one = Partition(end.topic, end.partition)
            if one in self._positions:
                self._positions[one] = max(self._positions[one], end.offset)
        self._leave_done()
        return batch

    def _within_ranges(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        offsets = batch.column("offset")
        rows: list[int] = []
        for partition, first, behind in _runs(batch):
            # Messages after the end of a range may have been fetched before the end was noticed.
            if partition in self._positions:
                run = offsets.slice(first, behind - first)
                self._positions[partition] = run[-1].as_py() + 1
                rows += range(first, first + rows_before(run, self._ends[partition]))
        return batch if len(rows) == batch.num_rows else batch.take(pa.array(rows, pa.int64()))

    def _leave_done(self) -> None:
        """Stop fetching the ranges that were read to their end."""
        done = [one for one, at in self._positions.items() if at >= self._ends[one]]
        for one in done:
            del self._positions[one]
        if done and self._positions:
            self._consumer.incremental_unassign([TopicPartition(*one) for one in done])

    def _readers(self) -> Iterator[RangeReader]:
        """Yield a reader for the rest of each range."""
        for one, at in self._positions.items():
            left = OffsetRange(one, at, self._ends[one])
            yield RangeReader(self._consumer, left, self._options, self._projection)


def _runs(batch: pa.RecordBatch) -> Iterator[tuple[Partition, int, int]]:
    """Yield the runs of rows of one partition: the first row, and the row after the last one.

    Brokers answer with many messages of a partition at once, so there are few runs.
    """
    ends = {
        end for name in _WHERE for end in pc.run_end_encode(batch.column(name)).run_ends.to_pylist()
    }
    for first, behind in pairwise([0, *sorted(ends)]):
        yield _partition_at(batch, first), first, behind


def _partition_at(batch: pa.RecordBatch, row: int) -> Partition:
    return Partition(*(batch.column(name)[row].as_py() for name in _WHERE))
