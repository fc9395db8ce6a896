"""Convert whole columns at once, and find the rows that fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import pyarrow as pa

from confluent_kafka.columns import DecodedRows, RowError


class Decoded(NamedTuple):
    """A decoded column."""

    column: pa.Array
    """A value for each row of the input; null if the row was null or failed."""
    failures: dict[int, str]
    """The rows that failed, with the reasons."""


class Decoder(Protocol):
    """Decodes columns of bytes. It can be pickled, because Spark sends it to the executors."""

    def __call__(self, values: pa.Array, headers: pa.Array | None = None) -> Decoded:
        """Decode one column of bytes.

        Args:
            values: the column.
            headers: the headers of the same messages; required if they can name a schema.
        """


def piecewise(
    values: Any,
    convert: Callable[[Any], pa.Array],
    kind: pa.DataType,
    failed: type[Exception] | tuple[type[Exception], ...],
) -> Decoded:
    """Convert all rows at once. If that fails, convert halves, down to the rows that fail.

    Args:
        values: the rows, in any sequence that supports slices.
        convert: returns an Arrow value for each row.
        kind: the type of these values.
        failed: the exceptions that it raises for a row that cannot be converted.
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
    """Return why and where a payload cannot be decoded."""
    place = f" of {error.field}" if error.field else ""
    return f"{error.reason}, at byte {error.offset}{place}"


def fitted(
    rows: DecodedRows, kind: pa.DataType, describe: Callable[[RowError], str] = described
) -> Decoded:
    """Return decoded rows as a column of a type that Spark supports.

    Args:
        rows: structs, or a single column of values without fields.
        kind: the type of the column.
        describe: returns the reason for which a row could not be decoded.
    """
    column = pa.array(rows)
    if not (pa.types.is_struct(kind) and kind.names == column.type.names):
        [column] = column.flatten()
    failures = {error.row: describe(error) for error in rows.errors}
    # Spark has only one unit for times. A time in another unit can be too large for it.
    found = piecewise(column, lambda part: part.cast(kind), kind, pa.ArrowInvalid)
    return Decoded(found.column, found.failures | failures)
