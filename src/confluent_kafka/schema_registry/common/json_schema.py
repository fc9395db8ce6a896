"""Names of ``schema_registry.json_schema`` under another import path."""

from ..json_schema import get_inline_tags, get_type
from ..schema_registry_client import RuleKind
from ..serde import FieldType

__all__ = ["FieldType", "RuleKind", "get_inline_tags", "get_type"]
