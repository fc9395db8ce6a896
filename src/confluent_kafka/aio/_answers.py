"""What the requests of ``AIOAdminClient`` return."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Hashable
from typing import Any, TypeVar

Key = TypeVar("Key", bound=Hashable)
T = TypeVar("T")


class Answers(dict[Key, "asyncio.Future[T]"]):
    """A future for each thing that a request is about; may be awaited as a whole.

    ``await answers`` waits until all are there, and returns a dict of the results. If some failed,
    it raises the error of the first of them. ``await answers[key]`` waits for one.
    """

    # As other awaitables, which asyncio.gather() looks up; not as a dict.
    __eq__ = object.__eq__
    __hash__ = object.__hash__  # type: ignore[assignment]

    def __await__(self) -> Generator[Any, None, dict[Key, T]]:
        return self._results().__await__()

    async def _results(self) -> dict[Key, T]:
        if self:
            await asyncio.wait(self.values())
        for answer in self.values():
            if not answer.cancelled():
                answer.exception()  # it has been looked at: only the first is raised
        return {key: answer.result() for key, answer in self.items()}
