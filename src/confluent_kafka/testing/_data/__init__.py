"""A folder that keeps what a cluster has between runs."""

from confluent_kafka.testing._data._keeping import Keeping

__all__ = ["Keeping"]
