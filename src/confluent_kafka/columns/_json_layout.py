"""The columns for JSON payloads, and the program for csrc/columns/json.c."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from confluent_kafka.columns._layout import (
    Column,
    Wanted,
    chosen_fields,
    map_of,
    wanted_fields,
)

# The only column if the schema is not that of an object.
VALUE = "value"

# The digits of a second's fraction for each unit.
FRACTION_DIGITS = {"s": 0, "m": 3, "u": 6, "n": 9}


class JSONSchemaError(ValueError):
    """A JSON Schema is not valid, or a part of it cannot become a column."""


# enum json_flags in csrc/columns/json_nodes.h.
_NULLABLE, _EPOCH, _ZONED, _NO_MISSING, _NO_EXTRA, _NO_DUPLICATES = (1 << bit for bit in range(6))


# The possible types of JSON texts: the bits in the argument of a "json" value; enum json_types in
# csrc/columns/json_text.h.
JSON_BOOLEAN, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT = (1 << bit for bit in range(5))
ANY_JSON = (1 << 5) - 1


@dataclass(frozen=True)
class Value:
    """The type of a value in a schema.

    Attributes:
        kind: the kind of reader in csrc/columns (json_values.c, json_nested.c).
        format: the type of its column, in the notation of the Arrow C data interface.
        nullable: whether it may be null or missing.
        argument: for a decimal, its digits; for a time, the digits of a second's fraction; for JSON
            text, the allowed JSON types.
        scale: the scale of a decimal.
        zoned: whether a timestamp has a zone.
        metadata: the metadata of its column.
        symbols: the values of a dictionary.
        fields: the fields of an object; for a list or map, its items by the name of their column.
        writes_null: for a field: whether to write null (True) or leave it out (False); None allows
            both.
        refusal: for the kind "refused": why the field cannot become a column.
    """

    kind: str
    format: str
    nullable: bool = True
    argument: int = 0
    scale: int = 0
    zoned: bool = False
    metadata: Mapping[str, str] = field(default_factory=dict)
    symbols: tuple[str, ...] | None = None
    fields: Mapping[str, Value] = field(default_factory=dict)
    writes_null: bool | None = None
    refusal: str = ""

    def optional(self, nullable: bool = True) -> Value:
        """Return the same value, but nullable or not nullable."""
        return replace(self, nullable=nullable)

    def within(self) -> Value:
        """Return the type of an array's items or a map's values."""
        return next(iter(self.fields.values()))


class Options(NamedTuple):
    """How strict a decoder is: the arguments of JSONDecoder."""

    epoch: bool
    no_missing: bool
    no_extra: bool
    no_duplicates: bool


# The positions in a node: csrc/columns/json.c, N_KIND to N_FIELD.
Node = tuple[str, int, int, int, int, tuple[str, ...], tuple[Any, ...], str]


def layout(root: Value, columns: Sequence[str] | None) -> Column:
    """Return the struct of a row, with numbered columns.

    Args:
        root: the type of the whole payload.
        columns: the wanted fields, with dots for nested fields; None for all.

    Raises:
        JSONSchemaError: a wanted field cannot become a column.
        ValueError: a field does not exist.
    """
    wanted = None if columns is None else wanted_fields(columns)
    if root.kind == "object":
        row = _column(root, wanted, "")
    else:
        if wanted is not None and list(wanted) != [VALUE]:
            raise ValueError(
                f"columns must be ['{VALUE}'] for a schema that does not describe an object"
            )
        row = Column("+s", children=[_column(root, None, VALUE).named(VALUE)])
    row.number()
    return row


def _column(value: Value, wanted: Wanted | None, path: str) -> Column:
    if value.kind == "refused":
        raise JSONSchemaError(value.refusal)
    if value.kind == "object":
        children = [
            _column(value.fields[name], inner, full).named(name)
            for name, full, inner in chosen_fields(value.fields, wanted, path)
        ]
        return Column("+s", children=children, metadata=value.metadata)
    if wanted is not None:
        inner = ", ".join(f"{path}.{name}" for name in wanted)
        raise ValueError(f"columns: {path!r} is not an object and has no field {inner!r}")
    if value.kind == "array":
        [name] = value.fields
        return Column("+l", children=[_column(value.within(), None, f"{path}[]").named(name)])
    if value.kind == "map":
        return map_of(_column(value.within(), None, f"{path}[]"))
    return Column(value.format, metadata=value.metadata, symbols=value.symbols)


def compile_program(root: Value, row: Column, options: Options) -> Node:
    """Return the program that reads payloads into the columns of layout()."""
    if root.kind == "object":
        return _node(root, row, options, "")
    child = _node(root, row.children[0], options, VALUE)
    return ("row", row.index, _NULLABLE if root.nullable else 0, 0, 0, (), (child,), "")


def _node(value: Value, column: Column, options: Options, path: str) -> Node:
    names: tuple[str, ...] = value.symbols or ()
    children: list[Node | None] = []
    if value.kind == "object":
        names = tuple(value.fields)
        below = {child.name: child for child in column.children}
        for name, one in value.fields.items():
            child = below.get(name)
            full = f"{path}.{name}" if path else name
            children.append(None if child is None else _node(one, child, options, full))
    elif value.kind in {"array", "map"}:
        inner = column.children[0] if value.kind == "array" else column.children[0].children[1]
        children.append(_node(value.within(), inner, options, f"{path}[]"))
    return (
        value.kind,
        column.index,
        _flags(value, options),
        value.argument,
        value.scale,
        names,
        tuple(children),
        path,
    )


def _flags(value: Value, options: Options) -> int:
    flags = {
        _NULLABLE: value.nullable,
        _EPOCH: options.epoch,
        _ZONED: value.zoned,
        _NO_MISSING: options.no_missing,
        _NO_EXTRA: options.no_extra,
        _NO_DUPLICATES: options.no_duplicates,
    }
    return sum(bit for bit, is_set in flags.items() if is_set)
