"""Converts librdkafka's errors to kafka-python's exceptions."""

from __future__ import annotations

from confluent_kafka import KafkaError

from .._common.failures import Failures
from . import errors

# Codes whose exceptions have other names in kafka-python.
_OTHERS: dict[int, type[errors.KafkaError]] = {
    KafkaError._AUTHENTICATION: errors.SaslAuthenticationFailedError,
    KafkaError._BAD_MSG: errors.CorruptRecordError,
    KafkaError._FENCED: errors.ProducerFencedError,
    KafkaError._GAPLESS_GUARANTEE: errors.OutOfOrderSequenceNumberError,
    KafkaError._INTR: errors.Cancelled,
    KafkaError._WAIT_COORD: errors.CoordinatorNotAvailableError,
}

_FAILURES = Failures(errors, _OTHERS)

failure_of = _FAILURES.failure_of
translated = _FAILURES.translated
