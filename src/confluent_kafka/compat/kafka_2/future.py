"""The futures of version 3, whose callbacks run on the thread that settles them."""

from __future__ import annotations

from ..kafka.future import Future

__all__ = ["Future"]
