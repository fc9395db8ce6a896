"""A few messages of a topic, decoded, redacted and limited in size, as JSON has them."""

from __future__ import annotations

import functools
import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from confluent_kafka import (
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)
from confluent_kafka.cli.base.bound import Bound
from confluent_kafka.cli.messages.redaction import Redaction
from confluent_kafka.cli.messages.text import text_or_base64
from confluent_kafka.cli.topics.place import Place

# The longest wait for messages that exist, in seconds: an open transaction can hold them back from
# a read_committed reader for ever.
_PATIENCE = 10.0
_SLICE = 0.2
# A message can have any number of headers.
_HEADERS = 50
# Levels of objects and lists. The library of the protocol fails at some hundreds of levels.
_LEVELS = 100


class Limits(NamedTuple):
    """The limits of a sample.

    Attributes:
        messages: the most messages.
        bytes: the most bytes of a key, a value or a header; a longer one is cut.
    """

    messages: int
    bytes: int


def sample(
    config: Mapping[str, Any],
    places: Iterable[Place],
    begin: Bound,
    limits: Limits,
    redaction: Redaction,
    timeout: float,
) -> list[dict[str, Any]]:
    """Read messages that exist now, and return them in the order of their times.

    No group is joined and nothing is committed.

    Args:
        config: the configuration of a Consumer.
        places: the partitions.
        begin: where to begin in each partition.
        limits: the limits.
        redaction: what to hide.
        timeout: the seconds to wait for the cluster.

    Returns:
        The first messages from `begin` on; the last ones if `begin` counts back from the end.

    Raises:
        KafkaException: a broker refused.
    """
    alone = {"group.id": "unused", "enable.auto.commit": False, "enable.partition.eof": True}
    with Consumer({**config, **alone}) as consumer:
        ranges = {place: _range(consumer, place, begin, timeout) for place in places}
        convert = functools.partial(shown, most=limits.bytes, redaction=redaction)
        last = begin.kind == "last"
        found = _read(consumer, ranges, limits.messages, convert, keeps_last=last)
    found.sort(key=lambda one: (one["timestamp"], one["partition"], one["offset"]))
    return found[-limits.messages :] if last else found[: limits.messages]


def _range(consumer: Consumer, place: Place, begin: Bound, timeout: float) -> tuple[int, int]:
    """Return the first offset to read, and the end of the partition."""
    low, high = consumer.get_watermark_offsets(TopicPartition(*place), timeout)
    first = {"beginning": low, "end": high, "last": high - begin.number}.get(begin.kind)
    if begin.kind == "time":
        (found,) = consumer.offsets_for_times([TopicPartition(*place, begin.number)], timeout)
        if found.error is not None:
            raise KafkaException(found.error)
        first = high if found.offset == OFFSET_END else found.offset
    return max(low, begin.number if first is None else first), high


def _read(
    consumer: Consumer,
    ranges: dict[Place, tuple[int, int]],
    most: int,
    convert: Callable[[Message], dict[str, Any]],
    *,
    keeps_last: bool,
) -> list[dict[str, Any]]:
    """Read the ranges, and return the first or last messages of each partition as values for JSON.

    Each message is cut when it is read: all messages of a range may not fit into the memory.
    """
    ends = {place: end for place, (first, end) in ranges.items() if first < end}
    kept = {place: deque[dict[str, Any]](maxlen=most) for place in ends}
    consumer.assign([TopicPartition(*place, ranges[place][0]) for place in ends])
    deadline = time.monotonic() + _PATIENCE
    while ends and time.monotonic() < deadline:
        message = consumer.poll(_SLICE)
        if message is None:
            continue
        place = message.topic() or "", message.partition() or 0
        offset = message.offset() or 0
        error = message.error()
        if error is not None and error.code() != KafkaError._PARTITION_EOF:
            raise KafkaException(error)
        if place not in ends:
            continue
        if error is None and offset < ends[place]:
            kept[place].append(convert(message))
            offset += 1
        if offset >= ends[place] or (not keeps_last and len(kept[place]) == most):
            del ends[place]
            consumer.pause([TopicPartition(*place)])
    return [each for place in kept.values() for each in place]


def shown(message: Message, most: int, redaction: Redaction) -> dict[str, Any]:
    """Return a message as JSON has it: decoded, redacted and cut.

    Args:
        message: a consumed message.
        most: the most bytes of a key, a value or a header.
        redaction: what to hide.
    """

    def limited(data: bytes | None) -> Any:
        length = len(data or b"")
        try:
            return _cut(redaction.apply(_decoded(data, redaction)), most, length)
        except RecursionError:
            return {"hidden": "its JSON is nested too deeply", "bytes": length}

    def named(name: str) -> Any:
        return _cut(redaction.of_text(name), most, len(name.encode()))

    headers = message.headers() or []
    found = {
        "topic": message.topic(),
        "partition": message.partition(),
        "offset": message.offset(),
        "timestamp": message.timestamp()[1],
        "key": limited(message.key()),
        "value": limited(message.value()),
        "headers": [
            [named(name), redaction.of_field(name, limited(value))]
            for name, value in headers[:_HEADERS]
        ],
    }
    if len(headers) > _HEADERS:
        found["headers_left_out"] = len(headers) - _HEADERS
    return found


def _decoded(data: bytes | None, redaction: Redaction) -> Any:
    """Return JSON as the value that it describes, other UTF-8 as text, and other bytes as base64.

    NaN and Infinity, which some programs write, become texts: JSON does not have them. Rules of
    redaction cannot be applied to other bytes. If there are rules, the bytes are not shown.
    """
    if data is None:
        return None
    try:
        return json.loads(data, parse_constant=str)
    except (ValueError, RecursionError):
        decoded = text_or_base64(data)
    if isinstance(decoded, dict) and redaction:
        return {"hidden": "not text, so the redaction rules cannot be applied", "bytes": len(data)}
    return decoded


def _cut(value: Any, most: int, length: int) -> Any:
    """Cut a value whose text is too long, and add the length of the sent bytes.

    Redaction comes first: it needs the whole value.
    """
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    encoded = text.encode()
    if len(encoded) <= most and not _is_deep(value):
        return value
    return {"cut": encoded[:most].decode(errors="ignore"), "bytes": length}


def _is_deep(value: Any) -> bool:
    """Return whether a value has more levels than an answer can have."""
    level = [value]
    for _ in range(_LEVELS):
        parts = [each for each in level if isinstance(each, dict | list)]
        level = [
            one for each in parts for one in (each.values() if isinstance(each, dict) else each)
        ]
    return bool(level)
