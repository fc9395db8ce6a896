"""Arrow columns as payloads in Avro's binary encoding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confluent_kafka.cimpl import EncodedRows, _encode_rows, _PayloadProgram
from confluent_kafka.columns._avro_encode import compile_encoder
from confluent_kafka.columns._avro_schema import parse
from confluent_kafka.columns._input import read_input
from confluent_kafka.columns.batch import ColumnEncoder

_EXTRA = ("error", "ignore")

# Types of batches whose programs are kept.
_PROGRAMS_LIMIT = 64


class AvroEncoder(ColumnEncoder):
    """Encodes rows of columns with one Avro schema.

    Columns are matched with the schema's fields by name, also within structs; their order is free.
    A field without a column gets its default, or null if it is nullable; a null in a column is the
    null of a union, or else makes a bad row. A schema that is not a record is that of one column,
    "value".

    ============================  ==================================================================
    Avro                          Arrow
    ============================  ==================================================================
    boolean                       bool
    int, long                     integers of any width; a value that does not fit is a bad row
    float, double                 floats of any width, rounded to the nearest; integers
    string, bytes                 strings and binary of any kind; text must be UTF-8
    fixed                         binary of any kind, whose size must be right
    enum                          strings
    array                         lists of any kind
    map                           maps; lists of structs of `key` and `value`; structs, whose fields
                                  are entries, without those that are null
    record                        structs
    date                          date32, date64; integers
    time-millis, time-micros      time32, time64; integers
    timestamp-*                   timestamps of any unit; without a time zone they count as UTC;
                                  integers
    local-timestamp-*             timestamps without a zone, or of UTC; integers
    decimal                       decimals of any width; rescaled if nothing is lost by it
    uuid                          UUIDs as 16 bytes, or as text
    duration                      month_day_nano_interval, duration
    union                         a column that one of its branches takes: of those the first that
                                  loses nothing, or else is of the same kind, or else the first;
                                  unions, by the names of their children or in the same way
    ============================  ==================================================================

    Each may be dictionary-encoded. Times of a finer unit than the schema's are rounded down;
    integers stand for what the type is written as.

    Args:
        schema (str, dict or list): what payloads are written with: JSON text, or what json.loads()
            makes of it.
        schema_id (int, optional): the schema's id in a registry, which is then written before each
            payload in the registry's framing: a zero byte and four bytes, big-endian.
        extra (str, optional): what to do with a column that the schema has no field for:
            "error" (the default) for a TypeError, or "ignore".
        references (iterable of schemas, optional): those that define names which `schema` refers
            to, each after those that it needs itself.

    Raises:
        TypeError: an argument has a wrong type.
        AvroSchemaError: the schema is not valid, or is recursive.
        ValueError: `extra` is something else, or `schema_id` is not of 32 bits.

    Source: the Avro specification 1.12, and the Arrow PyCapsule protocol.
    """

    def __init__(
        self,
        schema: str | dict[str, Any] | list[Any],
        *,
        schema_id: int | None = None,
        extra: str = "error",
        references: Iterable[str | dict[str, Any] | list[Any]] = (),
    ) -> None:
        if extra not in _EXTRA:
            raise ValueError(f"extra must be one of {', '.join(_EXTRA)}, not {extra!r}")
        self._schema = parse(schema, "schema", references)
        self._prefix = b"" if schema_id is None else _frame(schema_id)
        self._ignore_extra = extra == "ignore"
        self._programs: dict[tuple[Any, ...], _PayloadProgram] = {}

    def encode(self, batch: Any) -> EncodedRows:
        """Encode each row of a batch.

        Args:
            batch: a record batch, table or data frame with the Arrow PyCapsule protocol (of
                pyarrow, polars, pandas), DecodedRows or a MessageBatch.

        Returns:
            EncodedRows: a payload for each row; null where the row is null (a tombstone), or
            cannot be encoded: `errors` tells of the latter.

        Raises:
            TypeError: it is something else, or its columns are not those of the schema.
            ValueError: its data is not valid.
            OverflowError: the payloads have more than 2 GiB together.
        """
        return _encode_rows(batch, self._program_for, self._prefix)

    def _program_for(self, description: tuple[Any, ...]) -> _PayloadProgram:
        """Return the program for rows of a type; compiled once for each."""
        program = self._programs.get(description)
        if program is None:
            root = read_input(description)
            steps = compile_encoder(self._schema, root, ignore_extra=self._ignore_extra)
            program = _PayloadProgram("avro", description, steps)
            if len(self._programs) >= _PROGRAMS_LIMIT:
                self._programs.clear()
            self._programs[description] = program
        return program


def _frame(schema_id: int) -> bytes:
    """Return the registry's framing."""
    if not isinstance(schema_id, int) or isinstance(schema_id, bool):
        raise TypeError(f"schema_id must be int, not {type(schema_id).__name__}")
    if not 0 <= schema_id < 2**32:
        raise ValueError(f"schema_id must be from 0 to 2**32-1, not {schema_id}")
    return b"\0" + schema_id.to_bytes(4, "big")
