"""Compresses messages with gzip and snappy, without other packages."""

from __future__ import annotations

import gzip
import io

from confluent_kafka.protocol.records import (
    MAX_SIZE,
    Compression,
    RecordsError,
    compress_snappy,
    decompress,
)

from .common import ProtocolError

__all__ = [
    "gzip_decode",
    "gzip_encode",
    "has_gzip",
    "has_snappy",
    "snappy_decode",
    "snappy_encode",
]

_BEST = 9


def has_gzip() -> bool:
    """Return whether gzip is available: always True."""
    return True


def has_snappy() -> bool:
    """Return whether snappy is available: always True."""
    return True


def gzip_encode(payload: bytes, compresslevel: int | None = None) -> bytes:
    """Return bytes compressed by gzip.

    Args:
        payload: the bytes.
        compresslevel: 1 (the fastest) to 9 (the smallest); None and 0 mean 9.
    """
    return gzip.compress(payload, compresslevel or _BEST)


def gzip_decode(payload: bytes | None) -> bytes:
    """Return the bytes that gzip_encode() compressed; b"" for None.

    Raises:
        OSError, EOFError, zlib.error: the bytes are not gzip's; Python's module gzip raises these.
        ProtocolError: the result would be larger than 128 MiB.
    """
    with gzip.GzipFile(fileobj=io.BytesIO(payload or b"")) as file:
        data = file.read(MAX_SIZE + 1)
    if len(data) > MAX_SIZE:
        raise ProtocolError(
            f"{len(payload or b'')} bytes of gzip contain more than {MAX_SIZE} bytes"
        )
    return data


def snappy_encode(
    payload: bytes, xerial_compatible: bool = False, xerial_blocksize: int = 32 * 1024
) -> bytes:
    """Return bytes compressed by snappy.

    Args:
        payload: the bytes.
        xerial_compatible: whether to use the framing of Java's library, as Kafka's Java client
            does.
        xerial_blocksize: the size of a block of the framing, in bytes.
    """
    return compress_snappy(payload, xerial_blocksize if xerial_compatible else None)


def snappy_decode(payload: bytes) -> bytes:
    """Return the bytes that snappy_encode() compressed, with or without the framing.

    Raises:
        ProtocolError: the bytes are not snappy's, or the result would be larger than 128 MiB.
    """
    try:
        return decompress(Compression.SNAPPY, payload, max_size=MAX_SIZE)
    except RecordsError as error:
        raise ProtocolError(str(error)) from None
