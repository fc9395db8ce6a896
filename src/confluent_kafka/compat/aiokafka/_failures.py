"""librdkafka's errors as aiokafka's exceptions."""

from __future__ import annotations

from confluent_kafka import KafkaError

from .._common.failures import Failures
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

# Those that a later answer may not have, though aiokafka's exceptions are not ``retriable``: the
# member joins again, or what is asked for comes.
_PASSING = frozenset(
    {
        KafkaError.BROKER_NOT_AVAILABLE,
        KafkaError.FENCED_LEADER_EPOCH,
        KafkaError.FENCED_MEMBER_EPOCH,
        KafkaError.ILLEGAL_GENERATION,
        KafkaError.MEMBER_ID_REQUIRED,
        KafkaError.NETWORK_EXCEPTION,
        KafkaError.OFFSET_NOT_AVAILABLE,
        KafkaError.REBALANCE_IN_PROGRESS,
        KafkaError.REPLICA_NOT_AVAILABLE,
        KafkaError.STALE_MEMBER_EPOCH,
        KafkaError.THROTTLING_QUOTA_EXCEEDED,
        KafkaError.UNKNOWN_LEADER_EPOCH,
        KafkaError.UNKNOWN_MEMBER_ID,
        KafkaError.UNKNOWN_TOPIC_ID,
        KafkaError.UNSTABLE_OFFSET_COMMIT,
    }
)

_FAILURES = Failures(errors.KafkaError, errors.for_code, _OTHERS)

failure_of = _FAILURES.failure_of
translated = _FAILURES.translated


def is_final(error: KafkaError) -> bool:
    """Return whether a broker refuses something, which asking again does not change."""
    code = error.code()
    return code > 0 and code not in _PASSING and not errors.for_code(code).retriable
