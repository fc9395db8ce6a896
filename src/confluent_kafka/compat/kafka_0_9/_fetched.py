"""Reads the messages of a partition from the bytes of an answer to Fetch."""

from __future__ import annotations

from typing import NamedTuple

from confluent_kafka.protocol import records

from .common import (
    ChecksumError,
    ConsumerFetchSizeTooSmall,
    Message,
    OffsetAndMessage,
    UnsupportedCodecError,
)

# The size of a message in the old format without its key and its value, in bytes.
_OVERHEAD = 26


class Fetched(NamedTuple):
    """The messages that were read from a partition."""

    messages: list[OffsetAndMessage]
    next_offset: int
    """The offset after everything that was read, including records that are not messages."""


def fetched(data: bytes, offset: int) -> Fetched:
    """Read batches of any format.

    Args:
        data: the batches.
        offset: the first offset that was asked for; batches may begin earlier.

    Raises:
        ChecksumError: they are damaged.
        UnsupportedCodecError: their compression is not supported.
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


class Messages:
    """The messages of an answer, one at a time.

    Args:
        messages: all messages of the answer.
        max_bytes: the size that was asked for; today's brokers send the first batch even if it is
            larger.
        next_offset: the offset at which to continue. Records that are not messages may be before
            it.

    Raises:
        ConsumerFetchSizeTooSmall: next() raises it if the first message is larger than max_bytes.
    """

    def __init__(self, messages: list[OffsetAndMessage], max_bytes: int, next_offset: int) -> None:
        self._is_too_large = bool(messages) and _size(messages[0]) > max_bytes
        self._messages = iter(messages)
        self.next_offset = next_offset

    def __iter__(self) -> Messages:
        return self

    def __next__(self) -> OffsetAndMessage:
        if self._is_too_large:
            raise ConsumerFetchSizeTooSmall()
        return next(self._messages)


def _size(one: OffsetAndMessage) -> int:
    return _OVERHEAD + len(one.message.key or b"") + len(one.message.value or b"")
