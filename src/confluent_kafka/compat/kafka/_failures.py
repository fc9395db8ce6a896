"""librdkafka's errors as kafka-python's exceptions."""

from __future__ import annotations

from confluent_kafka import KafkaError

from .._common.failures import Failures
from . import errors

# librdkafka's own codes, and those of brokers that kafka-python has no number for.
_OTHERS: dict[int, type[errors.KafkaError]] = {
    KafkaError._ALL_BROKERS_DOWN: errors.KafkaConnectionError,
    KafkaError._AUTHENTICATION: errors.SaslAuthenticationFailedError,
    KafkaError._AUTO_OFFSET_RESET: errors.NoOffsetForPartitionError,
    KafkaError._BAD_COMPRESSION: errors.UnsupportedCodecError,
    KafkaError._BAD_MSG: errors.CorruptRecordError,
    KafkaError._CONFLICT: errors.IllegalStateError,
    KafkaError._FENCED: errors.ProducerFencedError,
    KafkaError._GAPLESS_GUARANTEE: errors.OutOfOrderSequenceNumberError,
    KafkaError._INTR: errors.Cancelled,
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
    KafkaError._WAIT_COORD: errors.CoordinatorNotAvailableError,
}

_FAILURES = Failures(errors.KafkaError, errors.for_code, _OTHERS)

failure_of = _FAILURES.failure_of
translated = _FAILURES.translated
