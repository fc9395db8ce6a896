"""Names of ``schema_registry.json_schema`` under another import path."""

from confluent_kafka.serialization import (
    DeserializerBuilder,
    MessageField,
    SerializationContext,
    SerializationError,
    SerializerBuilder,
)

from ..json_schema import (
    AsyncJSONDeserializer,
    AsyncJSONDeserializerBuilder,
    AsyncJSONSerializer,
    AsyncJSONSerializerBuilder,
)
from ..schema_registry_client import AsyncSchemaRegistryClient, RuleMode, Schema
from ..serde import (
    AsyncBaseDeserializer,
    AsyncBaseSerializer,
    ParsedSchemaCache,
    SchemaId,
    async_build_serde,
    dual_schema_id_deserializer,
    prefix_schema_id_serializer,
)

__all__ = [
    "AsyncBaseDeserializer",
    "AsyncBaseSerializer",
    "AsyncJSONDeserializer",
    "AsyncJSONDeserializerBuilder",
    "AsyncJSONSerializer",
    "AsyncJSONSerializerBuilder",
    "AsyncSchemaRegistryClient",
    "DeserializerBuilder",
    "MessageField",
    "ParsedSchemaCache",
    "RuleMode",
    "Schema",
    "SchemaId",
    "SerializationContext",
    "SerializationError",
    "SerializerBuilder",
    "async_build_serde",
    "dual_schema_id_deserializer",
    "prefix_schema_id_serializer",
]
