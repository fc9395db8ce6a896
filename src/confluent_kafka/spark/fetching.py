"""Fetches messages as record batches of a bounded size, and finds where the rows of a range end."""

from bisect import bisect_left
from operator import methodcaller

import pyarrow as pa

from confluent_kafka import KafkaError, KafkaException, TopicPartition

from .clients import RangeConsumer
from .positions import GONE

# The size that a record batch should have. It is small enough to stay in the processor's cache
# until Spark reads it, and for its memory to be reused without the system. It is large enough that
# the cost of a batch does not matter. Batches of 8 MiB cost a tenth more CPU time per row.
BATCH_BYTES = 1 << 20
MOST_ROWS = 100_000
_FIRST_ROWS = 1_000

# How many seconds one call waits. The end of a range and its deadline are checked after each call.
# If messages suddenly become larger, one batch collects them for this long.
_SLICE = 0.1


class Fetching:
    """Fetches the messages of what a consumer has assigned.

    Args:
        consumer: fetches.
        columns: names of the columns to build.
    """

    def __init__(self, consumer: RangeConsumer, columns: list[str]) -> None:
        self._consumer = consumer
        self._columns = columns
        self._rows = _FIRST_ROWS

    def next(self, most: int) -> tuple[pa.RecordBatch, list[TopicPartition]]:
        """Return the next messages, if there are any, and the ends of partitions that were reached.

        Args:
            most: the largest number of messages to return.

        Raises:
            KafkaException: the brokers refuse the request, or do not have what is assigned.
        """
        messages = self._consumer.consume_arrow(
            min(self._rows, most), timeout=_SLICE, columns=self._columns
        )
        batch = pa.record_batch(messages)
        if batch.num_rows > 0:
            size = batch.get_total_buffer_size()
            self._rows = max(1, min(MOST_ROWS, BATCH_BYTES * batch.num_rows // size))
        return batch, messages.eof


def is_loss(failure: KafkaException) -> bool:
    """Return whether an error means that offsets or partitions no longer exist."""
    code = failure.args[0].code()
    return code == KafkaError._AUTO_OFFSET_RESET or code in GONE


def rows_before(offsets: pa.Array, end: int) -> int:
    """Return how many of ascending offsets are before the end of a range.

    If offsets are missing, the fetched messages can extend beyond the end of the range.
    """
    if len(offsets) == 0 or offsets[-1].as_py() < end:
        return len(offsets)
    return bisect_left(offsets, end, key=methodcaller("as_py"))
