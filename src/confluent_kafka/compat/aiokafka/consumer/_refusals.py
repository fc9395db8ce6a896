"""aiokafka's exceptions for requests of a member that the group's coordinator refuses."""

from __future__ import annotations

from confluent_kafka import KafkaError

from ..._common.events import refused_request
from .. import errors
from .._failures import failure_of

# The codes for which aiokafka raises their own exceptions. For any other code it raises a
# KafkaError, and the text is the representation of the code's exception.
_RAISED = {
    "JoinGroup": frozenset(
        {
            KafkaError.INCONSISTENT_GROUP_PROTOCOL,
            KafkaError.INVALID_GROUP_ID,
            KafkaError.INVALID_SESSION_TIMEOUT,
        }
    ),
    "SyncGroup": frozenset[int](),
    "Heartbeat": frozenset[int](),
}


def failure_of_group(error: KafkaError, group: str) -> errors.KafkaError:
    """Return the exception for an error that came instead of a message.

    Args:
        error: the error. If it is not a refusal, the exception is the same as elsewhere.
        group: the consumer's ``group_id``.
    """
    translated: errors.KafkaError = failure_of(error)
    request = refused_request(error)
    if request is None or error.code() in _RAISED[request]:
        return translated
    kind = errors.for_code(error.code())
    if error.code() == KafkaError.GROUP_AUTHORIZATION_FAILED:
        return kind(group)
    text = repr(kind())
    if request == "Heartbeat":
        text = f"Unexpected exception in heartbeat task: {text}"
    refusal = errors.KafkaError(text)
    refusal.__cause__ = translated
    return refusal
