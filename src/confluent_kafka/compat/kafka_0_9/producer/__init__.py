"""Producers."""

from __future__ import annotations

from .keyed import KeyedProducer
from .simple import SimpleProducer

__all__ = ["KeyedProducer", "SimpleProducer"]
