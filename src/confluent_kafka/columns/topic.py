"""A topic, or a part of it, as Arrow columns, without a consumer group."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import TracebackType
from typing import Any, NamedTuple, Self

from confluent_kafka.cimpl import OFFSET_END, Consumer, KafkaException, TopicPartition
from confluent_kafka.columns.batch import ColumnDecoder, DecodedBatch, decode_until, reads_headers

# Where a topic is read from or to, in all of its partitions or in each.
Place = int | datetime | Mapping[int, int] | None

# Seconds that one call waits: how often the deadline is looked at.
_SLICE = 0.2

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# Beyond every end.
_LAST = 2**63 - 1

# Rows of a batch, unless the user says otherwise: what costs little to keep and much to repeat.
_BATCH_SIZE = 100_000


class Progress(NamedTuple):
    """How far a TopicReader has come.

    Attributes:
        done (int): offsets that have been passed, of all partitions together. Compacted topics and
            those with transactions have fewer messages than offsets.
        total (int): offsets that there were to pass.
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
    """Read a topic as it is now, as batches of Arrow columns.

    Partitions come one after the other, each in the order of its offsets. No group is joined and
    nothing is committed.

    Args:
        config (dict): of a Consumer; "group.id" is not needed.
        topic (str): its name.
        start (int, datetime, or dict of int to int, optional): the first offset of each partition;
            or its first message of that time or later, with a time zone; or the first offset of
            those partitions alone that the dict names. Default: from the beginning.
        end (the same, optional): where to stop, which is not read any more. Default: what is the
            end of the topic now, so that reading comes to an end also while others write.
        key (AvroColumns or another decoder, optional): what decodes keys into columns.
        value (the same, optional): what decodes values.
        headers (bool): whether to add the column of headers.
        columns (list of str, optional): the columns that are wanted, as for consume_arrow();
            "offset" is always there.
        batch_size (int): the maximum number of rows of a batch, up to 1,000,000.
        timeout (float): seconds without any progress after which reading is given up.

    Returns:
        TopicReader: an iterator of DecodedBatch, also a context manager.

    Raises:
        KafkaException: the topic is unknown, or the brokers refuse.
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
        consumer.consume_arrow(0, 0, **options, **decoders)  # which checks them
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
    """Offsets of a partition that are to be read: from `position` up to, but without, `end`."""

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
    """What read_topic() returns: an iterator of DecodedBatch.

    It closes its consumer at the end, in close() and at the end of a with block.
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
        """How many offsets were passed, and of how many."""
        return Progress(self._total - sum(one.left for one in self._ranges), self._total)

    def close(self) -> None:
        """Stop reading; may be called more than once."""
        self._ranges = ()
        self._consumer.close()

    def _next(self, one: _Range) -> DecodedBatch:
        """Return the next messages of a range, maybe none, and move on behind them."""
        if self._assigned is not one:
            self._consumer.assign([one.here()])
            self._deadline = time.monotonic() + self._timeout
        self._assigned = None  # what fails is read again, from where the range is
        messages = self._consumer.consume_arrow(
            min(self._batch_size, one.left), _SLICE, **self._options
        )
        # Where offsets are missing, as many messages as the range is long reach beyond it.
        batch = decode_until(messages, one.end, **self._decoding)
        self._assigned = one
        self._move(one, messages.eof)
        return batch

    def _move(self, one: _Range, ends: Sequence[TopicPartition]) -> None:
        before = one.position
        [here] = self._consumer.position([one.here()])
        # The last offsets before the end may hold no message: compaction has removed them, or they
        # are markers of transactions.
        one.position = max(before, here.offset, *(end.offset for end in ends))
        now = time.monotonic()
        if one.position > before:
            self._deadline = now + self._timeout
        elif now > self._deadline:
            self._assigned = None
            raise TimeoutError(
                f"{one.topic} [{one.partition}]: offset {one.position} did not arrive within "
                f"{self._timeout:g} s (timeout), though it is to be read up to {one.end}"
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
                    f"{name} must be a dict of int to int, {what} are not {type(number).__name__}"
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
    """Return an offset for each partition but those that are to be read whole."""
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
        raise ValueError(f"{name} is a datetime without a time zone, which could be any")
    # Messages have milliseconds: those of a part of one are before the time.
    milliseconds = -((_EPOCH - place) // timedelta(milliseconds=1))
    asked = [TopicPartition(topic, one, milliseconds) for one in partitions]
    found = consumer.offsets_for_times(asked, timeout)
    # Nothing is as late: where the partition ends.
    return {one.partition: _LAST if one.offset == OFFSET_END else one.offset for one in found}
