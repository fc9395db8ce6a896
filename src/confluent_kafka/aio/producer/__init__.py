"""Another import path for names of ``confluent_kafka.aio``."""

from confluent_kafka.aio import AIOProducer

__all__ = ["AIOProducer"]
