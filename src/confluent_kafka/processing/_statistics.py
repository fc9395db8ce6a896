"""What a worker has done so far."""

from __future__ import annotations

import threading
from typing import NamedTuple


class WorkerStatistics(NamedTuple):
    """What a worker has done since it was created, and what it is doing.

    Attributes:
        handled: messages that the handler has handled.
        failures: calls of the handler that raised an exception.
        delayed: messages that went to a delay topic.
        dead: messages that went to a dead-letter topic.
        late: messages that were done only after `drain_timeout`, when their partition had been
            revoked. Another member gets them again.
        in_flight: messages that were received and are not done.
        in_flight_bytes: the size of their values.
    """

    handled: int = 0
    failures: int = 0
    delayed: int = 0
    dead: int = 0
    late: int = 0
    in_flight: int = 0
    in_flight_bytes: int = 0


class Counters:
    """Counters that several threads change.

    Attributes:
        failures: see WorkerStatistics.
        delayed: see WorkerStatistics.
        dead: see WorkerStatistics.
    """

    def __init__(self) -> None:
        self.failures = 0
        self.delayed = 0
        self.dead = 0
        self._lock = threading.Lock()

    def add(self, failures: int = 0, delayed: int = 0, dead: int = 0) -> None:
        """Count what has happened to messages."""
        with self._lock:
            self.failures += failures
            self.delayed += delayed
            self.dead += dead
