"""Formats 0 and 1: message sets, which Kafka wrote before version 0.11."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Self

from confluent_kafka.cimpl import (
    TIMESTAMP_CREATE_TIME,
    TIMESTAMP_LOG_APPEND_TIME,
    TIMESTAMP_NOT_AVAILABLE,
)
from confluent_kafka.protocol.records._codecs import (
    CODEC_BITS,
    MAX_SIZE,
    Compression,
    codec_of,
    compress,
    decompress,
)
from confluent_kafka.protocol.records._errors import CorruptRecordsError, RecordsError
from confluent_kafka.protocol.records._record import Record

# The offset and the size, followed by a checksum of the rest.
_PREFIX = struct.Struct(">qiI")
_LENGTH = struct.Struct(">i")
_HEADERS = {0: struct.Struct(">bb"), 1: struct.Struct(">bbq")}
# The bytes that the size does not include.
_OVERHEAD = 12

_APPEND_TIME = 0x08


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageSetEntry:
    """An entry of a message set: a record, or a wrapper, whose value is a compressed message set.

    `message_set()` makes entries from records; `records()` returns the records of an entry.

    Attributes:
        offset: the offset of the record; in a wrapper, of the last record.
        crc: the CRC-32 of all bytes after it.
        magic: the format, 0 or 1.
        attributes: bits that `compression` and `timestamp_type` decode.
        timestamp: milliseconds since 1970; -1 if there is none, as in format 0.
        key: bytes, or None.
        value: bytes, or None.
    """

    offset: int
    crc: int
    magic: int
    attributes: int = 0
    timestamp: int = -1
    key: bytes | None = None
    value: bytes | None = None

    def with_crc(self) -> Self:
        """Return the same entry with the right checksum, for use after fields were replaced."""
        return replace(self, crc=zlib.crc32(self._checked()))

    @property
    def size(self) -> int:
        """The size of the whole entry in bytes."""
        return _PREFIX.size + len(self._checked())

    @property
    def last_offset(self) -> int:
        """The same as `offset`."""
        return self.offset

    @property
    def max_timestamp(self) -> int:
        """The same as `timestamp`."""
        return self.timestamp

    @property
    def compression(self) -> Compression:
        """The codec of the records. An unknown codec raises CorruptRecordsError."""
        return codec_of(self.attributes)

    @property
    def timestamp_type(self) -> int:
        """TIMESTAMP_CREATE_TIME, TIMESTAMP_LOG_APPEND_TIME, or in format 0 _NOT_AVAILABLE."""
        if self.magic == 0:
            return TIMESTAMP_NOT_AVAILABLE
        if self.attributes & _APPEND_TIME:
            return TIMESTAMP_LOG_APPEND_TIME
        return TIMESTAMP_CREATE_TIME

    @property
    def is_valid(self) -> bool:
        """Whether the checksum is right."""
        return self.crc == zlib.crc32(self._checked())

    def records(self, *, max_size: int = MAX_SIZE) -> Iterator[Record]:
        """Return the record, or the decompressed records of a wrapper.

        Args:
            max_size: the maximum size of the decompressed records, in bytes.

        Raises:
            CorruptRecordsError: a wrapper's value is not a compressed message set.
            RecordsTooLargeError: the records are larger than `max_size`.
            CodecUnavailableError: this build does not have the codec.
        """
        if self.attributes & CODEC_BITS:
            return self._wrapped(max_size)
        return iter([Record(self.offset, self.timestamp, self.key, self.value)])

    def encode(self) -> bytes:
        """Return the bytes of the entry, with its `crc` unchanged.

        Raises:
            RecordsError: a number does not fit into its field.
        """
        checked = self._checked()
        try:
            return _PREFIX.pack(self.offset, len(checked) + 4, self.crc) + checked
        except struct.error as error:
            raise RecordsError(f"a number of {self!r:.200} does not fit: {error}") from None

    @classmethod
    def decode(cls, data: memoryview) -> Self:
        """Return the entry that `data` contains, from its offset and size on; see read()."""
        offset, _, crc = _PREFIX.unpack_from(data)
        magic = data[_PREFIX.size]
        if magic not in _HEADERS:  # in a wrapper; read() checks all others
            raise CorruptRecordsError(f"a message has the unknown format {magic}")
        header = _HEADERS[magic]
        try:
            _, attributes, *times = header.unpack_from(data, _PREFIX.size)
            key, pos = _read_bytes(data, _PREFIX.size + header.size)
            value, pos = _read_bytes(data, pos)
        except struct.error:
            raise CorruptRecordsError(f"a message is longer than its {len(data)} bytes") from None
        if pos != len(data):
            raise CorruptRecordsError(f"a message ends at byte {pos} of {len(data)}")
        return cls(
            offset=offset,
            crc=crc,
            magic=magic,
            attributes=attributes,
            timestamp=times[0] if times else -1,
            key=key,
            value=value,
        )

    def _checked(self) -> bytes:
        """Return the bytes that the checksum covers."""
        numbers = (self.attributes, self.timestamp)[: self.magic + 1]
        try:
            header = _HEADERS[self.magic].pack(self.magic, *numbers)
        except struct.error as error:
            raise RecordsError(f"a number of {self!r:.200} does not fit: {error}") from None
        return header + _bytes(self.key) + _bytes(self.value)

    def _wrapped(self, max_size: int) -> Iterator[Record]:
        inner = self._inner(max_size)
        base = 0
        # In format 1 the wrapper has the last offset, and the offsets in it count from 0. Some
        # producers leave the wrapper's offset at 0, and the broker corrects it.
        if self.magic == 1 and self.offset != 0:
            base = self.offset - inner[-1].offset
            if base < 0:
                raise CorruptRecordsError(
                    f"a wrapper has the offset {self.offset}, and the last record in it "
                    f"{inner[-1].offset}"
                )
        append_time = self.timestamp_type == TIMESTAMP_LOG_APPEND_TIME
        for each in inner:
            timestamp = self.timestamp if append_time and each.magic == 1 else each.timestamp
            yield Record(base + each.offset, timestamp, each.key, each.value)

    def _inner(self, max_size: int) -> list[MessageSetEntry]:
        if self.value is None:
            raise CorruptRecordsError("a wrapper has no value")
        data = decompress(self.compression, self.value, max_size=max_size, magic=self.magic)
        entries: list[MessageSetEntry] = []
        pos, view = 0, memoryview(data)
        while pos < len(data):
            size = entry_size(view, pos)
            if size is None or size > len(data) - pos:
                raise CorruptRecordsError("the last message in a wrapper is not whole")
            entry = MessageSetEntry.decode(view[pos : pos + size])
            if entry.attributes & CODEC_BITS:
                raise CorruptRecordsError("a wrapper contains a wrapper")
            if not entry.is_valid:
                raise CorruptRecordsError(
                    f"the CRC of message {len(entries)} in a wrapper is wrong"
                )
            entries.append(entry)
            pos += size
        if not entries:
            raise CorruptRecordsError("a wrapper is empty")
        return entries


def message_set(
    records: Iterable[Record],
    *,
    magic: int,
    compression: Compression = Compression.NONE,
    level: int | None = None,
    log_append_time: int | None = None,
) -> tuple[MessageSetEntry, ...]:
    """Return the entries for records: one entry for each, or one wrapper if they are compressed.

    Args:
        records: records with increasing offsets and without headers.
        magic: the format, 0 or 1. Format 0 has no timestamps, and supports codecs up to LZ4.
        compression: the codec.
        level: the compression level, as for compress().
        log_append_time: the broker's timestamp for all records, in milliseconds (format 1).

    Raises:
        RecordsError: a record has headers, there is no record to compress, or `magic` is wrong.
        CodecUnavailableError: this build does not have the codec.
    """
    records = list(records)
    if magic not in _HEADERS:
        raise RecordsError(f"magic of a message set must be 0 or 1, got {magic!r}")
    if any(record.headers for record in records):
        raise RecordsError("a message set has no headers: they need a RecordBatch")
    if log_append_time is not None and magic == 0:
        raise RecordsError("log_append_time needs format 1")
    if compression == Compression.NONE:
        return tuple(_entries(records, magic, 0, log_append_time))
    if not records:
        raise RecordsError("a compressed message set has at least one record")
    base = records[0].offset if magic == 1 else 0
    inner = b"".join(each.encode() for each in _entries(records, magic, base, log_append_time))
    append_time = log_append_time is not None
    wrapper = MessageSetEntry(
        offset=records[-1].offset,
        crc=0,
        magic=magic,
        attributes=compression | _APPEND_TIME * append_time,
        timestamp=_latest(records, magic, log_append_time),
        value=compress(compression, inner, level=level, magic=magic),
    )
    return (wrapper.with_crc(),)


def _entries(
    records: list[Record], magic: int, base: int, append_time: int | None
) -> Iterator[MessageSetEntry]:
    for record in records:
        entry = MessageSetEntry(
            offset=record.offset - base,
            crc=0,
            magic=magic,
            attributes=0 if append_time is None else _APPEND_TIME,
            timestamp=_latest([record], magic, append_time),
            key=record.key,
            value=record.value,
        )
        yield entry.with_crc()


def _latest(records: list[Record], magic: int, append_time: int | None) -> int:
    if magic == 0:
        return -1
    return max(each.timestamp for each in records) if append_time is None else append_time


def entry_size(data: memoryview, pos: int, start: int = 0) -> int | None:
    """Return the size of the entry or batch at `pos`; None if its size field is cut off.

    Args:
        data: a sequence of entries or batches.
        pos: the position where one begins.
        start: the position of `data` in its source, for error texts.

    Raises:
        CorruptRecordsError: the size is too small for any format, or the format is unknown.
    """
    if len(data) - pos < _OVERHEAD:
        return None
    (size,) = _LENGTH.unpack_from(data, pos + 8)
    if size < _HEADERS[0].size + 4 + 2 * _LENGTH.size:
        raise CorruptRecordsError(f"the batch at byte {start + pos} has {size} bytes")
    return _OVERHEAD + int(size)


def _bytes(value: bytes | None) -> bytes:
    return _LENGTH.pack(-1) if value is None else _LENGTH.pack(len(value)) + value


def _read_bytes(data: memoryview, pos: int) -> tuple[bytes | None, int]:
    (size,) = _LENGTH.unpack_from(data, pos)
    pos += _LENGTH.size
    if size == -1:
        return None, pos
    if not 0 <= size <= len(data) - pos:
        raise CorruptRecordsError(f"{size} bytes of a message, of which {len(data) - pos} are left")
    return bytes(data[pos : pos + size]), pos + size
