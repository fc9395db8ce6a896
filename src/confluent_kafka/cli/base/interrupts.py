"""Delays Ctrl-C and SIGTERM until the command can handle them."""

from __future__ import annotations

import signal
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class HeldInterrupts:
    """Holds the first Ctrl-C or SIGTERM back inside a ``with`` block, until check() is called.

    The first signal then cannot end the command between two steps that belong together. The second
    signal ends the command at once.
    """

    def __init__(self) -> None:
        self._came = False

    def __enter__(self) -> HeldInterrupts:
        self._before = {one: signal.signal(one, self._hold) for one in _SIGNALS}
        return self

    def __exit__(self, *exception: object) -> None:
        for one, handler in self._before.items():
            signal.signal(one, handler)

    def check(self) -> None:
        """Raise the KeyboardInterrupt that was held back, if there is one."""
        if self._came:
            raise KeyboardInterrupt

    def _hold(self, number: int, frame: FrameType | None) -> None:
        if self._came:
            raise KeyboardInterrupt
        self._came = True
