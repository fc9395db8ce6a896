"""Wrong arguments."""

from __future__ import annotations


class RefusedValue(ValueError, AssertionError):
    """An argument has a wrong value.

    kafka-python 3 raises ValueError where its documentation, and version 2, say AssertionError:
    programs catch either.
    """


class RefusedType(TypeError, AssertionError):
    """An argument has a wrong type; the same with TypeError."""
