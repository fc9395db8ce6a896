"""Payloads that could not be decoded, and rows that could not be encoded."""

from __future__ import annotations

from typing import Any, NamedTuple


class RowError(NamedTuple):
    """Why one payload could not be decoded into columns, or one row not be encoded.

    Attributes:
        row (int): its place in the array of payloads or rows, from 0.
        offset (int): where in the payload it was found, in bytes; of a row, how many bytes of the
            payload came before the field.
        field (str): the path of the field, with [] for items of arrays and values of maps; empty
            for the payload as a whole.
        reason (str): what is wrong.
    """

    row: int
    offset: int
    field: str
    reason: str


def row_errors(rows: Any) -> list[RowError]:
    """Return the errors of DecodedRows or EncodedRows."""
    return [RowError(*bad) for bad in rows._bad_rows()]
