"""Names of ``schema_registry.serde`` under another import path."""

from confluent_kafka.serialization import (
    Deserializer,
    MessageField,
    SerializationContext,
    SerializationError,
    Serializer,
)

from ..schema_registry_client import (
    AsyncSchemaRegistryClient,
    RegisteredSchema,
    Rule,
    RuleKind,
    RuleMode,
    RuleSet,
    Schema,
    SchemaRegistryError,
)
from ..serde import (
    FALLBACK_TYPE,
    KAFKA_CLUSTER_ID,
    AsyncAssociatedNameStrategy,
    AsyncBaseDeserializer,
    AsyncBaseSerde,
    AsyncBaseSerializer,
    SchemaId,
    SubjectNameStrategyType,
    async_build_serde,
    topic_subject_name_strategy,
)

__all__ = [
    "FALLBACK_TYPE",
    "KAFKA_CLUSTER_ID",
    "AsyncAssociatedNameStrategy",
    "AsyncBaseDeserializer",
    "AsyncBaseSerde",
    "AsyncBaseSerializer",
    "AsyncSchemaRegistryClient",
    "Deserializer",
    "MessageField",
    "RegisteredSchema",
    "Rule",
    "RuleKind",
    "RuleMode",
    "RuleSet",
    "Schema",
    "SchemaId",
    "SchemaRegistryError",
    "SerializationContext",
    "SerializationError",
    "Serializer",
    "SubjectNameStrategyType",
    "async_build_serde",
    "topic_subject_name_strategy",
]
