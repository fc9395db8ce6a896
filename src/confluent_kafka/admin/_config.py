"""Names of ``confluent_kafka.admin`` under another import path."""

from confluent_kafka.admin import (
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    ResourceType,
)

__all__ = ["AlterConfigOpType", "ConfigEntry", "ConfigResource", "ConfigSource", "ResourceType"]
