"""Streaming reads."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    ReadMaxRows,
    ReadMinRows,
    SupportsTriggerAvailableNow,
)

from confluent_kafka import KafkaException

from . import clients, task_reader
from .admission import Waiting, share_out
from .group_offsets import GroupOffsets
from .offsets import LATEST, Bound, JsonOffsets, Offsets, Partition, Times, from_json, to_json
from .positions import GONE, Positions, resolve
from .ranges import OffsetRange, report_loss
from .read_options import ReadOptions
from .schema import Projection
from .splitting import plan_tasks


class RdKafkaStreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Plans micro-batches on the driver and reads their ranges on the executors.

    Spark sends this object to the executors, so it contains no client.
    """

    def __init__(self, options: ReadOptions, projection: Projection) -> None:
        self._options = options
        self._projection = projection
        self._latest: Offsets | None = None
        self._target: Offsets | None = None
        self._waiting = Waiting(options.min_offsets_per_trigger, options.max_trigger_delay)
        group = options.commit_offsets_to_group
        self._group = None if group is None else GroupOffsets(options.kafka, group)
        self._initial: JsonOffsets | None = None
        # A checkpoint contains the ends of batches, but not the start of the first batch. If the
        # start depends on the time, the first batch is empty, and its end fixes the start.
        self._first_is_empty = _depends_on_when(options.starting)
        self._is_first = True

    def initialOffset(self) -> JsonOffsets:  # noqa: N802
        """Return the offsets where a new query starts, from the options ``starting...``.

        Spark asks again for each plan until the first batch is done. The latest offsets may grow
        meanwhile, even beyond the end of that batch, so the first answer is kept.
        """
        if self._initial is None:
            self._initial = self._resolve_initial()
        return self._initial

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> JsonOffsets:  # noqa: N802
        """Return the end of the next micro-batch; its start if there is nothing to read yet."""
        is_first, self._is_first = self._is_first and start == self._initial, False
        if is_first and self._first_is_empty:
            return to_json(from_json(start))
        if start != self._initial:
            # Spark makes this call when the batch that ends here is done. It calls commit() only
            # when it plans the next batch, so an idle query would appear to lag.
            self.commit(start)
        self._latest = self._fetch_latest()
        ends = self._latest if self._target is None else self._target
        if isinstance(limit, ReadAllAvailable):
            return to_json(ends)
        starts = from_json(start)
        with_new = {**self._earliest_of(ends.keys() - starts.keys()), **starts}
        if self._target is None and self._waiting.goes_on(with_new, ends):
            return to_json(starts)
        most = self._options.max_offsets_per_trigger
        return to_json(ends if most is None else share_out(with_new, ends, most))

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """Return the limits of a micro-batch in Spark's form.

        Spark takes only one limit. If there are two, `latestOffset` still observes both.
        """
        options = self._options
        if options.max_offsets_per_trigger is not None:
            return ReadMaxRows(options.max_offsets_per_trigger)
        if options.min_offsets_per_trigger is not None:
            return ReadMinRows(options.min_offsets_per_trigger)
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Fix the end of the query: messages written from now on belong to its next run."""
        self._target = self._fetch_latest()

    def reportLatestOffset(self) -> JsonOffsets | None:  # noqa: N802
        """Return the latest known offsets, for the query's progress."""
        return None if self._latest is None else to_json(self._latest)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Return the ranges between two offsets of the stream, for each task."""
        starts, ends = from_json(start), from_json(end)
        if self._is_first and self._first_is_empty and start == self._initial:
            # The driver died before the first batch was done. That batch is empty and ends at the
            # old start. The start is later now, but the next batch begins at the old start.
            return []
        for gone in sorted(starts.keys() - ends.keys()):
            report_loss(self._options, f"{gone}: the partition is gone, read up to {starts[gone]}")
        starts = {**self._earliest_of(ends.keys() - starts.keys()), **starts}
        planned = [OffsetRange(one, starts[one], ends[one]) for one in sorted(ends)]
        for one in planned:
            if one.end < one.start:
                report_loss(
                    self._options,
                    f"{one.partition}: read up to {one.start}, but it now ends at {one.end}: "
                    "its topic was recreated or truncated",
                )
        return plan_tasks([one for one in planned if one.start < one.end], self._options)

    def commit(self, end: dict[str, Any]) -> None:
        """Commit the processed offsets to the group of ``commitOffsetsToGroup``."""
        if self._group is not None:
            self._group.commit(from_json(end))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the messages of a task's ranges, on an executor."""
        return task_reader.read(partition, self._options, self._projection)

    def stop(self) -> None:
        """Close the clients of the query on the driver."""
        clients.consumers.close()
        if self._group is not None:
            self._group.close()

    def _resolve_initial(self) -> JsonOffsets:
        with self._asking() as asking:
            wanted = asking.partitions(self._options.selection)
            first, last = asking.earliest(wanted), asking.latest(wanted)
            bound = self._options.starting
            starts = resolve("startingOffsets", bound, first, last, asking.at)
        if self._target is not None:
            # Spark fixes the end of a new query before it asks for the start. Meanwhile offsets
            # grow and partitions are added, so an earlier end would be before the start.
            self._target = last
        return to_json(starts)

    def _fetch_latest(self) -> Offsets:
        def ask() -> Offsets:
            # A missing topic is not a mistake but a loss, which `partitions` reports.
            return asking.latest(asking.partitions(self._options.selection, missing_ok=True))

        with self._asking() as asking:
            try:
                return ask()
            except KafkaException as failure:
                if failure.args[0].code() not in GONE:
                    raise
                # A partition was deleted between the two requests. Repeat both: the first one then
                # leaves the partition out.
                return ask()

    def _earliest_of(self, new: Collection[Partition]) -> Offsets:
        """Return the first offsets of new partitions, which are read from their start."""
        if not new:
            return {}
        with self._asking() as asking:
            return asking.earliest(new)

    @contextmanager
    def _asking(self) -> Iterator[Positions]:
        config = clients.consumer_config(self._options.kafka)
        with clients.consumers.borrow(config) as consumer:
            yield Positions(consumer, self._options.retries)


def _depends_on_when(bound: Bound) -> bool:
    """Return whether a bound may mean the latest offsets, which change all the time."""
    if isinstance(bound, Times):
        return not bound.error_if_none
    return bound == "latest" or (isinstance(bound, dict) and LATEST in bound.values())
