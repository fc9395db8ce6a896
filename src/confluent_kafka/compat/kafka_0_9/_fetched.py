"""The messages of a partition, from the bytes of Fetch's answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from confluent_kafka.protocol import records

from .common import (
    ChecksumError,
    ConsumerFetchSizeTooSmall,
    Message,
    OffsetAndMessage,
    UnsupportedCodecError,
)

# Bytes of a message in the old format, besides its key and its value.
_OVERHEAD = 26


class Fetched(NamedTuple):
    """What was read of a partition."""

    messages: list[OffsetAndMessage]
    next_offset: int
    """That after all that was there, also what is no message for anybody."""


def fetched(data: bytes, offset: int) -> Fetched:
    """Read batches of any format.

    Args:
        data: the batches.
        offset: the first one that was asked for; batches may begin before.

    Raises:
        ChecksumError: they are damaged.
        UnsupportedCodecError: their compression is unknown here.
    """
    messages = []
    try:
        for batch in records.read(data):
            last = batch.last_offset
            if not (isinstance(batch, records.RecordBatch) and batch.is_control):
                messages += [
                    OffsetAndMessage(one.offset, Message(0, 0, one.key, one.value))
                    for one in batch.records()
                    if one.offset >= offset
                ]
            offset = max(offset, last + 1)
    except records.CodecUnavailableError as failure:
        raise UnsupportedCodecError(str(failure)) from failure
    except records.RecordsError as failure:
        raise ChecksumError(str(failure)) from failure
    return Fetched(messages, offset)


def limited(messages: list[OffsetAndMessage], max_bytes: int) -> Iterator[OffsetAndMessage]:
    """Return messages one at a time.

    Today's brokers send the first batch whatever its size.

    Raises:
        ConsumerFetchSizeTooSmall: the first message is larger than what was asked for.
    """
    if messages:
        first = messages[0].message
        if _OVERHEAD + len(first.key or b"") + len(first.value or b"") > max_bytes:
            raise ConsumerFetchSizeTooSmall()
    yield from messages
