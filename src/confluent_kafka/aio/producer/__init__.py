"""Names of ``confluent_kafka.aio`` under another import path."""

from confluent_kafka.aio import AIOProducer

__all__ = ["AIOProducer"]
