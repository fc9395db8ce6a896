"""Messages fetched as record batches of a bounded size, and where the rows of a range end."""

from bisect import bisect_left
from operator import methodcaller

import pyarrow as pa

from confluent_kafka import KafkaError, KafkaException, TopicPartition

from .clients import RangeConsumer
from .positions import GONE

# A record batch aims at this size: small enough that it is still in the processor's cache when
# Spark reads it, and that its memory is used again without going back to the system; large enough
# that the cost of a batch does not count. Batches of 8 MiB cost a tenth more CPU time a row.
BATCH_BYTES = 1 << 20
MOST_ROWS = 100_000
_FIRST_ROWS = 1_000

# Seconds that one call waits: how often the end of a range and its deadline are looked at, and
# for how long messages that are suddenly larger can pile up in one batch.
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
        """Return the next messages, maybe none, and the ends of partitions that were reached.

        Args:
            most: how many messages are wanted at most.

        Raises:
            KafkaException: the brokers refuse, or do not have what is assigned.
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
    """Whether an error says that offsets or partitions are gone."""
    code = failure.args[0].code()
    return code == KafkaError._AUTO_OFFSET_RESET or code in GONE


def rows_before(offsets: pa.Array, end: int) -> int:
    """Return how many of ascending offsets are before the end of a range.

    Where offsets are missing, as many messages as a range is long reach beyond it.
    """
    if len(offsets) == 0 or offsets[-1].as_py() < end:
        return len(offsets)
    return bisect_left(offsets, end, key=methodcaller("as_py"))
