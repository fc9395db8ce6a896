"""Avro schemas (specification 1.12, "Schema Declaration") as trees of types."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

PRIMITIVES = frozenset({"null", "boolean", "int", "long", "float", "double", "bytes", "string"})

# The digits of a 256-bit decimal.
MAX_PRECISION = 76

# Deeper nesting would need too much stack to read: csrc/columns/types.h. A map counts as two
# levels, because its column has two.
DEPTH_LIMIT = 48

# The maximum number of values, ten times that of any schema in use. A short schema whose types
# refer to each other can grow exponentially.
VALUES_LIMIT = 100_000


class AvroSchemaError(ValueError):
    """A schema is not valid Avro, or a part of it cannot become a column."""


class AvroResolutionError(ValueError):
    """Data that was written with one schema cannot be read with the other schema."""


@dataclass(frozen=True)
class Primitive:
    """A type without a name, possibly with a logical type."""

    kind: str
    logical: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Fixed:
    """A fixed number of bytes."""

    name: str
    aliases: frozenset[str]
    size: int
    logical: Mapping[str, Any]
    kind = "fixed"


@dataclass(frozen=True)
class Enum:
    """One of several symbols."""

    name: str
    aliases: frozenset[str]
    symbols: tuple[str, ...]
    default: str | None
    kind = "enum"


@dataclass(frozen=True)
class Field:
    """A field of a record. `default` is a tuple with the JSON value, or None without a default."""

    name: str
    aliases: frozenset[str]
    type: AvroType
    default: tuple[Any] | None


@dataclass(frozen=True)
class Record:
    """A record: fields in a fixed order."""

    name: str
    aliases: frozenset[str]
    fields: tuple[Field, ...]
    is_recursive: bool = False
    kind = "record"


@dataclass(eq=False)
class Reference:
    """A reference to an enclosing record; `record` is set when the record has been read."""

    name: str
    record: Record | None = None
    kind = "record"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True)
class Array:
    """A list of items."""

    items: AvroType
    kind = "array"


@dataclass(frozen=True)
class Map:
    """A map of strings to values."""

    values: AvroType
    kind = "map"


@dataclass(frozen=True)
class Union:
    """A union: one of several types."""

    branches: tuple[AvroType, ...]
    kind = "union"


Named = Fixed | Enum | Record
AvroType = Primitive | Fixed | Enum | Record | Reference | Array | Map | Union


def parse(schema: object, what: str, before: Iterable[object] = ()) -> AvroType:
    """Return the tree of types of a schema: JSON text, or the result of json.loads() on it.

    Args:
        schema: the schema.
        what: the name of the argument, for error texts.
        before: schemas that define names which the schema refers to.

    Raises:
        TypeError: `schema` is neither text nor a schema of dicts and lists.
        AvroSchemaError: the schema is not valid.
    """
    own = _document(schema, what)
    if isinstance(before, str | Mapping) or not isinstance(before, Iterable):
        raise TypeError(
            f"references of {what} must be a list of schemas, not {type(before).__name__}"
        )
    parser = _Parser(what)
    for one in before:
        parser.document(_document(one, f"a reference of {what}"))
    tree = parser.document(own)
    parser.measure(tree)
    return tree


def resolved(schema: AvroType) -> AvroType:
    """Return the type itself; for a reference, the record that it refers to."""
    if not isinstance(schema, Reference):
        return schema
    assert schema.record is not None
    return schema.record


def _document(schema: object, what: str) -> str | dict[str, Any] | list[Any]:
    """Return a schema as json.loads() would return it, or the name of a primitive type."""
    if not isinstance(schema, str | dict | list):
        raise TypeError(f"{what} must be str (JSON), dict or list, not {type(schema).__name__}")
    if not isinstance(schema, str) or schema in PRIMITIVES:
        return schema
    try:
        loaded: str | dict[str, Any] | list[Any] = json.loads(schema)
    except (ValueError, RecursionError) as error:
        raise AvroSchemaError(f"{what} is not JSON: {error}") from error
    return loaded


class _Parser:
    """Reads one schema. Names refer to types that were defined before."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._named: dict[str, Named | None] = {}  # None while the type is being read
        self._known: dict[str, Named | None] = {}  # the types of earlier documents
        self._within: dict[str, list[Reference]] = {}  # references to records that are being read
        self._measured: dict[str, tuple[int, int]] = {}  # the measures of named types
        self._depth = 0

    def document(self, schema: Any) -> AvroType:
        """Return the type of a whole document. It may repeat definitions of earlier documents."""
        self._known = dict(self._named)
        return self.parse(schema, "")

    def parse(self, schema: Any, namespace: str) -> AvroType:
        self._depth += 1
        if self._depth > DEPTH_LIMIT:
            raise self._error(f"it is nested more than {DEPTH_LIMIT} deep")
        try:
            if isinstance(schema, str):
                return self._reference(schema, namespace)
            if isinstance(schema, list):
                return self._union(schema, namespace)
            if isinstance(schema, dict) and "type" in schema:
                return self._declared(schema, namespace)
        finally:
            self._depth -= 1
        raise self._error(f"{str(schema)[:80]!r} is not a type")

    def measure(self, schema: AvroType) -> tuple[int, int]:
        """Return the nesting depth of a type's columns, and the number of values in it."""
        if isinstance(schema, Named) and schema.name in self._measured:
            return self._measured[schema.name]
        match schema:
            case Record():
                below, levels = [one.type for one in schema.fields], 1
            case Union():
                below, levels = list(schema.branches), 1
            case Array():
                below, levels = [schema.items], 1
            case Map():
                below, levels = [schema.values], 2
            case _:
                return 1, 1
        measures = [self.measure(one) for one in below]
        depth = levels + max((depth for depth, _ in measures), default=0)
        values = 1 + sum(values for _, values in measures)
        if depth > DEPTH_LIMIT:
            raise self._error(f"it is nested more than {DEPTH_LIMIT} deep")
        if values > VALUES_LIMIT:
            raise self._error(f"it has more than {VALUES_LIMIT} values")
        if isinstance(schema, Named):
            self._measured[schema.name] = depth, values
        return depth, values

    def _error(self, problem: str) -> AvroSchemaError:
        return AvroSchemaError(f"{self._what} cannot be used: {problem}")

    def _reference(self, name: str, namespace: str) -> AvroType:
        if name in PRIMITIVES:
            return Primitive(name)
        full = _full_name(name, namespace)
        found = self._named.get(full, ...)
        if found is ...:
            full, found = name, self._named.get(name, ...)
        if found is ...:
            raise self._error(f"there is no type {name!r}")
        if found is not None:
            return found
        reference = Reference(full)
        self._within.setdefault(full, []).append(reference)
        return reference

    def _union(self, branches: list[Any], namespace: str) -> Union:
        parsed = tuple(self.parse(branch, namespace) for branch in branches)
        if not parsed or any(isinstance(branch, Union) for branch in parsed):
            raise self._error("a union has no branch, or a branch that is a union")
        self._no_name_twice("a union", [branch_name(branch) for branch in parsed])
        return Union(parsed)

    def _declared(self, schema: dict[str, Any], namespace: str) -> AvroType:
        kind = schema["type"]
        if isinstance(kind, (dict, list)):
            return self.parse(kind, namespace)
        match kind:
            case "array":
                return Array(self.parse(self._attribute(schema, "items"), namespace))
            case "map":
                return Map(self.parse(self._attribute(schema, "values"), namespace))
            case "record" | "error" | "enum" | "fixed":
                return self._define(schema, kind, namespace)
        if not isinstance(kind, str):
            raise self._error(f"{str(kind)[:80]!r} is not a type")
        if kind in PRIMITIVES:
            return Primitive(kind, _logical(schema, kind, None))
        return self._reference(kind, namespace)

    # --- attributes

    def _attribute(self, schema: dict[str, Any], name: str) -> Any:
        if name not in schema:
            raise self._error(f"{schema.get('name') or schema['type']!r} has no {name!r}")
        return schema[name]

    def _name(self, schema: dict[str, Any]) -> str:
        return self._text("a name", self._attribute(schema, "name"))

    def _text(self, what: str, value: Any) -> str:
        """Return a text that can be the name of a column; raise for any other value."""
        if not isinstance(value, str) or not value or "\0" in value or not _is_unicode(value):
            raise self._error(f"{what} is {str(value)[:80]!r}")
        return value

    def _texts(self, schema: dict[str, Any], name: str) -> tuple[str, ...]:
        texts = schema.get(name, [])
        if not isinstance(texts, (list, tuple)):
            raise self._error(f"{name!r} of {schema.get('name')!r} is not a list")
        return tuple(self._text(f"one of {name!r}", one) for one in texts)

    # --- named types

    def _define(self, schema: dict[str, Any], kind: str, namespace: str) -> Named:
        given = self._name(schema)
        space = schema.get("namespace")
        # An empty namespace means no namespace, whatever the enclosing namespace is.
        space = namespace if space is None else space and self._text("a namespace", space)
        name = _full_name(given, space)
        space = name.rpartition(".")[0]
        known = self._known.pop(name, None)
        if name in self._named and known is None:
            raise self._error(f"{name!r} is defined twice")
        aliases = frozenset(_full_name(alias, space) for alias in self._texts(schema, "aliases"))
        self._named[name] = None
        defined: Named
        if kind == "enum":
            defined = self._enum(schema, name, aliases)
        elif kind == "fixed":
            size = self._attribute(schema, "size")
            if not isinstance(size, int) or not 0 <= size < 2**31:
                raise self._error(f"{name!r} has a size of {size!r}")
            defined = Fixed(name, aliases, size, _logical(schema, kind, size))
        else:
            defined = self._record(schema, name, aliases)
        if known not in (None, defined):
            raise self._error(f"{name!r} is defined twice, and not in the same way")
        self._named[name] = defined
        self._measured.pop(name, None)
        self.measure(defined)
        return defined

    def _enum(self, schema: dict[str, Any], name: str, aliases: frozenset[str]) -> Enum:
        self._attribute(schema, "symbols")
        symbols = self._texts(schema, "symbols")
        self._no_name_twice(f"the enum {name!r}", symbols)
        default = schema.get("default")
        if default is not None and default not in symbols:
            raise self._error(f"the default of {name!r} is not one of its symbols: {default!r}")
        return Enum(name, aliases, symbols, default)

    def _record(self, schema: dict[str, Any], name: str, aliases: frozenset[str]) -> Record:
        fields = self._attribute(schema, "fields")
        if not isinstance(fields, (list, tuple)):
            raise self._error(f"'fields' of {name!r} is not a list")
        space = name.rpartition(".")[0]
        read = tuple(self._field(one, space) for one in fields)
        self._no_name_twice(f"the record {name!r}", [one.name for one in read])
        references = self._within.pop(name, [])
        record = Record(name, aliases, read, is_recursive=bool(references))
        for one in references:
            one.record = record
        return record

    def _field(self, schema: Any, namespace: str) -> Field:
        if not isinstance(schema, dict) or "type" not in schema:
            raise self._error(f"the field {str(schema)[:80]} has no type")
        return Field(
            self._name(schema),
            frozenset(self._texts(schema, "aliases")),
            self.parse(schema["type"], namespace),
            (schema["default"],) if "default" in schema else None,
        )

    def _no_name_twice(self, what: str, names: Iterable[str]) -> None:
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise self._error(f"{what} has {name!r} more than once")
            seen.add(name)


def _is_unicode(text: str) -> bool:
    """Return whether a text has no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _full_name(name: str, namespace: str) -> str:
    return name if "." in name or not namespace else f"{namespace}.{name}"


def branch_name(branch: AvroType) -> str:
    """Return the name that distinguishes a branch from the other branches of a union."""
    return branch.name if isinstance(branch, Named | Reference) else branch.kind


def type_words(schema: AvroType) -> str:
    """Return a type in words, for error texts."""
    if isinstance(schema, Union):
        return f"a union of {', '.join(map(type_words, schema.branches))}"
    logical = schema.logical if isinstance(schema, (Primitive, Fixed)) else {}
    if not logical:
        return branch_name(schema)
    scale = f" of scale {logical['scale']}" if "scale" in logical else ""
    return f"{branch_name(schema)} ({logical['name']}{scale})"


# Logical types, with the types that they annotate. Decimals are checked separately, because they
# have attributes.
_LOGICAL = {
    "date": {"int"},
    "time-millis": {"int"},
    "time-micros": {"long"},
    "timestamp-millis": {"long"},
    "timestamp-micros": {"long"},
    "timestamp-nanos": {"long"},
    "local-timestamp-millis": {"long"},
    "local-timestamp-micros": {"long"},
    "local-timestamp-nanos": {"long"},
    "uuid": {"string", "fixed"},
    "duration": {"fixed"},
    "decimal": {"bytes", "fixed"},
}
_FIXED_SIZES = {"uuid": 16, "duration": 12}


def _logical(schema: dict[str, Any], kind: str, size: int | None) -> Mapping[str, Any]:
    """Return the logical type. One that is not valid is ignored, as the specification requires."""
    name = schema.get("logicalType")
    if not isinstance(name, str) or kind not in _LOGICAL.get(name, ()):
        return {}
    if size is not None and _FIXED_SIZES.get(name, size) != size:
        return {}
    if name != "decimal":
        return {"name": name}
    precision, scale = schema.get("precision"), schema.get("scale", 0)
    if not isinstance(precision, int) or not isinstance(scale, int):
        return {}
    if not 0 <= scale <= precision or precision < 1:
        return {}
    if size is not None and precision > _digits(size):
        return {}
    return {"name": name, "precision": precision, "scale": scale}


def _digits(size: int) -> int:
    """Return how many decimal digits always fit into a signed integer of `size` bytes."""
    return math.floor((8 * size - 1) * math.log10(2)) if size else 0


def resolvable_names(writer: Named, reader: Named) -> bool:
    """Return whether two types have the same unqualified name, or an alias of the reader's fits."""
    short = writer.name.rpartition(".")[2]
    return (
        short == reader.name.rpartition(".")[2]
        or writer.name in reader.aliases
        or any(short == alias.rpartition(".")[2] for alias in reader.aliases)
    )


def may_be_empty(schema: AvroType) -> bool:
    """Return whether a value of the type may have no bytes at all."""
    match schema:
        case Primitive():
            return schema.kind == "null"
        case Fixed():
            return schema.size == 0
        case Record():
            return all(may_be_empty(one.type) for one in schema.fields)
        case Reference():
            return True  # a record that directly contains itself: nobody can write it
    return False
