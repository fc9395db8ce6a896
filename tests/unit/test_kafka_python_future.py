"""confluent_kafka.compat.kafka.future: futures that are settled at any moment."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from confluent_kafka.compat.kafka.future import Future
from tests.support.waiting import TIMEOUT, wait_until


def at_line(number: int, method: Callable[..., Any], act: Callable[[], object]) -> Any:
    """A tracer that calls `act` before a line of a method, as a finalizer or a signal handler can
    run there."""
    code = method.__code__
    passed = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal passed
        if frame.f_code is not code:
            return None
        if event == "line":
            passed += 1
            if passed == number:
                act()
        return trace

    return trace


@pytest.mark.parametrize("number", range(1, 9))
@pytest.mark.parametrize("earlier", [0, 2])
def test_settled_by_the_thread_that_adds_a_callback(number: int, earlier: int) -> None:
    """Each callback runs once, in order, even if the adding thread itself settles the future at any
    line."""
    future, other = Future(), Future()
    called: list[int] = []
    for one in range(earlier):
        future.add_callback(lambda _, one=one: called.append(one))

    def settle() -> None:
        other.success(None)
        future.success(None)

    def add() -> None:
        sys.settrace(at_line(number, Future._when_done, settle))
        future.add_callback(lambda _: called.append(earlier))
        sys.settrace(None)
        if not future.is_done:  # the method has fewer lines than `number`
            settle()

    thread = threading.Thread(target=add, daemon=True)
    thread.start()
    thread.join(TIMEOUT)
    assert not thread.is_alive()
    assert called == list(range(earlier + 1))


@pytest.mark.parametrize("number", range(1, 9))
def test_a_callback_of_a_settled_future(number: int) -> None:
    """A callback of a settled future is called before add_callback() returns, also while another
    thread calls the earlier callbacks."""
    future = Future()
    settling, begun, go_on, added = (threading.Event() for _ in range(4))
    called: list[str] = []

    def earlier(_: object) -> None:
        settling.set()
        go_on.wait(TIMEOUT)

    def later(_: object) -> None:
        begun.set()
        if threading.current_thread() is settler:
            added.wait(TIMEOUT)
        called.append("later")

    def let_the_other_thread_go_on() -> None:
        go_on.set()
        wait_until(lambda: begun.is_set() or not settler.is_alive())

    future.add_callback(earlier)
    settler = threading.Thread(target=future.success, args=(None,), daemon=True)
    settler.start()
    assert settling.wait(TIMEOUT)
    assert future.is_done
    sys.settrace(at_line(number, Future._when_done, let_the_other_thread_go_on))
    future.add_callback(later)
    sys.settrace(None)
    assert called == ["later"]
    added.set()
    go_on.set()
    settler.join(TIMEOUT)
    assert called == ["later"]


@pytest.mark.parametrize("error", [SystemExit, ValueError])
def test_callbacks_that_raise(error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    """The other callbacks still run, because get() in another thread waits for one of them."""
    monkeypatch.setattr(Future, "error_on_callbacks", True)
    future = Future()
    called: list[str] = []

    def fail(value: str) -> None:
        called.append(value)
        raise error(value)

    future.add_callback(fail).add_callback(called.append).add_callback(fail)
    with pytest.raises(error):
        future.success("v")
    assert called == ["v"] * 3
    assert future.is_done
