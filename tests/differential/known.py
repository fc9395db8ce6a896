"""Differences from the originals that the documents name, each in a table of differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Known:
    """A difference, and where it is documented."""

    peers: frozenset[str]
    document: str
    """The file below ``docs/`` that has it in a table."""
    fits: Callable[[list[Any], Any, Any], bool]
    """Whether the steps, our outcome and theirs are this difference."""


KNOWN: tuple[Known, ...] = ()
