"""The code that all encoders of rows of columns share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from confluent_kafka.cimpl import EncodedRows, _encode_rows, _PayloadProgram
from confluent_kafka.columns._input import Input, read_input
from confluent_kafka.columns._instructions import Instruction
from confluent_kafka.columns.batch import ColumnEncoder

_EXTRA = ("error", "ignore")

# How many types of batches to keep compiled programs for.
_PROGRAMS_LIMIT = 64


def one_of(given: str, name: str, allowed: tuple[str, ...]) -> str:
    """Return the argument; raise a ValueError if it is not one of the allowed values."""
    if given not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {given!r}")
    return given


def frame(schema_id: int | None) -> bytes:
    """Return the registry's framing, a zero byte and the id; empty without an id."""
    if schema_id is None:
        return b""
    if not isinstance(schema_id, int) or isinstance(schema_id, bool):
        raise TypeError(f"schema_id must be int, not {type(schema_id).__name__}")
    if not 0 <= schema_id < 2**32:
        raise ValueError(f"schema_id must be from 0 to 2**32-1, not {schema_id}")
    return b"\0" + schema_id.to_bytes(4, "big")


class ProgramEncoder(ColumnEncoder):
    """An encoder that compiles a program for each type of rows.

    Args:
        payload_format: the name of the format in csrc/columns/payload_program.c.
        prefix: the bytes before each payload.
        extra: what to do with columns that the schema does not have: "error" or "ignore".
    """

    def __init__(self, payload_format: str, prefix: bytes, extra: str) -> None:
        self._payload_format = payload_format
        self._prefix = prefix
        self._ignore_extra = one_of(extra, "extra", _EXTRA) == "ignore"
        self._programs: dict[tuple[Any, ...], _PayloadProgram] = {}

    def encode(self, batch: Any) -> EncodedRows:
        """Encode each row of a batch.

        Args:
            batch: a record batch, table or data frame with the Arrow PyCapsule protocol (from
                pyarrow, polars or pandas), DecodedRows or a MessageBatch.

        Returns:
            EncodedRows: a payload for each row. It is null if the row is null (a tombstone) or
            cannot be encoded; `errors` lists the rows that cannot be encoded.

        Raises:
            TypeError: the batch has another type, or its columns do not match the schema.
            ValueError: its data is not valid.
            OverflowError: the payloads have more than 2 GiB together.
        """
        return _encode_rows(batch, self._program_for, self._prefix)

    @abstractmethod
    def _compile(self, root: Input) -> tuple[Instruction, ...]:
        """Return the program that writes rows of this type, a struct."""

    def _program_for(self, description: tuple[Any, ...]) -> _PayloadProgram:
        """Return the program for rows of this type; each type is compiled once."""
        program = self._programs.get(description)
        if program is None:
            steps = self._compile(read_input(description))
            program = _PayloadProgram(self._payload_format, description, steps)
            if len(self._programs) >= _PROGRAMS_LIMIT:
                self._programs.clear()
            self._programs[description] = program
        return program
