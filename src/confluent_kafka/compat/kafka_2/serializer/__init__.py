"""Converts keys and values to bytes, and back."""

from __future__ import annotations

from .abstract import Deserializer, Serializer

__all__ = ["Deserializer", "Serializer"]
