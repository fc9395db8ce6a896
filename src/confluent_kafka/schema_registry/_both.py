"""Exceptions with two base classes, for programs that catch either of them."""

from __future__ import annotations

import functools
from typing import Any


@functools.cache
def both(kind: type[Any], other: type[Exception]) -> type[Any]:
    """Return a subclass of two exceptions, with the name of the first one.

    Args:
        kind: the class that this package documents.
        other: the class that programs for other packages catch.
    """

    def reduce(self: Any) -> tuple[Any, ...]:
        return _restore, (kind, other, self.args, self.__dict__)

    members = {"__module__": kind.__module__, "__doc__": kind.__doc__, "__reduce__": reduce}
    return type(kind.__name__, (kind, other), members)


def _restore(kind: Any, other: Any, args: tuple[Any, ...], state: dict[str, Any]) -> Any:
    """Make an exception from its pickled parts, because pickle cannot find a generated class."""
    error = both(kind, other)(*args)
    error.__dict__.update(state)
    return error
