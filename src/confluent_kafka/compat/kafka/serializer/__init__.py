"""Converts keys and values to bytes, and back."""

from __future__ import annotations

from .abstract import Deserializer, Serializer
from .default import DefaultSerializer
from .json import JsonSerializer
from .wrapper import DeserializeWrapper, SerializeWrapper

__all__ = [
    "DefaultSerializer",
    "DeserializeWrapper",
    "Deserializer",
    "JsonSerializer",
    "SerializeWrapper",
    "Serializer",
]
