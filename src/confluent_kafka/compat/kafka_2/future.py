"""Futures, whose callbacks run where they are settled: those of version 3."""

from __future__ import annotations

from ..kafka.future import Future

__all__ = ["Future"]
