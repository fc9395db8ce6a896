"""A name of ``confluent_kafka.serialization`` under another import path."""

from confluent_kafka.serialization import HeadersType

__all__ = ["HeadersType"]
