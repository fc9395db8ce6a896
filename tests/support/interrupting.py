"""Interrupts blocking calls with Ctrl-C at their first, second, ... n-th wait."""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import signal
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import confluent_kafka
from confluent_kafka.cimpl import _Client
from confluent_kafka.testing import MockCluster
from tests.support.cancelling import NOTHING, SUSPENSIONS
from tests.support.waiting import SOON, Stopwatch, wait_until

# The moments of Ctrl-C. "wait": the call checks for signals, between two steps of a wait.
# "request": the broker has a request of the call, and does not respond before the call has ended.
# "function": a function of the package begins.
MOMENTS = ("wait", "request", "function")

_PACKAGE = os.path.dirname(confluent_kafka.__file__)

# The requests that a call can wait for: Produce, OffsetFetch, ...
_REQUESTS = (0, 2, 3, 8, 9, 10, 11, 13, 14, 15, 16, 19, 20, 22, 24, 25, 26, 28, 32, 60, 78, 79)


class Interrupter:
    """Interrupts calls of the clients of a cluster, or of another server that calls received().

    Args:
        cluster: the cluster whose requests are counted.
    """

    def __init__(self, cluster: MockCluster | None = None) -> None:
        self._left = 0
        self._ended = threading.Event()
        if cluster is not None:
            for api_key in _REQUESTS:
                cluster.on_request(api_key, self.received)

    def run(self, call: Callable[[], Any], moment: str, at: int) -> Any:
        """Return the result of the call, or NOTHING if it was interrupted; raise its errors.

        The call must raise KeyboardInterrupt soon, and not only at its timeout.

        Args:
            call: the call.
            moment: one of MOMENTS.
            at: the number of the moment at which Ctrl-C comes, from 1.
        """
        self._ended.clear()
        armed = {"wait": _at_waits, "request": self._at_requests, "function": _at_functions}
        watch = Stopwatch()
        try:
            with armed[moment](at):
                result = call()
        except KeyboardInterrupt:
            assert watch.elapsed < SOON
            return NOTHING
        finally:
            self._ended.set()
        return result

    @contextlib.contextmanager
    def _at_requests(self, at: int) -> Iterator[None]:
        self._left = at
        try:
            yield
        finally:
            self._left = 0

    def received(self, *_: object) -> None:
        """Count a request. At the selected request, delay the response and interrupt the call."""
        self._left -= 1
        if self._left == 0:
            # Repeat the signal: if it comes just before a thread waits for a lock, the thread does
            # not wake.
            self._kill()
            wait_until(lambda: self._ended.wait(2), self._kill)

    def _kill(self) -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def interrupts() -> Iterator[tuple[str, int]]:
    """The interrupts that tests try with each call."""
    for moment in MOMENTS:
        for at in times(moment):
            yield moment, at


def times(moment: str) -> range:
    """The numbers of the moments to try. There are fewer waits, because each takes 0.1 s."""
    return range(1, 1 + (min(SUSPENSIONS, 5) if moment == "wait" else SUSPENSIONS))


def read_in_pieces(
    interrupter: Interrupter,
    read: Callable[[], list[int]],
    send: Callable[[int], None],
    check: Callable[[int], None],
    moment: str,
) -> None:
    """Read while messages come, and interrupt most calls. Check that messages come once, in order.

    Args:
        interrupter: the interrupter of the cluster.
        read: returns the offsets of the next messages; waits for at least one message.
        send: sends this number of messages.
        check: called after each round, with the number of messages so far.
        moment: when Ctrl-C comes, one of MOMENTS.
    """
    seen: list[int] = []
    sent = interrupted = 0
    for at, more in itertools.product(times(moment), (2, 0, 1, 4)):
        if more == 0 and moment != "wait":
            continue  # without a new message, nothing would interrupt the call before its timeout
        send(more)
        sent += more
        came = interrupter.run(read, moment, at)
        interrupted += came is NOTHING
        seen += [] if came is NOTHING else came
        while len(seen) < sent:
            came = read()
            assert came, f"message {len(seen)} is lost"
            seen += came
        assert seen == list(range(sent))
        check(sent)
    assert interrupted


@contextlib.contextmanager
def _at_waits(at: int) -> Iterator[None]:
    """Interrupt when a client checks for signals for the n-th time."""
    clients = [one for one in gc.get_objects() if isinstance(one, _Client)]
    for client in clients:
        client._interrupt_after(at)
    try:
        yield
    finally:
        for client in clients:
            client._interrupt_after(0)


@contextlib.contextmanager
def _at_functions(at: int) -> Iterator[None]:
    """Interrupt when the n-th function of the package begins, where CPython checks for signals."""
    left = at

    def begins(frame: FrameType, event: str, _: object) -> None:
        nonlocal left
        of_ours = event == "call" and frame.f_code.co_filename.startswith(_PACKAGE)
        if of_ours and not _is_in_finalizer(frame):
            left -= 1
            if left == 0:
                sys.setprofile(None)
                raise KeyboardInterrupt

    sys.setprofile(begins)
    try:
        yield
    finally:
        sys.setprofile(None)


def _is_in_finalizer(frame: FrameType | None) -> bool:
    """Whether a finalizer runs this frame. Exceptions in a finalizer do not reach the caller."""
    while frame is not None and frame.f_code is not weakref.finalize.__call__.__code__:
        frame = frame.f_back
    return frame is not None
