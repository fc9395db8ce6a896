"""librdkafka's errors as aiokafka's exceptions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from confluent_kafka import KafkaError, KafkaException

from . import errors

# librdkafka's own codes, and those of brokers that aiokafka has no number for, by their exceptions.
_OTHERS: dict[int, type[errors.KafkaError]] = {
    KafkaError._ALL_BROKERS_DOWN: errors.KafkaConnectionError,
    KafkaError._AUTHENTICATION: errors.AuthenticationFailedError,
    KafkaError._AUTO_OFFSET_RESET: errors.NoOffsetForPartitionError,
    KafkaError._BAD_COMPRESSION: errors.UnsupportedCodecError,
    KafkaError._BAD_MSG: errors.CorruptRecordException,
    KafkaError._CONFLICT: errors.IllegalStateError,
    KafkaError._FENCED: errors.ProducerFenced,
    KafkaError._GAPLESS_GUARANTEE: errors.OutOfOrderSequenceNumber,
    KafkaError._INVALID_ARG: errors.IllegalArgumentError,
    KafkaError._MAX_POLL_EXCEEDED: errors.UnknownMemberIdError,
    KafkaError._MSG_TIMED_OUT: errors.KafkaTimeoutError,
    KafkaError._NO_OFFSET: errors.NoOffsetForPartitionError,
    KafkaError._NOT_IMPLEMENTED: errors.UnsupportedVersionError,
    KafkaError._PURGE_INFLIGHT: errors.Cancelled,
    KafkaError._PURGE_QUEUE: errors.Cancelled,
    KafkaError._RESOLVE: errors.KafkaConnectionError,
    KafkaError._SSL: errors.KafkaConnectionError,
    KafkaError._STATE: errors.IllegalStateError,
    KafkaError._TIMED_OUT: errors.KafkaTimeoutError,
    KafkaError._TIMED_OUT_QUEUE: errors.KafkaTimeoutError,
    KafkaError._TRANSPORT: errors.KafkaConnectionError,
    KafkaError._UNKNOWN_GROUP: errors.InvalidGroupIdError,
    KafkaError._UNKNOWN_PARTITION: errors.UnknownTopicOrPartitionError,
    KafkaError._UNKNOWN_TOPIC: errors.UnknownTopicOrPartitionError,
    KafkaError._UNSUPPORTED_FEATURE: errors.UnsupportedVersionError,
    KafkaError._WAIT_COORD: errors.GroupCoordinatorNotAvailableError,
    KafkaError.NETWORK_EXCEPTION: errors.KafkaConnectionError,
    KafkaError.FENCED_INSTANCE_ID: errors.CommitFailedError,
    KafkaError.INVALID_PRODUCER_EPOCH: errors.ProducerFenced,
    KafkaError.PRODUCER_FENCED: errors.ProducerFenced,
    KafkaError.THROTTLING_QUOTA_EXCEEDED: errors.QuotaViolationError,
    KafkaError.UNSUPPORTED_COMPRESSION_TYPE: errors.UnsupportedCodecError,
}


def failure_of(failure: KafkaError | KafkaException) -> errors.KafkaError:
    """Return the exception that aiokafka has for an error.

    Args:
        failure: a KafkaError, or a KafkaException, which becomes the cause.

    Returns:
        The exception, with the error's text; not raised.
    """
    error = failure.args[0] if isinstance(failure, KafkaException) else failure
    if not isinstance(error, KafkaError):
        exception = errors.KafkaError(str(failure))
    else:
        exception = _kind_of(error)(error.str())
    exception.__cause__ = failure if isinstance(failure, KafkaException) else None
    return exception


def _kind_of(error: KafkaError) -> type[errors.KafkaError]:
    code = error.code()
    kind = _OTHERS.get(code)
    if kind is None:
        kind = errors.KafkaError if code < -1 else errors.for_code(code)
    return kind


@contextmanager
def translated() -> Iterator[None]:
    """Raise aiokafka's exceptions instead of KafkaException in a block."""
    try:
        yield
    except KafkaException as failure:
        raise failure_of(failure) from failure
