"""Errors that a consumer gets instead of a message."""

from __future__ import annotations

from confluent_kafka import KafkaError

TOLD = frozenset(
    {
        KafkaError._AUTHENTICATION,
        KafkaError._FATAL,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.INCONSISTENT_GROUP_PROTOCOL,
        KafkaError.INVALID_SESSION_TIMEOUT,
        KafkaError.SASL_AUTHENTICATION_FAILED,
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
    }
)
"""Errors that an application must know; the client recovers from all other errors."""

UNKNOWN = frozenset(
    {
        KafkaError._NOENT,
        KafkaError._UNKNOWN_PARTITION,
        KafkaError._UNKNOWN_TOPIC,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
    }
)
"""Things that the cluster does not have yet."""

_REQUESTS = frozenset({"JoinGroup", "SyncGroup", "Heartbeat"})

_JOINS_AGAIN = frozenset(
    {
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.ILLEGAL_GENERATION,
        KafkaError.NOT_COORDINATOR,
        KafkaError.REBALANCE_IN_PROGRESS,
        KafkaError.UNKNOWN_MEMBER_ID,
    }
)


def refuses_member(error: KafkaError) -> bool:
    """Return whether this error of a coordinator keeps a member from joining again.

    Args:
        error: an error without a topic.
    """
    return error.code() >= KafkaError.UNKNOWN and error.code() not in _JOINS_AGAIN


def refused_request(error: KafkaError) -> str | None:
    """Return the request that the group's coordinator refuses: JoinGroup, SyncGroup or Heartbeat.

    Args:
        error: one that came without a topic.

    Returns:
        The request's name; None when the error is something else, also in groups of KIP-848.
    """
    request, is_refusal, _ = error.str().partition(" failed: ")
    return request if is_refusal and request in _REQUESTS else None
