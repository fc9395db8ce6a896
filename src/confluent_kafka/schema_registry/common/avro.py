"""Names of ``schema_registry.avro`` under another import path."""

from ..avro import LocalSchemaRepository, get_inline_tags, get_type, parse_schema_with_repo
from ..schema_registry_client import RuleKind, Schema
from ..serde import FieldType
from ..variant import Variant

__all__ = [
    "FieldType",
    "LocalSchemaRepository",
    "RuleKind",
    "Schema",
    "Variant",
    "get_inline_tags",
    "get_type",
    "parse_schema_with_repo",
]
