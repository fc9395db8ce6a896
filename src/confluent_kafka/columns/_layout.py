"""The Arrow types of decoded rows, in the form that csrc/columns reads."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from confluent_kafka._suggestions import did_you_mean

# The possible column types of enums.
ENUMS = ("string", "dictionary")

# The name of Arrow's extension type of UUIDs, whose values are 16 bytes.
UUID_EXTENSION = "arrow.uuid"


@dataclass
class Column:
    """An Arrow field, with its child fields.

    Attributes:
        format: the type in the notation of the Arrow C data interface.
        name: the name of the field.
        nullable: whether a slot may be null.
        children: the child fields.
        metadata: the metadata of the field, such as the name of an extension type.
        symbols: the values of a dictionary; the slots are indices into it.
        index: its index in the tree, set by number(); a parent comes before its children.
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
        """Number this column and its children from `index` on. Return the next number."""
        self.index = index
        index += 1
        for child in self.children:
            index = child.number(index)
        return index

    def child(self, name: str) -> Column | None:
        """Return the child field with this name, or None."""
        return next((child for child in self.children if child.name == name), None)

    def description(self) -> tuple[Any, ...]:
        """Return the description of this column for _RowProgram."""
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
    """Encode metadata for the C data interface: a native int32 size before each text."""
    parts = [struct.pack("=i", len(metadata))]
    for text in (text for pair in metadata.items() for text in pair):
        data = text.encode()
        parts += [struct.pack("=i", len(data)), data]
    return b"".join(parts)


def check_enums(enums: str, allowed: Sequence[str] = ENUMS) -> None:
    """Raise a ValueError unless `enums` is one of the allowed values."""
    if enums not in allowed:
        raise ValueError(f"enums must be one of {', '.join(allowed)}, not {enums!r}")


# --- which fields are wanted

Wanted = Mapping[str, "Wanted | None"]


def wanted_fields(columns: Any) -> Wanted:
    """Return names with dots as a tree. None below a name means all of its fields."""
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
    """Yield each wanted field of a record: its name, its path, and the wanted nested fields.

    Raises:
        ValueError: a wanted field does not exist.
    """
    for name, inner in (dict.fromkeys(names) if wanted is None else wanted).items():
        full = f"{path}.{name}" if path else name
        if name not in names:
            hint = did_you_mean(name, names, f"there are {', '.join(names)}")
            raise ValueError(f"columns: there is no field {full!r}; {hint}")
        yield name, full, inner
