"""A range of offsets: the part of a partition that one Spark task reads."""

import logging
import time
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from operator import methodcaller

import pyarrow as pa
from pyspark.sql.datasource import InputPartition

from confluent_kafka import KafkaError, KafkaException, TopicPartition

from . import clients
from .clients import RangeConsumer
from .offsets import Partition
from .positions import GONE, Positions
from .read_options import ReadOptions
from .schema import Projection

_log = logging.getLogger(__name__)

# A record batch aims at this size: small enough that a worker's memory stays bounded whatever
# the messages are, large enough that the cost of a batch does not count.
_BATCH_BYTES = 8 << 20
_FIRST_ROWS = 1_000
_MOST_ROWS = 100_000

# Seconds that one call waits: how often the end of a range and its deadline are looked at, and
# for how long messages that are suddenly larger can pile up in one batch.
_SLICE = 0.1


_NOTHING = pa.record_batch({})


@dataclass(frozen=True)
class OffsetRange(InputPartition):
    """Offsets of one partition, from ``start`` up to, but not including, ``end``."""

    partition: Partition
    start: int
    end: int


class DataLoss(RuntimeError):
    """Offsets that were asked for, and once existed, are no longer there."""


def report_loss(options: ReadOptions, what: str) -> None:
    """Raise DataLoss, or only log it, as the option ``failOnDataLoss`` says."""
    if options.fail_on_data_loss:
        raise DataLoss(f"{what}. Set the option failOnDataLoss to false to go on without them.")
    _log.warning("%s; going on without them, as failOnDataLoss is false", what)


def read(
    wanted: InputPartition, options: ReadOptions, projection: Projection
) -> Iterator[pa.RecordBatch]:
    """Yield the messages of a range as record batches.

    Raises:
        DataLoss: messages of the range are gone.
        TimeoutError: there was no progress for ``kafkaConsumer.pollTimeoutMs``.
        KafkaException: the brokers refuse.
    """
    # Where nothing is to be read, Spark makes up a partition of its own.
    if not isinstance(wanted, OffsetRange):
        return
    with clients.consumers.borrow(clients.consumer_config(options.kafka)) as consumer:
        yield from _RangeReader(consumer, wanted, options, projection)
        consumer.unassign()


class _RangeReader:
    """Reads one range with one consumer, which has nothing else assigned."""

    def __init__(
        self,
        consumer: RangeConsumer,
        wanted: OffsetRange,
        options: ReadOptions,
        projection: Projection,
    ) -> None:
        self._consumer = consumer
        self._asking = Positions(consumer, options.retries)
        self._partition = wanted.partition
        self._position = wanted.start
        self._end = wanted.end
        self._options = options
        self._projection = projection
        self._rows = _FIRST_ROWS

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        self._assign()
        deadline = time.monotonic() + self._options.poll_timeout
        while self._position < self._end:
            before = self._position
            batch = self._next()
            if batch.num_rows > 0:
                yield self._projection(batch, str(self._partition))
            if self._position > before:
                # Counted from here: the time that Spark took for the batch is its own.
                deadline = time.monotonic() + self._options.poll_timeout
            elif time.monotonic() > deadline:
                self._give_up()

    def _assign(self) -> None:
        topic, number = self._partition
        self._consumer.assign([TopicPartition(topic, number, self._position)])

    def _next(self) -> pa.RecordBatch:
        """Return the next messages of the range, maybe none, and move on behind them."""
        try:
            messages = self._consumer.consume_arrow(
                min(self._rows, self._end - self._position),
                timeout=_SLICE,
                columns=self._projection.columns,
            )
        except KafkaException as failure:
            code = failure.args[0].code()
            if code == KafkaError._AUTO_OFFSET_RESET:
                return self._skip_lost()
            if code in GONE:
                return self._skip_rest("the partition is gone")
            raise
        batch = pa.record_batch(messages)
        if batch.num_rows > 0:
            batch = self._within_range(batch)
        # The last offsets before the end may hold no message: compaction removed them, or they
        # are markers of transactions.
        for end in messages.eof:
            self._position = max(self._position, end.offset)
        return batch

    def _within_range(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        offsets = batch.column("offset")
        self._position = offsets[-1].as_py() + 1
        self._rows = max(1, min(_MOST_ROWS, _BATCH_BYTES * batch.num_rows // batch.nbytes))
        if self._position <= self._end:
            return batch
        # Where offsets are missing, as many messages as the range is long reach beyond it.
        return batch.slice(0, bisect_left(offsets, self._end, key=methodcaller("as_py")))

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

    def _give_up(self) -> None:
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
