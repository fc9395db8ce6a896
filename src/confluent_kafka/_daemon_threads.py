"""An executor whose threads do not delay the end of the process."""

from __future__ import annotations

import threading
import weakref
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_SECONDS_IDLE = 10.0  # a thread without a call for this time ends


class DaemonThreads(Executor):
    """An executor whose threads do not outlive the process.

    Python waits for the threads of a concurrent.futures.ThreadPoolExecutor before it exits. A
    process whose request no broker answers would then never end.

    Args:
        max_workers: how many calls run at the same time. Calls passed to give_up() do not count.
        name: the prefix of the threads' names.
    """

    def __init__(self, max_workers: int, name: str) -> None:
        if max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        self._work = _Work(max_workers, name)
        weakref.finalize(self, self._work.end)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a call on one of the threads.

        Raises:
            RuntimeError: shutdown() was called.
        """
        future: Future[T] = Future()
        self._work.add(future, partial(fn, *args, **kwargs))
        return future

    def give_up(self, future: Future[Any]) -> None:
        """Let another call start in place of one whose result nobody waits for any more."""
        self._work.replace(future)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more calls. A thread ends when its call ends; nothing waits for that."""
        self._work.end()
        if cancel_futures:
            self._work.cancel()


class _Work:
    """The calls of an executor. An executor may be deleted before its threads end."""

    def __init__(self, limit: int, name: str) -> None:
        self._limit = limit
        self._name = name
        self._changed = threading.Condition()
        self._calls: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._threads = 0
        self._idle = 0
        self._ended = False

    def add(self, future: Future[Any], call: Callable[[], Any]) -> None:
        with self._changed:
            if self._ended:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._calls.append((future, call))
            self._start_if_needed()
            self._changed.notify()

    def replace(self, future: Future[Any]) -> None:
        with self._changed:
            self._limit += 1
            self._start_if_needed()
        future.add_done_callback(self._replaced)

    def end(self) -> None:
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def cancel(self) -> None:
        with self._changed:
            for future, _ in self._calls:
                future.cancel()

    def _replaced(self, _: Future[Any]) -> None:
        with self._changed:
            self._limit -= 1

    def _start_if_needed(self) -> None:
        if len(self._calls) > self._idle and self._threads < self._limit:
            self._threads += 1
            threading.Thread(target=self._run, name=self._name, daemon=True).start()

    def _run(self) -> None:
        while (item := self._next()) is not None:
            future, call = item
            if future.set_running_or_notify_cancel():
                _settle(future, call)
            del item, future, call  # a thread that waits must not keep the client alive

    def _next(self) -> tuple[Future[Any], Callable[[], Any]] | None:
        """Wait for a call. Returns None when the thread has to end."""
        with self._changed:
            self._idle += 1
            self._changed.wait_for(lambda: self._calls or self._ended, _SECONDS_IDLE)
            self._idle -= 1
            if self._calls and self._threads <= self._limit:
                return self._calls.popleft()
            self._threads -= 1
            return None


def _settle(future: Future[Any], call: Callable[[], Any]) -> None:
    try:
        result = call()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)
