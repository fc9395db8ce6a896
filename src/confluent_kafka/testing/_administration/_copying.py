"""Copies of replicas that take time, because an administrator limited their rate."""

from __future__ import annotations

import time


class Copy:
    """A copy of one replica to another broker or directory.

    Args:
        size: the bytes to copy.
    """

    def __init__(self, size: int) -> None:
        self._left = float(size)
        self._since = time.monotonic()

    def left(self, rate: int | None) -> float:
        """Return the number of bytes that are left.

        Args:
            rate: bytes per second since the last call, or None if there is no limit.
        """
        now = time.monotonic()
        copied = self._left if rate is None else (now - self._since) * rate
        self._left, self._since = max(0.0, self._left - copied), now
        return self._left
