"""Turns an Arrow schema into the types of JSON payloads."""

from __future__ import annotations

import re
from typing import Any

from confluent_kafka.cimpl import _arrow_type
from confluent_kafka.columns._json_layout import ANY_JSON, FRACTION_DIGITS, Value
from confluent_kafka.columns._layout import UUID_EXTENSION

# Large and view types become the plain types, which can hold the same values.
_KINDS = {
    "n": ("null", "n"),
    "b": ("bool", "b"),
    "c": ("int8", "c"),
    "C": ("uint8", "C"),
    "s": ("int16", "s"),
    "S": ("uint16", "S"),
    "i": ("int32", "i"),
    "I": ("uint32", "I"),
    "l": ("int64", "l"),
    "L": ("uint64", "L"),
    "f": ("float32", "f"),
    "g": ("float64", "g"),
    "u": ("string", "u"),
    "U": ("string", "u"),
    "vu": ("string", "u"),
    "z": ("binary", "z"),
    "Z": ("binary", "z"),
    "vz": ("binary", "z"),
    "tdD": ("date", "tdD"),
}
_LISTS = {"+l", "+L", "+vl", "+vL"}
_DECIMAL = re.compile(r"d:(\d+),(\d+)(?:,256)?")
_UUID = ("w:16", UUID_EXTENSION)
# The name of Arrow's extension type for strings that are JSON texts.
_JSON = ("string", "arrow.json")
_REFUSED = {
    "d": "a decimal of a negative scale, or of 32 or 64 bits",
    "e": "a float of 16 bits",
    "tdm": "a date of 64 bits",
    "tD": "a duration",
    "ti": "an interval",
    "+u": "a union",
    "+w": "a list of a fixed size",
    "+r": "run-end encoded",
}


def from_arrow(schema: Any) -> Value:
    """Return the type of the values for an object with __arrow_c_schema__().

    Raises:
        TypeError: the object does not have this method.
        ValueError: a type cannot be read from JSON.
    """
    description = _arrow_type(schema)
    value = _value(description, "")
    if value.kind == "object":
        # A schema does not define whether rows may be null.
        return value.optional(False)
    return value


def _value(description: tuple[Any, ...], path: str) -> Value:
    form, _, nullable, children, metadata, is_dictionary = description
    if is_dictionary:
        raise _refusal(
            path, "a dictionary; give the type of its values, which a schema does not contain"
        )
    if form == "+s":
        return Value("object", form, nullable, metadata=metadata, fields=_fields(children, path))
    if form in _LISTS:
        [item] = children
        return Value("array", "+l", nullable, fields={item[1]: _value(item, f"{path}[]")})
    if form == "+m":
        return Value("map", form, nullable, fields=_entries(children[0], path))
    return _plain(form, metadata, path).optional(nullable)


def _fields(children: tuple[tuple[Any, ...], ...], path: str) -> dict[str, Value]:
    fields: dict[str, Value] = {}
    for child in children:
        name = child[1]
        full = f"{path}.{name}" if path else name
        if name in fields:
            raise ValueError(f"schema has two fields {full!r}")
        fields[name] = _value(child, full)
    return fields


def _entries(entries: tuple[Any, ...], path: str) -> dict[str, Value]:
    key, value = entries[3]
    if _KINDS.get(key[0], ("",))[0] != "string":
        raise _refusal(path, "a map whose keys are not strings")
    return {value[1]: _value(value, f"{path}[]")}


def _plain(form: str, metadata: dict[str, str], path: str) -> Value:
    if form in _KINDS:
        kind, own = _KINDS[form]
        if (kind, metadata.get("ARROW:extension:name")) == _JSON:
            return Value("json", own, argument=ANY_JSON, metadata=metadata)
        return Value(kind, own, metadata=metadata)
    if (form, metadata.get("ARROW:extension:name")) == _UUID:
        return Value("uuid", form, metadata=metadata)
    if form.startswith("w:") and form != "w:0":
        return Value("fixed-binary", form, metadata=metadata)
    if form.startswith("tt"):
        digits = FRACTION_DIGITS[form[2]]
        kind = "time64" if digits > 3 else "time32"
        return Value(kind, form, argument=digits, metadata=metadata)
    if form.startswith("ts"):
        unit, _, zone = form[2:].partition(":")
        digits = FRACTION_DIGITS[unit]
        return Value("timestamp", form, argument=digits, zoned=bool(zone), metadata=metadata)
    if decimal := _DECIMAL.fullmatch(form):
        precision, scale = map(int, decimal.groups())
        return Value("decimal", form, argument=precision, scale=scale, metadata=metadata)
    words = next((words for start, words in _REFUSED.items() if form.startswith(start)), form)
    raise _refusal(path, words)


def _refusal(path: str, words: str) -> ValueError:
    where = f"the field {path!r}" if path else "the type"
    return ValueError(f"schema cannot be read from JSON: {where} is {words}")
