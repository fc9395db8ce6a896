"""What the generators of readers and writers have in common."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from confluent_kafka.protocol._schema import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    # A field and its index in the struct, which is also the number of its variable.
    Numbered = tuple[int, Field]

# Types of fixed size, with their formats in the struct module.
FORMATS = {
    "bool": "?",
    "int8": "b",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "float64": "d",
    "uuid": "qq",
}
# The format of a length in versions that are not flexible.
LENGTHS = {"string": "h", "bytes": "i", "records": "i"}
ARRAY_LENGTH = "i"


def is_fixed(field: Field) -> bool:
    """Return whether all values of the field have the same size."""
    return field.type in FORMATS and not field.is_array


def grouped(fields: Iterable[Numbered]) -> Iterator[list[Numbered]]:
    """Yield groups of fields: consecutive fields of fixed size, or one field of another type."""
    run: list[Numbered] = []
    for number, field in fields:
        if is_fixed(field):
            run.append((number, field))
            continue
        if run:
            yield run
            run = []
        yield [(number, field)]
    if run:
        yield run


def formats_of(run: Iterable[Numbered]) -> str:
    """Return the struct format of fields of fixed size."""
    return "".join(FORMATS[field.type] for _, field in run)


def name_of(formats: str) -> str:
    """Return formats as a part of a variable's name."""
    return formats.replace("?", "o")


def size_of(formats: str) -> int:
    """Return the size in bytes of values with these formats."""
    return struct.calcsize(f">{formats}")


def indented(lines: Iterable[str], depth: int = 1) -> Iterator[str]:
    """Yield the lines of a block with their indentation."""
    return (" " * depth + line for line in lines)


def compile_function(name: str, lines: Iterable[str], names: dict[str, Any]) -> Any:
    """Compile generated source, with `names` as globals, and return its function `name`."""
    exec(compile("\n".join(lines), f"<{name} of a Kafka message>", "exec"), names)
    return names[name]
