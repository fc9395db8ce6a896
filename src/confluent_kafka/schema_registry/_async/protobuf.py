"""Names of ``schema_registry.protobuf`` under another import path."""

from confluent_kafka.serialization import (
    DeserializerBuilder,
    MessageField,
    SerializationContext,
    SerializationError,
    SerializerBuilder,
)

from ..protobuf import (
    AsyncProtobufDeserializer,
    AsyncProtobufDeserializerBuilder,
    AsyncProtobufSerializer,
    AsyncProtobufSerializerBuilder,
)
from ..schema_registry_client import AsyncSchemaRegistryClient, RuleMode, Schema, SchemaReference
from ..serde import (
    AsyncBaseDeserializer,
    AsyncBaseSerializer,
    ParsedSchemaCache,
    SchemaId,
    async_build_serde,
    dual_schema_id_deserializer,
    prefix_schema_id_serializer,
    reference_subject_name_strategy,
)

__all__ = [
    "AsyncBaseDeserializer",
    "AsyncBaseSerializer",
    "AsyncProtobufDeserializer",
    "AsyncProtobufDeserializerBuilder",
    "AsyncProtobufSerializer",
    "AsyncProtobufSerializerBuilder",
    "AsyncSchemaRegistryClient",
    "DeserializerBuilder",
    "MessageField",
    "ParsedSchemaCache",
    "RuleMode",
    "Schema",
    "SchemaId",
    "SchemaReference",
    "SerializationContext",
    "SerializationError",
    "SerializerBuilder",
    "async_build_serde",
    "dual_schema_id_deserializer",
    "prefix_schema_id_serializer",
    "reference_subject_name_strategy",
]
