"""Ends iterators that read files."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any


def close_batches(batches: Iterator[list[Any]]) -> None:
    """End a generator, which then closes its file.

    Args:
        batches: the generator, or another iterator, which has no file.
    """
    if isinstance(batches, Generator):
        batches.close()
