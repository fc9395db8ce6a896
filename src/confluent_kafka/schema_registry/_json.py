"""JSON Schemas and documents, by jsonschema, and orjson where it is there."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable, Mapping
from typing import Any

try:
    import jsonschema
    import referencing
    from jsonschema.validators import validator_for
    from referencing.jsonschema import DRAFT7
except ImportError as error:
    raise ImportError(
        "confluent_kafka.schema_registry.json_schema needs jsonschema: "
        f"pip install httpx jsonschema ({error})",
        name=error.name,
    ) from error

from confluent_kafka.error import SerializationError

from ._fields import TAGS, FieldType
from .error import SchemaParseException
from .schema import Schema

Check = Callable[[Any], None]

if importlib.util.find_spec("orjson") is not None:
    import orjson

    encode: Callable[[Any], str | bytes] = orjson.dumps
    decode: Callable[[bytes], Any] = orjson.loads
else:
    encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode
    decode = json.loads


def parse(text: str, name: str) -> Any:
    """Return a schema as jsonschema uses it.

    Raises:
        SchemaParseException: it is not a JSON Schema.
    """
    try:
        schema = json.loads(text)
        validator_for(schema, jsonschema.Draft7Validator).check_schema(schema)
    except (ValueError, RecursionError, TypeError, AttributeError) as error:
        raise SchemaParseException(f"{name} is not JSON: {error}") from error
    except jsonschema.SchemaError as error:
        place = "/".join(map(str, error.absolute_path)) or "the whole"
        raise SchemaParseException(
            f"{name} is not a JSON Schema: {place}: {error.message}"
        ) from error
    return schema


def title(schema: Any) -> str | None:
    """Return the title of a schema, which names its type."""
    found = schema.get("title") if isinstance(schema, dict) else None
    return found if isinstance(found, str) else None


def checker(schema: Any, referenced: Mapping[str, Schema], where: str) -> Check:
    """Return a function that raises for objects that do not fit a schema.

    Args:
        schema: the schema.
        referenced: the schemas that it refers to, by the name that the schema uses for it.
        where: its name in errors.
    """
    registry: Any = referencing.Registry()
    for name, one in referenced.items():
        document = parse(one.schema_str, f"{name!r}, which {where} refers to,")
        resource = referencing.Resource.from_contents(document, default_specification=DRAFT7)
        registry = registry.with_resource(name, resource)
    kind = validator_for(schema, jsonschema.Draft7Validator)
    validator = kind(schema, registry=registry)
    called = title(schema) or "no title"

    def check(obj: Any) -> None:
        try:
            if validator.is_valid(obj):
                return
            error = jsonschema.exceptions.best_match(validator.iter_errors(obj))
        except (referencing.exceptions.Unresolvable, RecursionError) as error:
            raise SerializationError(f"{where} ({called}): {error}") from error
        if error is not None:
            field = "/".join(map(str, error.absolute_path)) or "the whole"
            raise SerializationError(f"{where} ({called}): {field}: {error.message:.500}")

    return check


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
