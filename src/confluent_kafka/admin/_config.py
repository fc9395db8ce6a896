"""Another import path for names of ``confluent_kafka.admin``."""

from confluent_kafka.admin import (
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    ResourceType,
)

__all__ = ["AlterConfigOpType", "ConfigEntry", "ConfigResource", "ConfigSource", "ResourceType"]
