"""Wrong arguments."""

from __future__ import annotations

from .errors import IllegalStateError, KafkaConfigurationError


class RefusedValue(ValueError, AssertionError):
    """An argument has a wrong value.

    kafka-python 3 raises ValueError where its documentation, and version 2, say AssertionError:
    programs catch either.
    """


class RefusedType(TypeError, AssertionError):
    """An argument has a wrong type; the same with TypeError."""


class RefusedState(IllegalStateError, AssertionError):
    """The object's state does not allow the call; the same with IllegalStateError."""

    def __str__(self) -> str:
        return f"{IllegalStateError.__name__}: {self.args[0]}"


class RefusedConfiguration(KafkaConfigurationError, AssertionError):
    """Keywords do not go together; the same with KafkaConfigurationError."""

    def __str__(self) -> str:
        return f"{KafkaConfigurationError.__name__}: {self.args[0]}"
