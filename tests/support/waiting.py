"""Waiting for a condition, with a bound: the only kind of waiting that tests do."""

from __future__ import annotations

import time
from collections.abc import Callable

# Far more than anything here takes, so that only a hang or a lost event reaches it.
TIMEOUT = 30.0

# An upper bound for what happens at once. A machine that is busy with other things may stand
# still for seconds, so what would happen otherwise has to take at least TIMEOUT.
SOON = TIMEOUT / 2


def wait_until(
    condition: Callable[[], object],
    step: Callable[[], object] | None = None,
    timeout: float = TIMEOUT,
) -> None:
    """Calls `step` (or sleeps a moment) until the condition holds; fails after `timeout`."""
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, "the condition did not become true"
        if step is None:
            time.sleep(0.002)
        else:
            step()


class Stopwatch:
    """Seconds since it was made."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self._start
