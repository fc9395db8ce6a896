"""Messages about topics by their ids. librdkafka can only name topics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from confluent_kafka import protocol
from confluent_kafka._values.cluster import Node, TopicIdCollection, TopicPartitionInfo
from confluent_kafka.admin._enums import AclOperation
from confluent_kafka.admin._protocol import error_of
from confluent_kafka.admin._requests import checked, maybe_empty
from confluent_kafka.admin._topic_description import TopicDescription
from confluent_kafka.cimpl import KafkaError, Uuid

METADATA_BY_ID = 12  # the first version of Metadata in which a topic may have no name

_NO_ID = Uuid(0, 0)
_LONGEST_SECONDS = 3600
_OPERATION_SECONDS = 60
_NOT_ASKED = -(2**31)  # the operations in an answer if the request did not ask for them


def checked_ids(topics: TopicIdCollection) -> list[Uuid]:
    """Return the ids without duplicates."""
    ids = maybe_empty(topics.topic_ids, Uuid, "topic_ids")
    if _NO_ID in ids:
        raise ValueError(f"topic_ids[{ids.index(_NO_ID)}] must not be zero")
    return list(dict.fromkeys(ids))


def describe_request(
    ids: Iterable[Uuid], include_authorized_operations: bool
) -> protocol.MetadataRequest:
    """Return the request for the descriptions of these topics."""
    message = protocol.MetadataRequest
    name = "include_authorized_operations"
    return message(
        topics=[message.MetadataRequestTopic(topic_id=each, name=None) for each in ids],
        allow_auto_topic_creation=False,
        include_topic_authorized_operations=checked(include_authorized_operations, bool, name),
    )


def delete_request(
    ids: Iterable[Uuid], operation_timeout: float | None
) -> protocol.DeleteTopicsRequest:
    """Return the request that deletes these topics."""
    message = protocol.DeleteTopicsRequest
    return message(
        topics=[message.DeleteTopicState(name=None, topic_id=each) for each in ids],
        timeout_ms=_milliseconds(operation_timeout),
    )


def _milliseconds(operation_timeout: float | None) -> int:
    if operation_timeout is None:
        return 1000 * _OPERATION_SECONDS
    if isinstance(operation_timeout, bool) or not isinstance(operation_timeout, int | float):
        kind = type(operation_timeout).__name__
        raise TypeError(f"operation_timeout must be float, not {kind}")
    if not 0 <= operation_timeout <= _LONGEST_SECONDS:
        raise ValueError(
            f"operation_timeout must be seconds from 0 to {_LONGEST_SECONDS}, "
            f"not {operation_timeout!r}"
        )
    return math.ceil(1000 * operation_timeout)


# ---- answers


def descriptions(
    response: protocol.MetadataResponse,
) -> Iterator[tuple[Uuid, TopicDescription | KafkaError]]:
    """Return the description, or the error, of each topic."""
    nodes = {
        each.node_id: Node(each.node_id, each.host, each.port, each.rack)
        for each in response.brokers
    }
    for topic in response.topics:
        yield topic.topic_id, error_of(topic) or _description(topic, nodes)


def deletions(
    response: protocol.DeleteTopicsResponse,
) -> Iterator[tuple[Uuid, KafkaError | None]]:
    """Return the error, or None, of each topic."""
    for one in response.responses:
        yield one.topic_id, error_of(one)


def _description(
    topic: protocol.MetadataResponse.MetadataResponseTopic, nodes: dict[int, Node]
) -> TopicDescription:
    def known(ids: Iterable[int]) -> list[Node]:
        # A replica on a broker that is down has no address.
        return [nodes.get(each) or Node(each, "", -1) for each in ids]

    operations = topic.topic_authorized_operations
    return TopicDescription(
        topic.name or "",
        topic.topic_id,
        topic.is_internal,
        [
            TopicPartitionInfo(
                each.partition_index,
                nodes.get(each.leader_id),
                known(each.replica_nodes),
                known(each.isr_nodes),
            )
            for each in topic.partitions
        ],
        None
        if operations == _NOT_ASKED
        else [each for each in AclOperation if operations >> each.value & 1],
    )
