"""The Arrow types that rows are decoded into, as csrc/columns reads them."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass
class Column:
    """An Arrow field, and those below it.

    Attributes:
        format: the type, as the Arrow C data interface writes it.
        name: the field's.
        nullable: whether a slot may be null.
        children: the fields below.
        metadata: of the field, such as the name of an extension type.
        symbols: the values of a dictionary, which the slots are indices of.
        index: its place in the tree, parents before their children; number() sets it.
    """

    format: str
    name: str = ""
    nullable: bool = True
    children: Sequence[Column] = ()
    metadata: Mapping[str, str] = field(default_factory=dict)
    symbols: tuple[str, ...] | None = None
    index: int = -1

    def named(self, name: str) -> Column:
        """Return the same type under another name."""
        return replace(self, name=name)

    def number(self, index: int = 0) -> int:
        """Set the index of this one and those below; return the one after them."""
        self.index = index
        index += 1
        for child in self.children:
            index = child.number(index)
        return index

    def child(self, name: str) -> Column | None:
        """Return the field below that has this name."""
        return next((child for child in self.children if child.name == name), None)

    def description(self) -> tuple[Any, ...]:
        """Return what _RowProgram takes."""
        return (
            self.format,
            self.name,
            self.nullable,
            tuple(child.description() for child in self.children),
            _encoded(self.metadata) if self.metadata else None,
            self.symbols,
        )


def list_of(item: Column) -> Column:
    """Return a list column."""
    return Column("+l", children=[item.named("item")])


def map_of(value: Column) -> Column:
    """Return a column of maps with string keys."""
    key = Column("u", "key", nullable=False)
    entries = Column("+s", "entries", nullable=False, children=[key, value.named("value")])
    return Column("+m", children=[entries])


def extension(storage: str, name: str) -> Column:
    """Return a column of a canonical extension type of Arrow."""
    metadata = {"ARROW:extension:name": name, "ARROW:extension:metadata": ""}
    return Column(storage, metadata=metadata)


def decimal(precision: int, scale: int) -> Column:
    """Return a column of decimals of 128 or, beyond 38 digits, 256 bits."""
    return Column(f"d:{precision},{scale}" + (",256" if precision > 38 else ""))


def _encoded(metadata: Mapping[str, str]) -> bytes:
    """Encode as the C data interface wants metadata: native int32 sizes before each text."""
    parts = [struct.pack("=i", len(metadata))]
    for text in (text for pair in metadata.items() for text in pair):
        data = text.encode()
        parts += [struct.pack("=i", len(data)), data]
    return b"".join(parts)
