"""Compresses and decompresses records."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from enum import IntEnum

import confluent_kafka.cimpl as cimpl
from confluent_kafka.protocol.records._errors import (
    CodecUnavailableError,
    CorruptRecordsError,
    RecordsError,
    RecordsTooLargeError,
)

Buffer = bytes | bytearray | memoryview

# The default limit for decompressed data: 128 MiB.
MAX_SIZE = 1 << 27


class Compression(IntEnum):
    """The codecs, by their numbers in the attributes of a batch."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


# The bits of the attributes that contain the codec.
CODEC_BITS = 0x07


def codec_of(attributes: int) -> Compression:
    """Return the codec in a batch's attributes. An unknown codec raises CorruptRecordsError."""
    number = attributes & CODEC_BITS
    if number > Compression.ZSTD:
        raise CorruptRecordsError(f"there is no codec {number}")
    return Compression(number)


def compress(
    codec: Compression, data: Buffer, *, level: int | None = None, magic: int = 2
) -> bytes:
    """Return `data` in the compressed form of a batch.

    Args:
        codec: the codec.
        data: the records.
        level: the level for gzip (0 to 9) and zstd (up to 22); None uses the codec's default.
        magic: the format of the batch; LZ4 frames differ in format 0.

    Raises:
        CodecUnavailableError: this build does not have the codec.
        RecordsError: the codec does not have this level.
    """
    codec = Compression(codec)
    if level is not None and level not in _LEVELS[codec]:
        levels = _LEVELS[codec]
        allowed = f"{levels[0]} to {levels[-1]}" if levels else "None"
        raise RecordsError(f"level of {codec.name.lower()} must be {allowed}, got {level!r}")
    try:
        return _COMPRESSORS[codec](data, level, magic)
    except NotImplementedError as error:
        raise CodecUnavailableError(str(error)) from None


def decompress(
    codec: Compression, data: Buffer, *, max_size: int = MAX_SIZE, magic: int = 2
) -> bytes:
    """Return the decompressed records of a batch.

    Args:
        codec: the codec. Both forms of Snappy are read: with the framing of Java's library and
            without.
        data: the compressed data of a batch.
        max_size: the maximum size of the result, in bytes.
        magic: the format of the batch.

    Raises:
        CodecUnavailableError: this build does not have the codec.
        CorruptRecordsError: the data is not in the codec's format.
        RecordsTooLargeError: the result would be larger than `max_size`.
    """
    codec = Compression(codec)
    try:
        return _DECOMPRESSORS[codec](data, max_size, magic)
    except NotImplementedError as error:
        raise CodecUnavailableError(str(error)) from None
    except OverflowError:
        raise RecordsTooLargeError(
            f"{len(data)} bytes of {codec.name.lower()} contain more than {max_size} bytes "
            "(max_size)"
        ) from None
    except (ValueError, zlib.error) as error:
        raise CorruptRecordsError(f"{codec.name.lower()}: {error}") from None


def available(codec: Compression) -> bool:
    """Return whether this build has the codec. Only zstd can be missing: it needs libzstd."""
    try:
        compress(codec, b"")
    except CodecUnavailableError:
        return False
    return True


# --- none and gzip ------------------------------------------------------------------------


def _uncompressed(data: Buffer, level: int | None, magic: int) -> bytes:
    return bytes(data)


def _never_compressed(data: Buffer, max_size: int, magic: int) -> bytes:
    if len(data) > max_size:
        raise OverflowError
    return bytes(data)


# The value for zlib's `wbits` that selects the gzip header.
_GZIP = 31


def _gzip_compress(data: Buffer, level: int | None, magic: int) -> bytes:
    packer = zlib.compressobj(-1 if level is None else level, wbits=_GZIP)
    return packer.compress(data) + packer.flush()


def _gzip_decompress(data: Buffer, max_size: int, magic: int) -> bytes:
    parts: list[bytes] = []
    left, view = max_size, memoryview(data).cast("B")
    while len(view) or not parts:  # gzip data can consist of several members
        part, view = _gzip_member(view, left)
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


# The size of the first piece of input for a member.
_FIRST_PIECE = 512


def _gzip_member(data: memoryview, max_size: int) -> tuple[bytes, memoryview]:
    """Return the data of the first member, and the input after it.

    The input is passed in pieces, each twice as large as the one before. zlib copies all input
    after the end of a member, so that passing everything would copy all later members each time.
    """
    unpacker = zlib.decompressobj(_GZIP)
    parts: list[bytes] = []
    left, pos, piece = max_size, 0, _FIRST_PIECE
    while not unpacker.eof:
        if pos >= len(data):
            raise ValueError("the data ends too early")
        part = unpacker.decompress(data[pos : pos + piece], left + 1)
        if len(part) > left:
            raise OverflowError
        parts.append(part)
        left -= len(part)
        pos = min(pos + piece, len(data))
        piece *= 2
    return b"".join(parts), data[pos - len(unpacker.unused_data) :]


# --- snappy -------------------------------------------------------------------------------

# The framing of Java's library: a header, followed by blocks with their sizes.
_FRAMING = b"\x82SNAPPY\0"
_FRAMING_HEADER = _FRAMING + struct.pack(">ii", 1, 1)
_FRAMED_BLOCK = 32 * 1024


def compress_snappy(data: Buffer, block_size: int | None = _FRAMED_BLOCK) -> bytes:
    """Compress with Snappy, as compress() does, but with a choice of the form.

    Args:
        data: the data to compress.
        block_size: the number of bytes in each block in the framing of Java's library; None
            compresses without the framing.

    Raises:
        RecordsError: `block_size` is not positive.
    """
    if block_size is None:
        return cimpl._snappy_compress(data, 0)
    if block_size <= 0:
        raise RecordsError(f"block_size must be positive or None, got {block_size!r}")
    view = memoryview(data)
    parts = [_FRAMING_HEADER]
    for start in range(0, len(view), block_size):
        block = cimpl._snappy_compress(view[start : start + block_size], 0)
        parts += (struct.pack(">i", len(block)), block)
    return b"".join(parts)


def _snappy_compress(data: Buffer, level: int | None, magic: int) -> bytes:
    return compress_snappy(data)


def _snappy_decompress(data: Buffer, max_size: int, magic: int) -> bytes:
    if bytes(data[: len(_FRAMING)]) != _FRAMING:
        return cimpl._snappy_decompress(data, max_size, 0)
    parts: list[bytes] = []
    left = max_size
    for block in _framed_blocks(memoryview(data)):
        part = cimpl._snappy_decompress(block, left, 0)
        left -= len(part)
        parts.append(part)
    return b"".join(parts)


def _framed_blocks(data: memoryview) -> Iterator[memoryview]:
    pos = len(_FRAMING_HEADER)
    if len(data) < pos:
        raise ValueError("the header of the framing ends too early")
    while pos < len(data):
        if len(data) - pos < 4:
            raise ValueError("the size of a block ends too early")
        (size,) = struct.unpack_from(">i", data, pos)
        pos += 4
        if not 0 <= size <= len(data) - pos:
            raise ValueError(f"a block has {size} bytes, and {len(data) - pos} follow")
        yield data[pos : pos + size]
        pos += size


# --- lz4 and zstd -------------------------------------------------------------------------


def _lz4_compress(data: Buffer, level: int | None, magic: int) -> bytes:
    return cimpl._lz4_compress(data, magic == 0)


def _lz4_decompress(data: Buffer, max_size: int, magic: int) -> bytes:
    return cimpl._lz4_decompress(data, max_size, magic == 0)


def _zstd_compress(data: Buffer, level: int | None, magic: int) -> bytes:
    return cimpl._zstd_compress(data, 3 if level is None else level)


def _zstd_decompress(data: Buffer, max_size: int, magic: int) -> bytes:
    return cimpl._zstd_decompress(data, max_size, 0)


_COMPRESSORS: dict[Compression, Callable[[Buffer, int | None, int], bytes]] = {
    Compression.NONE: _uncompressed,
    Compression.GZIP: _gzip_compress,
    Compression.SNAPPY: _snappy_compress,
    Compression.LZ4: _lz4_compress,
    Compression.ZSTD: _zstd_compress,
}
_DECOMPRESSORS: dict[Compression, Callable[[Buffer, int, int], bytes]] = {
    Compression.NONE: _never_compressed,
    Compression.GZIP: _gzip_decompress,
    Compression.SNAPPY: _snappy_decompress,
    Compression.LZ4: _lz4_decompress,
    Compression.ZSTD: _zstd_decompress,
}
_LEVELS = {
    Compression.NONE: range(0),
    Compression.GZIP: range(10),
    Compression.SNAPPY: range(0),
    Compression.LZ4: range(0),
    Compression.ZSTD: range(-(1 << 17), 23),
}
