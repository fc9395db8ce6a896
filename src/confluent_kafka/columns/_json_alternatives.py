"""The column type for values that may have several types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from confluent_kafka.columns._json_layout import (
    ANY_JSON,
    JSON_ARRAY,
    JSON_BOOLEAN,
    JSON_NUMBER,
    JSON_OBJECT,
    JSON_STRING,
    Value,
)

FLOAT_KINDS = frozenset({"float32", "float64"})
NUMBER_KINDS = FLOAT_KINDS | {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
_TIMES = frozenset({"date", "time32", "time64", "timestamp"})
TEXT_KINDS = _TIMES | {"string", "symbol", "binary", "fixed-binary", "uuid"}
_JSON_TYPES = {"bool": JSON_BOOLEAN, "array": JSON_ARRAY, "object": JSON_OBJECT, "map": JSON_OBJECT}
_JSON_TYPES |= dict.fromkeys(NUMBER_KINDS, JSON_NUMBER) | dict.fromkeys(TEXT_KINDS, JSON_STRING)
# The argument `decimals` of JSONEncoder chooses one of the two.
_JSON_TYPES["decimal"] = JSON_NUMBER | JSON_STRING


def json_type(kind: str) -> int:
    """Return the JSON types of a kind of values, as the bits of a "json" value."""
    return _JSON_TYPES.get(kind, ANY_JSON)


def alternatives_of(values: Sequence[Value]) -> Value:
    """Return the type of values that have one of several types. If all are the same, that type.

    Args:
        values: the types, at least one.
    """
    nullable = any(value.nullable or value.kind == "null" for value in values)
    kinds = list(dict.fromkeys(_key(value) for value in values if value.kind != "null"))
    others = [value for value in values if value.kind != "null"]
    if not others:
        return values[0]
    first = others[0]
    if len(kinds) == 1:
        return first.optional(nullable)
    return _joined(others).optional(nullable)


def common_of(values: Sequence[Value]) -> Value:
    """Return the type of a value to which several types apply at the same time.

    Args:
        values: the types, at least one.
    """
    nullable = all(value.nullable or value.kind == "null" for value in values)
    known = [value for value in values if value.kind != "json"]
    if known:
        return alternatives_of(known).optional(nullable)
    types = ANY_JSON
    for value in values:
        types &= value.argument
    return Value("json", "u", nullable, argument=types or ANY_JSON)


def _key(value: Value) -> object:
    """Return a key that is equal for equal types."""
    return (
        value.kind,
        value.format,
        value.argument,
        value.scale,
        value.zoned,
        value.symbols,
        tuple((name, one.nullable, _key(one)) for name, one in value.fields.items()),
    )


def _joined(values: Sequence[Value]) -> Value:
    """Return the common type of all values, or JSON text if there is none."""
    kinds = {value.kind for value in values}
    if kinds == {"symbol"}:
        symbols = dict.fromkeys(one for value in values for one in value.symbols or ())
        return replace(values[0], symbols=tuple(symbols))
    if kinds <= TEXT_KINDS:
        return Value("string", "u")
    if kinds <= NUMBER_KINDS and kinds & FLOAT_KINDS:
        return Value("float64", "g")
    if kinds in ({"array"}, {"map"}):
        [name] = values[0].fields
        inner = alternatives_of([value.within() for value in values])
        return replace(values[0], fields={name: inner})
    types = 0
    for value in values:
        types |= value.argument if value.kind == "json" else json_type(value.kind)
    return Value("json", "u", argument=types)
