"""Problems of a pipeline: the key, and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from confluent_kafka._suggestions import did_you_mean

Key: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Problem:
    """One problem."""

    key: Key
    message: str


class PipelineError(ValueError):
    """A pipeline cannot run as it is declared.

    Args:
        problems: all problems.
        file: where the pipeline stands; None for one declared in Python.
        lines: the line of each key of the file.
    """

    def __init__(
        self,
        problems: Iterable[Problem],
        file: str | None = None,
        lines: Mapping[Key, int] | None = None,
    ) -> None:
        self.problems: list[Problem] = list(problems)
        self.file = file
        self.lines: dict[Key, int] = dict(lines or {})
        super().__init__("\n".join(map(self._describe, self.problems)))

    def _describe(self, problem: Problem) -> str:
        place = ".".join(problem.key) or "the pipeline"
        line = line_of(problem.key, self.lines)
        at = f":{line}" if line else ""
        return (
            f"{self.file}{at}: {place}: {problem.message}"
            if self.file
            else (f"{place}: {problem.message}")
        )


def line_of(key: Key, lines: Mapping[Key, int]) -> int | None:
    """Return the line of a key, or of the nearest one that it is in."""
    for length in range(len(key), 0, -1):
        if line := lines.get(flat(key[:length])):
            return line
    return None


def flat(key: Key) -> Key:
    """Return a key in the one form that ``a."b.c"`` and ``a.b.c`` have in common."""
    return tuple(".".join(key).split("."))


def nearest(given: str, known: Iterable[str]) -> str:
    """Return a hint: the name that was probably meant, or all there are."""
    names = list(known)
    return did_you_mean(given, names, f"there is {', '.join(names)}" if names else "there is none")
