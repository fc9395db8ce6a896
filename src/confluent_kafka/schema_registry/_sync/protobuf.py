"""Names of ``schema_registry.protobuf`` under another import path."""

from confluent_kafka.serialization import (
    DeserializerBuilder,
    MessageField,
    SerializationContext,
    SerializationError,
    SerializerBuilder,
)

from ..protobuf import (
    ProtobufDeserializer,
    ProtobufDeserializerBuilder,
    ProtobufSerializer,
    ProtobufSerializerBuilder,
)
from ..schema_registry_client import RuleMode, Schema, SchemaReference, SchemaRegistryClient
from ..serde import (
    BaseDeserializer,
    BaseSerializer,
    ParsedSchemaCache,
    SchemaId,
    build_serde,
    dual_schema_id_deserializer,
    prefix_schema_id_serializer,
    reference_subject_name_strategy,
)

__all__ = [
    "BaseDeserializer",
    "BaseSerializer",
    "DeserializerBuilder",
    "MessageField",
    "ParsedSchemaCache",
    "ProtobufDeserializer",
    "ProtobufDeserializerBuilder",
    "ProtobufSerializer",
    "ProtobufSerializerBuilder",
    "RuleMode",
    "Schema",
    "SchemaId",
    "SchemaReference",
    "SchemaRegistryClient",
    "SerializationContext",
    "SerializationError",
    "SerializerBuilder",
    "build_serde",
    "dual_schema_id_deserializer",
    "prefix_schema_id_serializer",
    "reference_subject_name_strategy",
]
