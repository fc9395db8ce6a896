"""A record."""

from __future__ import annotations

from typing import NamedTuple


class Record(NamedTuple):
    """A record of a batch.

    Attributes:
        offset: the offset in its partition.
        timestamp: milliseconds since 1970, -1 if there is none.
        key: bytes, or None.
        value: bytes, or None.
        headers: pairs of name and value. Bytes of a name that are not UTF-8 become lone surrogates
            (the error handler ``surrogateescape``). Only batches of format 2 have headers.
    """

    offset: int
    timestamp: int = -1
    key: bytes | None = None
    value: bytes | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()
