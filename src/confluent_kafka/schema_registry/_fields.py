"""The kinds of fields in schemas."""

from __future__ import annotations

from enum import StrEnum


class FieldType(StrEnum):
    """The kind of a field, which is the same for all formats."""

    RECORD = "RECORD"
    ENUM = "ENUM"
    ARRAY = "ARRAY"
    MAP = "MAP"
    COMBINED = "COMBINED"
    FIXED = "FIXED"
    STRING = "STRING"
    BYTES = "BYTES"
    INT = "INT"
    LONG = "LONG"
    FLOAT = "FLOAT"
    DOUBLE = "DOUBLE"
    BOOLEAN = "BOOLEAN"
    NULL = "NULL"


TAGS = "confluent:tags"
"""The key of a field's tags in schemas that are JSON."""
