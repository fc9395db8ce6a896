"""Names of ``schema_registry.avro`` under another import path."""

from confluent_kafka.serialization import (
    DeserializerBuilder,
    MessageField,
    SerializationContext,
    SerializationError,
    SerializerBuilder,
)

from ..avro import (
    AsyncAvroDeserializer,
    AsyncAvroDeserializerBuilder,
    AsyncAvroSerializer,
    AsyncAvroSerializerBuilder,
    get_inline_tags,
    parse_schema_with_repo,
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
    "AsyncAvroDeserializer",
    "AsyncAvroDeserializerBuilder",
    "AsyncAvroSerializer",
    "AsyncAvroSerializerBuilder",
    "AsyncBaseDeserializer",
    "AsyncBaseSerializer",
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
    "get_inline_tags",
    "parse_schema_with_repo",
    "prefix_schema_id_serializer",
]
