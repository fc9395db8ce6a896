"""AIOKafkaConsumer."""

from __future__ import annotations

from .consumer import AIOKafkaConsumer

__all__ = ["AIOKafkaConsumer"]
