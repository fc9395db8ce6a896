"""What the compilers of all encoders have in common: matching columns with a schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from confluent_kafka._suggestions import did_you_mean
from confluent_kafka.columns._input import Input
from confluent_kafka.columns._instructions import Instruction, ProgramWriter


class Mismatch(TypeError):
    """A column cannot be written as a type."""


def compiled(compiler: ProgramWriter, write: Callable[[], object]) -> tuple[Instruction, ...]:
    """Return the program that `write` writes.

    Raises:
        TypeError: a column is missing, or cannot be written as the type in the schema.
    """
    try:
        write()
    except Mismatch as mismatch:
        raise TypeError(f"batch: {mismatch}") from None
    return tuple(compiler.program)


def listed(names: Sequence[str]) -> str:
    """Return names as a text for errors."""
    return ", ".join(map(repr, names))


def within(path: str, name: str) -> str:
    """Return the path of a field."""
    return f"{path}.{name}" if path else name


def column_of(column: Input, name: str, path: str) -> Input | None:
    """Return the child field with this name.

    Raises:
        Mismatch: there are several.
    """
    found = column.named(name)
    if len(found) > 1:
        raise Mismatch(f"there are {len(found)} columns {path!r}")
    return found[0] if found else None


def check_names(
    column: Input,
    known: Sequence[str],
    missing: Sequence[str],
    path: str,
    *,
    ignore_extra: bool,
    needed: str,
) -> None:
    """Refuse columns that the schema does not have, and missing columns.

    Args:
        column: the struct.
        known: the names of the schema's fields.
        missing: the fields that need a column and have none.
        path: the path of the struct.
        ignore_extra: whether columns are allowed that the schema does not have.
        needed: the reason why a column is needed, for the error text.

    Raises:
        Mismatch: there is a column too many or too few.
    """
    expected = set(known)
    extra = [child.name for child in column.children if child.name not in expected]
    where = f" in {path!r}" if path else ""
    if missing:
        hint = did_you_mean(missing[0], extra)
        raise Mismatch(
            f"there is no column {listed(missing)}{where}, which {needed}"
            f"{'; ' + hint if hint else ''}"
        )
    if extra and not ignore_extra:
        hint = did_you_mean(extra[0], known, 'extra="ignore" leaves it out')
        raise Mismatch(f"the schema has no field {listed(extra)}{where}; {hint}")


def entries(column: Input) -> list[Input]:
    """Return the columns of keys and values of a map, or of a list of structs of the two."""
    is_map = column.format == "+m" and len(column.children) == 1
    below = column.children[0].children if column.is_list or is_map else ()
    if is_map and len(below) == 2:
        return list(below)
    named = {child.name: child for child in below}
    if len(below) == 2 and named.keys() == {"key", "value"} and column.children[0].format == "+s":
        return [named["key"], named["value"]]
    return []


class EncoderWriter(ProgramWriter):
    """Writes the program of an encoder."""

    def through(self, column: Input, path: str, write: Callable[[Input], Any]) -> Any:
        """Write a column that is not a union. If it is dictionary-encoded, write its values."""
        if column.values is None:
            return write(column)
        start = self.emit("dictionary", column, field=path)
        result = self.through(column.values, path, write)
        self.end_block(start)
        return result

    def each_case(self, column: Input, path: str, write: Callable[[Input], Any]) -> list[Any]:
        """Write each child of an Arrow union separately."""
        results = []
        start = self.emit("union", column, field=path)
        for child in column.children:
            case = self.emit("case", child, field=path)
            results.append(write(child))
            self.end_block(case)
        self.end_block(start)
        return results

    def unless_null(
        self, column: Input, path: str, write: Callable[[], Any], *, null: bytes = b""
    ) -> Any:
        """Write a value; if it is null, write `null` instead."""
        start = self.emit("nullable", column, data=null, field=path)
        result = None if column.is_null else write()
        self.end_block(start)
        return result
