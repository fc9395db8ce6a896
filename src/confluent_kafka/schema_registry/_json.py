"""JSON, by orjson where it is there, and what JSON Schemas say of themselves."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from typing import Any

from ._fields import TAGS, FieldType

if importlib.util.find_spec("orjson") is not None:
    import orjson

    encode: Callable[[Any], str | bytes] = orjson.dumps
    decode: Callable[[bytes], Any] = orjson.loads
else:
    encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
    decode = json.loads


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
