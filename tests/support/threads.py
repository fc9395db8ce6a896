"""Makes calls in other threads, and keeps their results and exceptions."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.support.waiting import TIMEOUT


class Thread:
    """A call in another thread. result() returns its result, or raises its exception."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._outcome: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._outcome = self._call()
        except BaseException as error:
            self._error = error

    def result(self) -> Any:
        self._thread.join(TIMEOUT)
        assert not self._thread.is_alive(), "the call did not return"
        if self._error is not None:
            raise self._error
        return self._outcome


@contextmanager
def running(*calls: Callable[[], Any]) -> Iterator[None]:
    """Repeats each call in a thread of its own until the end of the block."""
    stop = threading.Event()

    def repeat(call: Callable[[], Any]) -> None:
        while not stop.is_set():
            call()

    threads = [Thread(functools.partial(repeat, call)) for call in calls]
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.result()
