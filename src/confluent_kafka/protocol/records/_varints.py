"""Records of format 2 as bytes: all their numbers are zigzag varints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from confluent_kafka.protocol.records._errors import CorruptRecordsError
from confluent_kafka.protocol.records._record import Record


def read_records(
    data: bytes, count: int, base_offset: int, base_timestamp: int, append_time: int | None
) -> Iterator[Record]:
    """The records of a batch, one at a time.

    Args:
        data: the records, not compressed.
        count: how many they are.
        base_offset: of the batch.
        base_timestamp: of the batch.
        append_time: the timestamp of all of them; None: each has its own.

    Raises:
        CorruptRecordsError: `data` is not so many records.
    """
    pos = 0
    for index in range(count):
        try:
            size, pos = _read(data, pos)
            end = pos + size
            if not 0 <= size <= len(data) - pos:
                raise CorruptRecordsError(
                    f"record {index} has {size} bytes, and {len(data) - pos} follow"
                )
            timestamp, pos = _read(data, pos + 1)  # no attribute of a record has a meaning
            offset, pos = _read(data, pos)
            key, pos = _read_bytes(data, pos, end)
            value, pos = _read_bytes(data, pos, end)
            headers, pos = _read_headers(data, pos, end)
        except IndexError:
            raise CorruptRecordsError(f"record {index} is longer than the batch") from None
        if pos != end:
            raise CorruptRecordsError(f"record {index} does not end where its size says")
        timestamp = base_timestamp + timestamp if append_time is None else append_time
        yield Record(base_offset + offset, timestamp, key, value, headers)
    if pos != len(data):
        raise CorruptRecordsError(f"{len(data) - pos} bytes follow the {count} records")


def write_records(records: Iterable[Record], base_offset: int, base_timestamp: int) -> bytes:
    """The same bytes as Java's client writes.

    Args:
        records: of a batch.
        base_offset: of the batch.
        base_timestamp: of the batch.
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


def _read(data: bytes, pos: int) -> tuple[int, int]:
    """A number and its end."""
    byte = data[pos]
    pos += 1
    value, shift = byte & 0x7F, 7
    while byte > 0x7F:
        if shift > 63:
            raise CorruptRecordsError(f"the number that ends at byte {pos} has more than 10 bytes")
        byte = data[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        shift += 7
    return (value >> 1) ^ -(value & 1), pos


def _read_bytes(data: bytes, pos: int, end: int) -> tuple[bytes | None, int]:
    size, pos = _read(data, pos)
    if size < 0:
        return None, pos
    if size > end - pos:
        raise CorruptRecordsError(f"{size} bytes of a record, of which {end - pos} are left")
    return data[pos : pos + size], pos + size


def _read_headers(
    data: bytes, pos: int, end: int
) -> tuple[tuple[tuple[str, bytes | None], ...], int]:
    count, pos = _read(data, pos)
    if count == 0:
        return (), pos
    if not 0 < count * 2 <= end - pos:  # two sizes are the least of each
        raise CorruptRecordsError(
            f"{count} headers of a record, of which {end - pos} bytes are left"
        )
    headers = []
    for _ in range(count):
        name, pos = _read_bytes(data, pos, end)
        if name is None:
            raise CorruptRecordsError("the name of a header is null")
        value, pos = _read_bytes(data, pos, end)
        headers.append((name.decode(errors="surrogateescape"), value))
    return tuple(headers), pos


def _write(out: bytearray, value: int) -> None:
    value = value << 1 if value >= 0 else ~value << 1 | 1
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def _write_bytes(out: bytearray, value: bytes | None) -> None:
    if value is None:
        out.append(1)  # -1
    else:
        _write(out, len(value))
        out += value
