"""Names of ``schema_registry.protobuf`` under another import path."""

from confluent_kafka.serialization import SerializationError

from ..protobuf import (
    decimal_to_protobuf,
    get_inline_tags,
    get_type,
    is_map_field,
    protobuf_to_decimal,
    protobuf_to_variant,
    variant_to_protobuf,
)
from ..schema_registry_client import RuleKind
from ..serde import FieldType
from ..variant import Variant

__all__ = [
    "FieldType",
    "RuleKind",
    "SerializationError",
    "Variant",
    "decimal_to_protobuf",
    "get_inline_tags",
    "get_type",
    "is_map_field",
    "protobuf_to_decimal",
    "protobuf_to_variant",
    "variant_to_protobuf",
]
