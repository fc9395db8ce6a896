"""Futures whose callbacks run on the thread that settles them."""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Callable, Generator
from typing import Any, ClassVar, Self

_log = logging.getLogger(__name__)


class Future:
    """The future result of an operation."""

    error_on_callbacks: ClassVar[bool] = False
    """Whether success() and failure() raise exceptions of callbacks; otherwise they are logged."""

    is_done = False
    _value: Any = None
    exception: BaseException | None = None
    """The exception of a failed operation; None before."""
    _callbacks: list[Callable[[Any], object]] | None = None

    @property
    def value(self) -> Any:
        """The result of the operation; None before."""
        return self._value

    def succeeded(self) -> bool:
        """Return whether the operation has succeeded."""
        return self.is_done and self.exception is None

    def failed(self) -> bool:
        """Return whether the operation has failed."""
        return self.is_done and self.exception is not None

    def retriable(self) -> bool:
        """Return whether the operation has failed with a retriable exception."""
        return bool(getattr(self.exception, "retriable", False))

    def success(self, value: Any) -> Self:
        """Settle the future with a result."""
        return self._settle(value, None)

    def failure(self, e: Any) -> Self:
        """Settle the future with an exception.

        Args:
            e: the exception, or its class.

        Raises:
            TypeError: it is neither an exception nor a class of exceptions.
        """
        exception = e() if isinstance(e, type) else e
        if not isinstance(exception, BaseException):
            raise TypeError(f"a future fails with an exception, not with {e!r}")
        return self._settle(None, exception)

    def add_callback(self, f: Callable[..., object], *args: Any, **kwargs: Any) -> Self:
        """Call a function with the result.

        If the future is settled, the function is called at once. Otherwise the call that settles
        the future calls it.

        Args:
            f: called with `args`, the result and `kwargs`.
            *args: arguments before the result.
            **kwargs: more arguments.
        """
        call = functools.partial(f, *args, **kwargs) if args or kwargs else f
        return self._when_done(lambda one: one.exception is None and call(one.value))

    def add_errback(self, f: Callable[..., object], *args: Any, **kwargs: Any) -> Self:
        """Call a function with the exception; see add_callback()."""
        call = functools.partial(f, *args, **kwargs) if args or kwargs else f
        return self._when_done(lambda one: one.exception is not None and call(one.exception))

    def add_both(self, f: Callable[..., object], *args: Any, **kwargs: Any) -> Self:
        """Call a function with the result or the exception; see add_callback()."""
        self.add_callback(f, *args, **kwargs)
        return self.add_errback(f, *args, **kwargs)

    def chain(self, future: Future) -> Self:
        """Settle another future with the same result or exception."""
        self.add_callback(future.success)
        return self.add_errback(future.failure)

    def __await__(self) -> Generator[Self, None, Any]:
        if not self.is_done:
            yield self
        if self.exception is not None:
            raise self.exception
        return self.value

    def _settle(self, value: Any, exception: BaseException | None) -> Self:
        self._value, self.exception = value, exception
        self._has_settled()
        return self

    def _has_settled(self) -> None:
        """Wake all waiting threads and call the callbacks."""
        self.is_done = True
        if self._callbacks is not None:
            self._run_all(self._callbacks)

    def _when_done(self, callback: Callable[[Any], object]) -> Self:
        """Call a callback: here if the future is settled, otherwise in the call that settles it.

        There is no lock. The settling thread may be this thread, in a finalizer or a signal
        handler, and a thread that holds a lock does not exist in a forked process. setdefault()
        makes only one list.
        """
        callbacks = self._callbacks
        if self.is_done:
            # Not through the list, because the settling thread could still take the callback from
            # it.
            self._run_all(callbacks or [])
            self._run(callback)
            return self
        if callbacks is None:
            callbacks = vars(self).setdefault("_callbacks", [])
        callbacks.append(callback)
        if self.is_done:  # perhaps too late for the other thread to find the callback
            self._run_all(callbacks)
        return self

    def _run_all(self, callbacks: list[Callable[[Any], object]]) -> None:
        """Call the callbacks that no other thread has taken from the list.

        All of them are called, even if one raises an exception: get() waits for one of them.
        """
        raised: BaseException | None = None
        while callbacks:
            try:
                callback = callbacks.pop(0)
            except IndexError:  # another thread was faster
                break
            try:
                self._run(callback)
            except BaseException as error:
                if raised is not None:
                    _log.error("a callback of a future failed", exc_info=raised)
                raised = error
        if raised is not None:
            raise raised

    def _run(self, callback: Callable[[Any], object]) -> None:
        try:
            callback(self)
        except Exception:
            if self.error_on_callbacks:
                raise
            _log.exception("a callback of a future failed")

    def _wait(self, seconds: float | None) -> bool:
        """Wait until the future is settled; return whether it is settled.

        Args:
            seconds: the timeout; None waits without limit.
        """
        if not self.is_done:
            settled = threading.Event()
            self._when_done(lambda _: settled.set())
            settled.wait(seconds)
        return self.is_done
