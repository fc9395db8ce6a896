"""Sends requests of Kafka's protocol, and converts answers to kafka-python's plain objects."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from confluent_kafka import Uuid, protocol
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._protocol import ANY, CONTROLLER, Target, broker, group_coordinator
from confluent_kafka.admin._protocol import only as engine_only

from .. import errors
from .._failures import translated
from ..cluster import Cluster
from ..structs import TopicPartition

__all__ = ["ANY", "CONTROLLER", "Target", "Wire", "broker", "group_coordinator"]

_NO_LEADER = -1
# The last versions of requests about offsets that name topics: later versions have topic ids.
_NEWEST_WITH_NAMES = 9


class Wire:
    """Sends requests to brokers.

    Args:
        engine: the client.
        cluster: the metadata of the cluster.
        timeout: how long an answer may take, in seconds.
    """

    def __init__(self, engine: AdminClient, cluster: Cluster, timeout: float) -> None:
        self.engine = engine
        self._cluster = cluster
        self.timeout = timeout

    def ask(
        self, request: protocol.Request, target: Target = ANY, timeout_ms: float | None = None
    ) -> Any:
        """Send a request in the latest version that both sides support; return the answer.

        Args:
            request: the request.
            target: the broker to ask.
            timeout_ms: the timeout in milliseconds; None means the client's timeout.

        Raises:
            KafkaTimeoutError, KafkaConnectionError: no answer came.
            UnknownBrokerIdError: the cluster has no such broker.
            IncompatibleBrokerVersion: the broker has no version of the request with these fields.
        """
        seconds = self.timeout if timeout_ms is None else timeout_ms / 1000
        if target.broker is not None:
            self._check_broker(target.broker, seconds)
        try:
            with translated():
                asked = self.engine._exchange(request, target, seconds, lambda answer: answer)
                return asked.result()
        except errors.UnsupportedVersionError as error:
            raise errors.IncompatibleBrokerVersion(*error.args) from error

    def _check_broker(self, node: int, timeout: float) -> None:
        """Raise UnknownBrokerIdError for an unknown broker, for which librdkafka would wait."""
        known = self._cluster.known
        if known.broker_metadata(node) is None:
            self._cluster.ask(None, timeout)
        if known.broker_metadata(node) is None:
            raise errors.UnknownBrokerIdError(node)

    def ask_by_names(self, request: protocol.Request, group: str) -> Any:
        """Ask a group's coordinator about offsets, in a version with topic names.

        Args:
            request: the request.
            group: the group.

        Raises:
            KafkaTimeoutError, KafkaConnectionError: no answer came.
            BrokerResponseError: there is no coordinator.
        """
        key, version = request.api_key, self.version_with_names(type(request))
        with translated():
            answer = self.engine.request(
                key,
                version,
                request.encode(version),
                coordinator=("group", group),
                timeout=self.timeout,
            )
        with well_formed():
            return request.response_class.decode(answer, version)

    def version_with_names(self, kind: type[protocol.Request]) -> int:
        """Return the version that ask_by_names() uses for a request.

        Args:
            kind: the request's class.

        Raises:
            KafkaTimeoutError, KafkaConnectionError: no answer came.
        """
        with translated():
            oldest, newest = self.engine.api_versions(timeout=self.timeout)[kind.api_key]
        return kind.common_version((oldest, min(newest, _NEWEST_WITH_NAMES)))

    def milliseconds(self, timeout_ms: float | None) -> int:
        """Return a timeout for the timeout field of a request."""
        return int(self.timeout * 1000 if timeout_ms is None else timeout_ms)

    def brokers(self, ids: Iterable[int] | None = None) -> list[int]:
        """Return the ids of the given brokers; of all brokers if none are given."""
        if ids is not None:
            return list(ids)
        with translated():
            return sorted(self.engine.list_topics(timeout=self.timeout).brokers)

    def by_leader(
        self, partitions: Iterable[TopicPartition], leader: int | None = None
    ) -> dict[int, list[TopicPartition]]:
        """Return partitions by the broker that leads them.

        Args:
            partitions: the partitions.
            leader: the leader of all the partitions, if it is known.

        Raises:
            UnknownTopicOrPartitionError: a partition does not exist.
        """
        wanted = list(partitions)
        if leader is not None:
            return {leader: wanted}
        with translated():
            topics = self.engine.list_topics(timeout=self.timeout).topics
        found: dict[int, list[TopicPartition]] = {}
        for each in wanted:
            known = topics[each.topic].partitions if each.topic in topics else {}
            if each.partition not in known or known[each.partition].leader == _NO_LEADER:
                raise errors.UnknownTopicOrPartitionError(
                    f"The following partitions are not known: {each}"
                )
            found.setdefault(known[each.partition].leader, []).append(each)
        return found


def plain(answer: Any, *without: str) -> dict[str, Any]:
    """Return an answer as a dict of dicts, lists, texts and numbers.

    Args:
        answer: the answer, or a part of it.
        *without: fields to leave out; the throttle time is always left out.
    """
    found: dict[str, Any] = _converted(answer.as_dict())
    for name in ("throttle_time_ms", *without):
        found.pop(name, None)
    return found


def _converted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _converted(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_converted(each) for each in value]
    return text_of(value) if isinstance(value, Uuid) else value


def text_of(identifier: Uuid) -> str | None:
    """Return a topic's id as text; None if there is none."""
    most = identifier.get_most_significant_bits() & (2**64 - 1)
    least = identifier.get_least_significant_bits() & (2**64 - 1)
    return str(uuid.UUID(int=most << 64 | least)) if most or least else None


@contextlib.contextmanager
def well_formed() -> Iterator[None]:
    """Raise CorruptRecordError for an answer that cannot be read."""
    try:
        yield
    except protocol.MalformedMessageError as malformed:
        raise errors.CorruptRecordError(str(malformed)) from malformed


def only(parts: Sequence[Any]) -> Any:
    """Return the part of an answer about the only thing in the request.

    Raises:
        CorruptRecordError: the answer has no such part, or several.
    """
    with well_formed():
        return engine_only(parts)


def check(answer: Any, what: str = "") -> None:
    """Raise the error of an answer, or of a part of it.

    Args:
        answer: it has an ``error_code`` and perhaps an ``error_message``.
        what: the text if there is no message.
    """
    if answer.error_code:
        raise failure(answer, what)


def failure(answer: Any, what: str = "") -> errors.BrokerResponseError:
    """Return the error of an answer as an exception."""
    return errors.for_code(answer.error_code)(getattr(answer, "error_message", None) or what)


def by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """Return partition numbers by topic, the form of most requests."""
    topics: dict[str, list[int]] = {}
    for each in partitions:
        topics.setdefault(each.topic, []).append(each.partition)
    return topics


def partitions_of(given: Any) -> list[TopicPartition]:
    """Return partitions that are given as TopicPartitions or as numbers by topic."""
    if isinstance(given, Mapping):
        return [TopicPartition(topic, each) for topic, numbers in given.items() for each in numbers]
    return list(given)
