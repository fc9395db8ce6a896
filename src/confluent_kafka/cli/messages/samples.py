"""A few messages of a topic, decoded, redacted and limited in size, as JSON has them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
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
        messages = _read(consumer, ranges, None if begin.kind == "last" else limits.messages)
    messages.sort(key=lambda one: (one.timestamp()[1], one.partition(), one.offset()))
    chosen = messages[-limits.messages :] if begin.kind == "last" else messages[: limits.messages]
    return [shown(message, limits.bytes, redaction) for message in chosen]


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
    consumer: Consumer, ranges: dict[Place, tuple[int, int]], most: int | None
) -> list[Message]:
    """Read the ranges, but not more than `most` messages of a partition."""
    ends = {place: end for place, (first, end) in ranges.items() if first < end}
    counts = dict.fromkeys(ends, 0)
    consumer.assign([TopicPartition(*place, ranges[place][0]) for place in ends])
    messages: list[Message] = []
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
            messages.append(message)
            counts[place] += 1
            offset += 1
        if offset >= ends[place] or counts[place] == most:
            del ends[place]
            consumer.pause([TopicPartition(*place)])
    return messages


def shown(message: Message, most: int, redaction: Redaction) -> dict[str, Any]:
    """Return a message as JSON has it: decoded, redacted and cut.

    Args:
        message: a consumed message.
        most: the most bytes of a key, a value or a header.
        redaction: what to hide.
    """

    def limited(data: bytes | None) -> Any:
        return _cut(redaction.apply(_decoded(data, redaction)), most)

    return {
        "topic": message.topic(),
        "partition": message.partition(),
        "offset": message.offset(),
        "timestamp": message.timestamp()[1],
        "key": limited(message.key()),
        "value": limited(message.value()),
        "headers": [
            [name, redaction.of_field(name, limited(value))]
            for name, value in message.headers() or []
        ],
    }


def _decoded(data: bytes | None, redaction: Redaction) -> Any:
    """Return JSON as the value that it describes, other UTF-8 as text, and other bytes as base64.

    No rule can look into other bytes. If there are rules, the bytes are not shown.
    """
    if data is None:
        return None
    try:
        return json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError):
        decoded = text_or_base64(data)
    if isinstance(decoded, dict) and redaction:
        return {"hidden": "not text, so the redaction rules cannot be applied", "bytes": len(data)}
    return decoded


def _refuse(constant: str) -> None:
    """JSON has no NaN and no Infinity, although Python reads them."""
    raise ValueError(constant)


def _cut(value: Any, most: int) -> Any:
    """Cut a value whose text is too long. Redaction comes first: it needs the whole value."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    encoded = text.encode()
    if len(encoded) <= most:
        return value
    return {"cut": encoded[:most].decode(errors="ignore"), "bytes": len(encoded)}
