"""A name that libraries import; librdkafka has the connections."""

from __future__ import annotations

from .abc import AbstractTokenProvider

__all__ = ["AbstractTokenProvider"]
