"""A topic, or a part of it, as Arrow columns, without a consumer group."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, NamedTuple, Self

from confluent_kafka.cimpl import OFFSET_END, Consumer, KafkaException, TopicPartition
from confluent_kafka.columns.batch import ColumnDecoder, DecodedBatch, decode_until, reads_headers

# The start or the end of reading: for all partitions, or for each partition.
Place = int | datetime | Mapping[int, int] | None

# Seconds that one call waits; the deadline is checked that often.
_SLICE = 0.2

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# An offset beyond the end of every partition.
_LAST = 2**63 - 1

# The default number of rows in a batch: few enough to save memory, enough to be efficient.
_BATCH_SIZE = 100_000


class Progress(NamedTuple):
    """The progress of a TopicReader.

    Attributes:
        done (int): the number of offsets that the reader has passed, over all partitions. Compacted
            topics and topics with transactions have fewer messages than offsets.
        total (int): the number of offsets to pass.
    """

    done: int
    total: int


def read_topic(
    config: Mapping[str, object],
    topic: str,
    start: Place = None,
    end: Place = None,
    *,
    key: ColumnDecoder | None = None,
    value: ColumnDecoder | None = None,
    headers: bool = False,
    columns: Sequence[str] | None = None,
    batch_size: int = _BATCH_SIZE,
    timeout: float = 60,
) -> TopicReader:
    """Read a topic up to its current end, as batches of Arrow columns.

    The partitions are read one after the other, each in the order of its offsets. The reader joins
    no group and commits nothing.

    Args:
        config (dict): the configuration of a Consumer; "group.id" is not needed.
        topic (str): the name of the topic.
        start (int, datetime, or dict of int to int, optional): where to start. An int is the first
            offset in each partition. A datetime with a time zone starts at the first message of
            that time or later. A dict of partition to offset reads only these partitions. Default:
            the beginning.
        end (int, datetime, or dict of int to int, optional): where to stop, in the same forms; the
            message at this place is not read. Default: the current end of the topic, so that
            reading ends even while others write.
        key (AvroColumns or another decoder, optional): the decoder of keys.
        value (AvroColumns or another decoder, optional): the decoder of values.
        headers (bool): whether to add the column of headers.
        columns (list of str, optional): the columns to return, as for consume_arrow(); "offset" is
            always included.
        batch_size (int): the maximum number of rows in a batch, up to 1,000,000.
        timeout (float): seconds without progress after which the reader raises TimeoutError.

    Returns:
        TopicReader: an iterator of DecodedBatch. It is also a context manager.

    Raises:
        KafkaException: the topic does not exist, or the brokers refuse a request.
        TypeError, ValueError: an argument is wrong.
    """
    _check_arguments(config, batch_size, timeout)
    defaults = {
        "group.id": "confluent_kafka.columns.read_topic",
        "enable.auto.commit": False,
        "auto.offset.reset": "error",
    }
    wanted = None if columns is None else [*dict.fromkeys([*columns, "offset"])]
    shown = headers or "headers" in (wanted or ())
    options: dict[str, Any] = {"headers": shown or reads_headers(key, value), "columns": wanted}
    decoders: dict[str, Any] = {"key": key, "value": value}
    consumer = Consumer({**defaults, **config, "enable.partition.eof": True})
    try:
        consumer.consume_arrow(0, 0, **options, **decoders)  # checks the arguments
        ranges = _ranges(consumer, topic, start, end, timeout)
    except BaseException:
        consumer.close()
        raise
    decoding = {**decoders, "headers": shown}
    return TopicReader(consumer, ranges, decoding, options, batch_size, timeout)


def _check_arguments(config: object, batch_size: object, timeout: object) -> None:
    if not isinstance(config, Mapping):
        raise TypeError(f"config must be a dict, not {type(config).__name__}")
    if not isinstance(batch_size, int) or isinstance(batch_size, bool):
        raise TypeError(f"batch_size must be int, not {type(batch_size).__name__}")
    if not 1 <= batch_size <= 1_000_000:
        raise ValueError(f"batch_size must be from 1 to 1,000,000, not {batch_size}")
    if not isinstance(timeout, int | float) or isinstance(timeout, bool):
        raise TypeError(f"timeout must be float, not {type(timeout).__name__}")
    if not timeout >= 0:
        raise ValueError(f"timeout must not be negative, but is {timeout}")


class _Range:
    """The offsets of a partition that are to be read: from `position` to `end`, exclusive."""

    def __init__(self, topic: str, partition: int, start: int, end: int) -> None:
        self.topic = topic
        self.partition = partition
        self.position = start
        self.end = end

    @property
    def left(self) -> int:
        return max(self.end - self.position, 0)

    def here(self) -> TopicPartition:
        return TopicPartition(self.topic, self.partition, self.position)


class TopicReader:
    """An iterator of DecodedBatch, which read_topic() returns.

    It closes its consumer at the end of the topic, in close(), and at the end of a with block.
    """

    def __init__(
        self,
        consumer: Consumer,
        ranges: Sequence[_Range],
        decoding: dict[str, Any],
        options: dict[str, Any],
        batch_size: int,
        timeout: float,
    ) -> None:
        self._consumer = consumer
        self._ranges = ranges
        self._decoding = decoding
        self._options = options
        self._batch_size = batch_size
        self._timeout = timeout
        self._total = sum(one.left for one in ranges)
        self._assigned: _Range | None = None
        self._deadline = 0.0

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> DecodedBatch:
        for one in self._ranges:
            while one.left > 0:
                batch = self._next(one)
                if len(batch) > 0:
                    return batch
        self.close()
        raise StopIteration

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def progress(self) -> Progress:
        """The number of offsets that were passed, and their total."""
        return Progress(self._total - sum(one.left for one in self._ranges), self._total)

    def close(self) -> None:
        """Stop reading. A second call does nothing."""
        self._ranges = ()
        self._consumer.close()

    def _next(self, one: _Range) -> DecodedBatch:
        """Return the next messages of a range, possibly none, and advance its position."""
        if self._assigned is not one:
            self._consumer.assign([one.here()])
            self._deadline = time.monotonic() + self._timeout
        self._assigned = None  # after an error, reading continues at the range's position
        messages = self._consumer.consume_arrow(
            min(self._batch_size, one.left), _SLICE, **self._options
        )
        # If offsets are missing in the range, the fetched messages can extend beyond its end.
        batch = decode_until(messages, one.end, **self._decoding)
        self._assigned = one
        self._move(one, messages.eof)
        return batch

    def _move(self, one: _Range, ends: Sequence[TopicPartition]) -> None:
        before = one.position
        [here] = self._consumer.position([one.here()])
        # The last offsets of the range may hold no message, because of compaction or transaction
        # markers.
        one.position = max(before, here.offset, *(end.offset for end in ends))
        now = time.monotonic()
        if one.position > before:
            self._deadline = now + self._timeout
        elif now > self._deadline:
            self._assigned = None
            raise TimeoutError(
                f"{one.topic} [{one.partition}]: offset {one.position} did not arrive within "
                f"{self._timeout:g} s (timeout); the offsets up to {one.end} are missing"
            )


def _ranges(
    consumer: Consumer, topic: str, start: Place, end: Place, timeout: float
) -> list[_Range]:
    known = consumer.list_topics(topic, timeout).topics[topic]
    if known.error is not None:
        raise KafkaException(known.error)
    partitions = sorted(known.partitions)
    for name, place in (("start", start), ("end", end)):
        if isinstance(place, Mapping):
            _check_partitions(name, place, partitions)
            partitions = [one for one in partitions if one in place]
    starts = _offsets(consumer, topic, partitions, "start", start, timeout)
    ends = _offsets(consumer, topic, partitions, "end", end, timeout)
    found = []
    for one in partitions:
        low, high = consumer.get_watermark_offsets(TopicPartition(topic, one), timeout)
        first, last = starts.get(one, low), ends.get(one, high)
        found.append(_Range(topic, one, min(max(first, low), high), min(last, high)))
    return found


def _check_partitions(name: str, place: Mapping[int, int], partitions: Sequence[int]) -> None:
    for one, offset in place.items():
        for number, what in ((one, "partitions"), (offset, "offsets")):
            if not isinstance(number, int) or isinstance(number, bool):
                raise TypeError(
                    f"{name} must be a dict of int to int, but {what} are {type(number).__name__}"
                )
        if one not in partitions:
            raise ValueError(f"{name} names partition {one}, but the topic has {len(partitions)}")


def _offsets(
    consumer: Consumer,
    topic: str,
    partitions: Sequence[int],
    name: str,
    place: Place,
    timeout: float,
) -> dict[int, int]:
    """Return an offset for each partition, except for those that have no limit."""
    match place:
        case None:
            return {}
        case datetime():
            return _offsets_of_time(consumer, topic, partitions, name, place, timeout)
        case int() if not isinstance(place, bool):
            offsets = dict.fromkeys(partitions, place)
        case Mapping():
            offsets = {one: place[one] for one in partitions}
        case _:
            raise TypeError(
                f"{name} must be int, datetime, or a dict of partition to offset, not "
                f"{type(place).__name__}"
            )
    for one, offset in offsets.items():
        if offset < 0:
            raise ValueError(f"{name} must not be negative, but is {offset} for partition {one}")
    return offsets


def _offsets_of_time(
    consumer: Consumer,
    topic: str,
    partitions: Sequence[int],
    name: str,
    place: datetime,
    timeout: float,
) -> dict[int, int]:
    if place.tzinfo is None:
        raise ValueError(f"{name} must be a datetime with a time zone, not {place!r}")
    # Messages have timestamps in milliseconds: round up, so that earlier messages are excluded.
    milliseconds = -((_EPOCH - place) // timedelta(milliseconds=1))
    asked = [TopicPartition(topic, one, milliseconds) for one in partitions]
    found = consumer.offsets_for_times(asked, timeout)
    # No message is as late as this time: use the end of the partition.
    return {one.partition: _LAST if one.offset == OFFSET_END else one.offset for one in found}
