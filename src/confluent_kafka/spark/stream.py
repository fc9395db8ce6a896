"""Streaming reads."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from confluent_kafka import Consumer

from . import clients, positions, ranges
from .offsets import JsonOffsets, Offsets, Partition, from_json, to_json
from .ranges import OffsetRange, report_loss
from .read_options import ReadOptions
from .schema import Projection


class RdKafkaStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Plans micro-batches on the driver and reads their ranges on the executors.

    Spark sends it to the executors, so it holds no client.
    """

    def __init__(self, options: ReadOptions, schema: StructType) -> None:
        self._options = options
        self._projection = Projection(schema)
        self._latest: Offsets | None = None
        self._target: Offsets | None = None

    def initialOffset(self) -> JsonOffsets:  # noqa: N802
        """Return where a new query starts: the option ``startingOffsets``."""
        with self._consumer() as consumer:
            wanted = positions.partitions(consumer, self._options.topics)
            first = positions.earliest(consumer, wanted)
            last = positions.latest(consumer, wanted)
        bound = self._options.starting_offsets
        return to_json(positions.resolve("startingOffsets", bound, first, last))

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> JsonOffsets:  # noqa: N802
        """Return where the next micro-batch ends."""
        starts = from_json(start)
        self._latest = self._fetch_latest()
        ends = self._latest if self._target is None else self._target
        if isinstance(limit, ReadMaxRows):
            with_new = {**self._earliest_of(ends.keys() - starts.keys()), **starts}
            ends = share_out(with_new, ends, limit.max_rows)
        return to_json(ends)

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """Return the option ``maxOffsetsPerTrigger`` as Spark has it."""
        most = self._options.max_offsets_per_trigger
        return ReadAllAvailable() if most is None else ReadMaxRows(most)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Fix the end of the query: what is written from now on is for its next run."""
        self._target = self._fetch_latest()

    def reportLatestOffset(self) -> JsonOffsets | None:  # noqa: N802
        """Return the latest offsets known, for the query's progress."""
        return None if self._latest is None else to_json(self._latest)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Return the ranges between two offsets of the stream."""
        starts, ends = from_json(start), from_json(end)
        for gone in sorted(starts.keys() - ends.keys()):
            report_loss(self._options, f"{gone}: the partition is gone, read up to {starts[gone]}")
        starts = {**self._earliest_of(ends.keys() - starts.keys()), **starts}
        planned = [OffsetRange(one, starts[one], ends[one]) for one in sorted(ends)]
        for one in planned:
            if one.end < one.start:
                report_loss(
                    self._options,
                    f"{one.partition}: read up to {one.start}, but it now ends at {one.end}: "
                    "its topic was made anew or cut",
                )
        return [one for one in planned if one.start < one.end]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the messages of one range, on an executor."""
        return ranges.read(partition, self._options, self._projection)

    def stop(self) -> None:
        """Close what the driver's side of the query used."""
        clients.consumers.close()

    def _fetch_latest(self) -> Offsets:
        with self._consumer() as consumer:
            return positions.latest(consumer, positions.partitions(consumer, self._options.topics))

    def _earliest_of(self, new: Collection[Partition]) -> Offsets:
        """Return where partitions begin that were not there before: read from their start."""
        if not new:
            return {}
        with self._consumer() as consumer:
            return positions.earliest(consumer, new)

    def _consumer(self) -> AbstractContextManager[Consumer]:
        return clients.consumers.borrow(clients.consumer_config(self._options.kafka))


def share_out(starts: Mapping[Partition, int], ends: Mapping[Partition, int], most: int) -> Offsets:
    """Return ends that leave about ``most`` offsets to read, shared by what each has waiting.

    Every partition advances by the same fraction, so none is done much before the others, and
    each that has something gets at least one.
    """
    waiting = {one: max(0, ends[one] - starts[one]) for one in ends}
    total = sum(waiting.values())
    if total <= most:
        return dict(ends)
    return {
        one: starts[one] + min(size, max(1, size * most // total)) for one, size in waiting.items()
    }
