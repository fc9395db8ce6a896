"""Exceptions for wrong arguments."""

from __future__ import annotations

from .errors import IllegalStateError, KafkaConfigurationError


class RefusedValue(ValueError, AssertionError):
    """An argument has a wrong value.

    kafka-python 3 raises ValueError, but its documentation names AssertionError, which version 2
    raised. Programs may catch either.
    """


class RefusedType(TypeError, AssertionError):
    """An argument has a wrong type. It is a TypeError and an AssertionError."""


class RefusedState(IllegalStateError, AssertionError):
    """The object's state forbids the call. It is an IllegalStateError and an AssertionError."""

    def __str__(self) -> str:
        return f"{IllegalStateError.__name__}: {self.args[0]}"


class RefusedConfiguration(KafkaConfigurationError, AssertionError):
    """Keywords exclude each other. It is a KafkaConfigurationError and an AssertionError."""

    def __str__(self) -> str:
        return f"{KafkaConfigurationError.__name__}: {self.args[0]}"
