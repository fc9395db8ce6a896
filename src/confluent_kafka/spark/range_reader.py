"""Reads one range, and finds out why offsets do not arrive."""

import time
from collections.abc import Iterator

import pyarrow as pa

from confluent_kafka import KafkaError, KafkaException, TopicPartition

from .clients import RangeConsumer
from .fetching import Fetching, is_loss, rows_before
from .positions import GONE, Positions
from .ranges import OffsetRange, report_loss
from .read_options import ReadOptions
from .schema import Projection

_NOTHING = pa.record_batch({})


class RangeReader:
    """Yields the messages of one range with a consumer that has nothing else assigned.

    Args:
        consumer: the consumer.
        wanted: the range.
        options: the options of the read.
        projection: turns batches into the columns that Spark expects.

    Raises:
        DataLoss: messages of the range no longer exist.
        TimeoutError: there was no progress for ``kafkaConsumer.pollTimeoutMs``.
        KafkaException: the brokers refuse the request.
    """

    def __init__(
        self,
        consumer: RangeConsumer,
        wanted: OffsetRange,
        options: ReadOptions,
        projection: Projection,
    ) -> None:
        self._consumer = consumer
        self._fetching = Fetching(consumer, projection.columns)
        self._asking = Positions(consumer, options.retries)
        self._partition = wanted.partition
        self._position = wanted.start
        self._end = wanted.end
        self._options = options
        self._projection = projection

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        self._assign()
        deadline = time.monotonic() + self._options.poll_timeout
        while self._position < self._end:
            before = self._position
            batch = self._next()
            if batch.num_rows > 0:
                yield self._projection(batch, lambda _: self._partition)
            if self._position > before:
                # The deadline starts here, because Spark's time for the previous batch does not
                # count.
                deadline = time.monotonic() + self._options.poll_timeout
            elif time.monotonic() > deadline:
                self.give_up()

    def give_up(self) -> None:
        """Skip the rest of the range if it no longer exists, and if that is allowed.

        Raises:
            DataLoss: the range no longer exists, and that is not allowed.
            TimeoutError: the range exists, but its messages did not arrive.
            KafkaException: the brokers refuse the request.
        """
        waited = f"within {self._options.poll_timeout:g} s (option kafkaConsumer.pollTimeoutMs)"
        try:
            [end] = self._asking.latest([self._partition]).values()
        except KafkaException as failure:
            if failure.args[0].code() not in GONE:
                raise
            self._skip_rest("the partition is gone")
            return
        if end >= self._end:
            raise TimeoutError(
                f"{self._partition}: offset {self._position} did not arrive {waited}, "
                f"though the partition reaches to {end}"
            )
        report_loss(
            self._options,
            f"{self._partition}: offsets {self._position} to {self._end - 1} were to be read, "
            f"but the partition ended at {end} and did not grow {waited}",
        )
        self._position = self._end

    def _assign(self) -> None:
        self._consumer.assign([TopicPartition(*self._partition, self._position)])

    def _next(self) -> pa.RecordBatch:
        """Return the next messages of the range, if there are any, and advance the position."""
        try:
            batch, ends = self._fetching.next(self._end - self._position)
        except KafkaException as failure:
            if not is_loss(failure):
                raise
            if failure.args[0].code() == KafkaError._AUTO_OFFSET_RESET:
                return self._skip_lost()
            return self._skip_rest("the partition is gone")
        if batch.num_rows > 0:
            offsets = batch.column("offset")
            self._position = offsets[-1].as_py() + 1
            batch = batch.slice(0, rows_before(offsets, self._end))
        # The last offsets before the end may have no message: compaction removed them, or they are
        # transaction markers.
        for end in ends:
            self._position = max(self._position, end.offset)
        return batch

    def _skip_lost(self) -> pa.RecordBatch:
        """Continue at the first existing offset, if that is allowed."""
        [first] = self._asking.earliest([self._partition]).values()
        if first > self._position:
            resume = min(first, self._end)
            what = f"the first offset that is left is {first}"
        else:
            resume = self._end
            what = "the partition ends before them: its topic was recreated or truncated"
        report_loss(
            self._options,
            f"{self._partition}: offsets {self._position} to {resume - 1} are gone, {what}",
        )
        self._position = resume
        self._assign()
        return _NOTHING

    def _skip_rest(self, why: str) -> pa.RecordBatch:
        """Skip the rest of the range, if that is allowed."""
        report_loss(
            self._options,
            f"{self._partition}: offsets {self._position} to {self._end - 1} are gone, {why}",
        )
        self._position = self._end
        return _NOTHING
