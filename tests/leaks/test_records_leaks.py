"""Codecs and records in C leak nothing, even if the data is corrupt or too large."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from confluent_kafka import cimpl
from confluent_kafka.protocol import records
from confluent_kafka.protocol.records import (
    Compression,
    CorruptRecordsError,
    RecordsTooLargeError,
)
from tests.support.refcounts import assert_no_leaks

CODECS = [codec for codec in Compression if codec > 1 and records.available(codec)]
HEADERS = (("name", b"value"), ("null", None), ("\udcff", b""))
each_codec = pytest.mark.parametrize("codec", CODECS)


@each_codec
def test_codecs(codec: Compression) -> None:
    """Data does not leak if it is compressed, decompressed, corrupt, too large, or of a wrong
    type."""
    data = bytes(range(256)) * 100
    good = records.compress(codec, data)

    def work() -> None:
        assert records.decompress(codec, records.compress(codec, data)) == data
        for bad in (good[:-1], b"", good[: len(good) // 2], b"\xff" * 50):
            with pytest.raises(CorruptRecordsError):
                records.decompress(codec, bad)
        with pytest.raises(RecordsTooLargeError):
            records.decompress(codec, good, max_size=len(data) - 1)
        with pytest.raises(TypeError):
            records.compress(codec, None)  # type: ignore[arg-type]

    assert_no_leaks(work)


def resident() -> int:
    """Bytes of this process that are in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(sys.platform != "linux", reason="the test reads /proc")
@each_codec
def test_memory_of_codecs(codec: Compression) -> None:
    """Memory outside Python's allocator is freed: 400 leaks of 512 KiB would exceed 100 MiB."""
    data = bytes(range(256)) * 2048
    good = records.compress(codec, data)

    def work() -> None:
        records.decompress(codec, good)
        with pytest.raises(CorruptRecordsError):
            records.decompress(codec, good[:-1])
        with pytest.raises(RecordsTooLargeError):
            records.decompress(codec, good, max_size=len(data) - 1)

    work()
    before = resident()
    for _ in range(400):
        work()
    assert resident() - before < 100 << 20


def test_records_of_format_2() -> None:
    """Records do not leak, whether they can be read, or are cut or corrupt at any byte."""
    body = b"\0\0\0\x06key\x0avalue\x06\x08name\x0avalue\x08null\x01\x02\xff\0"
    data = bytes([2 * len(body)]) + body
    assert cimpl._read_record(data, 0)[3:] == (b"key", b"value", HEADERS)

    def work() -> None:
        cimpl._read_record(data, 0)
        for end in range(len(body)):
            with pytest.raises(ValueError, match="is not a record"):
                cimpl._read_record(data[:end], 0)
            with pytest.raises(ValueError, match="is not a record"):
                cimpl._read_record(bytes([2 * end]) + body[:end], 0)
        for wrong in ((None, 0), (data, -1), (data, len(data) + 1)):
            with pytest.raises((TypeError, ValueError)):
                cimpl._read_record(*wrong)  # type: ignore[arg-type]

    assert_no_leaks(work)
