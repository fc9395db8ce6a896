"""Converts librdkafka's errors to the exceptions of a compatibility API."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from confluent_kafka import KafkaError, KafkaException

# librdkafka's own codes, by the names of exceptions that both aiokafka and kafka-python have.
_ALIKE = {
    KafkaError._ALL_BROKERS_DOWN: "KafkaConnectionError",
    KafkaError._AUTO_OFFSET_RESET: "NoOffsetForPartitionError",
    KafkaError._BAD_COMPRESSION: "UnsupportedCodecError",
    KafkaError._CONFLICT: "IllegalStateError",
    KafkaError._DESTROY_BROKER: "KafkaConnectionError",
    KafkaError._INVALID_ARG: "IllegalArgumentError",
    KafkaError._MAX_POLL_EXCEEDED: "UnknownMemberIdError",
    KafkaError._MSG_TIMED_OUT: "KafkaTimeoutError",
    KafkaError._NO_OFFSET: "NoOffsetForPartitionError",
    KafkaError._NOT_IMPLEMENTED: "UnsupportedVersionError",
    KafkaError._PURGE_INFLIGHT: "Cancelled",
    KafkaError._PURGE_QUEUE: "Cancelled",
    KafkaError._RESOLVE: "KafkaConnectionError",
    KafkaError._SSL: "KafkaConnectionError",
    KafkaError._STATE: "IllegalStateError",
    KafkaError._TIMED_OUT: "KafkaTimeoutError",
    KafkaError._TIMED_OUT_QUEUE: "KafkaTimeoutError",
    KafkaError._TRANSPORT: "KafkaConnectionError",
    KafkaError._UNKNOWN_GROUP: "InvalidGroupIdError",
    KafkaError._UNKNOWN_PARTITION: "UnknownTopicOrPartitionError",
    KafkaError._UNKNOWN_TOPIC: "UnknownTopicOrPartitionError",
    KafkaError._UNSUPPORTED_FEATURE: "UnsupportedVersionError",
}


class Failures:
    """The exceptions of a compatibility API for errors.

    Args:
        errors: the API's module of exceptions. Its ``for_code()`` returns the exception for an
            error number of Kafka's protocol. librdkafka's own errors become its KafkaError, unless
            ``others`` contains them.
        others: exceptions by codes, of librdkafka or of the protocol, which take precedence.
    """

    def __init__(self, errors: Any, others: Mapping[int, type[Exception]]) -> None:
        self._base: type[Exception] = errors.KafkaError
        self._for_code: Callable[[int], type[Exception]] = errors.for_code
        alike = {code: getattr(errors, name) for code, name in _ALIKE.items()}
        self._others: Mapping[int, type[Exception]] = {**alike, **others}

    def failure_of(self, failure: KafkaError | KafkaException) -> Any:
        """Return the API's exception for an error.

        Args:
            failure: a KafkaError, or a KafkaException, which becomes the cause.

        Returns:
            The exception, with the error's text; not raised.
        """
        error = failure.args[0] if isinstance(failure, KafkaException) else failure
        if not isinstance(error, KafkaError):
            exception = self._base(str(failure))
        else:
            exception = self._kind_of(error)(error.str())
        exception.__cause__ = failure if isinstance(failure, KafkaException) else None
        return exception

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Raise the API's exceptions instead of KafkaException in a block."""
        try:
            yield
        except KafkaException as failure:
            raise self.failure_of(failure) from failure

    def _kind_of(self, error: KafkaError) -> type[Exception]:
        code = error.code()
        kind = self._others.get(code)
        if kind is None:
            kind = self._base if code < -1 else self._for_code(code)
        return kind
