"""SIGTERM and Ctrl-C, while workers run on the main thread."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

_NUMBERS = (signal.SIGINT, signal.SIGTERM)


class StoppingAtSignals:
    """A block in which the first SIGTERM or Ctrl-C stops a worker. The second one is not caught.

    Several workers can run at the same time, as tasks of a loop: the signal stops all of them. On
    another thread than the main thread the block does nothing.

    Args:
        stop: stops the worker; called between two instructions of the main thread.
    """

    def __init__(self, stop: Callable[[], object]) -> None:
        self._stop = stop
        self._is_active = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        self._is_active = True
        for number in _NUMBERS:
            # It is None for a handler of C code, which Python cannot install again.
            if (before := signal.getsignal(number)) is not None:
                self._before[number] = before
                signal.signal(number, self._handle)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._is_active = False
        _remove_inactive()

    def _handle(self, number: int, frame: FrameType | None) -> None:
        block: StoppingAtSignals | None = self
        while block is not None:
            was_active, block._is_active = block._is_active, False
            if was_active:
                block._stop()
            block = _block_of(block._before.get(signal.Signals(number)))
        _remove_inactive()


def _remove_inactive() -> None:
    """Install the handlers that were there before the blocks that have ended.

    Blocks can end in another order than they began. A handler that somebody has installed since
    then stays.
    """
    for number in _NUMBERS:
        handler = current = signal.getsignal(number)
        while (block := _block_of(handler)) is not None and not block._is_active:
            handler = block._before[number]
        if handler is not current:
            signal.signal(number, handler)


def _block_of(handler: Any) -> StoppingAtSignals | None:
    block = getattr(handler, "__self__", None)
    return block if isinstance(block, StoppingAtSignals) else None
