"""Creates, describes and deletes topics."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from confluent_kafka import protocol

from .. import errors
from .._enums import answered
from ._wire import CONTROLLER, Wire, check, plain
from .acls import operations
from .configs import ConfigSourceType

_AGAIN = 0.1  # seconds until brokers are asked again for a topic


class NewTopic:
    """A topic to create.

    Args:
        name: its name.
        num_partitions: the number of partitions; -1 means the broker's default.
        replication_factor: the number of replicas of each partition; -1 means the broker's default.
        replica_assignments: the ids of the brokers for each partition, by partition number.
        topic_configs: the configuration of the topic.
    """

    def __init__(
        self,
        name: str,
        num_partitions: int = -1,
        replication_factor: int = -1,
        replica_assignments: Mapping[int, list[int]] | None = None,
        topic_configs: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.num_partitions = num_partitions
        self.replication_factor = replication_factor
        self.replica_assignments = dict(replica_assignments or {})
        self.topic_configs = dict(topic_configs or {})


class TopicAdminMixin:
    """Methods of KafkaAdminClient."""

    _wire: Wire

    def create_topics(
        self,
        new_topics: Any,
        timeout_ms: float | None = None,
        validate_only: bool = False,
        raise_errors: bool = True,
        wait_for_metadata: bool = False,
    ) -> dict[str, Any]:
        """Create topics.

        Args:
            new_topics: names; or NewTopics; or a dict from names to dicts with ``num_partitions``,
                ``replication_factor``, ``assignments`` and ``configs``.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.
            validate_only: whether to check the request only, without a change.
            raise_errors: whether to raise the first error; otherwise the answer contains all
                errors.
            wait_for_metadata: whether to wait until brokers return the topics in their metadata.

        Returns:
            The broker's answer: ``{"topics": [{"name": ..., "error_code": ...}]}``.
        """
        kind = protocol.CreateTopicsRequest
        request = kind(
            topics=[_creatable(kind, one) for one in _new_topics(new_topics)],
            timeout_ms=self._wire.milliseconds(timeout_ms),
            validate_only=validate_only,
        )
        answer = self._wire.ask(request, CONTROLLER, timeout_ms)
        if raise_errors:
            for one in answer.topics:
                check(one, one.name)
        if wait_for_metadata:
            created = [one.name for one in answer.topics if not one.error_code]
            self.wait_for_topics(created)
        return {"topics": [_created(one) for one in answer.topics]}

    def delete_topics(
        self, topics: Iterable[str], timeout_ms: float | None = None, raise_errors: bool = True
    ) -> dict[str, Any]:
        """Delete topics.

        Args:
            topics: the names of the topics.
            timeout_ms: the timeout in milliseconds; None means ``request_timeout_ms``.
            raise_errors: whether to raise the first error; otherwise the answer contains all
                errors.
        """
        kind, names = protocol.DeleteTopicsRequest, list(topics)
        milliseconds = self._wire.milliseconds(timeout_ms)
        request = kind(
            topics=[kind.DeleteTopicState(name=name) for name in names],
            topic_names=names,
            timeout_ms=milliseconds,
        )
        answer = self._wire.ask(request, CONTROLLER, timeout_ms)
        if raise_errors:
            for one in answer.responses:
                check(one, one.name)
        return {"topics": [plain(one) for one in answer.responses]}

    def list_topics(self) -> list[str]:
        """Return the names of all topics."""
        return [topic["name"] for topic in self.describe_topics()]

    def describe_topics(self, topics: Iterable[str] | None = None) -> list[dict[str, Any]]:
        """Return topics, each with its partitions.

        Args:
            topics: the names of the topics; None means all.
        """
        kind = protocol.MetadataRequest
        asked = None if topics is None else [kind.MetadataRequestTopic(name=one) for one in topics]
        answer = self._wire.ask(
            kind(
                topics=asked,
                allow_auto_topic_creation=False,
                include_topic_authorized_operations=True,
            )
        )
        return [_described(one) for one in answer.topics]

    def describe_topic_partitions(
        self, topics: Iterable[str], response_partition_limit: int = 2000, cursor: Any = None
    ) -> dict[str, Any]:
        """Return topics' partitions, page by page.

        Args:
            topics: the names of the topics.
            response_partition_limit: the maximum number of partitions in a page.
            cursor: the ``next_cursor`` of the previous page.
        """
        kind = protocol.DescribeTopicPartitionsRequest
        answer = self._wire.ask(
            kind(
                topics=[kind.TopicRequest(name=one) for one in topics],
                response_partition_limit=response_partition_limit,
                cursor=None if cursor is None else kind.Cursor(**cursor),
            )
        )
        return plain(answer)

    def wait_for_topics(self, topic_names: Iterable[str], timeout_ms: float = 10000) -> None:
        """Wait until a broker returns topics in its metadata, and each partition has a leader.

        Args:
            topic_names: the names of the topics.
            timeout_ms: the timeout in milliseconds.

        Raises:
            KafkaTimeoutError: the topics were not ready in this time.
        """
        names = list(topic_names)
        until = time.monotonic() + timeout_ms / 1000
        while missing := _missing(self.describe_topics(names) if names else []):
            if time.monotonic() + _AGAIN > until:
                raise errors.KafkaTimeoutError(f"Topics not ready after {timeout_ms}ms: {missing}")
            time.sleep(_AGAIN)


def _new_topics(given: Any) -> list[NewTopic]:
    if isinstance(given, str):
        raise TypeError(f"new_topics must be names, NewTopics or a dict, not {given!r}")
    if isinstance(given, Mapping):
        return [
            NewTopic(
                name,
                what.get("num_partitions", -1),
                what.get("replication_factor", -1),
                what.get("assignments"),
                what.get("configs"),
            )
            for name, what in given.items()
        ]
    return [one if isinstance(one, NewTopic) else NewTopic(one) for one in given]


def _creatable(kind: Any, topic: NewTopic) -> Any:
    by_hand = bool(topic.replica_assignments)
    return kind.CreatableTopic(
        name=topic.name,
        num_partitions=-1 if by_hand else topic.num_partitions,
        replication_factor=-1 if by_hand else topic.replication_factor,
        assignments=[
            kind.CreatableReplicaAssignment(partition_index=number, broker_ids=brokers)
            for number, brokers in sorted(topic.replica_assignments.items())
        ],
        configs=[
            kind.CreatableTopicConfig(name=name, value=None if value is None else str(value))
            for name, value in topic.topic_configs.items()
        ],
    )


def _created(topic: Any) -> dict[str, Any]:
    found = plain(topic, "configs")
    if topic.configs:
        found["configs"] = {
            one.name: plain(one, "name") | {"config_source": _source(one.config_source)}
            for one in topic.configs
        }
    return found


def _source(number: int) -> str:
    return answered(ConfigSourceType, number).name


def _described(topic: Any) -> dict[str, Any]:
    return plain(topic, "topic_authorized_operations") | {
        "authorized_operations": operations(topic.topic_authorized_operations)
    }


def _missing(topics: list[dict[str, Any]]) -> dict[str, str]:
    """Return why topics are not ready, by name."""
    missing = {}
    for topic in topics:
        codes = [topic["error_code"], *(one["error_code"] for one in topic["partitions"])]
        if any(codes):
            missing[topic["name"]] = errors.for_code(next(filter(None, codes))).__name__
    return missing
