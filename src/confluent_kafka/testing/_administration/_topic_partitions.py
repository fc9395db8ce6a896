"""Descriptions of topics in pages (DescribeTopicPartitions, KIP-966)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from confluent_kafka import protocol
from confluent_kafka.cimpl import KafkaError, Uuid
from confluent_kafka.testing._administration._brokers import Brokers
from confluent_kafka.testing._administration._state import State, Topic
from confluent_kafka.testing._security._authorizer import TOPIC, every_operation

if TYPE_CHECKING:
    from confluent_kafka.testing._answering import Handler, RequestContext

_MAX_PARTITIONS = 2000  # Kafka's max.request.partition.size.limit
_NO_ID = Uuid(0, 0)


class TopicPartitions:
    """Answers requests for topics in pages.

    Args:
        brokers: the brokers, which have the topics.
    """

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers

    @property
    def answers(self) -> Mapping[Any, Handler]:
        """Return the handlers of these requests by API key."""
        return {protocol.DescribeTopicPartitionsRequest: self._describe}

    def _describe(self, request: Any, context: RequestContext) -> Any:
        response = protocol.DescribeTopicPartitionsResponse
        state, left = self._brokers.state(), _page(request)
        names = [each.name for each in request.topics] or list(state.topics)
        topics: list[Any] = []
        cursor = request.cursor
        for name in sorted(set(names)):
            if cursor is not None and name < cursor.topic_name:
                continue
            first = cursor.partition_index if cursor and name == cursor.topic_name else 0
            topic = state.topics.get(name)
            if left == 0:
                next_cursor = response.Cursor(topic_name=name, partition_index=first)
                return response(topics=topics, next_cursor=next_cursor)
            if topic is None:
                topics.append(_missing(name))
                continue
            partitions = list(_partitions(state, topic, first, left))
            left -= len(partitions)
            topics.append(_topic(topic, partitions))
            if first + len(partitions) < len(topic.partitions):
                index = first + len(partitions)
                next_cursor = response.Cursor(topic_name=name, partition_index=index)
                return response(topics=topics, next_cursor=next_cursor)
        return response(topics=topics)


def _page(request: Any) -> int:
    limit: int = request.response_partition_limit
    return max(1, min(limit, _MAX_PARTITIONS))


def _topic(topic: Topic, partitions: list[Any]) -> Any:
    return protocol.DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic(
        name=topic.name,
        topic_id=topic.id,
        partitions=partitions,
        topic_authorized_operations=every_operation(TOPIC),
    )


def _missing(name: str) -> Any:
    return protocol.DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic(
        error_code=KafkaError.UNKNOWN_TOPIC_OR_PART, name=name, topic_id=_NO_ID
    )


def _partitions(state: State, topic: Topic, first: int, count: int) -> Iterator[Any]:
    response = protocol.DescribeTopicPartitionsResponse
    up = {broker.id for broker in state.brokers if broker.up}
    for number, each in enumerate(topic.partitions[first : first + count], first):
        in_sync = [broker for broker in each.replicas if broker in up]
        yield response.DescribeTopicPartitionsResponsePartition(
            partition_index=number,
            leader_id=each.leader,
            leader_epoch=each.leader_epoch,
            replica_nodes=list(each.replicas),
            isr_nodes=in_sync,
            offline_replicas=[broker for broker in each.replicas if broker not in up],
        )
