"""Names of ``schema_registry.serde`` under another import path."""

from confluent_kafka.serialization import (
    Deserializer,
    MessageField,
    SerializationContext,
    SerializationError,
    Serializer,
)

from ..schema_registry_client import (
    RegisteredSchema,
    Rule,
    RuleKind,
    RuleMode,
    RuleSet,
    Schema,
    SchemaRegistryClient,
    SchemaRegistryError,
)
from ..serde import (
    FALLBACK_TYPE,
    KAFKA_CLUSTER_ID,
    AssociatedNameStrategy,
    BaseDeserializer,
    BaseSerde,
    BaseSerializer,
    SchemaId,
    SubjectNameStrategyType,
    build_serde,
    topic_subject_name_strategy,
)

__all__ = [
    "FALLBACK_TYPE",
    "KAFKA_CLUSTER_ID",
    "AssociatedNameStrategy",
    "BaseDeserializer",
    "BaseSerde",
    "BaseSerializer",
    "Deserializer",
    "MessageField",
    "RegisteredSchema",
    "Rule",
    "RuleKind",
    "RuleMode",
    "RuleSet",
    "Schema",
    "SchemaId",
    "SchemaRegistryClient",
    "SchemaRegistryError",
    "SerializationContext",
    "SerializationError",
    "Serializer",
    "SubjectNameStrategyType",
    "build_serde",
    "topic_subject_name_strategy",
]
