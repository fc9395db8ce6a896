"""The Arrow types that rows are decoded into, as csrc/columns reads them."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from confluent_kafka._suggestions import did_you_mean

# How the symbols of enums may come.
ENUMS = ("string", "dictionary")

# The name of Arrow's extension type of UUIDs, whose values are 16 bytes.
UUID_EXTENSION = "arrow.uuid"


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


def check_enums(enums: str, allowed: Sequence[str] = ENUMS) -> None:
    """Raise a ValueError unless it is a way to have enums."""
    if enums not in allowed:
        raise ValueError(f"enums must be one of {', '.join(allowed)}, not {enums!r}")


# --- which fields are wanted

Wanted = Mapping[str, "Wanted | None"]


def wanted_fields(columns: Any) -> Wanted:
    """Return names with dots as a tree; None below a name stands for all of it."""
    is_list = isinstance(columns, Sequence) and not isinstance(columns, (str, bytes))
    if not is_list or not all(isinstance(name, str) for name in columns):
        raise TypeError(f"columns must be a list of str, not {columns!r}")
    if not columns:
        raise ValueError("columns is empty; it must name at least one")
    return _tree(columns)


def _tree(columns: Sequence[str]) -> Wanted:
    tree: dict[str, list[str] | None] = {}
    for name in columns:
        first, dot, rest = name.partition(".")
        inner = tree.setdefault(first, [])
        if not dot:
            tree[first] = None
        elif inner is not None:
            inner.append(rest)
    return {name: None if inner is None else _tree(inner) for name, inner in tree.items()}


def chosen_fields(
    names: Collection[str], wanted: Wanted | None, path: str
) -> Iterator[tuple[str, str, Wanted | None]]:
    """Yield the wanted fields of a record: the name, the path, and what is wanted within.

    Raises:
        ValueError: there is no such field.
    """
    for name, inner in (dict.fromkeys(names) if wanted is None else wanted).items():
        full = f"{path}.{name}" if path else name
        if name not in names:
            hint = did_you_mean(name, names, f"there are {', '.join(names)}")
            raise ValueError(f"columns: there is no field {full!r}; {hint}")
        yield name, full, inner
