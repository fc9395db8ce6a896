"""Consumers."""

from __future__ import annotations

from .kafka import KafkaConsumer
from .multiprocess import MultiProcessConsumer
from .simple import SimpleConsumer

__all__ = ["KafkaConsumer", "MultiProcessConsumer", "SimpleConsumer"]
