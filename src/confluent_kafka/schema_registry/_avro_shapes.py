"""Finds out whether and why an object does not fit an Avro schema.

A schema becomes a tuple of shapes, which refer to each other by their index in it. The C extension
encodes objects with these shapes. If it does not encode an object, the object has a type that the
extension does not support, or it does not fit the schema. ``Shapes.misfit()`` returns why it does
not fit.
"""

from __future__ import annotations

import copy
import operator
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple
from uuid import UUID

from fastavro.write import LOGICAL_WRITERS

Prepare = Callable[[Any, Any], Any]


class Shape(NamedTuple):
    """One type of a schema; csrc/avro/shapes.c reads the same fields in this order."""

    kind: str
    prepare: Prepare | None = None
    """Converts an object of the logical type to the value that is written."""
    schema: Any = None
    low: int = 0
    """The range of an int; the upper end is also the size of a fixed."""
    high: int = 0
    names: tuple[str, ...] | dict[str, int] = ()
    """The names of a record's fields, a union's types or an enum's symbols."""
    defaults: tuple[tuple[Any] | None, ...] = ()
    """The defaults of a record's fields; None for a field that must not be missing."""
    parts: tuple[int, ...] = ()
    closed: bool = False
    """Whether other fields than these are forbidden in a record."""


# --- logical types ---


def _decimal(convert: Prepare) -> Prepare:
    """Return a conversion that also checks the digits before the point, which fastavro does not."""

    def prepare(data: Any, schema: Any) -> Any:
        precision: int = schema["precision"]
        if isinstance(data, Decimal):
            _, digits, exponent = data.as_tuple()
            if not isinstance(exponent, int):
                raise ValueError(f"{data} is not a number")
            size = len(digits) + exponent + schema.get("scale", 0)
            if size > precision and digits != (0,):
                raise ValueError(f"{data} has more than {precision} digits")
        elif isinstance(data, bytes):
            number = int.from_bytes(data, "big", signed=True)
            if abs(number) >= 10**precision:
                raise ValueError(f"the bytes are {number}, more than {precision} digits")
        return convert(data, schema)

    return prepare


_UUID = re.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def _uuid(convert: Prepare) -> Prepare:
    """Return a conversion.

    It refuses text that readers would not accept as a UUID.
    """

    def prepare(data: Any, schema: Any) -> Any:
        if isinstance(data, str) and not _UUID.fullmatch(data):
            UUID(data)  # which also accepts other forms
        return convert(data, schema)

    return prepare


_CHECKED: dict[str, Callable[[Prepare], Prepare]] = {
    "bytes-decimal": _decimal,
    "fixed-decimal": _decimal,
    "string-uuid": _uuid,
}
_INT, _LONG = (-(2**31), 2**31 - 1), (-(2**63), 2**63 - 1)
_DAY = 24 * 60 * 60
_RANGES = {
    "int": _INT,
    "long": _LONG,
    "int-time-millis": (0, _DAY * 10**3 - 1),
    "long-time-micros": (0, _DAY * 10**6 - 1),
}
_WANTED = {
    "bytes-decimal": "a Decimal",
    "fixed-decimal": "a Decimal",
    "string-uuid": "a UUID or its text",
    "int-date": "a date or an int of days",
    "int-time-millis": "a time or an int of milliseconds",
    "long-time-micros": "a time or an int of microseconds",
    "long-timestamp-millis": "a datetime or an int of milliseconds",
    "long-timestamp-micros": "a datetime or an int of microseconds",
    "long-local-timestamp-millis": "a datetime or an int of milliseconds",
    "long-local-timestamp-micros": "a datetime or an int of microseconds",
    "null": "null",
    "boolean": "a boolean: give a bool",
    "int": "an int",
    "long": "a long: give an int",
    "float": "a float",
    "double": "a double: give a float",
    "bytes": "bytes",
    "string": "a string: give a str",
    "fixed": "a fixed: give bytes",
    "enum": "a symbol of an enum",
    "array": "an array: give a list",
    "map": "a map: give a dict with keys that are str",
}


def _logical(schema: Any, kind: str) -> str:
    """Return the key of a type in the tables above, which is also fastavro's."""
    logical = schema.get("logicalType") if isinstance(schema, dict) else None
    return f"{kind}-{logical}"


# --- from schemas to shapes ---

_RECORDS, _UNIONS = frozenset({"record", "error"}), frozenset({"union", "error_union"})
_NAMED = _RECORDS | {"enum", "fixed"}


class Shapes:
    """The shapes of a schema.

    Args:
        schema: the schema as fastavro parsed it.
        named: its named types.
        strict: whether a record must have all fields of the schema and no others.
        strict_allow_default: whether a strict record may leave out fields with a default.

    The attribute ``schema`` is a copy whose defaults have the types that fastavro writes.
    """

    def __init__(
        self, schema: Any, named: Mapping[str, Any], strict: bool, strict_allow_default: bool
    ) -> None:
        self.schema, self._named = copy.deepcopy((schema, dict(named)))
        self._needs_all = strict
        self._closed = strict or strict_allow_default
        self._places: dict[str, int] = {}
        self._all: list[Shape] = []
        self._add(self.schema)
        self._add_defaults()
        self.all: tuple[Shape, ...] = tuple(self._all)

    def _add(self, schema: Any) -> int:
        """Return the index of a type's shape, which is a new one unless the type has a name."""
        kind = schema["type"] if isinstance(schema, dict) else schema
        if isinstance(kind, dict):
            return self._add(kind)
        if isinstance(kind, list):
            kind = "union"
        if kind in self._named:
            schema = self._named[kind]
            kind = schema["type"]
        name = schema["name"] if kind in _NAMED else None
        if name in self._places:
            return self._places[name]
        place = len(self._all)
        if name is not None:
            self._places[name] = place
        self._all.append(Shape("null"))  # until its parts have their indexes
        self._all[place] = self._shape(schema, kind)
        return place

    def _shape(self, schema: Any, kind: str) -> Shape:
        if kind in _UNIONS:
            branches = schema["type"] if isinstance(schema, dict) else schema
            parts = tuple(self._add(one) for one in branches)
            return Shape("union", parts=parts, names=tuple(_branch_name(one) for one in branches))
        key = _logical(schema, kind)
        prepare: Prepare | None = LOGICAL_WRITERS.get(key)
        if prepare is not None and key in _CHECKED:
            prepare = _CHECKED[key](prepare)
        if kind in _RECORDS:
            names = tuple(field["name"] for field in schema["fields"])
            parts = tuple(self._add(field["type"]) for field in schema["fields"])
            return Shape("record", prepare, schema, names=names, parts=parts, closed=self._closed)
        if kind in {"array", "map"}:
            part = self._add(schema["items" if kind == "array" else "values"])
            return Shape(kind, prepare, schema, parts=(part,))
        if kind == "enum":
            symbols = {symbol: place for place, symbol in enumerate(schema["symbols"])}
            return Shape(kind, prepare, schema, names=symbols)
        if kind == "fixed":
            return Shape(kind, prepare, schema, high=schema["size"])
        low, high = _RANGES.get(key) or _RANGES.get(kind) or (0, 0)
        written = schema if isinstance(schema, dict) else {"type": kind}
        return Shape("int" if kind == "long" else kind, prepare, written, low, high)

    def _add_defaults(self) -> None:
        """Add the defaults of missing fields, when all types are known."""
        for place, shape in enumerate(self._all):
            if shape.kind == "record":
                fields = zip(shape.schema["fields"], shape.parts, strict=True)
                found = tuple(self._default(field, part) for field, part in fields)
                self._all[place] = shape._replace(defaults=found)

    def _default(self, field: dict[str, Any], part: int) -> tuple[Any] | None:
        shape = self._all[part]
        if "default" in field:
            field["default"] = self._converted(field["default"], part)
        if self._needs_all:
            return None
        if "default" in field:
            return (field["default"],)
        nullable = shape.kind == "null" or any(
            self._all[one].kind == "null" for one in shape.parts if shape.kind == "union"
        )
        return (None,) if nullable and not self._closed else None

    def _converted(self, value: Any, place: int) -> Any:
        """Return a schema's default, which is JSON, as an object of its type."""
        shape = self._all[place]
        if shape.kind in {"bytes", "fixed"} and isinstance(value, str):
            return value.encode("latin-1", "replace")
        if shape.kind in {"float", "double"} and isinstance(value, str):
            return float(value)  # "NaN"
        if shape.kind == "array" and isinstance(value, list):
            return [self._converted(one, shape.parts[0]) for one in value]
        if shape.kind == "map" and isinstance(value, dict):
            return {key: self._converted(one, shape.parts[0]) for key, one in value.items()}
        if shape.kind == "record" and isinstance(value, dict):
            parts = dict(zip(shape.names, shape.parts, strict=True))
            return {
                key: self._converted(one, parts[key]) if key in parts else one
                for key, one in value.items()
            }
        if shape.kind == "union":
            for part in shape.parts:
                one = self._converted(value, part)
                if next(self._misfits(one, part, ""), None) is None:
                    return one
        return value

    # --- why an object does not fit ---

    def misfit(self, obj: Any) -> str | None:
        """Return why an object does not fit the schema, with the field; None if it does."""
        found = next(self._misfits(obj, 0, ""), None)
        if found is None:
            return None
        path, why = found
        return f"field '{path}': {why}" if path else why

    def _misfits(self, obj: Any, place: int, path: str) -> Iterator[tuple[str, str]]:
        """Yield the parts that do not fit: the path of the field, and the reason."""
        shape = self._all[place]
        if shape.kind == "union":
            yield from self._misfits_of_union(obj, shape, path)
            return
        given = obj
        if shape.prepare is not None:
            try:
                obj = shape.prepare(obj, shape.schema)
            except Exception as error:  # any exception: it may be the user's own function
                yield path, f"{_shown(given)} is not {_wanted(shape)}: {error}"
                return
        if shape.kind == "record":
            yield from self._misfits_of_record(obj, shape, path)
        elif shape.kind == "array" and _is_array(obj):
            for place_in, item in enumerate(obj):
                yield from self._misfits(item, shape.parts[0], f"{path}[{place_in}]")
        elif shape.kind == "map" and _is_map(obj):
            for key, value in obj.items():
                if not _is_text(key):
                    yield path, f"the key {_shown(key)} is not {_WANTED['string']}"
                yield from self._misfits(value, shape.parts[0], f"{path}[{key!r:.100}]")
        elif not _FITS[shape.kind](obj, shape):
            why = "" if shape.kind != "string" or not isinstance(obj, str) else _SURROGATES
            yield path, f"{_shown(given)} is not {_wanted(shape)}{why}"

    def _misfits_of_record(self, obj: Any, shape: Shape, path: str) -> Iterator[tuple[str, str]]:
        name = shape.schema["name"]
        if not _is_record(obj):
            known = ", ".join(shape.names) or "no fields"
            yield path, f"{_shown(obj)} is not a record {name}: give a dict with {known:.300}"
            return
        fields = zip(shape.names, shape.parts, shape.defaults, strict=True)
        for field, part, default in fields:
            inner = f"{path}.{field}" if path else field
            if field in obj:
                yield from self._misfits(obj[field], part, inner)
            elif default is None:
                yield inner, f"the record {name} has no value for it, and the schema has no default"
            else:
                yield from self._misfits(default[0], part, inner)
        if shape.closed and (extra := sorted(map(str, set(obj) - set(shape.names)))):
            yield path, f"the record {name} has no fields {', '.join(extra):.300}"

    def _misfits_of_union(self, obj: Any, shape: Shape, path: str) -> Iterator[tuple[str, str]]:
        assert isinstance(shape.names, tuple)
        if isinstance(obj, tuple) and len(obj) == 2:
            if obj[0] in shape.names:
                part = shape.parts[shape.names.index(obj[0])]
                yield from self._misfits(obj[1], part, path)
            else:
                yield path, f"the union has no type {obj[0]!r:.100}: {', '.join(shape.names)}"
            return
        misfits = []
        for part, name in zip(shape.parts, shape.names, strict=True):
            hint = name
            if self._all[part].kind == "record" and isinstance(obj, Mapping):
                hint = obj.get("-type", name)
            found = next(self._misfits(obj, part, path), None)
            if found is None and hint == name:
                return
            if self._all[part].kind != "null":
                misfits.append(found)
        if len(misfits) == 1 and misfits[0] is not None:
            yield misfits[0]
        else:
            yield path, f"{_shown(obj)} is none of the union's types {', '.join(shape.names)}"


_SURROGATES = ": it has lone surrogates, which UTF-8 cannot express"


def _branch_name(schema: Any) -> str:
    """Return the name by which a pair (name, object) chooses a type of a union."""
    if not isinstance(schema, dict):
        return str(schema)
    return str(schema.get("name", schema["type"]))


def _wanted(shape: Shape) -> str:
    kind = shape.kind
    if kind == "int" and shape.high > _INT[1]:
        kind = "long"
    wanted = _WANTED.get(_logical(shape.schema, kind)) or _WANTED[kind]
    if shape.kind == "int":
        return f"{wanted} from {shape.low} to {shape.high}"
    if shape.kind == "fixed":
        return f"{wanted} of size {shape.high}"
    return f"{wanted}: {', '.join(shape.names):.300}" if shape.kind == "enum" else wanted


def _shown(obj: object) -> str:
    return f"{obj!r:.100} ({type(obj).__name__})"


# --- what fits, by kind ---


def _is_boolean(obj: Any, shape: Shape) -> bool:
    kind = type(obj)
    return isinstance(obj, bool) or (kind.__module__, kind.__name__.strip("_")) == ("numpy", "bool")


def _is_int(obj: Any, shape: Shape) -> bool:
    if isinstance(obj, bool):
        return False
    try:
        return shape.low <= operator.index(obj) <= shape.high
    except TypeError:
        return False


def _is_float(obj: Any, shape: Shape) -> bool:
    if isinstance(obj, bool) or not isinstance(obj, Real | Decimal):
        return False
    try:
        struct.pack("<f" if shape.kind == "float" else "<d", float(obj))
    except (ArithmeticError, ValueError):  # only a wider type can represent it; a signalling NaN
        return False
    return True


def _is_bytes(obj: Any, shape: Shape) -> bool:
    try:
        with memoryview(obj) as view:
            return shape.kind == "bytes" or view.nbytes == shape.high
    except TypeError:
        return False


def _is_text(obj: Any, shape: Shape | None = None) -> bool:
    try:
        return isinstance(obj, str) and obj.encode() is not None
    except UnicodeEncodeError:  # a lone surrogate
        return False


def _is_array(obj: Any) -> bool:
    if isinstance(obj, str | bytes | bytearray | memoryview | Mapping):
        return False
    return hasattr(obj, "__len__") and hasattr(obj, "__iter__")


def _is_map(obj: Any) -> bool:
    return isinstance(obj, Mapping) or callable(getattr(obj, "items", None))


def _is_record(obj: Any) -> bool:
    needed = ("get", "__contains__", "__getitem__", "__iter__")
    return isinstance(obj, Mapping) or all(hasattr(obj, name) for name in needed)


_FITS: dict[str, Callable[[Any, Shape], bool]] = {
    "null": lambda obj, _: obj is None,
    "boolean": _is_boolean,
    "int": _is_int,
    "float": _is_float,
    "double": _is_float,
    "bytes": _is_bytes,
    "fixed": _is_bytes,
    "string": _is_text,
    "enum": lambda obj, shape: isinstance(obj, str) and obj in list(shape.names),
    "array": lambda obj, _: False,
    "map": lambda obj, _: False,
}
