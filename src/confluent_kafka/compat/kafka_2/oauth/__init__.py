"""Sources of tokens."""

from __future__ import annotations

from .abstract import AbstractTokenProvider

__all__ = ["AbstractTokenProvider"]
