"""Decoders of keys and values. Each turns a column of bytes into a column of a Spark type."""

from __future__ import annotations

from .pieces import Decoded, Decoder

__all__ = ["Decoded", "Decoder"]
