"""Names of ``confluent_kafka.admin`` under another import path."""

from confluent_kafka.admin import ResourcePatternType, ResourceType

__all__ = ["ResourcePatternType", "ResourceType"]
