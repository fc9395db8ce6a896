"""Waits for a condition, with a timeout. Tests wait in no other way."""

from __future__ import annotations

import time
from collections.abc import Callable

# Nothing in the tests takes this long, so only a hang or a lost event leads to this timeout.
TIMEOUT = 30.0

# A limit for things that happen at once. A busy machine may stop for seconds, so the wrong
# behaviour must take at least TIMEOUT.
SOON = TIMEOUT / 2


def wait_until(
    condition: Callable[[], object],
    step: Callable[[], object] | None = None,
    timeout: float = TIMEOUT,
) -> None:
    """Call `step` (or sleep a moment) until the condition holds; fail after `timeout` seconds."""
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, "the condition did not become true"
        if step is None:
            time.sleep(0.002)
        else:
            step()


class Stopwatch:
    """Measures the seconds since its creation."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    @property
    def elapsed(self) -> float:
        return time.monotonic() - self._start
