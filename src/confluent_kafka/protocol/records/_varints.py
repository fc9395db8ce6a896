"""Converts records of format 2 from and to bytes. All their numbers are zigzag varints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from confluent_kafka.cimpl import _read_record
from confluent_kafka.protocol.records._errors import CorruptRecordsError
from confluent_kafka.protocol.records._record import Record


def read_records(
    data: bytes, count: int, base_offset: int, base_timestamp: int, append_time: int | None
) -> Iterator[Record]:
    """Yield the records of a batch.

    Args:
        data: the records, not compressed.
        count: the number of records.
        base_offset: the base offset of the batch.
        base_timestamp: the base timestamp of the batch.
        append_time: the timestamp of all records; None if each record has its own.

    Raises:
        CorruptRecordsError: `data` does not consist of this number of records.
    """
    new = tuple.__new__  # Record() with field names would take longer than reading the record
    pos = 0
    for index in range(count):
        try:
            pos, timestamp, offset, key, value, headers = _read_record(data, pos)
        except ValueError as error:
            raise CorruptRecordsError(f"record {index} of {count}: {error}") from None
        timestamp = base_timestamp + timestamp if append_time is None else append_time
        yield new(Record, (base_offset + offset, timestamp, key, value, headers))
    if pos != len(data):
        raise CorruptRecordsError(f"{len(data) - pos} bytes follow the {count} records")


def write_records(records: Iterable[Record], base_offset: int, base_timestamp: int) -> bytes:
    """Return the bytes of records, the same bytes that Java's client writes.

    Args:
        records: the records of a batch.
        base_offset: the base offset of the batch.
        base_timestamp: the base timestamp of the batch.
    """
    out = bytearray()
    for record in records:
        body = bytearray(1)
        _write(body, record.timestamp - base_timestamp)
        _write(body, record.offset - base_offset)
        _write_bytes(body, record.key)
        _write_bytes(body, record.value)
        _write(body, len(record.headers))
        for name, value in record.headers:
            _write_bytes(body, name.encode(errors="surrogateescape"))
            _write_bytes(body, value)
        _write(out, len(body))
        out += body
    return bytes(out)


def _write(out: bytearray, value: int) -> None:
    value = value << 1 if value >= 0 else ~value << 1 | 1
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def _write_bytes(out: bytearray, value: bytes | None) -> None:
    if value is None:
        out.append(1)  # the varint of -1
    else:
        _write(out, len(value))
        out += value
