"""Reads one range, and finds out what became of offsets that do not arrive."""

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
    """Yields the messages of one range with a consumer, which has nothing else assigned then.

    Args:
        consumer: reads.
        wanted: the range.
        options: those of the read.
        projection: makes batches what Spark wants.

    Raises:
        DataLoss: messages of the range are gone.
        TimeoutError: there was no progress for ``kafkaConsumer.pollTimeoutMs``.
        KafkaException: the brokers refuse.
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
                # Counted from here: the time that Spark took for the batch is its own.
                deadline = time.monotonic() + self._options.poll_timeout
            elif time.monotonic() > deadline:
                self.give_up()

    def give_up(self) -> None:
        """Leave the rest of the range out if it is gone, and if that is allowed.

        Raises:
            DataLoss: it is gone, which is not allowed.
            TimeoutError: it is there, and did not arrive all the same.
            KafkaException: the brokers refuse.
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
        """Return the next messages of the range, maybe none, and move on behind them."""
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
        # The last offsets before the end may hold no message: compaction removed them, or they
        # are markers of transactions.
        for end in ends:
            self._position = max(self._position, end.offset)
        return batch

    def _skip_lost(self) -> pa.RecordBatch:
        """Go on at the first offset that is left, if that is allowed."""
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
        """Leave the rest of the range out, if that is allowed."""
        report_loss(
            self._options,
            f"{self._partition}: offsets {self._position} to {self._end - 1} are gone, {why}",
        )
        self._position = self._end
        return _NOTHING
