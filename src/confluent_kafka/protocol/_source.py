"""What the generators of readers and writers share."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from confluent_kafka.protocol._schema import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    # A field and its place in the struct, which is the number of its variable.
    Numbered = tuple[int, Field]

# The types of fixed size as the struct module writes them.
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
# A length is a number of this format where the version is not flexible.
LENGTHS = {"string": "h", "bytes": "i", "records": "i"}
ARRAY_LENGTH = "i"


def is_fixed(field: Field) -> bool:
    """Whether all of its values have as many bytes."""
    return field.type in FORMATS and not field.is_array


def grouped(fields: Iterable[Numbered]) -> Iterator[list[Numbered]]:
    """Fields of fixed size that follow one another together, each of the others alone."""
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
    """The formats of fields of fixed size."""
    return "".join(FORMATS[field.type] for _, field in run)


def name_of(formats: str) -> str:
    """Formats as a part of a variable's name."""
    return formats.replace("?", "o")


def size_of(formats: str) -> int:
    """The bytes that values of these formats take."""
    return struct.calcsize(f">{formats}")


def indented(lines: Iterable[str], depth: int = 1) -> Iterator[str]:
    """The lines of a block."""
    return (" " * depth + line for line in lines)


def compile_function(name: str, lines: Iterable[str], names: dict[str, Any]) -> Any:
    """The function `name` of generated source, whose globals are `names`."""
    exec(compile("\n".join(lines), f"<{name} of a Kafka message>", "exec"), names)
    return names[name]
