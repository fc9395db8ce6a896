"""The caches of a client."""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable
from typing import Generic, TypeVar

V = TypeVar("V")


class Cache(Generic[V]):
    """Values by key: at most ``capacity`` values, none of them older than ``ttl`` seconds.

    If it is full, it forgets the oldest value. Several threads may use it.
    """

    def __init__(self, capacity: int, ttl: float | None = None) -> None:
        self._capacity = capacity
        self._ttl = ttl
        self._values: dict[Hashable, tuple[float, V]] = {}
        self._lock = threading.Lock()
        self.forgotten = 0
        """How often discard() or clear() has been called."""

    def get(self, key: Hashable) -> V | None:
        """Return the value of a key; None if there is none, or it is too old."""
        found = self._values.get(key)
        if found is None or (self._ttl is not None and time.monotonic() - found[0] >= self._ttl):
            return None
        return found[1]

    def put(self, key: Hashable, value: V, since: int) -> V:
        """Return a value, and cache it unless discard() or clear() was called meanwhile.

        Args:
            key: its key.
            value: the value.
            since: the value of ``forgotten`` before the registry was asked.
        """
        with self._lock:
            if self.forgotten != since:
                return value
            self._values.pop(key, None)
            while len(self._values) >= self._capacity:
                del self._values[next(iter(self._values))]
            self._values[key] = (time.monotonic(), value)
        return value

    def discard(self, test: object, place: int = 0) -> None:
        """Forget the values whose keys, which are tuples, have ``test`` at index ``place``."""
        with self._lock:
            self.forgotten += 1
            for key in [key for key in self._values if key[place] == test]:  # type: ignore[index]
                del self._values[key]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self.forgotten += 1
            self._values.clear()
