"""Requests about partitions that their leaders answer."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any, TypeVar

from confluent_kafka import protocol
from confluent_kafka.admin._protocol import (
    ANY,
    Deadline,
    ProtocolRequests,
    alive,
    by_topic,
    error_of,
)
from confluent_kafka.admin._protocol import broker as node
from confluent_kafka.admin._requests import new_futures, outcome_of, settle_each
from confluent_kafka.cimpl import KafkaError, TopicPartition
from confluent_kafka.protocol import Request

T = TypeVar("T")


class LeaderRequests(ProtocolRequests):
    """How requests are made that go to the leaders of partitions."""

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

        Args:
            partitions: the partitions.
            request_timeout: seconds until the futures fail, at most 3600.
            request: makes the message of some of the partitions.
            split: makes pairs of the response: the partition, and its result or error.
            oldest: the first version of the message that means what is asked.

        Returns:
            A future for each partition.
        """
        futures: dict[TopicPartition, Future[T]] = new_futures(partitions)
        deadline = Deadline(request_timeout)
        client = weakref.ref(self)  # which is kept by what waits for its answers

        def ask(leader: int, led: dict[TopicPartition, Future[T]]) -> None:
            message, left = request(list(led)), deadline.left()
            alive(client)._exchange_each(message, node(leader), left, led, split, oldest)

        def on_metadata(metadata: Future[protocol.MetadataResponse]) -> None:
            failed = metadata.exception()
            if failed is not None:
                settle_each(futures, failed, None)
                return
            errors, leaders = _leaders(metadata.result(), futures)
            settle_each({each: futures[each] for each in errors}, errors, None)
            for leader, places in leaders.items():
                led = {each: futures[each] for each in places}
                failed = outcome_of(functools.partial(ask, leader), led, None)
                if failed is not None:
                    settle_each(led, failed, None)

        topics = [
            protocol.MetadataRequest.MetadataRequestTopic(name=name) for name in by_topic(futures)
        ]
        query = protocol.MetadataRequest(topics=topics, allow_auto_topic_creation=False)
        found = self._exchange(query, ANY, request_timeout, lambda response: response)
        found.add_done_callback(on_metadata)
        return futures


def _leaders(
    response: protocol.MetadataResponse, wanted: Iterable[TopicPartition]
) -> tuple[dict[TopicPartition, KafkaError], dict[int, list[TopicPartition]]]:
    """The partitions that have no leader, with the reason, and the others by their leaders."""
    found: dict[tuple[str | None, int], int | KafkaError] = {}
    for topic in response.topics:
        for partition in topic.partitions:
            number = partition.partition_index
            found[topic.name, number] = error_of(partition) or partition.leader_id
    errors: dict[TopicPartition, KafkaError] = {}
    leaders: dict[int, list[TopicPartition]] = {}
    unknown = {topic.name: error_of(topic) for topic in response.topics}
    for each in wanted:
        leader = found.get((each.topic, each.partition))
        if isinstance(leader, int):
            leaders.setdefault(leader, []).append(each)
        else:
            errors[each] = leader or unknown.get(each.topic) or _missing(each)
    return errors, leaders


def _missing(place: TopicPartition) -> KafkaError:
    reason = f"{place.topic} has no partition {place.partition}"
    return KafkaError(KafkaError.UNKNOWN_TOPIC_OR_PART, reason)
