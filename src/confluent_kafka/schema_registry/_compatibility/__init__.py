"""Checks whether a new version of a schema is compatible with the earlier versions.

Each format has a module with its rules. This module applies the rules for each level.

Source: Confluent Schema Registry, "Schema Evolution and Compatibility".
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from . import avro, json, protobuf
from .problem import Problem, SchemaError, Text

__all__ = ["LEVELS", "Problem", "SchemaError", "Text", "check", "is_transitive", "problems"]

# For each level: whether the new schema must read old data, and the old schema new data.
_DIRECTIONS = {
    "NONE": (False, False),
    "BACKWARD": (True, False),
    "FORWARD": (False, True),
    "FULL": (True, True),
}
_TRANSITIVE = "_TRANSITIVE"
LEVELS = frozenset([*_DIRECTIONS, *(f"{one}{_TRANSITIVE}" for one in _DIRECTIONS if one != "NONE")])
_WRONG_FORM = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, re.error)
_FORMATS = {"AVRO": avro, "JSON": json, "PROTOBUF": protobuf}


def is_transitive(level: str) -> bool:
    """Return whether a level compares all versions; otherwise it compares only the latest one."""
    return level.endswith(_TRANSITIVE)


def problems(level: str, kind: str, new: Text, old_kind: str, old: Text) -> list[Problem]:
    """Return why a new schema is not compatible with an old one, at a level.

    Raises:
        SchemaError: one of the texts is not a schema of its format.
        ImportError: one of the texts is a Protobuf descriptor, and the package that reads it is
            missing.
    """
    new_reads, old_reads = _DIRECTIONS[level.removesuffix(_TRANSITIVE)]
    if not (new_reads or old_reads):
        return []
    if kind != old_kind:
        return [Problem("SCHEMA_TYPE_CHANGED", "/", f"{old_kind} became {kind}")]
    rules = _FORMATS[kind].problems
    with _reading():
        return [
            *(rules(new, old) if new_reads else ()),
            *(rules(old, new) if old_reads else ()),
        ]


def check(kind: str, text: Text) -> None:
    """Check that a text is a schema of its format.

    Raises:
        SchemaError: the text is not such a schema.
    """
    # Without the package protobuf, a descriptor cannot be checked.
    with _reading(), contextlib.suppress(ImportError):
        _FORMATS[kind].check(text)


@contextlib.contextmanager
def _reading() -> Iterator[None]:
    """Turn the exceptions of a malformed document into an error of the schema."""
    try:
        yield
    except SchemaError:
        raise
    except RecursionError:
        raise SchemaError("Invalid schema: it is nested too deeply, or names itself") from None
    except _WRONG_FORM as error:
        raise SchemaError(f"Invalid schema: {type(error).__name__}: {error}") from None
