"""Another import path for names of ``confluent_kafka.admin``."""

from confluent_kafka.admin import AclOperation, TopicDescription

__all__ = ["AclOperation", "TopicDescription"]
