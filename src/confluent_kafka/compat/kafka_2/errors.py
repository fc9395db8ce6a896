"""The exceptions of kafka-python 2: the classes of version 3, some of them under other names.

The classes are the same, so an ``except`` clause of either version works. An old name is only
another name of its class.
"""

from __future__ import annotations

from typing import Any

from ..kafka import errors as _version_3
from ..kafka.errors import *  # noqa: F403
from ..kafka.errors import (
    CoordinatorLoadInProgressError,
    CoordinatorNotAvailableError,
    CorruptRecordError,
    KafkaConnectionError,
    KafkaError,
    LeaderNotAvailableError,
    NetworkExceptionError,
    NotCoordinatorError,
    NotLeaderForPartitionError,
    SaslAuthenticationFailedError,
    UnknownTopicOrPartitionError,
    UnsupportedSaslMechanismError,
    for_code,
)

AuthenticationFailedError = SaslAuthenticationFailedError
AuthenticationMethodNotSupported = UnsupportedSaslMechanismError
GroupCoordinatorNotAvailableError = CoordinatorNotAvailableError
GroupLoadInProgressError = CoordinatorLoadInProgressError
InvalidMessageError = CorruptRecordError
NotCoordinatorForGroupError = NotCoordinatorError
StaleLeaderEpochCodeError = NetworkExceptionError


class KafkaProtocolError(_version_3.KafkaProtocolError):  # type: ignore[no-redef]
    """The broker's answer does not follow the protocol. This package never raises it."""

    retriable = True


class CorrelationIdError(  # type: ignore[misc, no-redef]
    KafkaProtocolError, _version_3.CorrelationIdError
):
    """An answer belongs to another request. This package never raises it."""


class ProtocolError(KafkaError):
    """The broker's answer does not follow the protocol. This package never raises it."""


class KafkaUnavailableError(KafkaError):
    """No broker can be reached. This package never raises it."""


class NoBrokersAvailable(KafkaError):
    """No broker answered the constructor of a client."""

    retriable = True
    invalid_metadata = True


class AsyncProducerQueueFull(KafkaError):
    """A queue of messages is full. This package never raises it.

    Args:
        failed_msgs: the messages.
    """

    def __init__(self, failed_msgs: Any, *args: Any) -> None:
        super().__init__(*args)
        self.failed_msgs = failed_msgs


class FailedPayloadsError(KafkaError):
    """A request could not be sent. This package never raises it.

    Args:
        payload: the payload of the request.
    """

    def __init__(self, payload: Any, *args: Any) -> None:
        super().__init__(*args)
        self.payload = payload


RETRY_BACKOFF_ERROR_TYPES: tuple[type[KafkaError], ...] = (
    KafkaUnavailableError,
    LeaderNotAvailableError,
    KafkaConnectionError,
    FailedPayloadsError,
)
RETRY_REFRESH_ERROR_TYPES: tuple[type[KafkaError], ...] = (
    NotLeaderForPartitionError,
    UnknownTopicOrPartitionError,
    LeaderNotAvailableError,
    KafkaConnectionError,
)
RETRY_ERROR_TYPES = RETRY_BACKOFF_ERROR_TYPES + RETRY_REFRESH_ERROR_TYPES


def check_error(response: Any) -> None:
    """Raise the error of a response, if it has one.

    Args:
        response: an object with a field ``error``; or an exception.

    Raises:
        BrokerResponseError: the exception for the error number; it contains the response.
        Exception: the response itself, if it is one.
    """
    if isinstance(response, Exception):
        raise response
    if response.error:
        raise for_code(response.error)(response)
