"""Converts librdkafka's errors to aiokafka's exceptions."""

from __future__ import annotations

from confluent_kafka import KafkaError

from .._common.failures import Failures
from . import errors

# Codes whose exceptions have other names in aiokafka, or no number.
_OTHERS: dict[int, type[errors.KafkaError]] = {
    KafkaError._AUTHENTICATION: errors.AuthenticationFailedError,
    KafkaError._BAD_MSG: errors.CorruptRecordException,
    KafkaError._FENCED: errors.ProducerFenced,
    KafkaError._GAPLESS_GUARANTEE: errors.OutOfOrderSequenceNumber,
    KafkaError._WAIT_COORD: errors.GroupCoordinatorNotAvailableError,
    KafkaError.NETWORK_EXCEPTION: errors.KafkaConnectionError,
    KafkaError.FENCED_INSTANCE_ID: errors.CommitFailedError,
    KafkaError.INVALID_PRODUCER_EPOCH: errors.ProducerFenced,
    KafkaError.PRODUCER_FENCED: errors.ProducerFenced,
    KafkaError.THROTTLING_QUOTA_EXCEEDED: errors.QuotaViolationError,
    KafkaError.UNSUPPORTED_COMPRESSION_TYPE: errors.UnsupportedCodecError,
}

# Errors that may pass by themselves, although aiokafka's exceptions are not ``retriable``: the
# member joins again, or something that is missing appears.
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

_FAILURES = Failures(errors, _OTHERS)

failure_of = _FAILURES.failure_of
translated = _FAILURES.translated


def is_final(error: KafkaError) -> bool:
    """Return whether a broker refuses something permanently."""
    code = error.code()
    return code > 0 and code not in _PASSING and not errors.for_code(code).retriable
