"""Interprets the answers to commits."""

from __future__ import annotations

from confluent_kafka import KafkaError, KafkaException

NO_LONGER_MEMBER = frozenset(
    {
        KafkaError.FENCED_MEMBER_EPOCH,
        KafkaError.ILLEGAL_GENERATION,
        KafkaError.REBALANCE_IN_PROGRESS,
        KafkaError.STALE_MEMBER_EPOCH,
        KafkaError.UNKNOWN_MEMBER_ID,
    }
)
"""Errors of a member that has lost its place in the group since it got the messages."""


class Reasons:
    """The reasons why commits of a client failed.

    A fenced static member gets FENCED_INSTANCE_ID only once; every later answer is "fatal error".
    """

    def __init__(self) -> None:
        self._fenced: KafkaError | None = None

    def of(self, failure: KafkaError | KafkaException) -> KafkaError:
        """Return the error of a commit that failed."""
        error: KafkaError = failure.args[0] if isinstance(failure, KafkaException) else failure
        if error.code() == KafkaError.FENCED_INSTANCE_ID:
            self._fenced = error
        if error.code() == KafkaError._FATAL and self._fenced is not None:
            return self._fenced
        return error
