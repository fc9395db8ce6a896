"""Names of ``confluent_kafka.admin`` under another import path."""

from confluent_kafka.admin import AclOperation, TopicDescription

__all__ = ["AclOperation", "TopicDescription"]
