"""The metadata of a cluster, and the requests for it."""

from __future__ import annotations

import time
from typing import Any

from confluent_kafka import KafkaError as Error
from confluent_kafka._values.topic_names import LONGEST, is_legal

from .._common.cluster import INTERNAL_TOPICS, ClusterMetadata
from . import errors
from ._failures import failure_of, translated

__all__ = ["INTERNAL_TOPICS", "Cluster", "ClusterMetadata", "check_topic"]

_AGAIN = 0.05  # seconds until a broker without the topic is asked again
FINAL = frozenset({Error.TOPIC_AUTHORIZATION_FAILED, Error.TOPIC_EXCEPTION})
"""Permanent errors of a topic."""


class Cluster:
    """Asks a client's brokers for metadata.

    Args:
        engine: the client.
        max_age: seconds after which the metadata of a topic is fetched again.
    """

    def __init__(self, engine: Any, max_age: float) -> None:
        self._engine = engine
        self._max_age = max_age
        self._asked: dict[str, float] = {}
        self.known = ClusterMetadata()

    def ask(self, topic: str | None, timeout: float) -> Error | None:
        """Fetch the metadata of a topic, or of all topics; return the topic's error.

        Args:
            topic: the topic; None for all.
            timeout: seconds; -1 without limit.

        Raises:
            KafkaTimeoutError, KafkaConnectionError: no broker answers.
        """
        with translated():
            answer = self._engine.list_topics(topic, timeout)
        self.known._update(answer)
        if topic is None:
            self.known._keep(answer.topics)
            return None
        self._asked[topic] = time.monotonic()
        error: Error | None = answer.topics[topic].error
        return error

    def partitions(self, topic: str, timeout: float) -> set[int]:
        """Return the partitions of a topic; wait until the cluster has it.

        Args:
            topic: the topic.
            timeout: seconds.

        Raises:
            KafkaTimeoutError: the topic did not exist in this time.
            TopicAuthorizationFailedError, InvalidTopicError: a broker refuses it.
            TypeError, ValueError: no topic can have this name.
        """
        partitions = None if self._is_old(topic) else self.known.partitions_for_topic(topic)
        if partitions is None:
            check_topic(topic)
            self._wait_for(topic, timeout)
            partitions = self.known.partitions_for_topic(topic)
        assert partitions is not None
        return partitions

    def _is_old(self, topic: Any) -> bool:
        asked = self._asked.get(topic)
        return asked is None or time.monotonic() - asked > self._max_age

    def _wait_for(self, topic: str, timeout: float) -> None:
        until = time.monotonic() + timeout
        while True:
            try:
                error = self.ask(topic, max(_AGAIN, until - time.monotonic()))
            except (errors.KafkaTimeoutError, errors.KafkaConnectionError) as failure:
                error, why = None, str(failure)
            else:
                if error is None:
                    return
                why = f"no topic {topic!r}"
            if error is not None and error.code() in FINAL:
                raise failure_of(error)
            if time.monotonic() + _AGAIN > until:
                raise errors.KafkaTimeoutError(
                    f"Failed to update metadata after {timeout:.1f} secs: {why}"
                )
            time.sleep(_AGAIN)


def check_topic(topic: Any) -> None:
    """Check that a topic can have this name.

    Raises:
        TypeError: it is not a text.
        ValueError: no topic can have this name.
    """
    if not isinstance(topic, str):
        raise TypeError("All topics must be strings")
    if not topic:
        raise ValueError("All topics must be non-empty strings")
    if not is_legal(topic):
        raise ValueError(
            f"Topic name {topic!r} is illegal: it has up to {LONGEST} ASCII letters, digits, "
            "'.', '_' and '-', and is not '.' or '..'"
        )
