"""What goes wrong with record batches."""

from __future__ import annotations


class RecordsError(ValueError):
    """Records cannot be read or written."""


class CorruptRecordsError(RecordsError):
    """The bytes are not record batches, or their checksum is not theirs."""


class RecordsTooLargeError(RecordsError):
    """Compressed records are larger than was allowed."""


class CodecUnavailableError(RecordsError):
    """This build has not the library of a codec."""
