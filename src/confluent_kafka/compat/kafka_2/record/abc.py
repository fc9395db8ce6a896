"""What tracing packages call a message."""

from __future__ import annotations

from ...kafka.record.abc import ABCRecord

__all__ = ["ABCRecord"]
