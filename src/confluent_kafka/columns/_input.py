"""The Arrow types of rows to encode, as csrc/columns/input_types.c describes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from confluent_kafka.columns._layout import UUID_EXTENSION

INTEGERS = frozenset("cCsSiIlL")
REALS = frozenset("efg")
TEXTS = frozenset({"u", "U", "vu"})
BINARIES = frozenset({"z", "Z", "vz"})
_LISTS = ("+l", "+L", "+vl", "+vL", "+w:")


@dataclass(eq=False)
class Input:
    """An Arrow field of the rows, with its child fields.

    Attributes:
        format: the type in the notation of the Arrow C data interface; for a dictionary, the type
            of its values.
        name: the name of the field.
        words: the type in words, for error texts.
        children: the child fields.
        values: the values, if it is dictionary-encoded; it then has no children.
        index: its index in the tree; a parent comes before its children.
        extension: the name of its extension type, or an empty string.
    """

    format: str
    name: str
    words: str
    children: Sequence[Input]
    values: Input | None
    index: int
    extension: str | None = None

    def named(self, name: str) -> list[Input]:
        """Return the child fields with this name."""
        return self._by_name.get(name, [])

    @cached_property
    def _by_name(self) -> dict[str, list[Input]]:
        named: dict[str, list[Input]] = {}
        for child in self.children:
            named.setdefault(child.name, []).append(child)
        return named

    @property
    def is_list(self) -> bool:
        """Whether it is a list of any kind."""
        return self.format.startswith(_LISTS) and len(self.children) == 1

    @property
    def is_union(self) -> bool:
        """Whether it is an Arrow union: each row has the value of one child."""
        return self.values is None and self.format.startswith("+u")

    @property
    def is_null(self) -> bool:
        """Whether it has Arrow's null type."""
        return self.values.is_null if self.values else self.format == "n"

    @property
    def size(self) -> int | None:
        """The number of bytes of a fixed-size binary; None for other types."""
        return int(self.format[2:]) if self.format.startswith("w:") else None

    @property
    def is_whole(self) -> bool:
        """Whether its values are integers, or decimals without a fraction."""
        is_decimal = self.format.startswith("d:") and self.format.split(",")[1] == "0"
        return is_decimal or self.format in INTEGERS

    @property
    def is_uuid(self) -> bool:
        """Whether it has Arrow's extension type for UUIDs, whose values are 16 bytes."""
        return self.size == 16 and self.extension == UUID_EXTENSION

    @property
    def is_bytes(self) -> bool:
        """Whether its values are bytes or text."""
        return self.format in TEXTS or self.format in BINARIES or self.size is not None


def zone_of(arrow: str) -> str:
    """Return the time zone in a timestamp's format; an empty string if there is none."""
    return arrow[4:] if arrow.startswith("ts") else ""


def read_input(description: tuple[Any, ...]) -> Input:
    """Return the tree for a description from _encode_rows()."""
    return _read(description, iter(range(2**31)))


def _read(description: tuple[Any, ...], places: Iterator[int]) -> Input:
    arrow, name, children, dictionary, words, extension = description
    index = next(places)
    values = None if dictionary is None else _read(dictionary, places)
    below = [_read(child, places) for child in children]
    zone = zone_of(arrow)
    if zone:
        words = f"{words[:-1]}, tz={zone}]"
    if values is not None:
        return Input(values.format, name, f"dictionary of {values.words}", below, values, index)
    return Input(arrow, name, words, below, None, index, extension)
