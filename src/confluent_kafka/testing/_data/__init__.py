"""Keeps the state of a cluster between runs, in a folder."""

from confluent_kafka.testing._data._keeping import Keeping

__all__ = ["Keeping"]
