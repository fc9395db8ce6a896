"""Writes programs for csrc/columns."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

# The maximum size of a program, ten times that of any schema in use. A short schema whose types
# refer to each other can grow exponentially.
INSTRUCTION_LIMIT = 100_000


class Instruction(NamedTuple):
    """One step of a program; csrc/columns/instruction.h reads it."""

    step: str
    column: int = -1
    argument: int = 0
    target: int = 0
    table: tuple[int, ...] = ()
    data: bytes = b""
    field: str = ""


class HasIndex(Protocol):
    """A column in a tree. Instructions refer to it by its index."""

    index: int


class ProgramWriter:
    """Writes one program.

    Args:
        error: the exception to raise for a schema that is too large.
    """

    def __init__(self, error: type[ValueError] = ValueError) -> None:
        self.program: list[Instruction] = []
        self._error = error

    def emit(self, step: str, column: HasIndex | None = None, **parts: Any) -> int:
        """Append an instruction, and return its index."""
        if len(self.program) >= INSTRUCTION_LIMIT:
            raise self._error(f"a schema of more than {INSTRUCTION_LIMIT} values")
        index = -1 if column is None else column.index
        self.program.append(Instruction(step, index, **parts))
        return len(self.program) - 1

    def end_block(self, start: int) -> None:
        """Set the end of the block that began at `start`."""
        self.program[start] = self.program[start]._replace(target=len(self.program))
