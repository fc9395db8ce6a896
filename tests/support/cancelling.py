"""Cancels coroutines at their first, second, ... n-th suspension."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import itertools
import os
import pkgutil
from collections.abc import Awaitable, Callable, Generator, Iterator
from types import ModuleType
from typing import Any

# The number of suspensions that tests try for each call. `make cancellation` tries more.
SUSPENSIONS = int(os.environ.get("CANCELLATION_SUSPENSIONS", "3"))

# The moment of the cancellation: while the task waits, or just after the awaited result is there.
MOMENTS = ("waiting", "ready")

NOTHING = object()

# The methods that `async with` and `async for` call.
_SYNTAX = frozenset({"__aenter__", "__aexit__", "__anext__"})


class Cut:
    """Awaits something, and cancels the task at one of its suspensions.

    Args:
        work: the object to await.
        at: the number of the suspension, from 1.
        moment: one of MOMENTS.
    """

    def __init__(self, work: Awaitable[Any], at: int, moment: str) -> None:
        self._work = work
        self._left = at
        self._moment = moment

    @property
    def was_reached(self) -> bool:
        return self._left <= 0

    async def run(self) -> Any:
        """Return the result, or NOTHING if the task was cancelled; raise the task's errors."""
        task = asyncio.ensure_future(self._awaited())
        try:
            return await task
        except asyncio.CancelledError:
            own = asyncio.current_task()
            if own is not None and own.cancelling():
                raise
            return NOTHING

    async def _awaited(self) -> Any:
        return await self

    def __await__(self) -> Generator[Any, Any, Any]:
        inner = self._work.__await__()
        thrown: BaseException | None = None
        while True:
            try:
                waiting = inner.send(None) if thrown is None else inner.throw(thrown)
            except StopIteration as end:
                return end.value
            self._suspended(waiting)
            thrown = None
            try:
                yield waiting
            except BaseException as error:
                thrown = error

    def _suspended(self, waiting: Any) -> None:
        self._left -= 1
        if self._left != 0:
            return
        task = asyncio.current_task()
        assert task is not None
        if self._moment == "ready" and waiting is not None:
            waiting.add_done_callback(lambda _: task.cancel())
        else:
            asyncio.get_running_loop().call_soon(task.cancel)


def cuts() -> Iterator[tuple[int, str]]:
    """The cancellations that tests try with each call."""
    for at in range(1, SUSPENSIONS + 1):
        for moment in MOMENTS:
            yield at, moment


async def cut_everywhere(once: Callable[[int, str], Awaitable[bool]]) -> None:
    """Cancel a coroutine at each of its suspensions.

    Args:
        once: runs the coroutine with one cancellation; returns whether the coroutine reached that
            suspension.
    """
    for at, moment in cuts():
        if not await once(at, moment):
            return


async def read_in_pieces(
    read: Callable[[], Awaitable[list[int]]],
    count: int,
    check: Callable[[int], Awaitable[None]],
) -> None:
    """Read to the end, and cancel every other call. Check that messages come once, and in order.

    Args:
        read: returns the offsets of the next messages.
        count: the number of messages.
        check: called after every two calls, with the number of messages so far.
    """
    seen: list[int] = []
    cut = itertools.cycle(cuts())

    async def noted() -> None:
        seen.extend(await read())

    while len(seen) < count:
        await Cut(noted(), *next(cut)).run()
        if len(seen) < count:
            await noted()
        assert seen == list(range(len(seen)))
        await check(len(seen))


def coroutines_of(package: ModuleType) -> set[tuple[type[Any], str]]:
    """The public coroutines of all public classes of a package, each with its class."""
    names = [
        package.__name__,
        *(one.name for one in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")),
    ]
    public = [importlib.import_module(name) for name in names if "._" not in name]
    classes = {
        value
        for module in public
        for name, value in vars(module).items()
        if inspect.isclass(value)
        and not name.startswith("_")
        and (name in getattr(module, "__all__", ()) or value.__module__ == module.__name__)
    }
    return {
        (kind, name)
        for kind in classes
        for name in dir(kind)
        if (name in _SYNTAX or not name.startswith("_"))
        and inspect.iscoroutinefunction(getattr(kind, name))
    }
