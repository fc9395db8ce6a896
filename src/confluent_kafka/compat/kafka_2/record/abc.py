"""The class that tracing packages use for messages."""

from __future__ import annotations

from ...kafka.record.abc import ABCRecord

__all__ = ["ABCRecord"]
