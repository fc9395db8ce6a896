"""Batches that an application fills itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

__all__ = ["BatchBuilder", "BatchedRecord"]

# Sizes in bytes in Kafka's record format 2: of an empty batch, and of a record's attributes.
_BATCH_OVERHEAD = 61
_ATTRIBUTES = 1

_LATEST = 2**63 - 1  # milliseconds

Headers = Sequence[tuple[str, bytes | None]]
Serializer = Callable[[Any], bytes | None]


class BatchedRecord(NamedTuple):
    """The result of append()."""

    offset: int
    """The record's place in the batch, from 0."""
    size: int
    """The record's size in bytes, before compression."""
    timestamp: int
    """In milliseconds since the epoch."""


class Record(NamedTuple):
    """A record of a batch, serialized."""

    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes | None]]


class BatchBuilder:
    """Collects records for send_batch(), as many as fit into ``max_batch_size``.

    Args:
        batch_size: the largest size of the records in bytes, before compression. The first record
            may be larger.
        compression_type: no effect; the producer compresses.
        is_transactional: no effect; the producer decides.
        key_serializer: converts keys to bytes.
        value_serializer: converts values to bytes.
    """

    def __init__(
        self,
        batch_size: int,
        compression_type: int,
        *,
        is_transactional: int = 0,
        key_serializer: Serializer | None = None,
        value_serializer: Serializer | None = None,
    ) -> None:
        self._batch_size = batch_size
        self._key_serializer = key_serializer
        self._value_serializer = value_serializer
        self._records: list[Record] = []
        self._size = _BATCH_OVERHEAD
        self._closed = False

    def append(
        self,
        *,
        timestamp: float | None,
        key: Any,
        value: Any,
        headers: Headers = [],  # noqa: B006
    ) -> BatchedRecord | None:
        """Add a record.

        Args:
            timestamp: milliseconds since the epoch, without fractions; None means now.
            key: bytes or None, or an object for the key serializer.
            value: bytes or None, or an object for the value serializer.
            headers: pairs of a name and bytes or None.

        Returns:
            The record's place in the batch. None if there is no room; the batch is then closed.

        Raises:
            TypeError: a key or value is not bytes, or another argument has a wrong type.
            ValueError: the timestamp is negative.
        """
        if self._closed:
            return None
        key_bytes = serialized("key", self._key_serializer, key)
        value_bytes = serialized("value", self._value_serializer, value)
        if headers:
            check_headers(headers)
        if timestamp is None:
            at = time.time_ns() // 1_000_000
        else:
            at = milliseconds("timestamp", timestamp)
        size = self._size_of(Record(at, key_bytes, value_bytes, list(headers)))
        if self._records and self._size + size > self._batch_size:
            self._closed = True
            return None
        self._records.append(Record(at, key_bytes, value_bytes, list(headers)))
        self._size += size
        return BatchedRecord(len(self._records) - 1, size, at)

    def close(self) -> None:
        """Close the batch: it accepts no more records."""
        self._closed = True

    def closed(self) -> bool:
        """Return whether the batch is closed."""
        return self._closed

    def size(self) -> int:
        """Return the size of the batch in bytes, before compression."""
        return self._size

    def record_count(self) -> int:
        """Return the number of records in the batch."""
        return len(self._records)

    def _size_of(self, record: Record) -> int:
        """Return a record's size. Its time and offset are stored relative to the first record."""
        first = self._records[0].timestamp if self._records else record.timestamp
        body = _ATTRIBUTES + _varint(record.timestamp - first) + _varint(len(self._records))
        body += _sized(record.key) + _sized(record.value) + _varint(len(record.headers))
        body += sum(_sized(name.encode()) + _sized(value) for name, value in record.headers)
        return _varint(body) + body


def serialized(what: str, serializer: Serializer | None, value: Any) -> bytes | None:
    """Return the bytes of a key or value.

    Args:
        what: "key" or "value".
        serializer: converts the object to bytes; None if there is no serializer.
        value: the application's object.

    Raises:
        TypeError: the result is neither bytes nor None.
    """
    data = value if serializer is None else serializer(value)
    if data is None or isinstance(data, bytes | bytearray | memoryview):
        return data  # type: ignore[return-value]
    whose = "" if serializer is None else f" that {what}_serializer returned"
    raise TypeError(
        f"a bytes-like object is required, not {type(data).__name__!r}: the {what}{whose} must be "
        "bytes or None"
    )


def milliseconds(name: str, value: Any) -> int:
    """Return a timestamp for librdkafka.

    Args:
        name: the name of the argument.
        value: milliseconds. Fractions, as in time.time() * 1000, are dropped.

    Raises:
        TypeError: it is not a number.
        ValueError, OverflowError: librdkafka does not support this timestamp.
    """
    if not hasattr(value, "__int__"):  # all numbers have it, NumPy's too, but str does not
        raise TypeError(
            f"{name} must be a number of milliseconds or None, not {type(value).__name__}"
        )
    number = int(value)
    if not 0 <= number <= _LATEST:
        kind = ValueError if number < 0 else OverflowError
        raise kind(f"{name} must be a number from 0 to {_LATEST}, not {value!r}")
    return number


def check_headers(headers: Any) -> None:
    """Refuse headers that aiokafka refuses: a consumer would get other headers than intended.

    Raises:
        TypeError, ValueError: they are not pairs of a str and bytes.
    """
    if not isinstance(headers, list | tuple):
        kind = type(headers).__name__
        raise TypeError(f"Expected list, got {kind}: headers must be a list of (str, bytes)")
    for name, value in headers:
        if not isinstance(name, str):
            kind = type(name).__name__
            raise TypeError(f"Expected str, got {kind}: the name of a header must be str")
        if value is not None and not isinstance(value, bytes | bytearray | memoryview):
            raise TypeError(
                f"Expected bytes, got {type(value).__name__}: the value of header {name!r} must be "
                "bytes or None"
            )


def _sized(data: bytes | None) -> int:
    return 1 if data is None else _varint(len(data)) + len(data)


def _varint(number: int) -> int:
    """Return how many bytes a number takes as a varint in zigzag encoding."""
    zigzag = number << 1 if number >= 0 else -(number << 1) - 1
    return max(1, -(-zigzag.bit_length() // 7))
