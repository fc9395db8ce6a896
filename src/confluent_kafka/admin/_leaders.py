"""Requests that the leaders of partitions answer."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from confluent_kafka import protocol
from confluent_kafka.admin._protocol import (
    ANY,
    Deadline,
    ProtocolRequests,
    alive,
    by_topic,
    error_of,
    repeating,
)
from confluent_kafka.admin._protocol import broker as node
from confluent_kafka.admin._requests import new_futures, outcome_of, settle_each
from confluent_kafka.cimpl import KafkaError, KafkaException, TopicPartition
from confluent_kafka.protocol import Request

T = TypeVar("T")

# Errors in metadata while a partition gets a leader, or before all brokers know the partition.
_ELECTING = frozenset(
    {
        KafkaError.BROKER_NOT_AVAILABLE,
        KafkaError.KAFKA_STORAGE_ERROR,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.LISTENER_NOT_FOUND,
        KafkaError.REPLICA_NOT_AVAILABLE,
    }
)
# Errors of a broker that does not lead the partition: the metadata was out of date. If the metadata
# does not contain the partition at all, the partition does not exist.
_MOVING = _ELECTING | {
    KafkaError.FENCED_LEADER_EPOCH,
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.OFFSET_NOT_AVAILABLE,
    KafkaError.UNKNOWN_LEADER_EPOCH,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError._DESTROY_BROKER,
    KafkaError._TRANSPORT,
}

_Outcomes = Mapping[TopicPartition, Any] | BaseException


class LeaderRequests(ProtocolRequests):
    """Sends requests to the leaders of partitions."""

    __slots__ = ()

    def _ask_leaders(
        self,
        partitions: list[TopicPartition],
        request_timeout: float | None,
        request: Callable[[list[TopicPartition]], Request],
        split: Callable[[Any], Iterable[tuple[TopicPartition, T | KafkaError]]],
        oldest: int = 0,
    ) -> dict[TopicPartition, Future[T]]:
        """Send each leader a message about all the partitions that it leads.

        If the leader of a partition has moved, the new leader is asked, until request_timeout ends.

        Args:
            partitions: the partitions.
            request_timeout: seconds until the futures fail, at most 3600.
            request: builds the message for some of the partitions.
            split: splits a response into pairs: the partition, and its result or error.
            oldest: the first version of the message that can express the request.

        Returns:
            A future for each partition.
        """
        futures: dict[TopicPartition, Future[T]] = new_futures(partitions)
        question = _Question(self, request_timeout, request, split, oldest)
        question.ask(futures, request_timeout)
        return futures


class _Question(Generic[T]):
    """A request to the leaders of partitions. It is repeated while partitions move."""

    def __init__(
        self,
        client: LeaderRequests,
        request_timeout: float | None,
        request: Callable[[list[TopicPartition]], Request],
        split: Callable[[Any], Iterable[tuple[TopicPartition, T | KafkaError]]],
        oldest: int,
    ) -> None:
        # A weak reference: the client keeps its pending requests, and they keep this object.
        self._client = weakref.ref(client)
        self._deadline = Deadline(request_timeout)
        self._repeating = repeating(request_timeout)
        self._request = request
        self._split = split
        self._oldest = oldest

    def ask(self, futures: dict[TopicPartition, Future[T]], timeout: float | None) -> None:
        """Find the leaders within the timeout in seconds, and send them the request."""
        topics = [
            protocol.MetadataRequest.MetadataRequestTopic(name=name) for name in by_topic(futures)
        ]
        query = protocol.MetadataRequest(topics=topics, allow_auto_topic_creation=False)
        found = alive(self._client)._exchange(query, ANY, timeout, _leaders(futures))
        found.add_done_callback(functools.partial(self._on_leaders, futures))

    def _on_leaders(
        self,
        futures: dict[TopicPartition, Future[T]],
        found: Future[dict[TopicPartition, int | KafkaError]],
    ) -> None:
        failed = found.exception()
        if failed is not None:
            settle_each(futures, failed, None)
            return
        by_leader: dict[int, dict[TopicPartition, Future[T]]] = {}
        errors: dict[TopicPartition, KafkaError] = {}
        for each, leader in found.result().items():
            if isinstance(leader, KafkaError):
                errors[each] = leader
            else:
                by_leader.setdefault(leader, {})[each] = futures[each]
        self._settle_or_repeat({each: futures[each] for each in errors}, errors, _ELECTING)
        for leader, led in by_leader.items():
            failed = outcome_of(functools.partial(self._ask_leader, leader), led, None)
            if failed is not None:
                settle_each(led, failed, None)

    def _ask_leader(self, leader: int, led: dict[TopicPartition, Future[T]]) -> None:
        message = self._request(list(led))
        answered = alive(self._client)._exchange(
            message,
            node(leader),
            self._deadline.left(),
            lambda response: dict(self._split(response)),
            oldest=self._oldest,
        )

        def on_answer(answered: Future[Any]) -> None:
            outcomes = answered.exception() or answered.result()
            self._settle_or_repeat(led, outcomes, _MOVING)

        answered.add_done_callback(on_answer)

    def _settle_or_repeat(
        self,
        futures: dict[TopicPartition, Future[T]],
        outcomes: _Outcomes,
        passing: frozenset[int],
    ) -> None:
        """Repeat the request for partitions with temporary errors while there is time.

        The futures of the other partitions are settled.
        """
        moved = {
            each: future for each, future in futures.items() if _code(each, outcomes) in passing
        }
        again = moved if moved and self._repeating.left() else {}
        settle_each(
            {each: future for each, future in futures.items() if each not in again}, outcomes, None
        )
        if again:
            failed = outcome_of(functools.partial(self._wait, again), outcomes, None)
            if failed is not None:
                settle_each(again, failed, None)

    def _wait(self, futures: dict[TopicPartition, Future[T]], _: object) -> None:
        def go_on(failed: BaseException | None) -> None:
            failed = outcome_of(self._ask_again, futures, failed)
            if failed is not None:
                settle_each(futures, failed, None)

        alive(self._client)._pause(go_on)

    def _ask_again(self, futures: dict[TopicPartition, Future[T]]) -> None:
        self.ask(futures, self._repeating.left())


def _code(partition: TopicPartition, outcomes: _Outcomes) -> int | None:
    """Return the error code of a partition, or None."""
    if isinstance(outcomes, KafkaException):
        return outcomes.code()
    outcome = None if isinstance(outcomes, BaseException) else outcomes.get(partition)
    return outcome.code() if isinstance(outcome, KafkaError) else None


def _leaders(
    wanted: Iterable[TopicPartition],
) -> Callable[[protocol.MetadataResponse], dict[TopicPartition, int | KafkaError]]:
    """Return a function that finds each partition's leader, or the error, in a response."""

    def found(response: protocol.MetadataResponse) -> dict[TopicPartition, int | KafkaError]:
        unknown = {topic.name: error_of(topic) for topic in response.topics}
        known = {
            (topic.name, partition.partition_index): error_of(partition) or partition.leader_id
            for topic in response.topics
            for partition in topic.partitions
        }
        return {
            each: known.get((each.topic, each.partition), unknown.get(each.topic) or _missing(each))
            for each in wanted
        }

    return found


def _missing(place: TopicPartition) -> KafkaError:
    reason = f"{place.topic} has no partition {place.partition}"
    return KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART, reason)
