"""Reads and writes JSON, with orjson if it is installed; reads titles and tags of JSON Schemas."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
from collections.abc import Callable
from typing import Any

from ._fields import TAGS, FieldType

encode: Callable[[Any], str | bytes]
decode: Callable[[bytes], Any]
_strict_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode

if importlib.util.find_spec("orjson") is not None:
    import orjson

    def _encode(obj: Any) -> bytes:
        """Return an object as JSON; refuse numbers that are not finite: orjson would write null."""
        data: bytes = orjson.dumps(obj)
        if b"null" in data:
            _strict_encode(_plain(obj))
        return data

    encode, decode = _encode, orjson.loads
else:
    encode, decode = _strict_encode, json.loads


def _plain(obj: Any) -> Any:
    """Return the parts of an object that can contain a number that is not finite."""
    if isinstance(obj, dict):
        return list(map(_plain, obj.values()))
    if isinstance(obj, list | tuple):
        return list(map(_plain, obj))
    if dataclasses.is_dataclass(obj) and not isinstance(obj, type):
        return _plain(vars(obj) if hasattr(obj, "__dict__") else dataclasses.astuple(obj))
    return obj if isinstance(obj, float) else None


def title(schema: Any) -> str | None:
    """Return the title of a schema, which names its type."""
    found = schema.get("title") if isinstance(schema, dict) else None
    return found if isinstance(found, str) else None


_TYPES = {
    "array": FieldType.ARRAY,
    "boolean": FieldType.BOOLEAN,
    "integer": FieldType.INT,
    "number": FieldType.DOUBLE,
    "string": FieldType.STRING,
}


def get_type(schema: Any) -> FieldType:
    """Return the kind of a JSON Schema; NULL if the schema leaves it open.

    Args:
        schema: the schema: a dict or a bool.
    """
    if isinstance(schema, bool):
        return FieldType.COMBINED
    if "const" in schema or "enum" in schema:
        return FieldType.ENUM
    if "properties" in schema:
        return FieldType.RECORD
    kind = schema.get("type")
    if kind == "object":
        return FieldType.MAP
    return _TYPES.get(kind, FieldType.NULL) if isinstance(kind, str) else FieldType.NULL


def get_inline_tags(schema: dict[str, Any]) -> set[str]:
    """Return the tags of a JSON Schema.

    Args:
        schema: the schema.
    """
    return set(schema.get(TAGS) or ())
