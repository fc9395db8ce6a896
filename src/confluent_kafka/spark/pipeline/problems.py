"""Problems of a pipeline: the key, and how to solve the problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from confluent_kafka._suggestions import did_you_mean

Key: TypeAlias = tuple[str, ...]


@dataclass(frozen=True)
class Problem:
    """A problem of a pipeline: the parts of its key, and what is wrong there."""

    key: Key
    message: str


@dataclass
class Findings:
    """The problems of a file that have been found so far."""

    problems: list[Problem] = field(default_factory=list)
    broken: set[Key] = field(default_factory=set)
    """The keys whose values are missing or invalid. Other values replace them, so that all other
    keys can still be checked."""

    def note(self, key: Key, message: str, broken: Key | None = None) -> None:
        """Add a problem, and the key whose value is broken: by default, the key of the problem."""
        self.problems.append(Problem(key, message))
        self.broken.add(key if broken is None else broken)

    def follows(self, problem: Problem) -> bool:
        """Whether a problem is only a consequence of a broken key."""
        return any(_follows(problem, one) for one in self.broken)


def _follows(problem: Problem, broken: Key) -> bool:
    key, (*table, name) = problem.key, broken
    if key[: len(broken)] == broken:
        return True
    # Which keys a table may have depends on its format.
    if name == "format" and key[: len(table)] == tuple(table):
        return True
    return key == tuple(table) and name.removesuffix("s") in problem.message


class PipelineError(ValueError):
    """A pipeline cannot run as it is declared.

    Args:
        problems: all problems.
        file: the file with the pipeline; None for a pipeline that is declared in Python.
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
    """Return the line of a key, or of the innermost table around it that has a line."""
    for length in range(len(key), 0, -1):
        if line := lines.get(flat(key[:length])):
            return line
    return None


def flat(key: Key) -> Key:
    """Return a key in the same form for ``a."b.c"`` and ``a.b.c``."""
    return tuple(".".join(key).split("."))


def nearest(given: str, known: Iterable[str]) -> str:
    """Return a hint: the name that was probably meant, or all known names."""
    names = list(known)
    return did_you_mean(given, names, f"there is {', '.join(names)}" if names else "there is none")
