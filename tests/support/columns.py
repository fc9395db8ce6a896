"""Makes the extension's objects for columns without another library."""

from __future__ import annotations

from typing import Any

from confluent_kafka.cimpl import (
    DecodedRows,
    EncodedRows,
    _ColumnBatch,
    _decode_rows,
    _encode_rows,
    _PayloadProgram,
    _RowProgram,
)
from tests.support.arrow_structs import Nulls
from tests.support.clients import empty_batch


def row_program() -> _RowProgram:
    """A decoding program for payloads with one int."""
    columns = ("+s", "", True, (("i", "a", True, (), None, None),), None, None)
    record = ("record", 0, 0, 0, (), b"", "")
    return _RowProgram("avro", columns, (record, ("int", 1, 0, 0, (), b"", "a")))


def decoded_rows() -> DecodedRows:
    """Two rows, both null."""
    return _decode_rows(Nulls(2), row_program())


def column_batch() -> _ColumnBatch:
    """A batch without messages."""
    return _ColumnBatch(empty_batch())


def payload_program(
    types: tuple[Any, ...] = ("+s", "", (), None, "struct", None),
) -> _PayloadProgram:
    """An encoding program for rows without columns."""
    return _PayloadProgram("avro", types, ())


def encoded_rows() -> EncodedRows:
    """The encoded rows of a batch without messages."""
    return _encode_rows(empty_batch(), payload_program, b"")
