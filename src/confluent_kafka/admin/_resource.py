"""Another import path for names of ``confluent_kafka.admin``."""

from confluent_kafka.admin import ResourcePatternType, ResourceType

__all__ = ["ResourcePatternType", "ResourceType"]
