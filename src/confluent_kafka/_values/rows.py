"""Payloads that could not be decoded, and rows that could not be encoded."""

from __future__ import annotations

from typing import Any, NamedTuple


class RowError(NamedTuple):
    """Why one payload could not be decoded into columns, or why one row could not be encoded.

    Attributes:
        row (int): the index of the payload or row in its array, from 0.
        offset (int): in bytes. When decoding: where in the payload the error is. When encoding: how
            many bytes of the payload precede the field.
        field (str): the path of the field, with [] for items of arrays and values of maps; empty
            if the error concerns the whole payload.
        reason (str): what is wrong.
    """

    row: int
    offset: int
    field: str
    reason: str


def row_errors(rows: Any) -> list[RowError]:
    """Return the errors of DecodedRows or EncodedRows."""
    return [RowError(*bad) for bad in rows._bad_rows()]
