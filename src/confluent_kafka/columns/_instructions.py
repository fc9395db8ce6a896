"""Programs for csrc/columns while they are written."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

# What a schema of a few lines that refer to each other can grow to; none in use has a tenth.
INSTRUCTION_LIMIT = 100_000


class Instruction(NamedTuple):
    """One step; csrc/columns/instruction.h reads it."""

    step: str
    column: int = -1
    argument: int = 0
    target: int = 0
    table: tuple[int, ...] = ()
    data: bytes = b""
    field: str = ""


class HasIndex(Protocol):
    """A column of a tree, which instructions name by its place."""

    index: int


class ProgramWriter:
    """Writes one program.

    Args:
        error: what is raised for a schema that is too large.
    """

    def __init__(self, error: type[ValueError] = ValueError) -> None:
        self.program: list[Instruction] = []
        self._error = error

    def emit(self, step: str, column: HasIndex | None = None, **parts: Any) -> int:
        """Add an instruction; return its place."""
        if len(self.program) >= INSTRUCTION_LIMIT:
            raise self._error(f"a schema of more than {INSTRUCTION_LIMIT} values")
        index = -1 if column is None else column.index
        self.program.append(Instruction(step, index, **parts))
        return len(self.program) - 1

    def end_block(self, start: int) -> None:
        """The block that began at `start` ends here."""
        self.program[start] = self.program[start]._replace(target=len(self.program))
