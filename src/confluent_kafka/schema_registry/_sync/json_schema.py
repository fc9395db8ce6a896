"""Names of ``schema_registry.json_schema`` under another import path."""

from confluent_kafka.serialization import (
    DeserializerBuilder,
    MessageField,
    SerializationContext,
    SerializationError,
    SerializerBuilder,
)

from ..json_schema import (
    JSONDeserializer,
    JSONDeserializerBuilder,
    JSONSerializer,
    JSONSerializerBuilder,
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
    "BaseDeserializer",
    "BaseSerializer",
    "DeserializerBuilder",
    "JSONDeserializer",
    "JSONDeserializerBuilder",
    "JSONSerializer",
    "JSONSerializerBuilder",
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
    "prefix_schema_id_serializer",
]
