"""The exceptions for record batches."""

from __future__ import annotations


class RecordsError(ValueError):
    """Records cannot be read or written."""


class CorruptRecordsError(RecordsError):
    """The bytes are not record batches, or a checksum is wrong."""


class RecordsTooLargeError(RecordsError):
    """Decompressed records are larger than the limit."""


class CodecUnavailableError(RecordsError):
    """This build does not have the library of a codec."""
