"""The sources of tokens of version 3, under the import path of version 2."""

from __future__ import annotations

from ...kafka.net.sasl.oauth import AbstractTokenProvider

__all__ = ["AbstractTokenProvider"]
