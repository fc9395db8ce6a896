"""Another import path for a name of ``confluent_kafka.serialization``."""

from confluent_kafka.serialization import HeadersType

__all__ = ["HeadersType"]
