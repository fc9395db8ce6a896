"""The Arrow types of rows that are to be written, as csrc/columns/input_types.c describes them."""

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
    """An Arrow field of the rows, and those below it.

    Attributes:
        format: the type, as the Arrow C data interface writes it; of a dictionary, its values'.
        name: the field's.
        words: the type in words, for messages.
        children: the fields below.
        values: the values, if it is dictionary-encoded; it then has no children.
        index: its place in the tree: before those below it.
        extension: the name of the extension type that it is of, if any.
    """

    format: str
    name: str
    words: str
    children: Sequence[Input]
    values: Input | None
    index: int
    extension: str | None = None

    def named(self, name: str) -> list[Input]:
        """Return the fields below that have this name."""
        return self._by_name.get(name, [])

    @cached_property
    def _by_name(self) -> dict[str, list[Input]]:
        named: dict[str, list[Input]] = {}
        for child in self.children:
            named.setdefault(child.name, []).append(child)
        return named

    @property
    def is_list(self) -> bool:
        """Whether it has any number of items."""
        return self.format.startswith(_LISTS) and len(self.children) == 1

    @property
    def is_union(self) -> bool:
        """Whether a row is one of its children's."""
        return self.values is None and self.format.startswith("+u")

    @property
    def is_null(self) -> bool:
        """Whether it is of the type that has no values."""
        return self.values.is_null if self.values else self.format == "n"

    @property
    def size(self) -> int | None:
        """How many bytes a fixed-size binary has; None for another type."""
        return int(self.format[2:]) if self.format.startswith("w:") else None

    @property
    def is_whole(self) -> bool:
        """Whether its values are integers, or decimals without a fraction."""
        is_decimal = self.format.startswith("d:") and self.format.split(",")[1] == "0"
        return is_decimal or self.format in INTEGERS

    @property
    def is_uuid(self) -> bool:
        """Whether it is of Arrow's type of UUIDs, whose values are 16 bytes."""
        return self.size == 16 and self.extension == UUID_EXTENSION

    @property
    def is_bytes(self) -> bool:
        """Whether its values are bytes or text."""
        return self.format in TEXTS or self.format in BINARIES or self.size is not None


def zone_of(arrow: str) -> str:
    """Return the time zone of a timestamp's format, empty if it has none."""
    return arrow[4:] if arrow.startswith("ts") else ""


def read_input(description: tuple[Any, ...]) -> Input:
    """Return the tree of a description, which _encode_rows() gives."""
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
