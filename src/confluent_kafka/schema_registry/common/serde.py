"""Names of ``schema_registry.serde`` under another import path."""

from confluent_kafka.serialization import SerializationContext, SerializationError

from ..schema_registry_client import RegisteredSchema, Rule, RuleKind, RuleMode, Schema
from ..serde import (
    FieldType,
    ParsedSchemaCache,
    SchemaId,
    SubjectNameStrategyType,
    record_subject_name_strategy,
    topic_record_subject_name_strategy,
    topic_subject_name_strategy,
)

__all__ = [
    "FieldType",
    "ParsedSchemaCache",
    "RegisteredSchema",
    "Rule",
    "RuleKind",
    "RuleMode",
    "Schema",
    "SchemaId",
    "SerializationContext",
    "SerializationError",
    "SubjectNameStrategyType",
    "record_subject_name_strategy",
    "topic_record_subject_name_strategy",
    "topic_subject_name_strategy",
]
