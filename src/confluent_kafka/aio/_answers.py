"""The results of the requests of ``AIOAdminClient``."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Hashable
from typing import Any, TypeVar

Key = TypeVar("Key", bound=Hashable)
T = TypeVar("T")


class Answers(dict[Key, "asyncio.Future[T]"]):
    """A dict with a future for each item of a request. You can also await it as a whole.

    ``await answers`` waits for all futures and returns a dict of their results. If some failed, it
    raises the error of the first of them. ``await answers[key]`` waits for one future.
    """

    # Compare and hash by identity, as other awaitables do and dicts do not: asyncio.gather() uses
    # awaitables as the keys of a dict.
    __eq__ = object.__eq__
    __hash__ = object.__hash__  # type: ignore[assignment]

    def __await__(self) -> Generator[Any, None, dict[Key, T]]:
        return self._results().__await__()

    async def _results(self) -> dict[Key, T]:
        if self:
            await asyncio.wait(self.values())
        for answer in self.values():
            if not answer.cancelled():
                answer.exception()  # mark it as retrieved: only the first error is raised
        return {key: answer.result() for key, answer in self.items()}
