"""Names of ``schema_registry.avro`` under another import path."""

from confluent_kafka.serialization import (
    DeserializerBuilder,
    MessageField,
    SerializationContext,
    SerializationError,
    SerializerBuilder,
)

from ..avro import (
    AvroDeserializer,
    AvroDeserializerBuilder,
    AvroSerializer,
    AvroSerializerBuilder,
    get_inline_tags,
    parse_schema_with_repo,
)
from ..schema_registry_client import RuleMode, Schema, SchemaRegistryClient
from ..serde import (
    BaseDeserializer,
    BaseSerializer,
    ParsedSchemaCache,
    SchemaId,
    build_serde,
    dual_schema_id_deserializer,
    prefix_schema_id_serializer,
)

__all__ = [
    "AvroDeserializer",
    "AvroDeserializerBuilder",
    "AvroSerializer",
    "AvroSerializerBuilder",
    "BaseDeserializer",
    "BaseSerializer",
    "DeserializerBuilder",
    "MessageField",
    "ParsedSchemaCache",
    "RuleMode",
    "Schema",
    "SchemaId",
    "SchemaRegistryClient",
    "SerializationContext",
    "SerializationError",
    "SerializerBuilder",
    "build_serde",
    "dual_schema_id_deserializer",
    "get_inline_tags",
    "parse_schema_with_repo",
    "prefix_schema_id_serializer",
]
