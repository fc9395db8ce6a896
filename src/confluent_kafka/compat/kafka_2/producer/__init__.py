"""The producer."""

from __future__ import annotations

from .kafka import KafkaProducer

__all__ = ["KafkaProducer"]
