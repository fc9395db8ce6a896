"""Validates objects with a JSON Schema, by jsonschema-rs if it is installed, and by jsonschema.

jsonschema-rs compiles schemas and takes a hundredth of the time. But programs for confluent-kafka
expect jsonschema's errors, and its rules for Python objects. So jsonschema-rs only accepts objects,
and jsonschema checks every object that jsonschema-rs does not accept. jsonschema also checks what
jsonschema-rs cannot: schemas of draft 3, patterns that only Python's regular expressions support,
references that cannot be resolved (which are no error until an object needs them), and objects that
do not come from JSON.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NoReturn

try:
    import jsonschema
    import referencing
    from jsonschema.validators import validator_for
    from referencing.jsonschema import DRAFT7
except ImportError as error:
    raise ImportError(
        "confluent_kafka.schema_registry.json_schema needs jsonschema: "
        f"pip install httpx jsonschema jsonschema-rs ({error})",
        name=error.name,
    ) from error

from confluent_kafka.error import SerializationError

from ._json import title
from .error import SchemaParseException
from .schema import Schema

Check = Callable[[Any], None]

# The drafts by jsonschema's classes.
_COMPILERS: dict[type[Any], tuple[Callable[..., Any], int]] = {}
if importlib.util.find_spec("jsonschema_rs") is not None:
    import jsonschema_rs

    _COMPILERS = {
        jsonschema.Draft4Validator: (jsonschema_rs.Draft4Validator, jsonschema_rs.Draft4),
        jsonschema.Draft6Validator: (jsonschema_rs.Draft6Validator, jsonschema_rs.Draft6),
        jsonschema.Draft7Validator: (jsonschema_rs.Draft7Validator, jsonschema_rs.Draft7),
        jsonschema.Draft201909Validator: (
            jsonschema_rs.Draft201909Validator,
            jsonschema_rs.Draft201909,
        ),
        jsonschema.Draft202012Validator: (
            jsonschema_rs.Draft202012Validator,
            jsonschema_rs.Draft202012,
        ),
    }

# The exceptions that jsonschema raises if it cannot decide: because of references, numbers, deep
# objects, patterns, keys that are not text, and its own faults.
_FAILURES = (
    referencing.exceptions.Unresolvable,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
    re.error,
)
# The exception into which rpds, used by referencing, turns a RecursionError. It is not an
# Exception, and no module exports it.
_PANIC = "PanicException"
# The types of decoded JSON, without containers and floats.
_SCALARS = frozenset({bool, int, str, type(None)})
# jsonschema-rs recurses on the thread's stack, and does not check its end. jsonschema fails after
# about twice as many levels of a schema that refers to itself.
_LEVELS = 64


def parse(text: str, name: str) -> Any:
    """Return a schema in jsonschema's form.

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


def checker(schema: Any, referenced: Mapping[str, Schema], where: str) -> Check:
    """Return a function that raises for objects that do not fit a schema.

    Args:
        schema: the schema.
        referenced: the schemas that it refers to, by the name that the schema uses for it.
        where: its name in errors.
    """
    documents = {
        name: parse(one.schema_str, f"{name!r}, which {where} refers to,")
        for name, one in referenced.items()
    }
    kind = validator_for(schema, jsonschema.Draft7Validator)
    surely_fits = _compiled(schema, documents, kind)
    validator = kind(schema, registry=_registry(documents))
    called = title(schema) or "no title"

    def check(obj: Any) -> None:
        if surely_fits(obj):
            return
        try:
            error = jsonschema.exceptions.best_match(validator.iter_errors(obj))
        except BaseException as failure:
            if not isinstance(failure, _FAILURES) and type(failure).__name__ != _PANIC:
                raise
            raise SerializationError(f"{where} ({called}): {failure}") from failure
        if error is not None:
            field = "/".join(map(str, error.absolute_path)) or "the whole"
            raise SerializationError(f"{where} ({called}): {field}: {error.message:.500}")

    return check


def _registry(documents: Mapping[str, Any]) -> Any:
    registry: Any = referencing.Registry()
    for name, document in documents.items():
        resource = referencing.Resource.from_contents(document, default_specification=DRAFT7)
        registry = registry.with_resource(name, resource)
    return registry


def _compiled(schema: Any, documents: Mapping[str, Any], kind: type[Any]) -> Callable[[Any], bool]:
    """Return a quick check of objects.

    An object that the check accepts fits the schema. An object that it refuses may still fit.

    Args:
        schema: the schema.
        documents: the schemas that it refers to, by name.
        kind: jsonschema's class for the schema.
    """
    # The libraries use different drafts for documents that name another draft.
    if kind not in _COMPILERS or any(
        validator_for(document, kind) is not kind for document in documents.values()
    ):
        return _unknown
    compiler, draft = _COMPILERS[kind]
    try:
        registry = jsonschema_rs.Registry(list(documents.items()), draft, _refuse)
        compiled = compiler(schema, validate_formats=False, retriever=_refuse, registry=registry)
    except (ValueError, jsonschema_rs.ReferencingError):  # ValueError: an unsupported pattern
        return _unknown
    is_valid = compiled.is_valid

    def surely_fits(obj: Any) -> bool:
        try:
            return _is_json(obj) and is_valid(obj)
        except ValueError:  # a key that is not text, or text that is not valid Unicode
            return False

    return surely_fits


def _unknown(obj: Any) -> bool:
    return False


def _refuse(uri: str) -> NoReturn:
    """Refuse to fetch schemas from the network or from files, which jsonschema-rs would do."""
    raise LookupError(f"the registry has no reference to {uri}")


def _is_json(obj: Any) -> bool:
    """Return whether an object can come from a JSON text with few levels.

    jsonschema-rs also treats tuples as arrays, enums as their values, and numbers that are not
    finite as null; jsonschema does not.
    """
    level = [obj]
    for _ in range(_LEVELS):
        below: list[Any] = []
        for one in level:
            kind = type(one)
            if kind in _SCALARS:
                continue
            if kind is dict:
                below += one.values()
            elif kind is list:
                below += one
            elif kind is not float or not isfinite(one):
                return False
        if not below:
            return True
        level = below
    return False
