"""Callbacks that record their calls and raise, and checks of their exceptions."""

from __future__ import annotations

import threading
import traceback
from collections.abc import Callable
from typing import Any

from tests.support.waiting import wait_until


def divide_by_zero(*_: object) -> None:
    1 / 0  # noqa: B018


class Recorder:
    """A callback that records its arguments and its thread. Its first calls raise."""

    def __init__(self, raises: int = 0) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.threads: set[int] = set()
        self.raises = raises

    def __call__(self, *arguments: Any) -> None:
        self.calls.append(arguments)
        self.threads.add(threading.get_ident())
        if self.raises > 0:
            self.raises -= 1
            divide_by_zero()


def raised_by(call: Callable[[], object]) -> ZeroDivisionError:
    """Repeat `call` until it raises a ZeroDivisionError; return the error."""
    caught: list[ZeroDivisionError] = []

    def step() -> None:
        try:
            call()
        except ZeroDivisionError as error:
            caught.append(error)

    wait_until(lambda: caught, step)
    return caught[0]


def assert_from_callback(error: ZeroDivisionError) -> None:
    """Checks that the error is the callback's own exception.

    It has no wrapper, and its traceback contains the callback.
    """
    assert type(error) is ZeroDivisionError
    assert str(error) == "division by zero"
    frames = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
    assert frames[-1] == "divide_by_zero"
    assert error.__cause__ is None
