"""Whole columns at once, and the rows that fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from confluent_kafka.columns import DecodedRows, RowError


class Decoded(NamedTuple):
    """A decoded column."""

    column: pa.Array
    """As many rows as there were; null where one was null or failed."""
    failures: dict[int, str]
    """The rows that failed, and why."""


class Decoder(Protocol):
    """Decodes columns of bytes; it goes to the executors, so it can be pickled."""

    def __call__(self, values: pa.Array, headers: pa.Array | None = None) -> Decoded:
        """Decode one column of bytes.

        Args:
            values: the column.
            headers: the headers of the same messages; needed where they may name a schema.
        """


def piecewise(
    values: Any,
    convert: Callable[[Any], pa.Array],
    kind: pa.DataType,
    failed: type[Exception] | tuple[type[Exception], ...],
) -> Decoded:
    """Convert rows all at once; if that fails, by halves, down to the rows that make it fail.

    Args:
        values: rows, anything that has a length and slices.
        convert: returns one Arrow value for each of them.
        kind: the type that it returns.
        failed: what it raises for a row that cannot be converted.
    """
    failures: dict[int, str] = {}

    def pieces(start: int, end: int) -> list[pa.Array]:
        try:
            return [convert(values[start:end])]
        except failed as error:
            if end - start == 1:
                failures[start] = str(error)
                return [pa.nulls(1, kind)]
        middle = (start + end) // 2
        return pieces(start, middle) + pieces(middle, end)

    if len(values) == 0:
        return Decoded(pa.nulls(0, kind), failures)
    return Decoded(pa.concat_arrays(pieces(0, len(values))), failures)


def described(error: RowError) -> str:
    """Return why a payload does not decode, and where."""
    place = f" of {error.field}" if error.field else ""
    return f"{error.reason}, at byte {error.offset}{place}"


def fitted(
    rows: DecodedRows, kind: pa.DataType, describe: Callable[[RowError], str] = described
) -> Decoded:
    """Return decoded rows as a column of a type that Spark has.

    Args:
        rows: structs; or one column, of those that have no fields.
        kind: the type of the column.
        describe: says why a row did not decode.
    """
    column = pa.array(rows)
    if not (pa.types.is_struct(kind) and kind.names == column.type.names):
        [column] = column.flatten()
    failures = {error.row: describe(error) for error in rows.errors}
    # Spark has one unit of times only, which those of others may be too large for.
    found = piecewise(column, lambda part: part.cast(kind), kind, pa.ArrowInvalid)
    return Decoded(found.column, found.failures | failures)
