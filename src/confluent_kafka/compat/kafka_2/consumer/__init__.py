"""The consumer."""

from __future__ import annotations

from .group import KafkaConsumer

__all__ = ["KafkaConsumer"]
