"""Sources of tokens: those of version 3, which has them elsewhere."""

from __future__ import annotations

from ...kafka.net.sasl.oauth import AbstractTokenProvider

__all__ = ["AbstractTokenProvider"]
