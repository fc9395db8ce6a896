"""The columns for an Avro schema."""

from __future__ import annotations

from collections.abc import Sequence

from confluent_kafka.columns._avro_schema import (
    MAX_PRECISION,
    Array,
    AvroSchemaError,
    AvroType,
    Enum,
    Fixed,
    Map,
    Primitive,
    Record,
    Reference,
    Union,
    branch_name,
)
from confluent_kafka.columns._layout import (
    UUID_EXTENSION,
    Column,
    Wanted,
    chosen_fields,
    decimal,
    extension,
    list_of,
    map_of,
    wanted_fields,
)

# The maximum number of branches: the type ids of an Arrow union are int8.
BRANCH_LIMIT = 128

# The only column if the schema is not a record.
VALUE = "value"

_FORMATS = {
    "null": "n",
    "boolean": "b",
    "int": "i",
    "long": "l",
    "float": "f",
    "double": "g",
    "bytes": "z",
    "string": "u",
}
_LOGICAL_FORMATS = {
    "date": "tdD",
    "time-millis": "ttm",
    "time-micros": "ttu",
    "timestamp-millis": "tsm:UTC",
    "timestamp-micros": "tsu:UTC",
    "timestamp-nanos": "tsn:UTC",
    "local-timestamp-millis": "tsm:",
    "local-timestamp-micros": "tsu:",
    "local-timestamp-nanos": "tsn:",
    "duration": "tin",
}


def is_optional(schema: Union) -> bool:
    """Return whether a union is null and one other type: then the column is nullable."""
    return len(schema.branches) == 2 and Primitive("null") in schema.branches


def present_branch(schema: Union) -> AvroType:
    """Return the type of an optional union that is not null."""
    return schema.branches[1 - schema.branches.index(Primitive("null"))]


# The options for decimals of more digits than decimal128 has.
DECIMALS = ("exact", "decimal128")
# The number of digits of decimal128.
NARROW_PRECISION = 38


def check_decimals(decimals: str) -> None:
    """Raise a ValueError unless `decimals` is one of DECIMALS."""
    if decimals not in DECIMALS:
        raise ValueError(f"decimals must be one of {', '.join(DECIMALS)}, not {decimals!r}")


def layout(
    schema: AvroType, columns: Sequence[str] | None, *, enums: str, decimals: str = "exact"
) -> Column:
    """Return the struct of a row, numbered.

    Args:
        schema: the reader's schema.
        columns: the wanted fields, with dots for nested fields; None for all.
        enums: "string" or "dictionary".
        decimals: "exact" or "decimal128".

    Raises:
        AvroSchemaError: a wanted field cannot become a column.
        ValueError: a field does not exist.
    """
    wanted = None if columns is None else wanted_fields(columns)
    maker = _LayoutMaker(enums, decimals)
    if isinstance(schema, Record):
        root = maker.record(schema, wanted, "")
    else:
        if wanted is None:
            wanted = {VALUE: None}
        if list(wanted) != [VALUE]:
            raise ValueError(f"columns must be ['{VALUE}'] for a schema that is not a record")
        root = Column("+s", children=[maker.column(schema, wanted[VALUE], VALUE).named(VALUE)])
    root.number()
    return root


class _LayoutMaker:
    def __init__(self, enums: str, decimals: str) -> None:
        self._enums = enums
        self._decimals = decimals

    def record(self, schema: Record, wanted: Wanted | None, path: str) -> Column:
        types = {one.name: one.type for one in schema.fields}
        children = [
            self.column(types[name], inner, full).named(name)
            for name, full, inner in chosen_fields(types, wanted, path)
        ]
        return Column("+s", children=children)

    def column(self, schema: AvroType, wanted: Wanted | None, path: str) -> Column:
        if isinstance(schema, Record):
            return self.record(schema, wanted, path)
        if isinstance(schema, Union):
            return self._union(schema, wanted, path)
        self._all_of_it(wanted, path)
        match schema:
            case Array():
                return list_of(self.column(schema.items, None, f"{path}[]"))
            case Map():
                return map_of(self.column(schema.values, None, f"{path}[]"))
            case Enum() if self._enums == "dictionary":
                return Column("i", symbols=schema.symbols)
            case Enum():
                return Column("u")
            case Reference():
                raise AvroSchemaError(
                    f"the field {path!r}: {schema.name!r} is recursive and cannot become columns; "
                    "leave the field out with `columns`, or leave it out of the reader's schema"
                )
            case Primitive() | Fixed() if schema.logical.get("name") == "decimal":
                return self._decimal(schema, path)
            case Primitive() | Fixed():
                return _plain(schema)

    def _decimal(self, schema: Primitive | Fixed, path: str) -> Column:
        """Return a decimal of 128 bits, or of 256 if it needs them and `decimals` allows it."""
        precision, scale = schema.logical["precision"], schema.logical["scale"]
        if self._decimals == "decimal128":
            precision = min(precision, NARROW_PRECISION)
        if precision > MAX_PRECISION or scale > precision:
            limit = MAX_PRECISION if self._decimals == "exact" else NARROW_PRECISION
            behind = f", of which {scale} are after the point" if scale > precision else ""
            hint = "" if scale > NARROW_PRECISION else ', or give decimals="decimal128"'
            raise AvroSchemaError(
                f"the field {path!r} is a decimal of {schema.logical['precision']} digits{behind}; "
                f"Arrow's have at most {limit}: leave it out with `columns`{hint}"
            )
        return decimal(precision, scale)

    @staticmethod
    def _all_of_it(wanted: Wanted | None, path: str) -> None:
        if wanted is not None:
            inner = ", ".join(f"{path}.{name}" for name in wanted)
            raise ValueError(f"columns: {path!r} is not a record and has no field {inner!r}")

    def _union(self, schema: Union, wanted: Wanted | None, path: str) -> Column:
        if is_optional(schema):
            return self.column(present_branch(schema), wanted, path)
        if len(schema.branches) == 1:
            return self.column(schema.branches[0], wanted, path)
        self._all_of_it(wanted, path)
        if len(schema.branches) > BRANCH_LIMIT:
            raise AvroSchemaError(
                f"{path!r} is a union of {len(schema.branches)} types; "
                f"Arrow's have at most {BRANCH_LIMIT}"
            )
        children = [
            self.column(branch, None, path).named(branch_name(branch)) for branch in schema.branches
        ]
        return Column(f"+us:{','.join(map(str, range(len(children))))}", children=children)


def _plain(schema: Primitive | Fixed) -> Column:
    match schema.logical.get("name"):
        case None:
            pass
        case "uuid":
            return extension("w:16", UUID_EXTENSION)
        case name:
            return Column(_LOGICAL_FORMATS[name])
    if isinstance(schema, Fixed):
        return Column(f"w:{schema.size}")
    return Column(_FORMATS[schema.kind])
