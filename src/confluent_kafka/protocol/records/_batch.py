"""Batches of format 2."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Self

from confluent_kafka.cimpl import (
    TIMESTAMP_CREATE_TIME,
    TIMESTAMP_LOG_APPEND_TIME,
    _crc32c,
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
from confluent_kafka.protocol.records._varints import read_records, write_records

# The whole header of a batch, and the part that the checksum covers.
_HEADER = struct.Struct(">qiibIhiqqqhii")
_CHECKED = struct.Struct(">hiqqqhii")
# The bytes that the size does not include.
_PREFIX = 12

# Bits of the attributes, in addition to the codec's.
_APPEND_TIME = 0x08
_TRANSACTIONAL = 0x10
_CONTROL = 0x20
_DELETE_HORIZON = 0x40


def _offsets(
    records: list[Record], base_offset: int | None, last_offset: int | None
) -> tuple[int, int]:
    """Return the first and the last offset of a batch."""
    offsets = [each.offset for each in records]
    if not offsets and (base_offset is None or last_offset is None):
        raise RecordsError("a batch without records needs base_offset and last_offset")
    first = offsets[0] if base_offset is None else base_offset
    last = offsets[-1] if last_offset is None else last_offset
    known = [first - 1, *offsets]
    if any(before >= after for before, after in pairwise(known)) or known[-1] > last:
        raise RecordsError(
            f"the offsets of records must increase, from {first} to {last}, got {offsets!r:.200}"
        )
    return first, last


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordBatch:
    """A batch of format 2: its header, and its records in their stored form.

    `RecordBatch.of()` makes a batch from records; `records()` returns the records of a batch.

    Attributes:
        base_offset: the offset of the first record when the batch was written.
        partition_leader_epoch: set by the broker; -1 if it is unknown.
        crc: the CRC-32C of all bytes after it.
        attributes: bits that `compression` and other properties decode.
        last_offset_delta: the last offset minus `base_offset`.
        base_timestamp: milliseconds; the records store differences to it. In compacted batches it
            may be the delete horizon.
        max_timestamp: milliseconds.
        producer_id: the id of an idempotent producer; otherwise -1.
        producer_epoch: the epoch of an idempotent producer; otherwise -1.
        base_sequence: the sequence number of an idempotent producer's first record; otherwise -1.
        count: the number of records.
        payload: the records, possibly compressed.
        magic: the format, 2.
    """

    base_offset: int
    partition_leader_epoch: int = -1
    crc: int
    attributes: int
    last_offset_delta: int
    base_timestamp: int
    max_timestamp: int
    producer_id: int = -1
    producer_epoch: int = -1
    base_sequence: int = -1
    count: int
    payload: bytes

    magic: ClassVar[int] = 2

    @classmethod
    def of(
        cls,
        records: Iterable[Record],
        *,
        compression: Compression = Compression.NONE,
        level: int | None = None,
        base_offset: int | None = None,
        last_offset: int | None = None,
        partition_leader_epoch: int = -1,
        producer_id: int = -1,
        producer_epoch: int = -1,
        base_sequence: int = -1,
        log_append_time: int | None = None,
        delete_horizon: int | None = None,
        transactional: bool = False,
        control: bool = False,
    ) -> Self:
        """Return a batch of records.

        Args:
            records: records with increasing offsets.
            compression: the codec.
            level: the compression level, as for compress().
            base_offset: the first offset, if it differs from the first record's, as after
                compaction.
            last_offset: the last offset, if it differs from the last record's.
            partition_leader_epoch: as in the attributes of the class.
            producer_id: as in the attributes of the class.
            producer_epoch: as in the attributes of the class.
            base_sequence: as in the attributes of the class.
            log_append_time: the broker's timestamp for all records, in milliseconds.
            delete_horizon: when tombstones may be removed, in milliseconds.
            transactional: whether the batch belongs to a transaction.
            control: whether the records are Kafka's own.

        Raises:
            RecordsError: there is no record and no `base_offset`, the offsets do not increase, or
                a number does not fit into its field.
            CodecUnavailableError: this build does not have the codec.
        """
        records = list(records)
        first, last = _offsets(records, base_offset, last_offset)
        base_timestamp = records[0].timestamp if records else -1
        timestamp = max((each.timestamp for each in records), default=-1)
        attributes = int(compression) | _TRANSACTIONAL * transactional | _CONTROL * control
        if log_append_time is not None:
            attributes |= _APPEND_TIME
            timestamp = log_append_time
        if delete_horizon is not None:
            attributes |= _DELETE_HORIZON
            base_timestamp = delete_horizon
        payload = write_records(records, first, base_timestamp)
        draft = cls(
            base_offset=first,
            partition_leader_epoch=partition_leader_epoch,
            crc=0,
            attributes=attributes,
            last_offset_delta=last - first,
            base_timestamp=base_timestamp,
            max_timestamp=timestamp,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            base_sequence=base_sequence,
            count=len(records),
            payload=compress(compression, payload, level=level),
        )
        return draft.with_crc()

    def with_crc(self) -> Self:
        """Return the same batch with the right checksum, for use after fields were replaced."""
        return replace(self, crc=self._computed_crc())

    @property
    def size(self) -> int:
        """The size of the whole batch in bytes."""
        return _HEADER.size + len(self.payload)

    @property
    def last_offset(self) -> int:
        """The offset of the last record when the batch was written."""
        return self.base_offset + self.last_offset_delta

    @property
    def last_sequence(self) -> int:
        """The sequence number of the last record; -1 if the producer is not idempotent."""
        if self.base_sequence < 0:
            return -1
        return (self.base_sequence + self.last_offset_delta) & 0x7FFFFFFF

    @property
    def compression(self) -> Compression:
        """The codec of the records. An unknown codec raises CorruptRecordsError."""
        return codec_of(self.attributes)

    @property
    def timestamp_type(self) -> int:
        """TIMESTAMP_CREATE_TIME or TIMESTAMP_LOG_APPEND_TIME."""
        if self.attributes & _APPEND_TIME:
            return TIMESTAMP_LOG_APPEND_TIME
        return TIMESTAMP_CREATE_TIME

    @property
    def is_transactional(self) -> bool:
        """Whether it belongs to a transaction."""
        return bool(self.attributes & _TRANSACTIONAL)

    @property
    def is_control(self) -> bool:
        """Whether its records are control records; control() returns their meaning."""
        return bool(self.attributes & _CONTROL)

    @property
    def delete_horizon(self) -> int | None:
        """When tombstones and markers may be removed, in milliseconds; None if it is not set."""
        return self.base_timestamp if self.attributes & _DELETE_HORIZON else None

    @property
    def is_valid(self) -> bool:
        """Whether the checksum is right."""
        return self.crc == self._computed_crc()

    def records(self, *, max_size: int = MAX_SIZE) -> Iterator[Record]:
        """Yield the records. They are decompressed in one step.

        Args:
            max_size: the maximum size of the decompressed records, in bytes.

        Raises:
            CorruptRecordsError: the bytes are not the records that the header describes.
            RecordsTooLargeError: the records are larger than `max_size`.
            CodecUnavailableError: this build does not have the codec.
        """
        payload = self.payload
        if self.attributes & CODEC_BITS:
            payload = decompress(self.compression, payload, max_size=max_size)
        append_time = self.max_timestamp if self.attributes & _APPEND_TIME else None
        return read_records(payload, self.count, self.base_offset, self.base_timestamp, append_time)

    def encode(self) -> bytes:
        """Return the bytes of the batch, with its `crc` unchanged.

        Raises:
            RecordsError: a number does not fit into its field.
        """
        try:
            header = _HEADER.pack(
                self.base_offset,
                self.size - _PREFIX,
                self.partition_leader_epoch,
                self.magic,
                self.crc,
                self.attributes,
                self.last_offset_delta,
                self.base_timestamp,
                self.max_timestamp,
                self.producer_id,
                self.producer_epoch,
                self.base_sequence,
                self.count,
            )
        except struct.error as error:
            raise RecordsError(f"a number of {self!r:.200} does not fit: {error}") from None
        return header + self.payload

    @classmethod
    def decode(cls, data: memoryview) -> Self:
        """Return the batch that `data` contains, from its base offset and size on; see read()."""
        if len(data) < _HEADER.size:
            raise CorruptRecordsError(
                f"a batch of format 2 has at least {_HEADER.size} bytes, not {len(data)}"
            )
        (
            base_offset,
            _,
            partition_leader_epoch,
            _,
            crc,
            attributes,
            last_offset_delta,
            base_timestamp,
            max_timestamp,
            producer_id,
            producer_epoch,
            base_sequence,
            count,
        ) = _HEADER.unpack_from(data)
        if count < 0:
            raise CorruptRecordsError(f"a batch has {count} records")
        return cls(
            base_offset=base_offset,
            partition_leader_epoch=partition_leader_epoch,
            crc=crc,
            attributes=attributes,
            last_offset_delta=last_offset_delta,
            base_timestamp=base_timestamp,
            max_timestamp=max_timestamp,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            base_sequence=base_sequence,
            count=count,
            payload=bytes(data[_HEADER.size :]),
        )

    def _computed_crc(self) -> int:
        return _crc32c(memoryview(self.encode())[_HEADER.size - _CHECKED.size :])
